# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Methods of a specialised robot that choose their kernel by an argument or convert results."""

import functools
from collections.abc import Mapping

import numpy as np

from robodyn_ros.codegen.registry import FURTHER_RECIPES
from robodyn_ros.compile.vectorcall.method import apart
from robodyn_ros.robot.centroidal import Centroidal
from robodyn_ros.robot.links import Links
from robodyn_ros.robot.mass_operator import MassOperator
from robodyn_ros.robot.robot import Robot
from robodyn_ros.robot.task_space import TaskSpace
from robodyn_ros.robot.variants import Variants

#: Kernels without a method of the same name, arguments and results.
CHOSEN = (
    'energy',
    'mass_matrix_factors',
    'mass_factor_rates',
    'composite_inertia',
    'body_inertias',
    'articulated_inertia_rates',
    'link_operators',
    'link_operator_rates',
    'regressor',
    'inverse_dynamics_body',
    'inverse_dynamics_offset',
    'inverse_dynamics_inertial',
    'inverse_dynamics_fixed',
    *(name for name in FURTHER_RECIPES if name.startswith('factor_product')),
)


#: Quantities on which wrenches act like the torques J^T f.
PUSHED = (
    'inverse_dynamics',
    'inverse_dynamics_composite',
    'forward_dynamics',
    'forward_dynamics_factored',
    'forward_dynamics_dense',
)


class SpecialisedMassOperator(MassOperator):
    """View of a specialised robot: specialised code first, then the path of Robot."""

    def factors(self, q):
        found = self._robot._fast('mass_matrix_factors', (q,))
        return super().factors(q) if found is None else self._factors(*found)

    def factor_rates(self, q, qd):
        found = self._robot._fast('mass_factor_rates', (q, qd))
        return super().factor_rates(q, qd) if found is None else self._factors(*found)

    def factor_product(self, q, x, transposed=False, inverse=False, out=None):
        name = 'factor_product' + '_transposed' * bool(transposed) + '_inverse' * bool(inverse)
        found = self._robot._fast(name, (q, x), out)
        if found is None:
            return super().factor_product(q, x, transposed, inverse, out)
        return found[0]


class SpecialisedCentroidal(Centroidal):
    """As SpecialisedMassOperator."""

    def composite_inertia(self, q):
        found = self._robot._fast('composite_inertia', (q,))
        return super().composite_inertia(q) if found is None else (self.mass, *found)


class SpecialisedLinks(Links):
    """As SpecialisedMassOperator."""

    def inertias(self, q):
        found = self._robot._fast('body_inertias', (q,))
        return super().inertias(q) if found is None else self._blocks(found)

    def articulated_inertia_rates(self, q, qd):
        found = self._robot._fast('articulated_inertia_rates', (q, qd))
        if found is None:
            return super().articulated_inertia_rates(q, qd)
        return self._blocks(found)[0]

    def operators(self, q):
        found = self._robot._fast('link_operators', (q,))
        return super().operators(q) if found is None else self._operators(found)

    def operator_rates(self, q, qd):
        found = self._robot._fast('link_operator_rates', (q, qd))
        return super().operator_rates(q, qd) if found is None else self._operators(found)

    def regressor(self, q, qd, qdd, qd_r=None, out=None):
        states = q, qd, qd if qd_r is None else qd_r, qdd
        found = self._robot._fast('regressor', states, out)
        return super().regressor(q, qd, qdd, qd_r, out) if found is None else found[0]


class SpecialisedVariants(Variants):
    """As SpecialisedMassOperator."""

    def inverse_dynamics_in(self, reference, q, qd, qdd, f_ext=None, out=None):
        robot, name = self._robot, f'inverse_dynamics_{reference}'
        if f_ext is not None and name in robot._one:
            method = functools.partial(self.inverse_dynamics_in, reference)
            return robot._pushed(method, q, qd, qdd, f_ext, out)
        found = None if f_ext is not None else robot._fast(name, (q, qd, qdd), out)
        if found is None:
            return super().inverse_dynamics_in(reference, q, qd, qdd, f_ext, out)
        return found[0]

    def hybrid_dynamics(self, q, qd, tau, qdd, prescribed, f_ext=None):
        robot, flags, found = self._robot, self._prescribed(prescribed), None
        key = 'hybrid_dynamics', self._joints(flags)
        if key in robot._one:
            (q, qd, tau, qdd), _ = robot._states(q, qd, tau, qdd)
            push = None if f_ext is None else robot.task_space.torque_of_wrench(q, f_ext)
            given = tau if push is None else tau + push
            found = robot._fast(key, (q, qd, np.where(flags, qdd, given)))
        if found is None:
            return super().hybrid_dynamics(q, qd, tau, qdd, flags, f_ext)
        if push is not None:
            found[0] -= push
        return tuple(found)

    def _joints(self, flags):
        """Return the names of the joints of flags (nv,)."""
        return tuple(name for name, flag in zip(self._robot.joint_names, flags) if flag)


