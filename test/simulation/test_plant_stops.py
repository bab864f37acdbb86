# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stops, brakes and friction only ever take energy out."""

from math import inf
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.simulation import joint_impulses
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.joint_table import (
    AT,
    BRAKED,
    GAIN,
    IMPULSE,
    INVERSE,
    LEVEL,
    LOWER,
    UPPER,
    WIDTH,
    work_rows,
)
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'franka_like.urdf'
SCHEMES = ['semi_implicit_euler', 'rosenbrock', 'rk4', 'dop853']
ALL = pytest.mark.parametrize('integrator', SCHEMES)


def near_a_stop(robot, rng):
    """Return a joint table, a state with several joints close to a stop, and a fast velocity."""
    low, high = robot.limits.lower, robot.limits.upper
    q = rng.uniform(low, high)
    side = rng.integers(0, 3, robot.nv)
    q = np.where(side == 0, low, np.where(side == 1, high - 1e-3 * rng.random(robot.nv), q))
    joints = np.zeros((robot.nv, WIDTH))
    joints[:, AT] = robot.model.coordinates
    joints[:, LOWER], joints[:, UPPER] = low, high
    return joints, q, rng.normal(0.0, 3.0, robot.nv)


@pytest.mark.parametrize('seed', range(30))
def test_arrest_is_the_projection_in_the_mass_norm(arm, seed):
    """The arrested velocity is feasible, loses energy, and satisfies complementarity."""
    rng, h, model = np.random.default_rng(seed), 1e-3, arm.model
    joints, q, qd = near_a_stop(arm, rng)
    spare, before = np.full((work_rows(arm.nv), arm.nv), np.nan), qd.copy()
    spare[LEVEL] = spare[GAIN] = 0.0
    status = joint_impulses.resolve(
        model.topology,
        model.constants,
        joints,
        working_memory.allocate(model.topology),
        spare,
        h,
        q,
        qd,
    )
    assert status == 0
    M, impulse = arm.mass_matrix(q), spare[IMPULSE]
    slowest = np.minimum(0.0, (arm.limits.lower - q) / h)
    fastest = np.maximum(0.0, (arm.limits.upper - q) / h)
    assert np.all((slowest - 1e-9 <= qd) & (qd <= fastest + 1e-9))
    assert qd @ M @ qd <= before @ M @ before
    assert M @ (qd - before) == pytest.approx(impulse, abs=1e-9)
    assert np.all(np.where(impulse > 0.0, np.abs(qd - slowest), 0.0) < 1e-9)
    assert np.all(np.where(impulse < 0.0, np.abs(qd - fastest), 0.0) < 1e-9)


def test_no_sweep_adds_energy(arm):
    """The bound holds after every sweep, not only after the last."""
    for seed in range(20):
        rng, h = np.random.default_rng(seed), 1e-3
        joints, q, qd = near_a_stop(arm, rng)
        M, spare = arm.mass_matrix(q), np.zeros((work_rows(arm.nv), arm.nv))
        spare[INVERSE : INVERSE + arm.nv] = np.linalg.inv(M)
        first = qd @ M @ qd
        for _ in range(10):
            joint_impulses.sweep(joints, spare, h, q, qd)
            assert qd @ M @ qd <= first * (1.0 + 1e-14)


def test_arrest_does_not_move_a_braked_joint(arm):
    """A brake holds while another joint runs into its stop."""
    model, q = arm.model, arm.limits.upper.copy()
    joints, _, _ = near_a_stop(arm, np.random.default_rng(0))
    joints[2, BRAKED] = 1.0
    qd = np.array([1.0, 2.0, 0.0, 1.0, -1.0, 0.5, 0.0])
    spare = np.zeros((work_rows(arm.nv), arm.nv))
    joint_impulses.resolve(
        model.topology,
        model.constants,
        joints,
        working_memory.allocate(model.topology),
        spare,
        1e-3,
        q,
        qd,
    )
    assert qd[2] == 0.0
    assert np.all(qd[[0, 1, 3, 5]] < 1e-9)


@ALL
def test_arm_let_go_comes_to_rest_on_its_stops(arm, middle, integrator):
    """Without friction but with stops: never beyond one, and the energy ends below the start."""
    rng = np.random.default_rng(5)
    settings = PlantSettings(
        integrator=integrator, no_command='free', damping_scale=0.0, friction_scale=0.0
    )
    plant = Plant(arm, settings, middle, rng.uniform(-3.0, 3.0, arm.nv))
    before = sum(arm.energy(plant.q, plant.qd))
    touched = np.zeros(arm.nv, dtype=bool)
    for _ in range(20_000):
        plant.step(dt=1e-3)
        assert np.all((arm.limits.lower <= plant.q) & (plant.q <= arm.limits.upper))
        touched |= (plant.q == arm.limits.lower) | (plant.q == arm.limits.upper)
    assert touched.sum() >= 3
    assert plant.fault == ''
    assert sum(arm.energy(plant.q, plant.qd)) < before


@ALL
def test_full_effort_into_the_stops_adds_no_energy(arm, middle, integrator):
    """Against the stops with all motors at their limit: at rest, exactly on the stops."""
    plant = Plant(arm, PlantSettings(integrator=integrator, command_timeout=inf), middle)
    plant.step(np.full(arm.nv, 1e6))
    for _ in range(20_000):
        plant.step()
    assert np.array_equal(plant.effort, arm.limits.effort)
    assert plant.q == pytest.approx(arm.limits.upper, abs=1e-12)
    assert np.max(np.abs(plant.qd)) < 1e-9


