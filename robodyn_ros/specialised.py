"""The same face over code for one robot alone: a quick way in, and the careful one behind it."""
import numpy as np

from robodyn_ros.errors import KernelError, SingularityError
from robodyn_ros.kernels.batch import share_out
from robodyn_ros.kernels.compile import warm_up
from robodyn_ros.kernels.specialise import FRAME_RECIPES, RECIPES, specialise
from robodyn_ros.kernels.straight import LANES
from robodyn_ros.robot import Robot

#: Relative error that the specialised kernels may have against the generic ones in the examination
#: before they serve; for solves times the condition number.
TOLERANCE, ROUNDING = 1e-11, 1e-14


class SpecialisedRobot(Robot):
    """A Robot whose recursions are straight-line code with its numbers in it.

    One state, or a batch, in float64 arrays goes straight to that code, which checks shapes and
    finiteness itself. Anything else (lists, wrenches, mistakes, singular pivots) takes the path of
    Robot, with the same results and the same sentences.

    model : RobotModel. frames : names of the frames whose pose, velocity, Jacobian and
    operational-space inertia are specialised too. progress : as in robodyn_ros.kernels.warm_up.
    Compiling takes a second or two the first time; afterwards the machine code comes from the
    cache. Raises KernelError where a specialised kernel does not give what the generic one gives.

    kernels : {name: Specialised}, {(name, frame): Specialised}. generic : names of the quantities
    whose code would be too long, for which the kernels of Robot keep serving.
    """

    def __init__(self, model, frames=(), progress=None):
        super().__init__(model)
        found = {name: specialise(model, name, recipe) for name, recipe in RECIPES.items()}
        found |= {(name, frame): specialise(model, name, recipe, frame)
                  for frame in frames for name, recipe in FRAME_RECIPES.items()}
        self.kernels = {key: kernels for key, kernels in found.items() if kernels}
        self.generic = tuple(key for key, kernels in found.items() if not kernels)
        warm_up([kernels.one for kernels in self.kernels.values()], progress)
        self._one = {key: kernels.one.compiled for key, kernels in self.kernels.items()}
        self._install()
        self._examine(frames)

    def _install(self):
        """Put the quick methods in front of those of Robot: closures, as look-ups would cost as
        much as the checks.
        """
        for name, shape in (('gravity_torque', self.nv), ('mass_matrix', (self.nv, self.nv)),
                            ('mass_matrix_inverse', (self.nv, self.nv))):
            self._put(name, _of_one, shape)
        for name, shape in (('bias_torque', self.nv), ('mass_solve', self.nv),
                            ('coriolis_matrix', (self.nv, self.nv))):
            self._put(name, _of_two, shape)
        for name in ('inverse_dynamics', 'forward_dynamics'):
            self._put(name, _of_three, self.nv)

    def _put(self, name, kind, shape):
        if name in self.kernels:
            careful = getattr(super(), name)
            method = kind(self._one[name], self._batched(name, careful), careful, shape)
            method.__name__, method.__doc__ = name, careful.__doc__
            setattr(self, name, method)

    def _batched(self, name, careful):
        """A function of states and out that shares a batch out over the cores, where there is one
        in float64 arrays, and asks `careful` otherwise.
        """
        recipe, kernels = RECIPES[name], self.kernels[name]
        shape = tuple(self.nv if size == 'nv' else size
                      for shape in recipe.outputs.values() for size in shape)

        def batched(*states, out=None):
            k = len(states[0]) if isinstance(states[0], np.ndarray) else 0
            if k < LANES or not all(_plain(state, (k, self.nv)) for state in states):
                return careful(*states, out=out)
            results = np.empty((k, *shape)) if out is None else out
            if not (_plain(results, (k, *shape)) and results.flags.writeable):
                return careful(*states, out=out)
            rows, one, whole = kernels.rows.compiled, kernels.one.compiled, k - k % LANES
            done = share_out(whole, lambda first, last: rows(
                *states, results, first, last) == last)
            if all(done) and not any(one(*(state[i] for state in states), results[i])
                                     for i in range(whole, k)):
                return results
            return careful(*states, out=results)
        return batched

    def energy(self, q, qd):
        energies = np.empty(2)
        try:
            if self._one['energy'](q, qd, energies) == 0:
                return energies[0], energies[1]
        except (KeyError, TypeError):
            pass
        return super().energy(q, qd)

    def pose(self, q, frame, out=None):
        X = np.empty((4, 4)) if out is None else out
        return X if self._tried('pose', frame, q, X) else super().pose(q, frame, out)

    def velocity(self, q, qd, frame, out=None):
        V = np.empty(6) if out is None else out
        return V if self._tried('velocity', frame, q, qd, V) else super().velocity(
            q, qd, frame, out)

    def jacobian(self, q, frame, out=None):
        J = np.empty((6, self.nv)) if out is None else out
        return J if self._tried('jacobian', frame, q, J) else super().jacobian(q, frame, out)

    def jacobian_bias(self, q, qd, frame, out=None):
        bias = np.empty(6) if out is None else out
        return bias if self._tried('jacobian_bias', frame, q, qd, bias) else super().jacobian_bias(
            q, qd, frame, out)

    def _task(self, q, frame, J, compliance):
        if self._tried('operational_space', frame, q, J, compliance):
            return q
        return super()._task(q, frame, J, compliance)

    def _tried(self, name, frame, *arguments):
        """Whether there is a kernel for the frame, and it took the arguments."""
        try:
            return self._one[name, frame](*arguments) == 0
        except (KeyError, TypeError):
            return False

    def _examine(self, frames):
        """Compare every specialised kernel with the generic one at a few states."""
        reference, rng = Robot(self.model), np.random.default_rng(0)
        for _ in range(3):
            state = dict(zip(('q', 'qd', 'qdd'), rng.uniform(-1.5, 1.5, (3, self.nv))))
            state |= {'tau': state['qdd'], 'b': state['qdd']}
            slack = TOLERANCE + ROUNDING * np.linalg.cond(reference.mass_matrix(state['q']))
            for name, recipe in (RECIPES | FRAME_RECIPES).items():
                given = [state[argument] for argument in recipe.inputs]
                places = [(name, frame) for frame in frames] if name in FRAME_RECIPES else [name]
                for key in places:
                    if key in self.kernels:
                        self._compare(key, recipe, given, reference, slack)

    def _compare(self, key, recipe, given, reference, slack):
        name, frame = key if isinstance(key, tuple) else (key, None)
        shapes = [tuple(self.nv if size == 'nv' else size for size in shape)
                  for shape in recipe.outputs.values()]
        got, expected = ([np.zeros(shape) for shape in shapes] for _ in range(2))
        status, promised = self._one[key](*given, *got), 0
        try:
            if name == 'operational_space':
                reference._task(*given, frame, *expected)
            else:
                expected[0][...] = getattr(reference, name)(*given, *([frame] if frame else []))
        except SingularityError:
            promised = 1
        for mine, theirs in zip(got, expected):
            error, size = np.abs(mine - theirs).max(), np.abs(theirs).max()
            if status != promised or not error <= slack * max(size, 1.0):
                raise KernelError(
                    f'robot {self.name!r}: the specialised kernel {self.kernels[key].one.name} '
                    f'differs from the generic one by {error:.2g} of {size:.2g} (status {status}) '
                    f'at {[x.tolist() for x in given]}; use Robot itself, and report this')


