# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws and the plant's step over the code of one robot: the same numbers, another way."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.core.gravity import gravity_torque as weight
from robodyn_ros.codegen import linker
from robodyn_ros.compile import kernel
from robodyn_ros.compile.robot_code_table import ARGUMENTS
from robodyn_ros.control import TERMS, law_class
from robodyn_ros.control.laws.computed_torque import computed_torque
from robodyn_ros.control.laws.pd import pd
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.errors import KernelError
from robodyn_ros.simulation import Faults, Plant, PlantSettings
from robodyn_ros.simulation.specialised_step import specialised_step
from robodyn_ros.simulation.step import step_of
from robodyn_ros.spatial.types import Constant, Table, Topology, Vector, Work
from test.codegen.conftest import named

EXACT = 1e-13
LAWS = (
    'gravity_compensation',
    'pd_gravity',
    'computed_torque',
    'passivity',
    'adaptive_computed_torque',
    'diagonal_damping',
    'underactuated_computed_torque',
    'underactuated_operational_space',
    'elastic_joint',
)


@pytest.fixture(params=['ur_like', 'permuted'], scope='module')
def robot(request):
    """Return an arm, and a tree with slides and rotors."""
    return named(request.param).robot


@pytest.mark.parametrize('name', LAWS)
def test_linked_laws_agree_with_the_generic_ones_in_every_term(robot, name):
    """Every term of every law that has dynamics, at several states, to rounding."""
    law = law_class(name)
    found = specialised_kernels(robot.model, law)
    assert set(law.kernels) <= set(found)
    generic, special = (law(robot, **law.trial_options(robot)) for _ in range(2))
    special.replace_kernels(found)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, qd = rng.uniform(-1.5, 1.5, (2, robot.nv))
        reference = rng.uniform(-1.5, 1.5, (3, robot.nv))
        gains = rng.uniform(1.0, 100.0, (2, robot.nv))
        expected, got = np.zeros((2, len(TERMS), robot.nv))
        generic.torques(q, qd, reference, gains, expected)
        special.torques(q, qd, reference, gains, got)
        # terms are differences of sums of this size
        size = np.abs(expected).max() + np.abs(robot.gravity_torque(q)).max()
        assert np.abs(got - expected).max() <= EXACT * size
    special.replace_kernels({})
    special.torques(q, qd, reference, gains, got)
    if not hasattr(special, 'learnt'):  # whose past is another by now
        generic.torques(q, qd, reference, gains, expected)
        assert np.array_equal(got, expected)


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'rosenbrock', 'rk4'])
@pytest.mark.parametrize('trouble', ['', 'wrench', 'brake', 'stop', 'assisted'])
def test_linked_steps_of_the_plant_agree_with_the_generic_ones(robot, integrator, trouble):
    """Friction, a wrench, a brake, stops, a drive that carries the weight: each step the same.

    Every step begins at the same state, since small differences may grow in a chaotic motion.
    """
    rng = np.random.default_rng(2)
    settings = PlantSettings(
        integrator=integrator,
        substeps=2,
        no_command=('gravity_compensated' if trouble == 'assisted' else 'hold'),
    )
    low = np.maximum(robot.limits.lower, -1.5)
    high = np.minimum(robot.limits.upper, 1.5)
    q = low + (high - low) * rng.uniform(0.3, 0.7, robot.nv)
    if trouble == 'stop':
        q = high
    qd = rng.uniform(0.2, 1.0, robot.nv)
    one, other = Plant(robot, settings, q, qd), Plant(robot, settings, q, qd)
    other.replace_kernel(specialised_step(robot.model, integrator))
    for plant in (one, other):
        if trouble == 'wrench':
            plant.apply_wrench(robot.frames[-1], (3.0, -2.0, 5.0, 0.3, 0.1, -0.2))
        if trouble == 'brake':
            plant.injected_faults = Faults(stuck_joints=(robot.joint_names[0],))
    for _ in range(20):
        effort = rng.normal(size=robot.nv)
        other.set_state(one.q, one.qd)
        for plant in (one, other):
            plant.step(None if trouble == 'assisted' else effort)
        assert one.fault == other.fault == ''
        for mine, theirs in ((other.q, one.q), (other.qd, one.qd), (other.effort, one.effort)):
            error = np.abs(mine - theirs).max()
            assert error <= EXACT * max(1.0, np.abs(theirs).max())


