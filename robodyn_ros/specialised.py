"""The same face over code for one robot alone: a quick way in, and the careful one behind it."""
from dataclasses import fields

import numpy as np

from robodyn_ros import examination
from robodyn_ros.errors import KernelError, SingularityError
from robodyn_ros.frame_quantities import OperationalSpaceInertia
from robodyn_ros.kernels import link
from robodyn_ros.kernels.batch import share_out
from robodyn_ros.kernels.compile import warm_up
from robodyn_ros.kernels.derivatives import DERIVATIVES
from robodyn_ros.kernels.entry import entry
from robodyn_ros.kernels.specialise import LARGEST, RECIPES, frame_recipes, sizes, specialise
from robodyn_ros.kernels.straight import LANES
from robodyn_ros.robot import Robot

SIX = (6, 6)
_empty = np.empty


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
                  for frame in frames
                  for name, recipe in frame_recipes(model, frame).items()}
        self.kernels = {key: kernels for key, kernels in found.items() if kernels}
        self.generic = tuple(key for key, kernels in found.items() if not kernels)
        warm_up([kernels.one for kernels in self.kernels.values()], progress)
        self._derived = {}  # shapes of the derivatives that have been asked for
        self._one = {key: entry(kernels.one) for key, kernels in self.kernels.items()}
        self._install()
        examination.every_kernel(self, frames)

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
            method = kind(self._one[name], self._batched(name, careful), shape)
            method.__name__, method.__doc__ = name, careful.__doc__
            setattr(self, name, method)

    def _batched(self, name, careful):
        """A function of states and out that shares a batch out over the cores, where there is one
        in float64 arrays, and asks `careful` otherwise.
        """
        recipe, kernels, one = RECIPES[name], self.kernels[name], self._one[name]
        shape = tuple(self.nv if size == 'nv' else size
                      for shape in recipe.outputs.values() for size in shape)

        def batched(*states, f_ext=None, out=None):
            if f_ext is not None:
                return careful(*states, f_ext=f_ext, out=out)
            k = len(states[0]) if getattr(states[0], 'ndim', 0) == 2 else 0
            if k < LANES or not all(_plain(state, (k, self.nv)) for state in states):
                return careful(*states, out=out)
            results = np.empty((k, *shape)) if out is None else out
            if not (_plain(results, (k, *shape)) and results.flags.writeable):
                return careful(*states, out=out)
            rows, whole = kernels.rows.compiled, k - k % LANES
            done = share_out(whole, lambda first, last: rows(
                *states, results, first, last) == last)
            if all(done) and not any(one(*(state[i] for state in states), results[i])
                                     for i in range(whole, k)):
                return results
            return careful(*states, out=results)
        return batched

    def linked(self, kernel):
        """The twin of a Kernel that calls recursions, with the code of this robot in it."""
        return link.linked(kernel, self.model)

    def energy(self, q, qd):
        energies = np.empty(2)
        if 'energy' in self._one and self._one['energy'](q, qd, energies) == 0:
            return energies[0], energies[1]
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

    def operational_space_inertia(self, q, frame, axes=None, damping=0.0):
        if axes is None and damping.__class__ is float and not damping:
            try:
                one = self._one['operational_space_inertia', frame]
            except (KeyError, TypeError):  # no such frame, or several
                return super().operational_space_inertia(q, frame)
            J, inverse, inertia = _empty((6, self.nv)), _empty(SIX), _empty(SIX)
            if not one(q, J, inverse, inertia):
                return FullRankInertia(self, q.copy(), frame, inertia, inverse, J)
        return super().operational_space_inertia(q, frame, axes, damping)

    def _task(self, q, frame, J, compliance):
        if (self._tried('operational_space_inertia', frame, q, J, compliance, np.empty(SIX))
                or self._tried('operational_space', frame, q, J, compliance)):
            return q
        return super()._task(q, frame, J, compliance)

    def inverse_dynamics_derivatives(self, q, qd, qdd):
        return self._derivatives('inverse_dynamics_derivatives', q, qd, qdd)

    def forward_dynamics_derivatives(self, q, qd, tau):
        return self._derivatives('forward_dynamics_derivatives', q, qd, tau)

    def mass_matrix_derivative(self, q):
        return self._derivatives('mass_matrix_derivative', q)[0]

    for _method in (inverse_dynamics_derivatives, forward_dynamics_derivatives,
                    mass_matrix_derivative):
        _method.__doc__ = getattr(Robot, _method.__name__).__doc__
    del _method

    def _derivatives(self, name, *states):
        """The results of a derivative kernel, which is made when it is first asked for."""
        if name not in self.kernels:
            self._differentiate(name)
        shapes, single = self._derived[name], self._one[name]
        results = tuple(np.empty(shape) for shape in shapes)
        if single(*states, *results) == 0:
            return results
        states, k = self._states(*states)
        results = tuple(np.empty((k or 1, *shape)) for shape in shapes)
        for row in zip(*(np.reshape(x, (-1, self.nv)) for x in states), *results):
            if single(*row) != 0:
                self.mass_matrix_inverse(row[0])  # names the body of the pivot
                raise SingularityError(f'robot {self.name!r}: the mass matrix is singular at q = '
                                       f'{row[0].tolist()}')
        return results if k is not None else tuple(result[0] for result in results)

    def _differentiate(self, name):
        recipe = DERIVATIVES[name]
        kernels = specialise(self.model, name, recipe)
        if kernels is None:
            raise KernelError(f'robot {self.name!r}: {name} would take more than the {LARGEST} '
                              'operations that are worth straight-line code; expected a robot of '
                              'fewer joints')
        self._derived[name] = tuple(sizes(recipe.outputs, self.model).values())
        self._one[name] = entry(kernels.one)
        examination.derivative(self, name, self._derived[name])
        self.kernels[name] = kernels

    def _tried(self, name, frame, *arguments):
        """Whether there is a kernel for the frame, and it took the arguments."""
        try:
            return self._one[name, frame](*arguments) == 0
        except (KeyError, TypeError):  # no such frame, or nothing that could be its name
            return False


