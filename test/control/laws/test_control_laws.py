# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The laws against numpy and the Robot face: every term by itself, and the whole."""

import numpy as np
import pytest

from robodyn_ros.algorithms.core.friction import COULOMB_VELOCITY
from robodyn_ros.control import TERMS, law_class
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.model.layout import DAMPING, FRICTION, V
from support.supervised import CONFIG, FRANKA, TWO_LINK, by_robot, lagging, settings_for

LAWS = [
    'gravity_compensation',
    'pd',
    'pd_gravity',
    'computed_torque',
    'passivity',
    'adaptive_computed_torque',
    'operational_space',
    'diagonal_damping',
    'underactuated_computed_torque',
    'underactuated_operational_space',
    'elastic_joint',
    'floating_base_computed_torque',
]


def terms_of(robot, name, q, qd, reference, gains):
    """Return the terms of a law by name."""
    terms = np.zeros((len(TERMS), robot.nv))
    law_class(name)(robot).torques(q, qd, reference, gains, terms)
    return dict(zip(TERMS, terms))


def modelled_friction(robot, qd):
    """Viscous and Coulomb friction of the model."""
    friction, model = np.zeros(robot.nv), robot.model
    for i in range(1, len(model.topology)):
        k = model.topology[i, V]
        friction[k] = model.constants[i, DAMPING] * qd[k] + model.constants[i, FRICTION] * np.tanh(
            qd[k] / COULOMB_VELOCITY
        )
    return friction


@by_robot
def test_computed_torque_is_the_equation_term_by_term(robot):
    """M (Kp e + Kd ed), M qdd_r, C qd, g and friction, from the mass and Coriolis matrices."""
    q, qd, reference, gains = lagging(robot)
    terms = terms_of(robot, 'computed_torque', q, qd, reference, gains)
    M = robot.mass_matrix(q)
    expected = {
        'feedback': M @ (gains[0] * (reference[0] - q) + gains[1] * (reference[1] - qd)),
        'inertia': M @ reference[2],
        'coriolis': robot.coriolis_matrix(q, qd) @ qd,
        'gravity': robot.gravity_torque(q),
        'friction': modelled_friction(robot, reference[1]),
        'other': np.zeros(robot.nv),
    }
    for name, torque in expected.items():
        assert np.allclose(terms[name], torque, rtol=1e-11, atol=1e-11), name


@by_robot
def test_computed_torque_adds_up_to_inverse_dynamics(robot):
    """tau = ID(q, qd, qdd_r + Kd ed + Kp e) + friction(qd_r): one sweep, no terms."""
    q, qd, reference, gains = lagging(robot)
    total = sum(terms_of(robot, 'computed_torque', q, qd, reference, gains).values())
    wanted = reference[2] + gains[0] * (reference[0] - q) + gains[1] * (reference[1] - qd)
    expected = robot.inverse_dynamics(q, qd, wanted) + modelled_friction(robot, reference[1])
    assert np.allclose(total, expected, rtol=1e-12, atol=1e-10)


@by_robot
def test_computed_torque_makes_the_error_a_linear_oscillator(robot):
    """On the same model without friction, qdd = qdd_r + Kd ed + Kp e: decoupled joints."""
    q, qd, reference, gains = lagging(robot)
    terms = terms_of(robot, 'computed_torque', q, qd, reference, gains)
    qdd = robot.forward_dynamics(q, qd, sum(terms.values()) - terms['friction'])
    expected = reference[2] + gains[0] * (reference[0] - q) + gains[1] * (reference[1] - qd)
    assert np.allclose(qdd, expected, rtol=1e-9, atol=1e-8)


@by_robot
def test_pd_is_diagonal_and_uses_no_model(robot):
    """Kp e + Kd ed in N m, nothing else."""
    q, qd, reference, gains = lagging(robot)
    terms = terms_of(robot, 'pd', q, qd, reference, gains)
    expected = gains[0] * (reference[0] - q) + gains[1] * (reference[1] - qd)
    assert np.allclose(terms.pop('feedback'), expected, rtol=1e-14)
    assert all((torque == 0.0).all() for torque in terms.values())


@by_robot
def test_pd_gravity_is_pd_and_the_weight(robot):
    """The terms of both laws, bit by bit."""
    arguments = lagging(robot)
    both = terms_of(robot, 'pd_gravity', *arguments)
    pd, weight = (terms_of(robot, name, *arguments) for name in ('pd', 'gravity_compensation'))
    assert np.array_equal(both['feedback'], pd['feedback'])
    assert np.array_equal(both['gravity'], weight['gravity'])
    assert np.array_equal(both['gravity'], robot.gravity_torque(arguments[0]))


