"""Cost orders of the routes to forward dynamics, from the operations of specialised code."""
import numpy as np
import pytest
from robodyn_ros.cli.info import general_arm
from robodyn_ros.kernels.specialise import Recipe, record_as_is
from robodyn_ros.recursions import aba, composite, crba, factored_forward_dynamics

pytest.importorskip('rich', reason='the benchmark shows tables')
from benchmark import crossover  # noqa: E402

MOTION = {'q': ('nv',), 'qd': ('nv',), 'tau': ('nv',)}
SIZES = range(3, 10)
#: Operations that constants of one arm happen to share, more in one arm than in the next.
SHARED = 8


def operations(recursion, inputs, outputs):
    """(multiplications, additions) (k, 2) for general arms of SIZES joints."""
    recipe = Recipe(recursion, inputs, outputs)
    found = [record_as_is('route', recipe, general_arm(n)).counts() for n in SIZES]
    return np.array([(kinds['multiplications'], kinds['additions']) for kinds in found])


def forward(recursion):
    return operations(recursion, MOTION, {'qdd': ('nv',)})


def test_articulated_bodies_take_as_many_operations_for_every_joint():
    each = np.diff(forward(aba.forward_dynamics), axis=0)
    assert (np.ptp(each, axis=0) <= SHARED).all()
    assert (each < [300, 279]).all()   # a joint by Featherstone 1983, as Angeles has it


def test_mass_matrix_is_of_second_order_on_a_chain():
    found = operations(crba.mass_matrix, {'q': ('nv',)}, {'M': ('nv', 'nv')})
    np.testing.assert_array_equal(np.diff(found, 2, axis=0), [[22, 14]] * (len(SIZES) - 2))


def test_innovations_factor_is_of_second_order():
    second = np.diff(forward(factored_forward_dynamics.forward_dynamics_factored), 2, axis=0)
    assert (second.mean(axis=0) > 10.0).all()
    assert (np.ptp(second, axis=0) <= SHARED).all()   # no third order


def test_mass_matrix_and_its_factor_are_of_third_order():
    # A dense factor takes n^3/6 multiplications and as many additions: third differences of 1.
    found = forward(composite.forward_dynamics)
    np.testing.assert_array_equal(np.diff(found, 3, axis=0), 1)


def test_a_crossing_is_where_the_curves_meet_for_the_last_time():
    fast = {1: 2.0, 2: 4.0, 4: 8.0, 8: 16.0, 16: 32.0}
    assert crossover.crossing(fast, {1: 3.0, 2: 3.0, 4: 7.0, 8: 19.0, 16: 90.0}) == 5.0
    assert crossover.crossing(fast, {n: cost + 1 for n, cost in fast.items()}) is None
    assert crossover.crossing(fast, {n: cost - 1 for n, cost in fast.items()}) is None
    assert crossover.crossing(fast, {1: 1.0, 2: 2.0}) is None


@pytest.mark.parametrize('order', [1, 2, 3])
def test_slope_is_the_order(order):
    assert crossover.slope({n: 0.3 * n**order for n in (6, 12, 20, 48)}) == pytest.approx(order)


def test_operations_of_the_benchmark_cross_where_its_page_says():
    counts = crossover.counts((7, 12))
    total = {name: {n: sum(kinds) for n, kinds in found.items()}
             for name, found in counts.items()}
    assert total['ldl'][7] < total['articulated'][7]
    assert total['articulated'][12] < min(total['ldl'][12], total['factored'][12])
