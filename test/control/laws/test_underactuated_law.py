# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Computed torque of robots some of whose joints have no motor (Jain, section 16.3)."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import TERMS, Settings, State, Supervisor, Trajectory, law_class
from robodyn_ros.control.laws.underactuated import UnderactuatedComputedTorque
from robodyn_ros.control.supervisor.guard_self_test import law_known_answers
from robodyn_ros.errors import RobodynError, UnknownNameError
from robodyn_ros.formulations.jain.body_tree import tree_at
from robodyn_ros.formulations.jain.under_actuated.hybrid_dynamics import hybrid_dynamics
from robodyn_ros.formulations.jain.under_actuated.mixed_blocks import mixed_blocks
from robodyn_ros.simulation import Faults, Plant
from support.compare import agree, solve_tolerance
from support.robots.families import FAMILIES
from support.supervised import CONFIG, FRANKA, TWO_LINK, Bench, arm, lagging, settings_for

PASSIVE = {
    'two_link': (TWO_LINK, ('joint2',)),
    'acrobot': (TWO_LINK, ('joint1',)),
    'franka_like': (FRANKA, ('joint4',)),
    'ur_like': (arm('ur_like'), ('wrist_1_joint', 'shoulder_pan_joint')),
    **{
        name: (FAMILIES[name].robot, tuple(FAMILIES[name].robot.joint_names[::3]))
        for name in ('skew_chain', 'sliding_tree', 'rotors', 'permuted')
    },
}
by_case = pytest.mark.parametrize(('robot', 'names'), PASSIVE.values(), ids=PASSIVE)


def law_of(robot, names, locked=False):
    """Return the law of a robot whose joints of these names have no motor."""
    law = UnderactuatedComputedTorque(robot, names)
    law.values[:] = float(locked)
    return law


def terms_of(law, q, qd, reference, gains):
    """Return the terms of a law by name."""
    terms = np.zeros((len(TERMS), law.robot.nv))
    assert not law.torques(q, qd, reference, gains, terms)
    return dict(zip(TERMS, terms))


def wanted(q, qd, reference, gains):
    """qdd_r + Kd ed + Kp e."""
    return reference[2] + gains[0] * (reference[0] - q) + gains[1] * (reference[1] - qd)


def friction(robot, qd):
    """Friction of the model: the term of computed torque at that reference velocity."""
    still = np.zeros(robot.nv)
    law = law_class('computed_torque')(robot)
    return terms_of(law, still, still, np.array((still, qd, still)), np.zeros((2, robot.nv)))[
        'friction'
    ]


@by_case
def test_every_term_is_the_partition_of_the_mass_matrix(robot, names):
    """S_aa, S_ap and the rows of C qd, g and friction, from dense blocks."""
    q, qd, reference, gains = lagging(robot)
    law = law_of(robot, names)
    terms, p = terms_of(law, q, qd, reference, gains), law.undriven
    a, M = ~p, robot.mass_matrix(q)
    S_ap = M[np.ix_(a, p)] @ np.linalg.inv(M[np.ix_(p, p)])
    S_aa = M[np.ix_(a, a)] - S_ap @ M[np.ix_(p, a)]
    c, g = robot.coriolis_matrix(q, qd) @ qd, robot.gravity_torque(q)
    expected = {
        'feedback': S_aa @ (wanted(q, qd, reference, gains) - reference[2])[a],
        'inertia': S_aa @ reference[2][a],
        'coriolis': c[a],
        'gravity': g[a],
        'friction': friction(robot, reference[1])[a],
        'other': -S_ap @ (c + g + friction(robot, qd))[p],
    }
    size = sum(np.abs(torque).max() for torque in expected.values()) + np.abs(c + g).max()
    for name, torque in expected.items():
        agree(terms[name][a], torque, size, solve_tolerance(M))
        assert (terms[name][p] == 0.0).all()


@by_case
def test_driven_joints_are_linear_oscillators_under_any_motion_of_the_others(robot, names):
    """On the same model qdd_a = qdd_r + Kd ed + Kp e; the passive joints have friction alone."""
    q, qd, reference, gains = lagging(robot)
    law = law_of(robot, names)
    terms, p = terms_of(law, q, qd, reference, gains), law.undriven
    tau = sum(terms.values()) - terms['friction'] - np.where(p, friction(robot, qd), 0.0)
    qdd = robot.forward_dynamics(q, qd, tau)
    expected = wanted(q, qd, reference, gains)
    agree(qdd[~p], expected[~p], np.abs(qdd).max(), 10.0 * solve_tolerance(robot.mass_matrix(q)))
    # computed torque without the motors that are lost does not do that
    full = terms_of(law_class('computed_torque')(robot), q, qd, reference, gains)
    tau[~p] = (sum(full.values()) - full['friction'])[~p]
    missed = robot.forward_dynamics(q, qd, tau)[~p] - expected[~p]
    assert np.abs(missed).max() > 1e-3 * np.abs(expected).max()


