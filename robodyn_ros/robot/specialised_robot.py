# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The methods of a Robot with code for one robot; the Python path takes all other calls."""

import inspect
from dataclasses import replace
from types import MethodType

import numpy as np

from robodyn_ros.codegen import linker, verification
from robodyn_ros.codegen.derivative_registry import DERIVATIVES, WRITTEN_OUT
from robodyn_ros.codegen.emit_llvm import LANES
from robodyn_ros.codegen.loops.column_packs import from_all_positions
from robodyn_ros.codegen.parallel_rows import parallel_for
from robodyn_ros.codegen.registry import (
    FURTHER_FRAME_RECIPES,
    FURTHER_RECIPES,
    JOINT_RECIPES,
    RECIPES,
    frame_recipes,
)
from robodyn_ros.codegen.specialise import sizes, specialise
from robodyn_ros.compile import generic
from robodyn_ros.compile.kernel import warm_up
from robodyn_ros.compile.vectorcall.entry import entry
from robodyn_ros.compile.vectorcall.method import apart, machine_method, python_method
from robodyn_ros.errors import UnknownNameError
from robodyn_ros.model.model_report import NOTE, Finding
from robodyn_ros.model.normal_form import cleaned_cosines
from robodyn_ros.robot.dispatch import machine_method_of, method_of, place_of
from robodyn_ros.robot.operational_space_dynamics import FullRankInertia
from robodyn_ros.robot.specialised_variants import CHOSEN, PUSHED, SpecialisedForms
from robodyn_ros.robot.validation import spread
from robodyn_ros.robot.variants import OF_RATES

SIX = (6, 6)
#: In keys of kernels whose q has the positions of all joints.
OF_ALL = 'the positions of all joints'
#: Quantities that are undefined without mass.
OF_MASS = {name for name in FURTHER_RECIPES if name.startswith('cent')} | {'composite_inertia'}
_empty = np.empty


