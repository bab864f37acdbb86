# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics in two sweeps of the velocities xi, beside articulated bodies.

`two sweeps` is algorithm 19.3 of Jain 2011, for the rates of q and xi. `articulated` is algorithm
7.2, for the rate of qd. Both use the primitives of this package. Operations are those of code for
one robot, and exact. Times are of the kernels for any robot, in microseconds per call from Python.
Every call gets another of many states. Times are minima of interleaved rounds on one core.
"""

import numpy as np

from benchmark import chains, table
from benchmark.dynamics.closed_chains import BANK, each, minima
from robodyn_ros.algorithms.core import aba
from robodyn_ros.algorithms.core import scratch as at
from robodyn_ros.algorithms.core.articulated import (
    articulated_inertias,
    articulated_times,
    carry_inertia,
)
from robodyn_ros.algorithms.core.articulated_body_rates import (
    axis_column,
    propagate_rate,
    turn_inertia,
)
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    along_joint,
    carry_wrench,
    joint_transforms,
    to_child,
)
from robodyn_ros.algorithms.mass_matrix.mass_matrix_factors import gain
from robodyn_ros.algorithms.variants.damping_torques import gyroscopic_wrenches
from robodyn_ros.codegen.registry import RECIPES, Recipe
from robodyn_ros.codegen.specialise import record_as_is
from robodyn_ros.compile.kernel import kernel
from robodyn_ros.model.layout import KIND, MASS, MOMENT, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.model.normal_form import align, clean, regroup
from robodyn_ros.robot.robot import Robot
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store, sub

JOINTS = (2, 6, 7, 14, 30)
KINDS = ('multiplications', 'additions')


@primitive
def velocities_of_xi(topology, constants, gravity, scratch, xi, qd):
    """Compute qd = xi - G' V+ and V base to tip, and gravity in the frame of each body."""
    store(scratch, 0, at.OMEGA, (0.0, 0.0, 0.0))
    store(scratch, 0, at.SPEED, (0.0, 0.0, 0.0))
    store(scratch, 0, at.ACCEL, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        up, k = topology[i, PARENT], topology[i, V]
        carrier, lever = load(scratch, up, at.OMEGA), load(scratch, i, at.POSITION)
        w = to_child(scratch, i, carrier)
        v = to_child(scratch, i, add(load(scratch, up, at.SPEED), cross(carrier, lever)))
        n, f = gain(scratch, i, 1.0)
        qd[k] = xi[k] - (dot(n, w) + dot(f, v))
        w, v = add_along_joint(topology, constants, i, w, v, qd[k])
        store(scratch, i, at.OMEGA, w)
        store(scratch, i, at.SPEED, v)
        store(scratch, i, at.ACCEL, to_child(scratch, i, load(scratch, up, at.ACCEL)))


@primitive
def add_weight_and_loads(topology, constants, scratch, f_ext):
    """Add the weight of each body, and subtract its load."""
    for i in range(1, topology.shape[0]):
        a = load(scratch, i, at.ACCEL)
        accumulate(
            scratch, i, at.MOMENT, sub(cross(load(constants, i, MOMENT), a), load(f_ext, i, 0))
        )
        accumulate(scratch, i, at.FORCE, sub(scale(constants[i, MASS], a), load(f_ext, i, 3)))


def two_sweep_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    xi: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qd: Vector,
    rates: Vector,
):
    """Compute dq/dt = qd and d(xi)/dt = rates of xi = L^T qd, with M = L D L^T, in O(n).

    Arguments as for `aba.forward_dynamics`, with xi in place of qd; qd and rates are written.
    Joints of one degree of freedom only. Returns 0, or the body whose pivot is singular.
    """
    joint_transforms(topology, constants, scratch, q)
    status = articulated_inertias(topology, constants, scratch, diagonal)
    velocities_of_xi(topology, constants, gravity, scratch, xi, qd)
    gyroscopic_wrenches(topology, constants, scratch)
    add_weight_and_loads(topology, constants, scratch, f_ext)
    for i in range(topology.shape[0] - 1, 0, -1):
        k, parent, is_slide = topology[i, V], topology[i, PARENT], topology[i, KIND] == PRISMATIC
        turning = 0.0 if is_slide else qd[k]
        slide = qd[k] if is_slide else constants[i, PITCH] * qd[k]
        u_n, u_f = load(scratch, i, at.U_ANGULAR), load(scratch, i, at.U_LINEAR)
        w, v = add_along_joint(
            topology, constants, i, load(scratch, i, at.OMEGA), load(scratch, i, at.SPEED), -qd[k]
        )
        passed_n, passed_f = articulated_times(scratch, i, w, v)
        held_n, held_f = add(passed_n, scale(xi[k], u_n)), add(passed_f, scale(xi[k], u_f))
        turn_inertia(scratch, i, turning)
        column_n, column_f = axis_column(topology, constants, scratch, i)
        n, f = load(scratch, i, at.MOMENT), load(scratch, i, at.FORCE)
        n = sub(add(n, scale(xi[k], column_n)), scale(turning, (-held_n[1], held_n[0], 0.0)))
        f = sub(add(f, scale(xi[k], column_f)), scale(turning, (-held_f[1], held_f[0], 0.0)))
        rates[k] = scratch[i, at.D_INVERSE] * (tau[k] - along_joint(topology, constants, i, n, f))
        if parent > 0:
            n = add(n, scale(rates[k], u_n))
            n = sub(n, scale(slide, (-passed_f[1], passed_f[0], 0.0)))
            carry_wrench(scratch, i, parent, n, add(f, scale(rates[k], u_f)))
            D_rate = along_joint(topology, constants, i, column_n, column_f)
            propagate_rate(scratch, i, slide, column_n, column_f, D_rate)
            carry_inertia(scratch, i, parent, at.L_ANGULAR, at.L_COUPLING, at.L_LINEAR)
    return status