class SpecialisedTaskSpace(TaskSpace):
    """As SpecialisedMassOperator."""

    def torque_of_wrench(self, q, f_ext, out=None):
        found = self._under_wrench('torque_of_wrench', q, f_ext, out)
        return super().torque_of_wrench(q, f_ext, out) if found is None else found[0]

    def acceleration_of_wrench(self, q, f_ext, out=None):
        found = self._under_wrench('acceleration_of_wrench', q, f_ext, out)
        return super().acceleration_of_wrench(q, f_ext, out) if found is None else found[0]

    def _under_wrench(self, name, q, f_ext, out):
        """Return the effect of wrenches on frames; None if these are not specialised."""
        if not isinstance(f_ext, Mapping):
            return None
        robot, frames = self._robot, tuple(f_ext)
        key = name, frames[0] if len(frames) == 1 else frames
        if key not in robot._one:
            return None
        (q,), k = robot._states(q)
        wrenches = robot._placed_wrenches(k, f_ext)[2]
        if k is None:
            return robot._fast(key, (q, wrenches[0]), out)
        shape = k, *wrenches.shape[1:]
        rows = np.ascontiguousarray(np.broadcast_to(wrenches, shape))
        return robot._fast(key, (q, rows), out)

    def _free_acceleration(self, gravity, k, q, qd, names):
        robot, found = self._robot, None
        if gravity is robot.model.gravity:
            key = 'task_acceleration', names[0] if len(names) == 1 else names
            found = robot._fast(key, (q, qd, np.zeros_like(qd)))
        return super()._free_acceleration(gravity, k, q, qd, names) if found is None else found[0]


class SpecialisedForms(Robot):
    """The methods of Robot that SpecialisedRobot cannot replace directly by kernels.

    Calls that the code for one robot refuses or lacks take the path of Robot.
    """

    def _views(self):
        return super()._views() | {
            'mass_operator': SpecialisedMassOperator,
            'centroidal': SpecialisedCentroidal,
            'links': SpecialisedLinks,
            'variants': SpecialisedVariants,
            'task_space': SpecialisedTaskSpace,
        }

    def _fast(self, key, states, out=None):
        """Return results of the code for one robot, for one state or a batch; None without it."""
        one = self._one.get(key)
        if one is None:
            return None
        states = apart(out, states)
        results = [np.empty(shape) for shape in self._shapes[key][1]] if out is None else [out]
        return results if not one(*states, *results) else self._in_rows(key, states, out)

    def energy(self, q, qd):
        found = self._fast('energy', (q, qd))
        return super().energy(q, qd) if found is None else (found[0][..., 0], found[0][..., 1])

    def _pushed(self, method, q, qd, third, f_ext, out=None, forward=False):
        """Return a method of PUSHED under wrenches f.

        Inverse dynamics subtracts J^T f; forward dynamics adds it to the efforts.
        """
        (q, qd, third), _ = self._states(q, qd, third)
        push = self.task_space.torque_of_wrench(q, f_ext)
        if forward:
            return method(q, qd, third + push, out=out)
        result = method(q, qd, third, out=out)
        result -= push
        return result


for _kind in (
    SpecialisedMassOperator,
    SpecialisedCentroidal,
    SpecialisedLinks,
    SpecialisedVariants,
    SpecialisedTaskSpace,
    SpecialisedForms,
):
    for _name, _method in vars(_kind).items():
        if not _name.startswith('_'):
            _method.__doc__ = getattr(_kind.__base__, _name).__doc__