class SpecialisedRobot(SpecialisedForms):
    """A Robot whose recursions are straight-line code with its numbers in it.

    Float64 arrays of one state or a batch go directly to that code, which checks shapes and
    finiteness. Wrenches on a batch are added as the torque J^T f. Other calls, with lists,
    wrenches on one state, errors and singular pivots, take the path of Robot with the same results
    and messages. The machine code is compiled once and then cached. With closed loops there is
    also code from the positions of all joints. A method compiles it at the first call with these.

    `frames` (sequence of str or tuple): frames whose pose, velocity, Jacobian and
      operational-space inertia are specialised too. A tuple of names includes their coupling.
    `progress` (callable): as in robodyn_ros.compile.warm_up.
    `also` (sequence of str or tuple): names of further methods to specialise. They are those of
      FURTHER_RECIPES and, for frames, of FURTHER_FRAME_RECIPES in robodyn_ros.codegen.registry.
      ('hybrid_dynamics', joints) is the case of these prescribed joints.
    `kernels` (dict): {name: Specialised}, {(name, frame): Specialised}. The key (name, OF_ALL) is
      that of code from the positions of all joints.
    `generic` (tuple of str): names of quantities whose code is too long, which stay generic.
    `report` (ModelReport): report of the model, and a note on every direction cosine rounded to 0,
      1 or -1.
    Raises KernelError: if a specialised kernel differs from the generic one.
    Raises ModelError: if links move without inertia; the message names them.
    """

    def __init__(self, model, frames=(), progress=None, also=()):
        super().__init__(model)
        model.require_dynamics()
        self._linked_kernels = {}
        known = vars(self)
        known['report'] = replace(
            model.report,
            findings=(
                *model.report.findings,
                *(
                    Finding(
                        NOTE,
                        name,
                        f'the direction cosine {value!r} in row {row}, column {column} is '
                        f'taken to be {round(value)}',
                    )
                    for name, row, column, value in cleaned_cosines(model)
                ),
            ),
        )
        frames = [frame if isinstance(frame, str) else tuple(frame) for frame in frames]
        self._asked = frames, tuple(also)
        recipes = RECIPES | self._further(frames, also)
        found = {}
        for key, recipe in recipes.items():
            name, subject = (key, None) if isinstance(key, str) else key
            if progress:
                progress(f'recording {name}', len(found), len(recipes))
            found[key] = specialise(model, name, recipe, subject)
        known['kernels'] = {key: kernels for key, kernels in found.items() if kernels}
        known['generic'] = tuple(key for key, kernels in found.items() if not kernels)
        warm_up([kernels.one for kernels in self.kernels.values()], progress)
        self._shapes = {key: self._sizes(recipe) for key, recipe in recipes.items()}
        self._one = {key: entry(kernels.one) for key, kernels in self.kernels.items()}
        self._install()
        verification.every_kernel(self, recipes)

    def __reduce__(self):
        frames, also = self._asked
        return type(self), (self.model, frames, None, also)  # its machine code is in the cache

    def _install(self):
        """Install the code of this robot before the methods of Robot.

        Arguments of the methods have the names of the recipes' inputs.
        """
        for name, recipe in (RECIPES | FURTHER_RECIPES).items():
            if name in self._shapes and name not in CHOSEN:
                self._put(name, recipe)
        for name in DERIVATIVES:
            self._install_derivative(name)

        self._fast_task = machine_method(
            self._task,
            {
                key[1]: (one, (), ())
                for key, one in self._one.items()
                if key[0] == 'operational_space_inertia'
            },
            [self.nq],
            ((6, self.nv), SIX, SIX),
            of_frame=True,
        )

    def _further(self, frames, also):
        """Return the recipes of frames, and those of `also`."""
        found, of_frames = {}, [name for name in also if name in FURTHER_FRAME_RECIPES]
        for asked in also:
            name, joints = asked if isinstance(asked, tuple) else (asked, None)
            if joints is not None and name in JOINT_RECIPES:
                moved = self.variants._prescribed(joints)
                found[name, self.variants._joints(moved)] = JOINT_RECIPES[name]
            elif joints is None and name in FURTHER_RECIPES:
                found[name] = FURTHER_RECIPES[name]
            elif asked not in of_frames:
                known = *FURTHER_RECIPES, *FURTHER_FRAME_RECIPES, *JOINT_RECIPES
                raise UnknownNameError(
                    f'robot {self.name!r}: got {asked!r} to specialise too; '
                    f'expected some of {", ".join(known)}'
                )
        if not OF_MASS.isdisjoint(found):
            self.centroidal._require_mass()
        for name in OF_RATES.keys() & found.keys():
            self.variants._require_rates(OF_RATES[name])
        return found | {
            (name, frame): recipe
            for frame in frames
            for name, recipe in frame_recipes(self.model, frame, of_frames).items()
        }

    def _put(self, name, recipe):
        """Install the code of this robot for a method, if there is any."""
        method = python = self._generic_method(name)
        if name in self.kernels:
            method = self._python_method(name, recipe, python)
        if self.model.has_loops:
            method = self._from_all_positions(name, recipe, method)
        if name in self.kernels:
            method = self._machine_method(name, method, [(self._one[name], (), ())])
        if method is not python:
            owner, title = place_of(self, name)
            vars(owner)[title] = method

    def _machine_method(self, key, otherwise, cases):
        """Return the C function of a method, for the cases of a kernel."""
        given, results = self._shapes[key]
        return machine_method(otherwise, cases, [n for n, *_ in given], results)

    def _generic_method(self, name):
        """Return the generic Python method of a kernel."""
        owner, title = place_of(self, name)
        return MethodType(getattr(type(owner), title), owner)

    def _python_method(self, name, recipe, python, key=None):
        """Return the Python method: the code of this robot, or `python` for refused arguments."""
        key = key or name
        return python_method(
            python.__name__,
            python.__doc__,
            self._one[key],
            self._otherwise(name, python, key),
            tuple(recipe.inputs),
            self._shapes[key][1],
            'f_ext' in inspect.signature(python).parameters,
        )

    def _from_all_positions(self, name, recipe, method):
        """Return the method with code from the positions of all joints, or else `method`.

        This code is recorded and compiled at the first call with these positions.
        """
        key, recipe = (name, OF_ALL), from_all_positions(name, recipe)
        cases, chosen, count = [], [], len(self.all_position_names)
        self._shapes[key] = self._sizes(recipe)

        def from_all(*given, **options):
            q = given[0] if given else options.get('q')
            if not chosen and _is_of_length(q, count):
                chosen.append(self._prepare_from_all(key, recipe, method, cases))
            return (chosen[0] if chosen else method)(*given, **options)

        from_all.__name__, from_all.__doc__ = method.__name__, method.__doc__
        from_all.__wrapped__ = self._generic_method(name)
        return self._machine_method(key, from_all, cases)

    def _prepare_from_all(self, key, recipe, method, cases):
        """Fill the case of code from the positions of all joints; return the method around it.

        It is `method` if there is no code, or it takes none of the states that verify it.
        """
        kernels = specialise(self.model, key[0], recipe)
        if kernels:
            self._one[key] = entry(kernels.one)
            if verification.from_all_positions(self, key, recipe):
                self.kernels[key] = kernels
                cases.append((self._one[key], (), ()))
                return self._python_method(key[0], recipe, method, key)
        return method

    def _otherwise(self, name, python, key):
        """Return the method for batches, and for arguments that only `python` handles."""
        several = len(self._shapes[key][1]) > 1

        def other_cases(*states, **options):
            results = None
            if options.get('f_ext') is None:
                results = self._in_rows(key, states, options.get('out'))
            elif name in PUSHED and np.ndim(states[0]) == 2:
                return self._pushed(
                    method_of(self, name), *states, **options, forward=name.startswith('forward')
                )
            if results is None:
                return python(*states, **options)
            return tuple(results) if several else results[0]

        return other_cases

    def _in_rows(self, key, states, out=None):
        """Return the results of a batch, computed in parallel.

        None if it is not a batch, or the kernel refuses a row.
        """
        if key not in self.kernels:
            return None
        states = spread([self._floats(array) for array in states])
        if states[0].ndim != 2:
            return None
        (given, wanted), k = self._shapes[key], len(states[0])
        results = [np.empty((k, *shape)) for shape in wanted] if out is None else [out]
        arrays = *states, *results
        if not all(_plain(array, (k, *shape)) for array, shape in zip(arrays, given + wanted)):
            return None
        done, whole, one = [], k - k % LANES, self._one[key]
        if whole:
            rows = self.kernels[key].rows.compiled
            done = parallel_for(whole, lambda first, last: rows(*arrays, first, last) == last)
        fine = all(done) and not any(one(*(array[i] for array in arrays)) for i in range(whole, k))
        return results if fine else None

    def _case(self, name, frame=None):
        one = self._one.get((name, frame))
        return (one, (), ()) if one else super()._case(name, frame)

    def linked(self, kernel):
        """Return the version of a Kernel that calls the code of this robot for its recursions.

        `kernel` (Kernel): a kernel that calls recursions.
        """
        if kernel not in self._linked_kernels:
            self._linked_kernels[kernel] = linker.linked(kernel, self.model)
        return self._linked_kernels[kernel]

    def _of_frame(self, name, frame, shape, out, *states, work=()):
        result = np.empty(shape) if out is None else out
        states = apart(out, states)
        try:
            one = self._one[name, frame]
        except (KeyError, TypeError):  # no such frame, or not a name
            return super()._of_frame(name, frame, shape, out, *states, work=work)
        if not one(*states, result):
            return result
        results = self._in_rows((name, frame), states, out)
        return (
            results[0]
            if results is not None
            else super()._of_frame(name, frame, shape, out, *states, work=work)
        )

    def operational_space_inertia(self, q, frame, axes=None, damping=0.0):
        if axes is None and damping.__class__ is float and not damping:
            found = self._fast_task(q, frame)
            if found:
                J, inverse, inertia = found
                return FullRankInertia(self, q.copy(), frame, inertia, inverse, J)
            results = isinstance(frame, str) and self._in_rows(
                ('operational_space_inertia', frame), (q,)
            )
            if results:
                J, inverse, inertia = results
                q = np.array(q, float, order='C')
                return FullRankInertia(self, q, frame, inertia, inverse, J)
        elif isinstance(frame, str):
            found = self._of_axes(q, frame, axes, damping)
            if found is not None:
                return found
        return super().operational_space_inertia(q, frame, axes, damping)

    def _task(self, q, frame):
        """Return J, J M^-1 J^T and Lambda of a frame at one state; None if its code refuses."""
        one = isinstance(frame, str) and self._one.get(('operational_space_inertia', frame))
        results = _empty((6, self.nv)), _empty(SIX), _empty(SIX)
        return results if one and not one(q, *results) else None

    def _of_axes(self, q, frame, axes, damping):
        """Return the inertia of some axes of a frame, possibly damped.

        None for a batch, or where a direction of the task is lost.
        """
        for name in ('operational_space_inertia', 'operational_space'):
            one = self._one.get((name, frame))
            if one is None:
                continue
            J, compliance = _empty((6, self.nv)), _empty(SIX)
            rest = (_empty(SIX),) if name == 'operational_space_inertia' else ()
            if one(q, J, compliance, *rest):
                return None
            return self._full_rank(
                q, frame, J, compliance, self._kept((frame,), axes), self._damping(damping)
            )
        return None

    def _fill(self, q, k, names, J, compliance):
        frame = names[0] if len(names) == 1 else names
        for name in ('operational_space_inertia', 'operational_space', 'coupled_compliance'):
            if (name, frame) not in self._one:
                continue
            if k is not None:
                results = self._in_rows((name, frame), (q,))
                if results is not None:
                    J[...], compliance[...] = results[:2]
                    return
            else:
                rest = [_empty(shape) for shape in self._shapes[name, frame][1][2:]]
                if not self._one[name, frame](q, J, compliance, *rest):
                    return
        super()._fill(q, k, names, J, compliance)

    def _install_derivative(self, name):
        """Install a derivative, whose code is recorded and compiled at the first call."""
        cases, chosen, written = [], [], self._generic_method(name)

        def derivative(*given, **options):
            if not chosen:
                chosen.append(self._prepare_derivative(name, cases))
            return chosen[0](*given, **options)

        derivative.__name__, derivative.__doc__ = written.__name__, written.__doc__
        derivative.__wrapped__ = written
        owner, title = place_of(self, name)
        vars(owner)[title] = machine_method_of(self, name, derivative, cases)

    def _prepare_derivative(self, name, cases):
        """Fill the case of a derivative, and return the method for all other arguments.

        Straight-line code if it is short enough, else the generic kernel. Raises KernelError if it
        differs from the recursion.
        """
        recipe, python, kernels = DERIVATIVES[name], self._generic_method(name), None
        if self.nv <= WRITTEN_OUT[name]:
            kernels = specialise(self.model, name, recipe)
        if kernels:
            self._one[name], self._shapes[name] = entry(kernels.one), self._sizes(recipe)
            self.kernels[name] = kernels
            case, chosen = (self._one[name], (), ()), self._python_method(name, recipe, python)
        else:
            getattr(generic, name).compiled  # noqa: B018  now, and not at the first call
            case, chosen = None if self._quaternions else super()._case(name), python
        verification.derivative(self, name, chosen)
        if not kernels:
            vars(self)['generic'] += (name,)
        if case:
            cases.append(case)
        return chosen

    def _sizes(self, recipe):
        """Return the shapes of inputs and outputs of a recipe."""
        return tuple(
            tuple(sizes(shapes, self.model).values()) for shapes in (recipe.inputs, recipe.outputs)
        )


def _is_of_length(q, count):
    """Return whether positions, of one state or of a batch, have so many entries."""
    try:
        return np.shape(q)[-1:] == (count,)
    except ValueError:  # rows of unequal length, which the method refuses with a sentence
        return False


def _plain(array, shape):
    """Return whether the kernels take the array as it is."""
    return (
        isinstance(array, np.ndarray)
        and array.shape == shape
        and array.dtype == np.float64
        and array.flags.carray
    )