@by_robot
def test_gravity_compensation_equals_computed_torque_without_gains_at_rest(robot):
    """No gain, no motion, no reference acceleration: what is left is the weight."""
    q, still = lagging(robot)[0], np.zeros(robot.nv)
    reference = np.array([q + 0.3, still, still])
    computed = terms_of(robot, 'computed_torque', q, still, reference, np.zeros((2, robot.nv)))
    held = terms_of(robot, 'gravity_compensation', q, still, reference, np.zeros((2, robot.nv)))
    assert np.allclose(sum(computed.values()), sum(held.values()), rtol=1e-12, atol=1e-12)


@by_robot
@pytest.mark.parametrize('name', LAWS)
def test_third_call_equals_the_first(robot, name):
    """A law remembers nothing: NaN in its work, another state in between, change no bit."""
    law, arguments, other = law_class(name)(robot), lagging(robot), lagging(robot, 7)
    results = []
    for call in (arguments, other, arguments):
        for array in getattr(law, '_arrays', ())[3:]:
            if array.flags.writeable:
                array.view(float).fill(np.nan)
        if hasattr(law, 'damping'):
            law.damping = np.zeros(robot.nv)
        terms = np.zeros((len(TERMS), robot.nv))
        law.torques(*call, terms)
        results.append(terms)
    assert np.array_equal(results[0], results[2]) and np.isfinite(results[0]).all()


@by_robot
@pytest.mark.parametrize('name', LAWS)
def test_compiled_law_equals_its_plain_python(robot, name):
    """The machine code does what the source says, to rounding."""
    law, arguments = law_class(name)(robot), lagging(robot)
    compiled, plain = np.zeros((2, len(TERMS), robot.nv))
    law.torques(*arguments, compiled)
    law._torques = law.kernels[0].python
    law.torques(*arguments, plain)
    assert np.allclose(compiled, plain, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize('name', LAWS)
def test_wrong_dtype_is_an_error_and_never_a_compilation(name):
    """A recompilation takes 200 ms of a 1 ms cycle."""
    law, (q, qd, reference, gains) = law_class(name)(TWO_LINK), lagging(TWO_LINK)
    terms = np.zeros((len(TERMS), 2))
    with pytest.raises(TypeError):
        law.torques(q.astype(np.float32), qd, reference, gains, terms)
    assert {len(kernel.compiled.signatures) for kernel in law.kernels} == {1}


@by_robot
@pytest.mark.parametrize('name', LAWS)
def test_law_and_supervisor_leave_the_robots_own_working_memory_alone(robot, name):
    """The loop's thread shares no memory with the thread that answers services."""
    law = law_class(name)(robot)
    supervisor = Supervisor(robot, law, settings_for(robot))
    robot._work.view(float).fill(7.0)
    q, qd, reference, gains = lagging(robot)
    law.torques(q, qd, reference, gains, np.zeros((len(TERMS), robot.nv)))
    supervisor.measure(q, qd, 0.0)
    supervisor.activate(0.0)
    supervisor.tick(1e-3)
    assert (robot._work.view(float) == 7.0).all()


def test_coulomb_feed_forward_is_smooth_and_odd():
    """It is full where the arm moves, zero at rest, and does not switch."""
    robot = FRANKA
    viscous, coulomb = robot.model.constants[1:, [DAMPING, FRICTION]].T
    assert (coulomb > 0.0).all(), 'an arm with Coulomb friction is needed here'
    q, gains = np.zeros(robot.nv), np.zeros((2, robot.nv))

    def friction(speed):
        reference = np.array([q, np.full(robot.nv, speed), q])
        return terms_of(robot, 'computed_torque', q, q, reference, gains)['friction']

    assert (friction(0.0) == 0.0).all()
    assert np.allclose(friction(0.5), -friction(-0.5))
    assert np.allclose(friction(0.5), 0.5 * viscous + coulomb, rtol=1e-12)
    assert (np.abs(friction(1e-6)) <= 1e-6 * viscous + 1.1e-4 * coulomb).all()


@pytest.mark.parametrize('name', LAWS)
def test_every_law_describes_itself(name):
    """Name, equation, unit of its gains."""
    law = law_class(name)
    assert law.name == name and law.equation.startswith('tau = ') and len(law.gain_unit) == 2
    assert law.kernels and law.tracks == (name not in ('gravity_compensation', 'diagonal_damping'))


def test_config_has_the_arms_these_tests_are_about():
    """A renamed file must not silently shrink the family."""
    assert {path.stem for path in CONFIG.glob('*.urdf')} >= {'two_link', 'franka_like', 'ur_like'}
