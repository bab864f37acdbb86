# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics of a free-flyer that prefers no base, beside articulated bodies.

`dual` is algorithm 17.3 of Jain 2011. A sweep to the base gives the articulated inertia P of all
that is outboard of each body. A sweep to the tip gives the dual inertia S of all the rest. Then
every link has its acceleration without that of its neighbours. `articulated` is algorithm 7.2.
Both use the primitives of this package.

In a chain neither sweep needs results of the other. In `two threads` the other thread waits in
machine code, and takes the sweep to the tip. Then each takes half of the links. `one thread` does
the same in turn. Operations are those of code for one robot, and exact. Times are of kernels for
any robot in compiled loops, in microseconds per call: minima of interleaved rounds.
"""

import functools
import os
import threading
import time

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

from benchmark import chains, table
from robodyn_ros.algorithms.core import aba
from robodyn_ros.algorithms.core import scratch as at
from robodyn_ros.algorithms.core.aba import residual_tip_to_base, velocity_base_to_tip
from robodyn_ros.algorithms.core.articulated import accelerate, articulated_inertias
from robodyn_ros.algorithms.core.joint_transform import (
    carried_acceleration,
    joint_transforms,
    to_child,
)
from robodyn_ros.algorithms.task_space.operational_space_inertia import (
    general_into_child,
    turn_into_child,
)
from robodyn_ros.codegen.registry import RECIPES, Recipe
from robodyn_ros.codegen.specialise import record_as_is
from robodyn_ros.compile.kernel import kernel
from robodyn_ros.model.layout import INERTIA, MASS, PARENT, V
from robodyn_ros.model.layout import MOMENT as FIRST_MOMENT
from robodyn_ros.model.normal_form import align, clean, regroup
from robodyn_ros.robot.robot import Robot
from robodyn_ros.spatial.articulated_inertia import (
    load_general,
    shift_articulated,
    store_general,
    times_general,
    transpose_times,
)
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.rotational_inertia import (
    add_symmetric,
    load_symmetric,
    store_symmetric,
    times,
)
from robodyn_ros.spatial.types import Constant, Indices, Matrix, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, store, sub

JOINTS = (7, 14, 30, 100, 300)
COUNTED = (7, 14, 28)
BANK, ROUNDS = 64, 15
KINDS = ('multiplications', 'additions', 'divisions')
#: Row of the free base: three slides, then a ball of three rows. It has no inboard inertia.
BASE = 6
#: Columns of scratch for the dual quantities, which forward dynamics leaves unused.
S_ANGULAR, S_COUPLING, S_LINEAR = at.O_ANGULAR, at.O_COUPLING, at.O_LINEAR
DUAL_MOMENT, DUAL_FORCE = at.B_MOMENT, at.B_FORCE  # z_d
UD_ANGULAR, UD_LINEAR = at.AXIS, at.AXIS + 3  # S+ H'
DUAL_D_INVERSE, DUAL_EPSILON = at.OMEGA_R, at.OMEGA_R + 1
GYROSCOPIC = at.JOINT_MOMENTUM  # 6, b of the body alone


@intrinsic
def publish(typingctx, signal, value):
    """Set a signal after everything that this thread has written."""

    def code(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        builder.store_atomic(arguments[1], array.data, 'release', 8)
        return context.get_dummy_value()

    return types.void(signal, types.int64), code


@intrinsic
def observed(typingctx, signal):
    """Return a signal, before anything else is read."""

    def code(context, builder, signature, arguments):
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        return builder.load_atomic(array.data, 'acquire', 8)

    return types.int64(signal), code


@primitive
def keep_gyroscopic(topology, scratch):
    """Copy b of every body, to which the sweep to the base adds what is outboard."""
    for i in range(1, topology.shape[0]):
        store(scratch, i, GYROSCOPIC, load(scratch, i, at.MOMENT))
        store(scratch, i, GYROSCOPIC + 3, load(scratch, i, at.FORCE))


@primitive
def sweep_to_tip(topology, constants, scratch, tau):
    """Compute the dual inertias S and forces z_d of a chain of revolute joints on a free base.

    S+ = phi^-1 (M + S)(up) phi^-*, D_d = H S+ H*, z_d+ = phi^-1 (z_d + b)(up) - S+ a, epsilon_d =
    tau + H z_d+ (Jain 2011, eq. 17.3, 17.4 and Algorithm 17.2).
    """
    for k in range(S_ANGULAR, S_LINEAR + 6):
        scratch[BASE, k] = 0.0
    store(scratch, BASE, DUAL_MOMENT, (0.0, 0.0, 0.0))
    store(scratch, BASE, DUAL_FORCE, (0.0, 0.0, 0.0))
    for i in range(BASE + 1, topology.shape[0]):
        up, p = topology[i, PARENT], load(scratch, i, at.POSITION)
        m, h = constants[up, MASS], load(constants, up, FIRST_MOMENT)
        s_b, s_c = load_general(scratch, up, S_COUPLING), load_symmetric(scratch, up, S_LINEAR)
        b = (
            s_b[0],
            s_b[1] - h[2],
            s_b[2] + h[1],
            s_b[3] + h[2],
            s_b[4],
            s_b[5] - h[0],
            s_b[6] - h[1],
            s_b[7] + h[0],
            s_b[8],
        )
        c = (s_c[0] + m, s_c[1], s_c[2], s_c[3] + m, s_c[4], s_c[5] + m)
        a, b = shift_articulated(
            add_symmetric(
                load_symmetric(scratch, up, S_ANGULAR), load_symmetric(constants, up, INERTIA)
            ),
            b,
            c,
            (-p[0], -p[1], -p[2]),
        )
        a, b, c = (
            turn_into_child(scratch, i, a),
            general_into_child(scratch, i, b),
            turn_into_child(scratch, i, c),
        )
        f = add(load(scratch, up, DUAL_FORCE), load(scratch, up, GYROSCOPIC + 3))
        n = add(load(scratch, up, DUAL_MOMENT), load(scratch, up, GYROSCOPIC))
        n, f = to_child(scratch, i, sub(n, cross(p, f))), to_child(scratch, i, f)
        w, v = load(scratch, i, at.BIAS_ANGULAR), load(scratch, i, at.BIAS_LINEAR)
        n = sub(n, add(times(a, w), times_general(b, v)))
        f = sub(f, add(transpose_times(b, w), times(c, v)))
        u, x = (a[2], a[4], a[5]), (b[6], b[7], b[8])
        d_inverse, epsilon = 1.0 / a[5], tau[topology[i, V]] + n[2]
        g, k = scale(d_inverse, u), scale(d_inverse, x)
        store_symmetric(
            scratch,
            i,
            S_ANGULAR,
            (a[0] - g[0] * u[0], a[1] - g[0] * u[1], 0.0, a[3] - g[1] * u[1], 0.0, 0.0),
        )
        store_general(
            scratch,
            i,
            S_COUPLING,
            (
                b[0] - g[0] * x[0],
                b[1] - g[0] * x[1],
                b[2] - g[0] * x[2],
                b[3] - g[1] * x[0],
                b[4] - g[1] * x[1],
                b[5] - g[1] * x[2],
                0.0,
                0.0,
                0.0,
            ),
        )
        store_symmetric(
            scratch,
            i,
            S_LINEAR,
            (
                c[0] - k[0] * x[0],
                c[1] - k[0] * x[1],
                c[2] - k[0] * x[2],
                c[3] - k[1] * x[1],
                c[4] - k[1] * x[2],
                c[5] - k[2] * x[2],
            ),
        )
        store(scratch, i, DUAL_MOMENT, sub(n, scale(epsilon, g)))
        store(scratch, i, DUAL_FORCE, sub(f, scale(epsilon, k)))
        store(scratch, i, UD_ANGULAR, u)
        store(scratch, i, UD_LINEAR, x)
        scratch[i, DUAL_D_INVERSE] = d_inverse
        scratch[i, DUAL_EPSILON] = epsilon


@primitive
def inverse_of(a):
    """Return the inverse of a symmetric 3x3 matrix by its cofactors, six numbers."""
    x, y, z = a[3] * a[5] - a[4] * a[4], a[2] * a[4] - a[1] * a[5], a[1] * a[4] - a[2] * a[3]
    share = 1.0 / (a[0] * x + a[1] * y + a[2] * z)
    return (
        share * x,
        share * y,
        share * z,
        share * (a[0] * a[5] - a[2] * a[2]),
        share * (a[1] * a[2] - a[0] * a[4]),
        share * (a[0] * a[3] - a[1] * a[1]),
    )


@primitive
def accelerate_links(topology, scratch, first, end, qdd):
    """Compute alpha = -(P + S)^-1 (z + z_d), and qdd = (epsilon_d + U_d* alpha) / D_d, of links.

    Lemma 17.1 of Jain 2011, where z is without P a.
    """
    for i in range(first, end):
        u, x = load(scratch, i, at.U_ANGULAR), load(scratch, i, at.U_LINEAR)
        g, k = scale(scratch[i, at.D_INVERSE], u), scale(scratch[i, at.D_INVERSE], x)
        a = add_symmetric(
            load_symmetric(scratch, i, at.P_ANGULAR), load_symmetric(scratch, i, S_ANGULAR)
        )
        c = add_symmetric(
            load_symmetric(scratch, i, at.P_LINEAR), load_symmetric(scratch, i, S_LINEAR)
        )
        a = add_symmetric(
            a, (g[0] * u[0], g[0] * u[1], g[0] * u[2], g[1] * u[1], g[1] * u[2], g[2] * u[2])
        )
        c = add_symmetric(
            c, (k[0] * x[0], k[0] * x[1], k[0] * x[2], k[1] * x[1], k[1] * x[2], k[2] * x[2])
        )
        p, s = load_general(scratch, i, at.P_COUPLING), load_general(scratch, i, S_COUPLING)
        rows = (
            (p[0] + s[0] + g[0] * x[0], p[1] + s[1] + g[0] * x[1], p[2] + s[2] + g[0] * x[2]),
            (p[3] + s[3] + g[1] * x[0], p[4] + s[4] + g[1] * x[1], p[5] + s[5] + g[1] * x[2]),
            (p[6] + s[6] + g[2] * x[0], p[7] + s[7] + g[2] * x[1], p[8] + s[8] + g[2] * x[2]),
        )
        n = add(load(scratch, i, at.MOMENT), load(scratch, i, DUAL_MOMENT))
        f = add(load(scratch, i, at.FORCE), load(scratch, i, DUAL_FORCE))
        # the linear block first, then what is left of the angular one
        inverse = inverse_of(c)
        X, Y, Z = times(inverse, rows[0]), times(inverse, rows[1]), times(inverse, rows[2])
        left = (
            a[0] - dot(X, rows[0]),
            a[1] - dot(X, rows[1]),
            a[2] - dot(X, rows[2]),
            a[3] - dot(Y, rows[1]),
            a[4] - dot(Y, rows[2]),
            a[5] - dot(Z, rows[2]),
        )
        alpha = times(inverse_of(left), (dot(X, f) - n[0], dot(Y, f) - n[1], dot(Z, f) - n[2]))
        turned = (
            rows[0][0] * alpha[0] + rows[1][0] * alpha[1] + rows[2][0] * alpha[2],
            rows[0][1] * alpha[0] + rows[1][1] * alpha[1] + rows[2][1] * alpha[2],
            rows[0][2] * alpha[0] + rows[1][2] * alpha[1] + rows[2][2] * alpha[2],
        )
        linear = times(inverse, add(f, turned))
        pull = dot(load(scratch, i, UD_ANGULAR), alpha) - dot(load(scratch, i, UD_LINEAR), linear)
        qdd[topology[i, V]] = scratch[i, DUAL_D_INVERSE] * (scratch[i, DUAL_EPSILON] + pull)


@primitive
def accelerate_base(topology, constants, gravity, scratch, qdd):
    """Compute the accelerations of the rows of the free base."""
    store(scratch, 0, at.ALPHA, (0.0, 0.0, 0.0))
    store(scratch, 0, at.ACCEL, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, BASE + 1):
        alpha, a = carried_acceleration(scratch, topology[i, PARENT], i)
        alpha = add(alpha, load(scratch, i, at.BIAS_ANGULAR))
        a = add(a, load(scratch, i, at.BIAS_LINEAR))
        qdd[topology[i, V]] = accelerate(topology, constants, scratch, i, alpha, a)


@primitive
def begin(topology, constants, scratch, q, qd, f_ext):
    """Compute what both sweeps need: transforms, bias accelerations and b."""
    joint_transforms(topology, constants, scratch, q)
    velocity_base_to_tip(topology, constants, scratch, qd, f_ext)
    keep_gyroscopic(topology, scratch)


@primitive
def sweep_to_base(topology, constants, gravity, scratch, tau, diagonal, qdd):
    """Compute articulated inertias and z of all bodies, and the acceleration of the base."""
    status = articulated_inertias(topology, constants, scratch, diagonal)
    residual_tip_to_base(topology, constants, scratch, tau)
    accelerate_base(topology, constants, gravity, scratch, qdd)
    return status


def dual_sweep_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qdd: Vector,
):
    """Compute qdd of a chain of revolute joints on a free base without thrust, in O(n).

    Arguments as for `aba.forward_dynamics`.
    """
    begin(topology, constants, scratch, q, qd, f_ext)
    sweep_to_tip(topology, constants, scratch, tau)
    status = sweep_to_base(topology, constants, gravity, scratch, tau, diagonal, qdd)
    accelerate_links(topology, scratch, BASE + 1, topology.shape[0], qdd)
    return status


def side_by_side(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qdd: Vector,
    begun: Indices,
    in_base: Indices,
    in_tip: Indices,
    ended: Indices,
):
    """Do the same while another thread runs `other_side`; each signal counts the calls."""
    call = begun[0] + 1
    begin(topology, constants, scratch, q, qd, f_ext)
    publish(begun, call)
    status = sweep_to_base(topology, constants, gravity, scratch, tau, diagonal, qdd)
    publish(in_base, call)
    while observed(in_tip) != call:
        pass
    middle = (BASE + 1 + topology.shape[0]) // 2
    accelerate_links(topology, scratch, BASE + 1, middle, qdd)
    while observed(ended) != call:
        pass
    return status


def other_side(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    tau: Vector,
    qdd: Vector,
    begun: Indices,
    in_base: Indices,
    in_tip: Indices,
    ended: Indices,
):
    """Take the sweep to the tip of one call, then half of the links."""
    call = ended[0] + 1
    while observed(begun) != call:
        pass
    sweep_to_tip(topology, constants, scratch, tau)
    publish(in_tip, call)
    while observed(in_base) != call:
        pass
    middle = (BASE + 1 + topology.shape[0]) // 2
    accelerate_links(topology, scratch, middle, topology.shape[0], qdd)
    publish(ended, call)


BASE_LINK = (
    '<link name="link0"><inertial><origin xyz="0.05 -0.02 0.1"/><mass value="9.0"/><inertia '
    'ixx="0.4" iyy="0.5" izz="0.6" ixy="0.01" ixz="-0.02" iyz="0.03"/></inertial></link>'
)


def flyer(joints):
    """Return a chain of so many joints on a body that flies freely."""
    text = chains.chain(joints).replace('<link name="link0"/>', BASE_LINK)
    return Robot.from_urdf(text, free_base=True)


def recipes():
    """Return {name: Recipe} of both algorithms."""
    articulated = RECIPES['forward_dynamics']
    return {
        'dual': Recipe(dual_sweep_dynamics, articulated.inputs, articulated.outputs),
        'articulated': Recipe(aba.forward_dynamics, articulated.inputs, articulated.outputs),
    }


def counts(joints):
    """Return {name: {kind: operations of one call}}."""
    model = regroup(align(clean(flyer(joints).model)))
    found = {
        name: record_as_is('forward', recipe, model).counts() for name, recipe in recipes().items()
    }
    return {name: {kind: count[kind] for kind in KINDS} for name, count in found.items()}


@functools.cache
def _compiled(function):
    return kernel(function).compiled


class Flights:
    """A flyer at many states, and loops over them without the GIL.

    Parameters
    ----------
    joints : int
        Number of joints.
    """

    def __init__(self, joints):
        robot, rng = flyer(joints), np.random.default_rng(0)
        model, n = robot.model, robot.nv
        self.q = np.array([robot.configuration.random(rng) for _ in range(BANK)])
        self.qd, self.tau = rng.uniform(-1.0, 1.0, (2, BANK, n))
        self.tau[:, :BASE] = 0.0  # it has no thrust
        self.qdd = np.empty((BANK, n))
        self.body = model.topology, model.constants
        self.gravity, self.scratch = model.gravity, at.allocate(model.topology)
        self.rest = np.zeros((len(model.body_names), 6)), np.zeros(n)
        self.signals = tuple(np.zeros(8, np.int64) for _ in range(4))  # a cache line each

    def _states(self):
        return (*self.body, self.gravity, self.scratch, self.q, self.qd, self.tau, *self.rest)

    def alone(self, function):
        """Run an algorithm for every state, and return its accelerations."""
        _loop(_compiled(function), *self._states(), self.qdd)
        return self.qdd.copy()

    def side_by_side(self):
        """Run the sweeps in two threads for every state, and return the accelerations."""
        given = (_compiled(other_side), *self.body, self.scratch, self.tau, self.qdd, self.signals)
        thread = threading.Thread(target=_other_loop, args=given)
        thread.start()
        _loop_with_signals(_compiled(side_by_side), *self._states(), self.qdd, self.signals)
        thread.join()
        return self.qdd.copy()


@njit(nogil=True)
def _loop(run, topology, constants, gravity, scratch, q, qd, tau, f_ext, diagonal, qdd):
    for k in range(q.shape[0]):
        run(topology, constants, gravity, scratch, q[k], qd[k], tau[k], f_ext, diagonal, qdd[k])


@njit(nogil=True)
def _loop_with_signals(
    run, topology, constants, gravity, scratch, q, qd, tau, f_ext, diagonal, qdd, signals
):
    a, b, c, d = signals
    for k in range(q.shape[0]):
        run(
            topology,
            constants,
            gravity,
            scratch,
            q[k],
            qd[k],
            tau[k],
            f_ext,
            diagonal,
            qdd[k],
            a,
            b,
            c,
            d,
        )


@njit(nogil=True)
def _other_loop(run, topology, constants, scratch, tau, qdd, signals):
    a, b, c, d = signals
    for k in range(tau.shape[0]):
        run(topology, constants, scratch, tau[k], qdd[k], a, b, c, d)


def elapsed(joints):
    """Return {name: microseconds per call}."""
    flights = Flights(joints)
    ways = {
        'articulated': lambda: flights.alone(aba.forward_dynamics),
        'one thread': lambda: flights.alone(dual_sweep_dynamics),
        'two threads': flights.side_by_side,
    }
    found = {name: way() for name, way in ways.items()}
    size = np.abs(found['articulated']).max()
    for name, each in found.items():
        if not np.abs(each - found['articulated']).max() <= 1e-8 * size:
            raise AssertionError(f'{name}: other accelerations than articulated bodies')
    least = dict.fromkeys(ways, np.inf)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            begin = time.perf_counter()
            way()
            least[name] = min(least[name], 1e6 * (time.perf_counter() - begin) / BANK)
    return least


def measure():
    """Return operations, times, and the load of the machine."""
    return {
        'operations': {str(n): counts(n) for n in COUNTED},
        'us': {str(n): elapsed(n) for n in JOINTS},
        'load_average': os.getloadavg(),
        'processors': os.cpu_count(),
    }


def show(result):
    """Print operations and times, and their ratios to those of articulated bodies."""
    rows = []
    for joints, each in result['operations'].items():
        dual, one = (sum(each[name].values()) for name in ('dual', 'articulated'))
        rows.append([joints, dual, one, f'{dual / one:.2f}'])
    table.show(
        'Operations of a free-flyer (Jain, 17.3)', ['joints', 'dual', 'articulated', 'ratio'], rows
    )
    rows = [
        [joints, *(f'{us[name]:.1f}' for name in us)]
        + [f'{us[name] / us["articulated"]:.2f}' for name in ('one thread', 'two threads')]
        for joints, us in result['us'].items()
    ]
    heads = ['joints', 'articulated [us]', 'one thread', 'two threads', 'ratio of one', 'of two']
    table.show('Dual sweeps beside articulated bodies', heads, rows)