def test_joint_on_its_stop_leaves_it_freely(arm, middle):
    """A stop pushes but does not hold: the first step inwards is that of the free joint."""
    q = middle.copy()
    q[0] = arm.limits.upper[0]
    effort = arm.gravity_torque(q)
    effort[0] = -5.0
    settings = PlantSettings('semi_implicit_euler', damping_scale=0.0, friction_scale=0.0)
    plant = Plant(arm, settings, q)
    plant.step(effort, dt=1e-3)
    free = 1e-3 * arm.forward_dynamics(q, np.zeros(arm.nv), effort)
    assert plant.qd == pytest.approx(free, rel=1e-12, abs=1e-15)


ROTOR = """<robot name="rotor">
  <link name="base"/>
  <link name="wheel"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.5"/></inertial></link>
  <joint name="spin" type="continuous"><parent link="base"/><child link="wheel"/>
    <axis xyz="0 0 1"/><dynamics damping="{damping}" friction="{friction}"/>
    <limit velocity="9" effort="1000"/></joint>
</robot>"""


def wheel(damping=0.0, friction=0.0):
    """Return one wheel about a vertical axis, inertia 0.5 kg m2."""
    return Robot.from_urdf(ROTOR.format(damping=damping, friction=friction))


@pytest.mark.parametrize('dt', [1e-4, 1e-2, 1.0])
@pytest.mark.parametrize(
    'integrator, damping, friction',
    [
        ('semi_implicit_euler', 1e6, 0.0),
        ('semi_implicit_euler', 0.0, 1e3),
        ('semi_implicit_euler', 3.0, 2.0),
        ('rk4', 0.0, 1e3),
        ('rk4', 0.0, 2.0),
        ('rosenbrock', 0.0, 1e3),
        ('rosenbrock', 0.3, 2.0),
    ],
)
def test_implicit_friction_only_slows_down(integrator, damping, friction, dt):
    """However stiff the friction and long the step: the speed falls and never changes sign."""
    settings = PlantSettings(integrator=integrator, no_command='free')
    plant = Plant(wheel(damping, friction), settings, velocity=[5.0])
    for _ in range(50):
        before = plant.qd[0]
        plant.step(dt=dt)
        assert 0.0 <= plant.qd[0] < before or plant.qd[0] == before == 0.0


def test_viscous_friction_decays_at_its_rate():
    """w = w0 exp(-d t / J), to the order of each integrator."""
    for integrator, tolerance in (
        ('semi_implicit_euler', 2e-3),
        ('rosenbrock', 2e-6),
        ('rk4', 1e-10),
        ('dop853', 1e-12),
    ):
        settings = PlantSettings(integrator=integrator, no_command='free', damping_scale=0.5)
        plant = Plant(wheel(damping=2.0), settings, velocity=[3.0])
        for _ in range(1000):
            plant.step(dt=1e-3)
        assert plant.qd[0] == pytest.approx(3.0 * np.exp(-2.0), rel=tolerance)


@ALL
def test_brake_arrests_at_once_and_takes_energy(arm, middle, integrator):
    """A joint that sticks while moving stops at once. An impulse reaches the rest of the arm, and
    no energy is gained."""
    rng = np.random.default_rng(3)
    settings = PlantSettings(
        integrator=integrator, no_command='free', damping_scale=0.0, friction_scale=0.0
    )
    plant = Plant(arm, settings, middle, rng.uniform(-1.0, 1.0, arm.nv))
    before = arm.energy(plant.q, plant.qd)[0]
    plant.injected_faults = Faults(stuck_joints=('joint4',))
    plant.step(dt=1e-6)
    assert plant.qd[3] == 0.0
    assert plant.q[3] == middle[3]
    assert arm.energy(plant.q, plant.qd)[0] < before
    for _ in range(100):
        plant.step()
        assert plant.q[3] == middle[3]
    plant.injected_faults = Faults()
    for _ in range(100):
        plant.step()
    assert plant.q[3] != middle[3]


@ALL
def test_stuck_joint_moves_the_rest_as_if_it_were_locked(arm, integrator):
    """The arm with a stuck joint is the arm with that joint locked in the model."""
    posture = 0.5 * (arm.limits.lower + arm.limits.upper)
    others = [name for name in arm.joint_names if name != 'joint4']
    locked = Robot.from_urdf(URDF, joints=others, locked={'joint4': posture[3]})
    keep = [0, 1, 2, 4, 5, 6]
    effort = np.array([5.0, -20.0, 3.0, 0.0, 1.0, 2.0, 0.1])
    settings = PlantSettings(integrator=integrator, command_timeout=inf)
    stuck, rest = Plant(arm, settings, posture), Plant(locked, settings, posture[keep])
    stuck.injected_faults = Faults(stuck_joints=('joint4',))
    for _ in range(300):
        stuck.step(effort)
        rest.step(effort[keep])
    assert stuck.q[keep] == pytest.approx(rest.q, abs=1e-12)
    assert stuck.qd[keep] == pytest.approx(rest.qd, abs=1e-11)