@by_case
def test_the_book_commands_the_same(robot, names):
    """Algorithm 16.2 with thdd_a as wanted; S_aa of Lemma 16.1 is the inertia of the feedback."""
    q, qd, reference, gains = lagging(robot)
    law = law_of(robot, names)
    terms, tree = terms_of(law, q, qd, reference, gains), tree_at(robot, q)
    passive = tree.to_jain(law.undriven)
    active = ~passive  # joints of one freedom each
    asked = tree.to_jain(wanted(q, qd, reference, gains))
    drag = -tree.to_jain(friction(robot, qd))
    book = hybrid_dynamics(tree, active, tree.to_jain(qd), asked[active], drag[passive])
    slack = 10.0 * solve_tolerance(robot.mass_matrix(q))
    command = tree.to_jain(sum(terms.values()) - terms['friction'])
    agree(command[active], book.T[active], np.abs(book.T).max(), slack)
    S_aa = mixed_blocks(tree, active).S_aa
    inertia = tree.to_jain(terms['inertia'])[active]
    expected = S_aa @ tree.to_jain(reference[2])[active]
    agree(inertia, expected, np.abs(S_aa).max() * np.abs(reference[2]).sum(), slack)


@by_case
def test_without_passive_joints_it_is_computed_torque(robot, names):
    """Term by term; nothing is left for 'other'."""
    arguments = lagging(robot)
    mine = terms_of(law_of(robot, ()), *arguments)
    plain = terms_of(law_class('computed_torque')(robot), *arguments)
    size = max(np.abs(torque).max() for torque in plain.values())
    for name, torque in plain.items():
        agree(mine[name], torque, size)


@pytest.mark.parametrize(
    ('name', 'passive'), [('two_link', 'joint2'), ('franka_like', 'joint4')], ids=str
)
def test_with_locked_brakes_it_is_computed_torque_of_the_locked_robot(name, passive):
    """The robot that has one joint less, built from the same file."""
    robot = arm(name)
    q, qd, reference, gains = lagging(robot)
    qd[robot.joint_names.index(passive)] = 0.0
    terms = terms_of(law_of(robot, (passive,), locked=True), q, qd, reference, gains)
    k = robot.joint_names.index(passive)
    other = Robot.from_urdf(CONFIG / f'{name}.urdf', locked={passive: q[k]})
    kept = [robot.joint_names.index(each) for each in other.joint_names]
    left = (np.ascontiguousarray(each[..., kept]) for each in (q, qd, reference, gains))
    plain = terms_of(law_class('computed_torque')(other), *left)
    size = max(np.abs(torque).max() for torque in plain.values())
    for each, torque in plain.items():
        agree(terms[each][kept], torque, size)
        assert terms[each][k] == 0.0
    # a free joint asks for other torques
    free = terms_of(law_of(robot, (passive,)), q, qd, reference, gains)
    assert np.abs(sum(free.values()) - sum(terms.values()))[kept].max() > 1e-2 * size


@pytest.mark.parametrize('name', ['two_link', 'acrobot', 'franka_like'])
def test_the_error_decays_as_that_of_a_linear_oscillator(name):
    """e'' + 2 z w e' + w^2 e = 0 in closed form, while the passive joint swings.

    The law acts without delay, and nothing rubs. The step of the integration leaves (w h)^4, some
    1e-11.
    """
    robot, names = PASSIVE[name]
    law, w, n, h = law_of(robot, names), 5.0, robot.nv, 4e-4
    a, gains = ~law.undriven, np.outer((w * w, 2.0 * w), np.ones(robot.nv))
    centre = np.full(n, 0.3)
    centre[-1] = -0.9
    start, rate = np.linspace(0.2, -0.1, n), np.linspace(-0.3, 0.4, n)

    def slope(t, state):
        q, qd = state
        phase = np.array((np.sin(2.0 * t), 2.0 * np.cos(2.0 * t), -4.0 * np.sin(2.0 * t)))
        reference = 0.2 * phase[:, None] * np.ones(n)
        reference[0] += centre
        terms = terms_of(law, q, qd, reference, gains)
        # friction of the model acts on passive joints alone: the law knows it at their velocity
        tau = sum(terms.values()) - terms['friction'] - np.where(a, 0.0, friction(robot, qd))
        return np.array((qd, robot.forward_dynamics(q, qd, tau))), reference[0] - q

    state = np.array((centre - start, 0.4 - rate))  # e = start, e' = rate
    swing = []
    for k in range(1000):
        t = k * h
        one, error = slope(t, state)
        decay = (start + (rate + w * start) * t) * np.exp(-w * t)
        assert np.abs(error - decay)[a].max() < 1e-9
        swing.append(state[0][~a])
        two, _ = slope(t + h / 2.0, state + h / 2.0 * one)
        three, _ = slope(t + h / 2.0, state + h / 2.0 * two)
        four, _ = slope(t + h, state + h * three)
        state = state + h / 6.0 * (one + 2.0 * two + 2.0 * three + four)
    assert np.ptp(swing, axis=0).min() > 0.01


HOME = np.array([0.0, 1.2, 0.0, -2.17, 0.0, 1.6, 0.8])  # the forearm hangs from a lost elbow
ELBOW = 3