def test_a_specialised_robot_brings_its_kernels():
    """Robot.linked gives the kernel itself, SpecialisedRobot.linked a twin; law and plant ask."""
    robot = named('two_link').robot
    special = robot.specialised()
    assert robot.linked(computed_torque) is computed_torque
    twin = special.linked(computed_torque)
    assert twin is not computed_torque and special.linked(pd) is pd
    assert special.linked(computed_torque) is twin
    law = law_class('computed_torque')(special)
    assert law._torques is twin.vectorcall
    plant = Plant(special)
    assert plant._step is not plant.kernel.vectorcall


def test_what_the_code_refuses_the_recursion_answers():
    """Not a number in: not a number out, as from the kernel for any robot; never an old result."""
    law = law_class('computed_torque')(named('two_link').robot)
    law.replace_kernels(specialised_kernels(law.robot.model, type(law)))
    terms, reference, gains = np.zeros((6, 2)), np.zeros((3, 2)), np.ones((2, 2))
    law.torques(np.zeros(2), np.zeros(2), reference, gains, terms)
    assert np.isfinite(terms).all()
    law.torques(np.array([0.1, np.nan]), np.zeros(2), reference, gains, terms)
    assert np.isnan(terms[1:4]).any()


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'energy_rosenbrock', 'rk4'])
def test_a_singular_body_is_named_as_before(integrator):
    """The specialised step stops the robot with the sentence of the general one."""
    model = named('two_link').robot.model
    constants = model.constants.copy()
    constants[-1, 12:23] = 0.0
    robot = Robot(model.with_constants(constants))
    settings = PlantSettings(integrator, damping_scale=0.0, friction_scale=0.0)
    sentences = []
    kernel_ = step_of(settings.method)
    for each in (kernel_, linker.linked(kernel_, robot.model)):
        plant = Plant(robot, settings)
        plant.replace_kernel(each)
        plant.step(np.zeros(2))
        sentences.append(plant.fault)
    assert sentences[0] == sentences[1] and 'singular' in sentences[0]


def test_the_code_of_the_robot_is_what_runs():
    """A twin for a heavier robot has its torques, whatever the masses among the arguments."""
    light = named('two_link').robot
    heavy = light.model.with_scaled_masses(2.0)
    q, tau = np.array([0.3, -0.7]), np.zeros(2)
    linker.linked(twice, heavy)(*light._weighted, q, tau)
    assert np.abs(tau - 2.0 * light.gravity_torque(q)).max() <= EXACT * np.abs(tau).max()
    twice(*light._weighted, q, tau)
    assert np.abs(tau - light.gravity_torque(q)).max() <= EXACT * np.abs(tau).max()


def test_links_take_the_arguments_of_their_recipes():
    """The table of what own code takes agrees with what is recorded."""
    taken = {each: (*recipe.inputs, *recipe.outputs) for each, (_, recipe) in linker.LINKS.items()}
    assert taken == ARGUMENTS


def test_a_wrong_kernel_is_found_before_it_serves(monkeypatch):
    """A law whose twin computes something else is found out, and so is a step."""
    right, model = linker.linked, named('two_link').robot.model
    heavier = model.with_scaled_masses(1.0 + 1e-9)
    monkeypatch.setattr(linker, 'linked', lambda kernel_, _: right(kernel_, heavier))
    with pytest.raises(KernelError, match='law gravity_compensation differs'):
        specialised_kernels(model, law_class('gravity_compensation'))
    with pytest.raises(KernelError, match='step of the plant differs'):
        specialised_step(model)


@kernel
def twice(
    topology: Topology, constants: Table, gravity: Constant, work: Work, q: Vector, tau: Vector
):
    """Weight under either of its names."""
    gravity_torque(topology, constants, gravity, work, q, tau)
    weight(topology, constants, gravity, work, q, tau)


def test_a_recursion_may_be_known_by_another_name():
    """`import ... as` is understood, in files of other packages too."""
    robot = named('two_link').robot
    twin, tau = linker.linked(twice, robot.model), np.zeros(2)
    assert twin is not twice
    q = np.array([0.3, -0.7])
    twin(*robot._weighted, q, tau)
    assert np.abs(tau - robot.gravity_torque(q)).max() <= EXACT * np.abs(tau).max()


def test_a_plant_refuses_the_kernel_of_a_robot_with_other_joints():
    """Its arrays are not as long as those of the other robot."""
    two, six = named('two_link').robot, named('ur_like').robot
    plant = Plant(two)
    with pytest.raises(
        KernelError, match='ur_like; expected one for a robot with the same joints'
    ):
        plant.replace_kernel(linker.linked(plant.kernel, six.model))
    plant.replace_kernel(linker.linked(plant.kernel, two.model.with_scaled_masses(2.0)))
