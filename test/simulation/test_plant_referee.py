# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plant against MuJoCo, step by step, and on robots of every kind."""

from math import inf

import numpy as np
import pytest
from numba.core.runtime import _nrt_python as allocator
from numba.core.runtime import rtsys

from robodyn_ros.simulation.contact.plant_kernels import KERNELS
from robodyn_ros.simulation.integrators.names import ENERGY_ROSENBROCK, RK4
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.step import step, step_of
from support.robots.families import FAMILIES
from support.robots.real_robots import ARMS, MAKERS, PACKAGE
from support.robots.real_robots import robot as real_robot


@pytest.mark.parametrize(
    'integrator, name', [('semi_implicit_euler', 'mjINT_EULER'), ('rk4', 'mjINT_RK4')]
)
@pytest.mark.parametrize('arm_name', sorted(ARMS))
def test_mujoco_takes_the_same_steps(integrator, name, arm_name):
    """The same schemes, viscous friction included: 500 steps under random efforts, to rounding."""
    mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')
    robot = real_robot(arm_name).robot
    theirs = mujoco.MjModel.from_xml_path(str(ARMS[arm_name]['path']))
    data = mujoco.MjData(theirs)
    theirs.opt.timestep = 1e-3
    theirs.opt.integrator = getattr(mujoco.mjtIntegrator, name)
    theirs.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    theirs.jnt_limited[:], theirs.dof_frictionloss[:] = 0, 0.0
    where = [
        mujoco.mj_name2id(theirs, mujoco.mjtObj.mjOBJ_JOINT, joint) for joint in robot.joint_names
    ]
    start = 0.5 * (robot.limits.lower + robot.limits.upper)
    ours = Plant(
        robot, PlantSettings(integrator=integrator, friction_scale=0.0, command_timeout=inf), start
    )
    data.qpos[where] = start
    rng, inertia = np.random.default_rng(0), 1.0 / np.diag(robot.mass_matrix_inverse(start))
    for _ in range(500):
        ours.step(robot.gravity_torque(ours.q) + inertia * rng.normal(1.0, 50.0, robot.nv))
        data.qfrc_applied[where] = ours.effort
        mujoco.mj_step(theirs, data)
    assert np.max(np.abs(ours.q - start)) > 0.02
    assert np.all((robot.limits.lower < ours.q) & (ours.q < robot.limits.upper))
    assert ours.q == pytest.approx(data.qpos[where], abs=1e-10)
    assert ours.qd == pytest.approx(data.qvel[where], abs=1e-9)


@pytest.fixture(params=[*FAMILIES, *ARMS, *MAKERS], scope='module')
def robot(request):
    """Return one robot after the other: random families, our arms, those of their makers."""
    case = FAMILIES.get(request.param) or real_robot(request.param)
    if case is None:
        pytest.skip(f'{PACKAGE} is not installed, or has no {request.param} any more')
    return case.robot


def somewhere(robot, seed):
    """Return a posture between the stops, and a slow velocity."""
    rng = np.random.default_rng(seed)
    low = np.maximum(robot.limits.lower, -2.0)
    high = np.minimum(robot.limits.upper, 2.0)
    width = np.maximum(high - low, 0.0)
    q = low + width * rng.uniform(0.2, 0.8, robot.nv)
    return q, 0.1 * width * rng.uniform(-1.0, 1.0, robot.nv)


def test_every_robot_starts_as_forward_dynamics_says(robot):
    """Trees, sliding joints, massless links, rotors, any gravity: acceleration of an Euler step.

    A joint whose range is empty stays where it is, as if its motion were prescribed.
    """
    q, qd = somewhere(robot, 1)
    settings = PlantSettings(
        'semi_implicit_euler', no_command='free', damping_scale=0.0, friction_scale=0.0
    )
    plant = Plant(robot, settings, q, qd)
    plant.step(dt=1e-6)
    nothing, pinned = np.zeros(robot.nv), robot.limits.upper == robot.limits.lower
    _, expected = robot.variants.hybrid_dynamics(q, qd, nothing, nothing, pinned)
    assert (plant.qd - qd) / 1e-6 == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'energy_rosenbrock', 'rk4'])
def test_every_robot_falls_onto_its_stops_without_blowing_up(robot, integrator):
    """Two seconds at 1 kHz with the maker's friction: finite, between the stops, no new energy.

    The error of Euler's energy is of the order of the step times the speed. Thirty links that
    flail at tens of rad/s need a quarter of it.
    """
    q, qd = somewhere(robot, 2)
    plant = Plant(
        robot,
        PlantSettings(
            integrator=integrator, no_command='free', substeps=4 if robot.nv > 20 else 1
        ),
        q,
        qd,
    )
    first = sum(robot.energy(q, qd))
    lowest = first
    for _ in range(2000):
        plant.step()
        assert np.all((robot.limits.lower <= plant.q) & (plant.q <= robot.limits.upper))
        lowest = min(lowest, robot.energy(plant.q, plant.qd)[1])
    assert plant.fault == ''
    assert sum(robot.energy(plant.q, plant.qd)) <= first + 0.05 * (first - lowest)


def test_steps_allocate_nothing_and_compile_once(arm, middle):
    """As much memory is taken for fifty substeps as for one; another type is an error."""
    plant = Plant(arm, position=middle)
    plant.step(np.zeros(arm.nv))
    allocator.memsys_enable_stats()

    def allocations(substeps, method):
        options = (substeps, method, *plant._options[2:])
        before = rtsys.get_allocation_stats().alloc
        step_of(method)(*plant._arrays, 1e-3, *options)
        return rtsys.get_allocation_stats().alloc - before

    for method in (0, ENERGY_ROSENBROCK, RK4):
        assert allocations(50, method) == allocations(1, method)
    for kernel in KERNELS:
        assert len(kernel.compiled.signatures) == 1
    with pytest.raises(TypeError):
        step(*plant._arrays, 1e-3, *plant._options[:-1], np.zeros(arm.nv, dtype=np.float32))
    assert len(step.compiled.signatures) == 1


@pytest.mark.parametrize('method', [0, ENERGY_ROSENBROCK, RK4])
def test_plain_text_equals_machine_code_and_memory_has_no_meaning(arm, middle, method):
    """Python runs the same step, stops and all; work full of NaN changes nothing."""
    start = middle.copy()
    start[[1, 4]] = arm.limits.upper[[1, 4]]
    found = []
    step = step_of(method)
    for kernel, dirt in ((step, 0.0), (step, np.nan), (step.python, np.nan)):
        plant = Plant(arm, PlantSettings(no_command='free'), start, np.full(arm.nv, 0.5))
        plant.step(np.full(arm.nv, 20.0))
        for array in plant._arrays[4:6]:
            array.view(float)[:] = dirt
        options = (2, method, *plant._options[2:])
        for _ in range(5):
            assert kernel(*plant._arrays, 1e-3, *options) == 0
        found.append(np.concatenate((plant.q, plant.qd)))
    assert np.array_equal(found[0], found[1])
    assert found[2] == pytest.approx(found[0], abs=1e-12)
