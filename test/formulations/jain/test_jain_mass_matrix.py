"""Sections 4.1 and 9.3 of Jain: mass matrix, composite bodies, momentum."""

from jain_trees import ROBOTS, any_tree, configuration, moved, offsets, unlike
import numpy as np
from oracles.compare import agree

from robodyn_ros.formulations.jain import conventions, inverse_dynamics, kinematics, mass_matrix
from robodyn_ros.formulations.jain.single_body import components, kinetic_energy, shifted
from robodyn_ros.formulations.jain.spatial import phi
from robodyn_ros.formulations.jain.sweeps import forward_diagonal
from robodyn_ros.formulations.jain.tree import tree_at
from robodyn_ros.formulations.spatial_operators import SpatialOperators


def test_composite_bodies_give_the_mass_matrix(system):
    tree, *_ = system
    agree(mass_matrix.mass_matrix(tree), SpatialOperators(tree).mass_matrix.array)
    agree(inverse_dynamics.mass_matrix_by_columns(tree), mass_matrix.mass_matrix(tree))
    agree(mass_matrix.trace(tree), np.trace(mass_matrix.mass_matrix(tree)))


def test_mass_matrix_and_trace_are_those_of_the_package(named):
    robot, tree, *_ = named
    M = robot.mass_matrix(configuration(tree))
    agree(tree.to_ours(mass_matrix.mass_matrix(tree)), M)
    agree(mass_matrix.trace(tree), np.trace(M))


def test_unrelated_bodies_have_no_common_mass():
    tree, *_ = any_tree('mixed tree')
    M = mass_matrix.mass_matrix(tree)
    unrelated = 0
    for i in range(tree.n):
        for j in range(tree.n):
            block = M[tree.slices[i], tree.slices[j]]
            related = i in tree.path(j) or j in tree.path(i)
            unrelated += not related
            assert block.any() == related
    assert unrelated > 0


def test_composite_bodies_by_ten_parameters(system):
    tree, *_ = system
    agree(mass_matrix.composite_components(tree), mass_matrix.composite_inertias(tree))


def test_first_moment_of_4_23_ends_in_m_times_p():
    """Printed, the second line of (4.23) adds m(k) rho(k): a mass times a mass."""
    tree, *_ = any_tree('chain of 3')
    R = mass_matrix.composite_inertias(tree)
    m, p, _ = components(tree.M[1])
    below_m, below_p, _ = components(R[0])
    total, centre, _ = components(R[1])
    carried = below_m * (tree.l[0] + tree.R[0] @ below_p)
    agree((carried + m * p) / total, centre)
    unlike((carried + m * total) / total, centre)


def test_mass_depends_on_what_is_outboard():
    """Remark 4.1 and (4.20): block (i, j), j < i, is a function of theta(1) .. theta(i - 1)."""
    robot = ROBOTS['skew_chain']
    q = np.linspace(0.4, 1.3, robot.nv)
    tree = tree_at(robot, q)
    M, R = mass_matrix.mass_matrix(tree), mass_matrix.composite_inertias(tree)
    for k in range(tree.n):
        turned = q.copy()
        turned[tree.dofs[k]] += 0.7
        other = tree_at(robot, turned)
        changed = np.abs(mass_matrix.mass_matrix(other) - M) > 1e-9
        assert not changed[:k + 1, :k + 1].any() and (k == tree.n - 1 or changed.any())
        agree(mass_matrix.composite_inertias(other)[:k + 1], R[:k + 1])


def test_kinetic_energy_of_bodies_is_that_of_the_mass_matrix(system):
    tree, thd, *_ = system
    V = kinematics.velocities(tree, thd)
    bodies = sum(kinetic_energy(M, v) for M, v in zip(tree.M, V))
    agree(bodies + 0.5 * tree.rotor @ thd**2, 0.5 * thd @ mass_matrix.mass_matrix(tree) @ thd)


def test_momentum_is_the_sum_over_the_bodies(system):
    tree, thd, *_ = system
    V, X = kinematics.velocities(tree, thd), kinematics.to_inertial(tree)
    agree(mass_matrix.momentum(tree, thd), sum(x @ M @ v for x, M, v in zip(X, tree.M, V)))
    agree(mass_matrix.system_inertia(tree), sum(shifted(M, x) for x, M in zip(X, tree.M)))
    masses, centres = zip(*(components(shifted(M, x))[:2] for x, M in zip(X, tree.M)))
    agree(mass_matrix.centre_of_mass(tree), np.array(masses) @ np.array(centres) / sum(masses))


def test_base_moved_against_the_centroidal_velocity_stops_the_system(system):
    tree, thd, *_ = system
    V_C = mass_matrix.centroidal_velocity(tree, thd)
    V, X = kinematics.velocities(tree, thd, base=-V_C), kinematics.to_inertial(tree)
    left = sum(x @ M @ v for x, M, v in zip(X, tree.M, V))
    agree(left, np.zeros(6), np.abs(mass_matrix.momentum(tree, thd)).max())
    about = mass_matrix.about_centre_of_mass(tree, thd)
    C = phi(mass_matrix.centre_of_mass(tree))
    agree(C @ about, mass_matrix.momentum(tree, thd))


def test_momentum_is_that_of_the_package(named):
    robot, tree, thd, *_ = named
    mass = mass_matrix.system_inertia(tree)[5, 5]
    q, h = configuration(tree), mass_matrix.momentum(tree, thd)
    drop = tree.g[3:] @ mass_matrix.centre_of_mass(tree) * mass
    agree(robot.energy(q, tree.to_ours(thd))[1], drop, max(abs(drop), 1.0))
    # By a second route: the rate of the centre of mass carries all of the mass.
    step = 1e-6
    rate = [mass_matrix.centre_of_mass(moved(tree, thd, s)) for s in (step, -step)]
    agree(mass * (rate[0] - rate[1]) / (2 * step), h[3:], tolerance=1e-6)


def test_sum_of_4_17_runs_to_the_base():
    tree, thd, *_ = any_tree('skew_chain')
    R, Delta = mass_matrix.composite_inertias(tree), tree.hinge_velocity(thd)
    h = [x @ r @ delta for x, r, delta in zip(kinematics.to_inertial(tree), R, Delta)]
    agree(sum(h), mass_matrix.momentum(tree, thd))
    unlike(sum(h[:-1]), mass_matrix.momentum(tree, thd))


def test_mass_matrix_of_algorithm_9_3_is_carried_by_its_own_weights(system):
    """Printed with phi(l, j), which is only right where the weights A are phi.

    Of body frames away from the hinges they are not.
    """
    tree, thd, *_ = system
    away = conventions.offset(tree, thd, offsets(tree))
    R = forward_diagonal(tree, away.M, away.weights, away.weights)

    def by_paths(weights):
        matrix = np.diag(tree.rotor)
        for k in range(tree.n):
            X = R[k] @ away.hinges[k]
            matrix[tree.slices[k], tree.slices[k]] += away.hinges[k].T @ X
            for j in tree.path(k):
                above = tree.parent[j]
                if above < tree.n:
                    X = weights[j] @ X
                    block = away.hinges[above].T @ X
                    matrix[tree.slices[above], tree.slices[k]] = block
                    matrix[tree.slices[k], tree.slices[above]] = block.T
        return matrix
    M = mass_matrix.mass_matrix(tree)
    agree(by_paths(away.weights), M, tolerance=1e-11)
    if any(up < tree.n for up in tree.parent):
        unlike(by_paths(tree.phi), M)
