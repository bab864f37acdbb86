# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Any kernel of a robot called by the names of its arguments, compiled or as plain text.

The plain text runs on complex numbers too, so that it can be differentiated: see dense.along.
"""

import functools
import inspect

import numpy as np

from robodyn_ros.algorithms.derivatives.unit_torques import memory
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse_world_frame import motions

from .robots.families import states
from .work import PlainWork, filled

#: What link_operators writes, and the rates of what its sibling writes.
OPERATORS = {
    'phi': ('6 (nb - 1)', 6),
    'psi': ('6 (nb - 1)', 6),
    'M': ('6 (nb - 1)', 6),
    'H': ('nv', 6),
    'G': ('nv', 6),
}
#: What each kernel writes, besides work; 'nv' stands for the number of joints.
OUTPUTS = {
    'pose': {'X': (4, 4)},
    'velocity': {'V_0F': (6,)},
    'apply_wrench': {'f_ext': ('nb', 6)},
    'jacobian': {'J': (6, 'nv')},
    'jacobian_bias': {'bias': (6,)},
    'inverse_dynamics': {'tau': ('nv',)},
    'bias_torque': {'tau': ('nv',)},
    'gravity_torque': {'tau': ('nv',)},
    'mass_matrix': {'M': ('nv', 'nv')},
    'mass_matrix_inverse': {'inverse': ('nv', 'nv')},
    'mass_matrix_inverse_in_place': {'inverse': ('nv', 'nv')},
    'friction_torque': {'tau': ('nv',)},
    'position_rates': {'rates': ('nq',)},
    'make_unit': {},
    'mass_solve': {'x': ('nv',)},
    'forward_dynamics': {'qdd': ('nv',)},
    'coriolis_matrix': {'C': ('nv', 'nv')},
    'energy': {'energies': (2,)},
    'regressor': {'Y': ('nv', '10 nv')},
    'operational_space': {'J': (6, 'nv'), 'compliance': (6, 6)},
    'coupled_compliance': {'J': (12, 'nv'), 'compliance': (12, 12)},
    'task_acceleration': {'qdd': ('nv',), 'acceleration': (12,)},
    'task_solve': {'X': (6, 'nv')},
    'task_inertia': {
        'spare': (6, 6),
        'vectors': (6, 6),
        'inertia': (6, 6),
        'singular_values': (6,),
    },
    'of_axes': {
        'damped': (3, 3),
        'factor': (3, 3),
        'jacobian': (3, 'nv'),
        'inverse': (3, 3),
        'inertia': (3, 3),
    },
    'link_motions': {'V': ('nb - 1', 6), 'A': ('nb - 1', 6)},
    'joint_wrenches': {'tau': ('nv',), 'wrenches': ('nb - 1', 6)},
    'forward_dynamics_wrenches': {'qdd': ('nv',), 'wrenches': ('nb - 1', 6)},
    'centre_of_mass': {'com': (3,)},
    'centroidal_momentum': {'com': (3,), 'h': (6,)},
    'centroidal_momentum_matrix': {'com': (3,), 'A': (6, 'nv')},
    'centroidal_momentum_bias': {'com': (3,), 'bias': (6,)},
    'inverse_dynamics_composite': {'tau': ('nv',)},
    'inverse_dynamics_body': {'tau': ('nv',)},
    'inverse_dynamics_inertial': {'tau': ('nv',)},
    'inverse_dynamics_fixed': {'tau': ('nv',)},
    'forward_dynamics_factored': {'F': ('nv', 'nv'), 'bias': ('nv',), 'qdd': ('nv',)},
    'forward_dynamics_dense': {'M': ('nv', 'nv'), 'bias': ('nv',), 'qdd': ('nv',)},
    'torque_of_wrench': {'tau': ('nv',)},
    'acceleration_of_wrench': {'qdd': ('nv',)},
    'hybrid_dynamics': {'tau': ('nv',), 'qdd': ('nv',)},
    'mixed_dynamics': {'tau': (3, 'nv'), 'qdd': (3, 'nv')},
    'hamilton_rates': {'qd': ('nv',), 'pdot': ('nv',)},
    'mass_factors': {'F': ('nv', 'nv'), 'D': ('nv',)},
    'damping_torques': {'damping': ('nv',), 'coriolis': ('nv',)},
    'factor_product': {'y': ('nv',)},
    'joint_inertias': {'D': ('nv',)},
    'mass_product': {'y': ('nv',)},
    'mass_matrix_diagonal': {'entries': ('nv',)},
    'log_det_gradient': {'gradient': ('nv',)},
    'mass_factor_rates': {'F_rate': ('nv', 'nv'), 'D_rate': ('nv',)},
    'integrate': {'moved': ('nq',)},
    'difference': {'motion': ('nv',)},
    'expand_joints': {'positions': ('nq',), 'E': ('nv', 'nv')},
    'composite_inertia': {'com': (3,), 'inertia': (3, 3)},
    'inverse_dynamics_derivatives': {
        'by_q': ('nv', 'nv'),
        'by_qd': ('nv', 'nv'),
        'by_qdd': ('nv', 'nv'),
    },
    'forward_dynamics_derivatives': {
        'bias': ('nv',),
        'by_q': ('nv', 'nv'),
        'by_qd': ('nv', 'nv'),
        'by_tau': ('nv', 'nv'),
    },
    'mass_matrix_derivative': {'by_q': ('nv', 'nv', 'nv')},
    'inverse_dynamics_second_derivatives': {
        'by_q_q': ('nv', 'nv', 'nv'),
        'by_q_qd': ('nv', 'nv', 'nv'),
        'by_qd_qd': ('nv', 'nv', 'nv'),
        'M_q': ('nv', 'nv', 'nv'),
    },
    'inverse_dynamics_hessian': {
        'by_q_q': ('nv', 'nv'),
        'by_q_qd': ('nv', 'nv'),
        'by_qd_qd': ('nv', 'nv'),
        'by_q_qdd': ('nv', 'nv'),
    },
    'forward_dynamics_second_derivatives': {
        'negative': ('nv', 'nv', 'nv'),
        'mixed': ('nv', 'nv', 'nv'),
        'by_q_q': ('nv', 'nv', 'nv'),
        'by_q_qd': ('nv', 'nv', 'nv'),
        'by_qd_qd': ('nv', 'nv', 'nv'),
        'by_q_tau': ('nv', 'nv', 'nv'),
    },
    'frame_poses': {'poses': (2, 4, 4)},
    'jacobian_derivative': {'Jdot': (6, 'nv')},
    'inverse_kinematics': {
        'tried': (3,),
        'trial': ('nq',),
        'step': ('nv',),
        'away': ('nv',),
        'columns': (6, 'nv'),
        'normal': (6, 6),
        'residual': (6,),
        'solution': ('nq',),
        'outcome': (3,),
    },
    'articulated_inertia_rates': {'rates': ('6 (nb - 1)', 6)},
    'link_operators': OPERATORS,
    'link_operator_rates': {f'{name}_rate': shape for name, shape in OPERATORS.items()},
    'body_inertias': {'composite': ('6 (nb - 1)', 6), 'articulated': ('6 (nb - 1)', 6)},
}


def arguments(robot, kernel, dtype=float, seed=0, **given):
    """Return {name: value} for every argument: states, wrenches and a task drawn by seed.

    Working memory and outputs are full of NaN, so that what is not written is seen. `given`
    overrides.
    """
    model, outputs = robot.model, OUTPUTS[kernel.python.__name__]
    sizes = {
        'nq': robot.nq,
        'nv': robot.nv,
        '10 nv': 10 * robot.nv,
        'nb': len(model.topology),
        'nb - 1': len(model.topology) - 1,
        '6 (nb - 1)': 6 * len(model.topology) - 6,
    }
    rng = np.random.default_rng(seed)
    q, qd, qdd = states(robot, 1, seed)[0]
    body, frame = robot._placement(robot.frames[-1])
    bodies, frames = robot._placed((robot.frames[-1], robot.frames[len(robot.frames) // 2]))
    half = rng.normal(size=(6, 6))
    values = {
        'topology': model.topology,
        'constants': model.constants,
        'gravity': model.gravity,
        'carried': robot._links[0],
        'links': robot._links[1],
        'work': (filled if dtype is float else PlainWork)(model.topology),
        'motions': np.full(motions(robot.nv), np.nan, dtype=dtype),
        'wide': np.full(memory(robot.nv), np.nan, dtype=dtype),
        'q': q,
        'qd': qd,
        'qdd': qdd,
        'qd_r': qdd,
        'qdd_r': qd,
        'tau': rng.normal(size=robot.nv),
        'b': qdd,
        'x': qdd,
        'p': qdd,
        'given': qdd,
        'rates': qdd,
        'multipliers': qd,
        'prescribed': np.arange(robot.nv) % 2 == 1,
        'free': np.arange(robot.nv) % 2.0,
        'known': np.array((qdd, qd, qdd - qd)),
        'transposed': True,
        'inverse': True,
        'dt': 0.3,
        'start': q,
        'end': states(robot, 1, seed + 1)[0][0],
        'diagonal': rng.uniform(0.0, 0.1, robot.nv),
        'zero': np.zeros(robot.nv),
        'f_ext': rng.normal(size=(len(model.topology), 6)),
        'offsets': np.random.default_rng(seed + 1).normal(size=(len(model.topology), 3)),
        'wrench': rng.normal(size=6),
        'body': body,
        'frame': frame,
        'bodies': bodies,
        'frames': frames,
        'J': rng.normal(size=(6, robot.nv)),
        'compliance': half @ half.T,
        'damping': 0.1,
        **_search(robot, seed),
        **_slopes(robot.nv),
        'kept': np.array((0, 2, 5)),
    }
    values['kept'].flags.writeable = False
    for name, shape in outputs.items():
        shape = tuple(sizes.get(size, size) for size in shape)
        if kernel.python.__name__ != 'apply_wrench':  # which adds to what is there
            values[name] = np.full(shape, np.nan, dtype=dtype)
    values |= given
    return {name: values[name] for name in inspect.signature(kernel.python).parameters}


def _slopes(n):
    """Return first derivatives of an acceleration, and second ones of torques."""
    rng = np.random.default_rng(n)
    squares, cubes = ('qdd_q', 'qdd_qd', 'qdd_tau'), ('tau_q_q', 'tau_q_qd', 'tau_qd_qd', 'M_by_q')
    return {name: rng.normal(size=(n, n)) for name in squares} | {
        name: rng.normal(size=(n, n, n)) for name in cubes
    }


@functools.lru_cache(maxsize=16)
def _search(robot, seed):
    """Return the arguments of inverse kinematics, which no kernel changes."""
    rng = np.random.default_rng((seed, 1))
    nq, seeds = robot.nq, 3
    starts = np.array([robot.configuration.random(rng) for _ in range(seeds)])
    stands = robot.pose(starts, robot.frames[-1])
    shared = {
        'weights': np.ones(6),
        'lower': np.full(nq, -np.inf),
        'upper': np.full(nq, np.inf),
        'posture': starts[0],
        'seeds': starts,
        'seed_poses': np.hstack((stands[:, :3, :3].reshape(seeds, 9), stands[:, :3, 3])),
    }
    for array in shared.values():
        array.flags.writeable = False
    return {
        **shared,
        'target': robot.pose(robot.configuration.random(rng), robot.frames[-1]),
        'gain': 0.3,
        'preferred': 1,
        'tolerance': 1e-8,
        'steps': 2,
    }


def results(kernel, called):
    """Return the outputs of a call, by name."""
    return {name: called[name] for name in OUTPUTS[kernel.python.__name__]}


def run(robot, kernel, **inputs):
    """Run the text of a kernel on complex inputs, without outside forces if none are given.

    Return its output, or all of them.
    """
    model = robot.model
    still = {'f_ext': np.zeros((len(model.topology), 6)), 'diagonal': np.zeros(robot.nv)}
    called = arguments(robot, kernel, complex, **still | inputs)
    kernel.python(*called.values())
    outputs = tuple(results(kernel, called).values())
    return outputs[0] if len(outputs) == 1 else outputs