class FullRankInertia(OperationalSpaceInertia):
    """An OperationalSpaceInertia of all axes of a frame that has lost none, undamped: inertia,
    inverse and jacobian are there, the other fields are computed when first asked for.
    """

    def __init__(self, robot, q, frame, inertia, inverse, jacobian):
        known = self.__dict__
        known['inertia'], known['inverse'], known['jacobian'] = inertia, inverse, jacobian
        known['_of'] = robot, q, frame

    def __getattr__(self, name):
        if name not in _FIELDS:
            raise AttributeError(f'{type(self).__name__} has no attribute {name!r}')
        robot, q, frame = self._of
        known = self.__dict__
        known |= vars(robot.task_inertia(q, self.jacobian, self.inverse, range(6), 0.0, (frame,))
                      ) | known
        return known[name]

    def __reduce__(self):
        return OperationalSpaceInertia, tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(field.name for field in fields(OperationalSpaceInertia))


def _plain(array, shape):
    """Whether the kernels take the array as it is."""
    return (isinstance(array, np.ndarray) and array.shape == shape and array.dtype == np.float64
            and array.flags.c_contiguous)


def _of_one(one, batched, shape, empty=np.empty):
    """A method of q."""
    def method(q, out=None):
        result = empty(shape) if out is None else out
        return batched(q, out=out) if one(q, result) else result
    return method


def _of_two(one, batched, shape, empty=np.empty):
    """A method of q and one vector more."""
    def method(q, second, out=None):
        result = empty(shape) if out is None else out
        return batched(q, second, out=out) if one(q, second, result) else result
    return method


def _of_three(one, batched, shape, empty=np.empty):
    """A method of q and two vectors more, with wrenches, which the specialised kernels do not
    know.
    """
    def method(q, qd, third, f_ext=None, out=None):
        result = empty(shape) if out is None else out
        if f_ext is not None or one(q, qd, third, result):
            return batched(q, qd, third, f_ext=f_ext, out=out)
        return result
    return method
