"""What is specialised when it is asked for: joint wrenches, momentum, factors."""

import numpy as np
from oracles.compare import agree
from oracles.families import FAMILIES, MIXED, states
from oracles.real_robots import ARMS
import pytest
from robodyn_ros.errors import ShapeError, SingularityError, UnknownNameError
from robodyn_ros.kernels.specialise import FURTHER_RECIPES, record
from robodyn_ros.robot import Robot
from test.specialise.conftest import named
from test.specialise.test_specialised_code import exact, plain


def expected(robot, name, given):
    """Return the outputs of a recipe by the generic kernels."""
    if name == 'mass_matrix_factors':
        factors = robot.mass_matrix_factors(*given)
        return [np.swapaxes(factors.L, -1, -2), factors.D]
    return [getattr(robot, name)(*given)]


def size(robot, name, result, q, qd):
    """Return the size of what was added up to a result that may cancel."""
    if name == 'centre_of_mass':
        return max(np.linalg.norm(robot.pose(q, frame)[:3, 3]) for frame in robot.frames) + 1.0
    if name.startswith('centroidal'):
        reach = np.abs(robot.centroidal_momentum_matrix(q)).max()
        return max(reach, reach * np.abs(qd).sum() ** 2)
    condition = name in ('hinge_inertias', 'mass_matrix_factors')
    return np.abs(result).max() * (np.linalg.cond(robot.mass_matrix(q)) if condition else 1.0)


@pytest.mark.parametrize('name', FURTHER_RECIPES)
@pytest.mark.parametrize('case', [*FAMILIES, *MIXED, *ARMS])
def test_every_recipe(case, name):
    """Any robot, any further quantity: the recorded text gives what the recursion gives."""
    robot, recipe = ({**FAMILIES, **MIXED}.get(case) or named(case)).robot, FURTHER_RECIPES[name]
    q, qd, x = states(robot, 1)[0]
    given = (q, qd, x)[:len(recipe.inputs)]
    recording = record(name, recipe, robot.model)
    got = [np.full(shape, np.nan) for shape in recording.outputs.values()]
    assert plain(recording)(*given, *got) == 0
    for mine, theirs in zip(got, expected(robot, name, given)):
        agree(mine, theirs, scale=size(robot, name, theirs, q, qd),
              tolerance=exact(robot.model))


@pytest.fixture(scope='module')
def quick():
    """Return a tree with slides and rotors, with everything specialised."""
    robot = FAMILIES['permuted'].robot
    return robot, robot.specialised(also=list(FURTHER_RECIPES))


@pytest.mark.parametrize('name', FURTHER_RECIPES)
def test_machine_code(quick, name):
    """One state and batches by machine code; the code answers, not the generic kernel."""
    robot, special = quick
    count = len(FURTHER_RECIPES[name].inputs)
    given = [np.array(rows) for rows in zip(*states(robot, 21))][:count]
    together = expected(special, name, given)
    for k, row in enumerate(zip(*given)):
        for mine, many, theirs in zip(expected(special, name, row), together,
                                      expected(robot, name, row)):
            scale = size(robot, name, theirs, row[0], row[1] if count > 1 else np.zeros(1))
            agree(mine, theirs, scale=scale, tolerance=1e-13)
            agree(many[k], theirs, scale=scale, tolerance=1e-13)
    one = special.kernels[name].one
    results = [np.full(np.shape(x), np.nan) for x in expected(robot, name, [x[0] for x in given])]
    assert one(*(x[0] for x in given), *results) == 0
    assert all(np.isfinite(x).all() for x in results)


def test_what_follows_from_them(quick):
    """Determinant, momentum about the base, velocity and Jacobian of the centre of mass."""
    robot, special = quick
    q, qd, _ = states(robot, 1)[0]
    for name, given in (('mass_matrix_log_det', [q]), ('mass_matrix_trace', [q]),
                        ('momentum', [q, qd]), ('centre_of_mass_velocity', [q, qd]),
                        ('centre_of_mass_jacobian', [q]), ('centroidal_velocity', [q, qd])):
        agree(getattr(special, name)(*given), getattr(robot, name)(*given))


def test_careful_path(quick):
    """Lists, wrenches and mistakes take the path of Robot."""
    robot, special = quick
    q, qd, x = states(robot, 1)[0]
    f_ext = {robot.frames[-1]: np.arange(6.0)}
    assert np.array_equal(special.joint_wrenches(q, qd, x, f_ext),
                          robot.joint_wrenches(q, qd, x, f_ext))
    assert np.array_equal(special.centre_of_mass(q.tolist()), robot.centre_of_mass(q))
    with pytest.raises(ShapeError, match='finite'):
        special.hinge_inertias(np.full(8, np.nan))
    out = np.empty(3)
    assert special.centre_of_mass(q, out=out) is out


def test_refusals():
    """Names that there are not, and centres that there are not."""
    robot = FAMILIES['one_hinge'].robot
    with pytest.raises(UnknownNameError, match="'zero_moment'.*joint_wrenches"):
        robot.specialised(also=['zero_moment'])
    constants = robot.model.constants.copy()
    constants[:, 12:22] = 0.0
    with pytest.raises(SingularityError, match='no mass'):
        Robot(robot.model.with_constants(constants)).specialised(also=['centre_of_mass'])