def recipes():
    """Return {name: Recipe} of both algorithms."""
    articulated = RECIPES['forward_dynamics']
    vector = articulated.inputs['tau']
    return {
        'two sweeps': Recipe(
            two_sweep_dynamics,
            {'q': articulated.inputs['q'], 'xi': vector, 'tau': vector},
            {'qd': vector, 'rates': vector},
        ),
        'articulated': Recipe(aba.forward_dynamics, articulated.inputs, articulated.outputs),
    }


def counts(joints):
    """Return {name: {'multiplications', 'additions'}} of one call for a chain of so many
    joints."""
    model = regroup(align(clean(Robot.from_urdf(chains.read(joints)).model)))
    found = {
        name: record_as_is('forward', recipe, model).counts() for name, recipe in recipes().items()
    }
    return {name: {kind: count[kind] for kind in KINDS} for name, count in found.items()}


def times(joints):
    """Return {name: microseconds per call}."""
    robot, rng = Robot.from_urdf(chains.read(joints)), np.random.default_rng(0)
    model, n = robot.model, robot.nv
    states = rng.uniform(-1.0, 1.0, (3, BANK, n))
    scratch, qd, rates = at.allocate(model.topology), np.empty(n), np.empty(n)
    body, loads = (
        (model.topology, model.constants, model.gravity, scratch),
        np.zeros((len(model.body_names), 6)),
    )
    two, one = kernel(two_sweep_dynamics), kernel(aba.forward_dynamics)
    none = np.zeros(n)
    calls = {
        'two sweeps': each(lambda q, x, T: two(*body, q, x, T, loads, none, qd, rates), *states),
        'articulated': each(lambda q, x, T: one(*body, q, x, T, loads, none, rates), *states),
    }
    return minima(calls)


def measure():
    """Return {'robots': [{'joints', 'operations', 'us'}]}."""
    return {
        'robots': [{'joints': n, 'operations': counts(n), 'us': times(n)} for n in JOINTS],
        'unit': 'us',
    }


def show(result):
    """Print operations and times of both ways, and their ratios."""
    rows = []
    for row in result['robots']:
        total = {name: sum(each.values()) for name, each in row['operations'].items()}
        two, one = row['us']['two sweeps'], row['us']['articulated']
        rows.append(
            [
                row['joints'],
                total['two sweeps'],
                total['articulated'],
                f'{total["two sweeps"] / total["articulated"]:.2f}',
                f'{two:.2f}',
                f'{one:.2f}',
                f'{two / one:.2f}',
            ]
        )
    columns = ('operations', 'articulated', 'ratio', 'two sweeps [us]', 'articulated', 'ratio')
    table.show('Forward dynamics in two sweeps (Jain, 19.3)', ['joints', *columns], rows)