def _plain(array, shape):
    """Whether the kernels take the array as it is."""
    return (isinstance(array, np.ndarray) and array.shape == shape and array.dtype == np.float64
            and array.flags.c_contiguous)


def _of_one(one, batched, careful, shape):
    """A method of q."""
    def method(q, out=None):
        result = np.empty(shape) if out is None else out
        try:
            if one(q, result) == 0:
                return result
        except TypeError:  # not a float64 array of one state
            return batched(q, out=out)
        return careful(q, out=out)
    return method


def _of_two(one, batched, careful, shape):
    """A method of q and one vector more."""
    def method(q, second, out=None):
        result = np.empty(shape) if out is None else out
        try:
            if one(q, second, result) == 0:
                return result
        except TypeError:
            return batched(q, second, out=out)
        return careful(q, second, out=out)
    return method


def _of_three(one, batched, careful, shape):
    """A method of q and two vectors more, with wrenches, which the specialised kernels do not
    know.
    """
    def method(q, qd, third, f_ext=None, out=None):
        if f_ext is None:
            result = np.empty(shape) if out is None else out
            try:
                if one(q, qd, third, result) == 0:
                    return result
            except TypeError:
                return batched(q, qd, third, out=out)
        return careful(q, qd, third, f_ext=f_ext, out=out)
    return method