def tracked(law, lost, brake=False, seconds=8.0, home=HOME, lift=0.2):
    """Return errors and positions (k, nv), and commands, of an arm that moves there and back.

    lift : [rad] of the elbow above its equilibrium at home, where the motion begins.
    """
    start, shift = home.copy(), np.array([0.3, -0.18, -0.24, 0.0, 0.24, 0.18, -0.3])
    start[ELBOW] += lift
    motion = Trajectory(
        times=[0.0, 2.0, 4.0],
        positions=[start, start + shift, start],
        velocities=np.zeros((3, FRANKA.nv)),
        accelerations=np.zeros((3, FRANKA.nv)),
    )
    supervisor = Supervisor(FRANKA, law, settings_of(FRANKA))
    plant = Plant(FRANKA, position=start)
    plant.injected_faults = Faults(
        stuck_joints=lost if brake else (), effort_loss=dict.fromkeys(lost, 1.0)
    )
    supervisor.measure(plant.q, plant.qd, 0.0)
    assert not (supervisor.activate(0.0) or supervisor.follow(motion, 0.0))
    errors, positions, commands = [], [], []
    for k in range(round(seconds * 1e3)):
        supervisor.measure(plant.q, plant.qd, k * 1e-3)
        supervisor.tick(k * 1e-3)
        errors.append(supervisor.reference[0] - plant.q)
        positions.append(plant.q.copy())
        commands.append(supervisor.command.copy())
        plant.step(supervisor.command, 1e-3)
    return np.array(errors), np.array(positions), np.array(commands)


def settings_of(robot):
    """Return settings of a natural frequency of 20 rad/s, and the robot's own limits."""
    limits = robot.limits
    return Settings(
        period=1e-3,
        gains=np.outer((400.0, 40.0), np.ones(robot.nv)),
        effort_limits=limits.effort,
        effort_rate=np.full(robot.nv, 1000.0),
        velocity_limits=limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
    )


def test_an_arm_that_lost_its_elbow_motor_tracks_with_the_others():
    """Within 2 mrad, as with all motors; the elbow swings, and friction brings it to rest.

    What is left is friction that sticks: 0.36 N m at the elbow, which the law takes for none.
    """
    driven = [k for k in range(FRANKA.nv) if k != ELBOW]
    errors, positions, commands = tracked(law_of(FRANKA, ('joint4',)), ('joint4',))
    assert np.abs(errors[:, driven]).max() < 2e-3
    elbow = positions[:, ELBOW]
    assert np.ptp(elbow[:4000]) > 0.3 and np.ptp(elbow[-500:]) < 1e-6
    assert abs(elbow[-1] - HOME[ELBOW]) < 0.02  # 0.36 N m of 19 N m/rad
    assert (commands[:, ELBOW] == 0.0).all()
    plain, _, _ = tracked(law_class('computed_torque')(FRANKA), ('joint4',), seconds=4.0)
    assert np.abs(plain[:, driven]).max() > 100.0 * np.abs(errors[:, driven]).max()


def test_a_brake_instead_keeps_the_elbow_where_it_is():
    """The same bound holds with the brake closed and reported."""
    driven = [k for k in range(FRANKA.nv) if k != ELBOW]
    law = law_of(FRANKA, ('joint4',), locked=True)
    errors, positions, commands = tracked(law, ('joint4',), brake=True, seconds=4.0)
    assert np.abs(errors[:, driven]).max() < 2e-3
    assert np.ptp(positions[:, ELBOW]) == 0.0 and (commands[:, ELBOW] == 0.0).all()


def test_passive_joints_get_no_effort_in_any_state():
    """Neither from the law nor as part of the safe torque, also where no limit is known."""
    limits = np.full(2, np.nan)
    limits[0] = 80.0
    bench = Bench(TWO_LINK, lambda robot: law_of(robot, ('joint2',)), effort_limits=limits)
    assert (bench.gravity != 0.0).all()
    bench.activate().run(50)
    assert bench.state is State.HOLD
    bench.supervisor.stop()
    bench.run(50)
    assert bench.state is State.FAULT
    torques = np.array(bench.torques)
    assert (torques[:, 1] == 0.0).all() and torques[-1, 0] == pytest.approx(bench.gravity[0])
    bench.supervisor.settings = settings_for(TWO_LINK)
    assert bench.supervisor.settings.effort_limits.tolist() == [80.0, 0.0]


def test_names_of_joints_are_checked():
    """A joint that there is not, and a robot without any motor."""
    with pytest.raises(UnknownNameError, match="'elbow'; expected names out of joint1, joint2"):
        UnderactuatedComputedTorque(TWO_LINK, ('elbow',))
    with pytest.raises(RobodynError, match='expected one left to drive'):
        UnderactuatedComputedTorque(TWO_LINK, ('joint2', 'joint1'))


def test_its_code_is_compared_with_a_passive_joint():
    """Without any it would be computed torque, and most of its kernel be compared with nothing."""
    made = []

    class Seen(UnderactuatedComputedTorque):
        def __init__(self, robot, passive_joints=()):
            super().__init__(robot, passive_joints)
            made.append(self.undriven.tolist())

    law_known_answers(Seen, TWO_LINK)
    assert made == [[False, True], [False, True]]
