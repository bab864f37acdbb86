"""The same face over code for one robot alone: a quick way in, and the careful one behind it."""
import inspect
from dataclasses import fields, replace

import numpy as np

from robodyn_ros import examination
from robodyn_ros.errors import KernelError, SingularityError, UnknownNameError
from robodyn_ros.frame_quantities import OperationalSpaceInertia
from robodyn_ros.kernels import link
from robodyn_ros.kernels.batch import share_out
from robodyn_ros.kernels.compile import warm_up
from robodyn_ros.kernels.derivatives import DERIVATIVES
from robodyn_ros.kernels.entry import entry, method
from robodyn_ros.kernels.normalise import cleaned
from robodyn_ros.kernels.specialise import (
    FURTHER_RECIPES, LARGEST, RECIPES, frame_recipes, sizes, specialise)
from robodyn_ros.kernels.straight import LANES
from robodyn_ros.model.report import NOTE, Finding
from robodyn_ros.robot import Robot

SIX = (6, 6)
#: Quantities whose results are not the arrays that the code writes.
MANY_RESULTS = ('energy', 'mass_matrix_factors', 'mass_matrix_derivative')
_empty = np.empty


class SpecialisedRobot(Robot):
    """A Robot whose recursions are straight-line code with its numbers in it.

    One state, or a batch, in float64 arrays goes straight to that code, which checks shapes and
    finiteness itself. Anything else (lists, wrenches, mistakes, singular pivots) takes the path of
    Robot, with the same results and the same sentences.

    model : RobotModel. frames : names of the frames whose pose, velocity, Jacobian and
    operational-space inertia are specialised too, or a tuple of names for what couples those.
    progress : as in robodyn_ros.kernels.warm_up.
    Compiling takes a second or two the first time; afterwards the machine code comes from the
    cache. Raises KernelError where a specialised kernel does not give what the generic one gives.

    also : names of further methods to specialise, of joint wrenches, centre of mass, momentum and
    factors of the mass matrix (robodyn_ros.kernels.specialise.FURTHER_RECIPES).

    kernels : {name: Specialised}, {(name, frame): Specialised}. generic : names of the quantities
    whose code would be too long, for which the kernels of Robot keep serving. report : that of the
    model, and a note on every direction cosine that is taken to be exactly 0, 1 or -1.
    """

    def __init__(self, model, frames=(), progress=None, also=()):
        super().__init__(model)
        self.report = replace(model.report, findings=(*model.report.findings, *(
            Finding(NOTE, name, f'the direction cosine {value!r} in row {row}, column {column} is '
                    f'taken to be {round(value)}')
            for name, row, column, value in cleaned(model))))
        frames = [frame if isinstance(frame, str) else tuple(frame) for frame in frames]
        recipes = RECIPES | self._further(also) | {(name, frame): recipe for frame in frames
                             for name, recipe in frame_recipes(model, frame).items()}
        found = {}
        for key, recipe in recipes.items():
            name, frame = (key, None) if isinstance(key, str) else key
            if progress:
                progress(f'recording {name}', len(found), len(recipes))
            found[key] = specialise(model, name, recipe, frame)
        self.kernels = {key: kernels for key, kernels in found.items() if kernels}
        self.generic = tuple(key for key, kernels in found.items() if not kernels)
        warm_up([kernels.one for kernels in self.kernels.values()], progress)
        self._shapes = {key: self._sizes(recipe) for key, recipe in recipes.items()}
        self._one = {key: entry(kernels.one) for key, kernels in self.kernels.items()}
        self._install()
        examination.every_kernel(self, frames)

    def _install(self):
        """Put the quick methods in front of those of Robot, whose arguments have the names of the
        recipes' inputs.
        """
        for name, recipe in (RECIPES | FURTHER_RECIPES).items():
            if name in self.kernels and name not in MANY_RESULTS:
                careful = getattr(super(), name)
                self._put(name, recipe, self._otherwise(name, careful), careful.__doc__,
                          'f_ext' in inspect.signature(careful).parameters)

    def _further(self, names):
        """The recipes that `also` asks for."""
        if unknown := [name for name in names if name not in FURTHER_RECIPES]:
            raise UnknownNameError(f'robot {self.name!r}: got {unknown[0]!r} to specialise too; '
                                   f'expected some of {", ".join(FURTHER_RECIPES)}')
        if names:
            self._require_mass()
        return {name: FURTHER_RECIPES[name] for name in names}

    def _put(self, name, recipe, otherwise, text, wrenches=False):
        setattr(self, name, method(name, text, self._one[name], otherwise, tuple(recipe.inputs),
                                   self._shapes[name][1], wrenches))

    def _otherwise(self, name, careful):
        """A function of what is not one state without wrenches: a batch, or a case for
        `careful`.
        """
        def careful_method(*states, f_ext=None, out=None):
            if f_ext is not None:
                return careful(*states, f_ext=f_ext, out=out)
            results = self._in_rows(name, states, out)
            return careful(*states, out=out) if results is None else results[0]
        return careful_method

    def _in_rows(self, key, states, out=None):
        """Results of a batch, shared out over the cores; None where it is no batch, or the kernel
        refuses a row.
        """
        if key not in self.kernels:
            return None
        states = [self._floats(array) for array in states]
        if any(array.ndim != 2 for array in states):
            return None
        (given, wanted), k = self._shapes[key], len(states[0])
        results = [np.empty((k, *shape)) for shape in wanted] if out is None else [out]
        arrays = *states, *results
        if not all(_plain(array, (k, *shape)) for array, shape in zip(arrays, given + wanted)):
            return None
        done, whole, one = [], k - k % LANES, self._one[key]
        if whole:
            rows = self.kernels[key].rows.compiled
            done = share_out(whole, lambda first, last: rows(*arrays, first, last) == last)
        fine = all(done) and not any(one(*(array[i] for array in arrays))
                                     for i in range(whole, k))
        return results if fine else None

    def linked(self, kernel):
        """The twin of a Kernel that calls recursions, with the code of this robot in it."""
        return link.linked(kernel, self.model)

    def energy(self, q, qd):
        energies = np.empty(2)
        if 'energy' in self._one and self._one['energy'](q, qd, energies) == 0:
            return energies[0], energies[1]
        results = self._in_rows('energy', (q, qd))
        return super().energy(q, qd) if results is None else tuple(results[0].T)

    def mass_matrix_factors(self, q):
        results = _empty((self.nv, self.nv)), _empty(self.nv)
        if 'mass_matrix_factors' in self._one and not self._one['mass_matrix_factors'](
                q, *results):
            return self._factors(*results)
        results = self._in_rows('mass_matrix_factors', (q,))
        return super().mass_matrix_factors(q) if results is None else self._factors(*results)

    def _of_frame(self, name, frame, shape, out, *states, work=()):
        result = np.empty(shape) if out is None else out
        try:
            one = self._one[name, frame]
        except (KeyError, TypeError):  # no such frame, or nothing that could be its name
            return super()._of_frame(name, frame, shape, out, *states, work=work)
        if not one(*states, result):
            return result
        results = self._in_rows((name, frame), states, out)
        return results[0] if results is not None else super()._of_frame(
            name, frame, shape, out, *states, work=work)

    def operational_space_inertia(self, q, frame, axes=None, damping=0.0):
        if axes is None and damping.__class__ is float and not damping:
            try:
                one = self._one['operational_space_inertia', frame]
            except (KeyError, TypeError):  # no such frame, or several
                return super().operational_space_inertia(q, frame)
            J, inverse, inertia = _empty((6, self.nv)), _empty(SIX), _empty(SIX)
            if not one(q, J, inverse, inertia):
                return FullRankInertia(self, q.copy(), frame, inertia, inverse, J)
            results = self._in_rows(('operational_space_inertia', frame), (q,))
            if results is not None:
                J, inverse, inertia = results
                q = np.array(q, float, order='C')
                return FullRankInertia(self, q, frame, inertia, inverse, J)
        return super().operational_space_inertia(q, frame, axes, damping)

    def _task(self, q, frame, J, compliance):
        for name, rest in (('operational_space_inertia', (_empty(SIX),)),
                           ('operational_space', ())):
            one = self._one.get((name, frame))
            if one is not None and one(q, J, compliance, *rest) == 0:
                return q
        return super()._task(q, frame, J, compliance)

    def _tasks(self, q, names, J, compliance):
        one = self._one.get(('coupled_compliance', names))
        if one is not None and one(q, J, compliance) == 0:
            return q
        return super()._tasks(q, names, J, compliance)

    def _tasks_in_rows(self, q, frame, J, compliance):
        for name in ('operational_space_inertia', 'operational_space'):
            results = self._in_rows((name, frame), (q,))
            if results is not None:
                J[...], compliance[...] = results[:2]
                return q
        return super()._tasks_in_rows(q, frame, J, compliance)

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
        single, (_, shapes) = self._one[name], self._shapes[name]
        results = tuple(np.empty(shape) for shape in shapes)
        if single(*states, *results) == 0:
            return results
        states, k = self._states(*states)
        states = [np.array(array, float, order='C') for array in states]  # plain and aligned
        if k is not None:
            results = self._in_rows(name, states)
            if results is not None:
                return tuple(results)
            results = tuple(np.empty((k, *shape)) for shape in shapes)
        for row in zip(*states, *results) if k is not None else [(*states, *results)]:
            if single(*row) != 0:
                self.mass_matrix_inverse(row[0])  # names the body of the pivot
                raise SingularityError(f'robot {self.name!r}: the mass matrix is singular at q = '
                                       f'{row[0].tolist()}; expected mass, inertia or rotor '
                                       'inertia about every joint axis')
        return results

    def _differentiate(self, name):
        recipe = DERIVATIVES[name]
        kernels = specialise(self.model, name, recipe)
        if kernels is None:
            raise KernelError(f'robot {self.name!r}: {name} would take more than the {LARGEST} '
                              'operations that are worth straight-line code; expected a robot of '
                              'fewer joints')
        self._one[name] = entry(kernels.one)
        self._shapes[name] = self._sizes(recipe)
        examination.derivative(self, name, self._shapes[name][1])
        self.kernels[name] = kernels
        if name not in MANY_RESULTS:
            careful = getattr(self, name)
            self._put(name, recipe, careful, careful.__doc__)

    def _sizes(self, recipe):
        """Shapes of what a recipe takes and of what it gives."""
        return tuple(tuple(sizes(shapes, self.model).values())
                     for shapes in (recipe.inputs, recipe.outputs))


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
        whole = (robot.task_inertia(q, self.jacobian, self.inverse, range(6), 0.0, (frame,))
                 if q.ndim == 1 else robot._inertia_of_each(
                     q, self.jacobian, self.inverse, range(6), 0.0, frame))
        known |= vars(whole) | known
        return known[name]

    def __reduce__(self):
        return OperationalSpaceInertia, tuple(getattr(self, name) for name in _FIELDS)


_FIELDS = tuple(field.name for field in fields(OperationalSpaceInertia))


def _plain(array, shape):
    """Whether the kernels take the array as it is."""
    return (isinstance(array, np.ndarray) and array.shape == shape and array.dtype == np.float64
            and array.flags.carray)
