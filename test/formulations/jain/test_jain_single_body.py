# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 2 of Jain: one rigid body."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import composite_bodies, forward_dynamics, tree_kinematics
from robodyn_ros.formulations.jain import hinges as hinges
from robodyn_ros.formulations.jain import single_body as one
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, phi
from robodyn_ros.formulations.posture import skew
from support.compare import agree
from support.robots.families import inertial, rotation
from support.robots.jain_trees import frames, moved, path_of_a_body, random_bodies, unlike


@pytest.fixture(params=range(3))
def rng(request):
    """Three seeds."""
    return np.random.default_rng(request.param)


def body(rng):
    """(m, p, J) about a point that is not the centre of mass, and M."""
    solid = inertial(rng)
    J = solid.inertia - solid.mass * skew(solid.com) @ skew(solid.com)
    return solid.mass, solid.com, J, one.spatial_inertia(solid.mass, solid.com, J)


def test_spatial_inertia_is_symmetric_and_positive(rng):
    m, p, J, M = body(rng)
    agree(M, M.T)
    assert np.linalg.eigvalsh(M)[0] > 0.0
    for found, given in zip(one.components(M), (m, p, J)):
        agree(found, given)
    assert all(np.all(x == 0.0) for x in one.components(np.zeros((6, 6))))
    rod = one.spatial_inertia(2.0, np.zeros(3), np.diag([0.1, 0.0, 0.1]))  # Ex 2.2, 2.3
    assert abs(np.linalg.eigvalsh(rod)[0]) < 1e-15


def test_shifted_inertia_obeys_the_parallel_axis_theorem(rng):
    m, p, J, M = body(rng)
    l, turn = rng.normal(size=3), rotation(rng)  # noqa: E741
    moved_M = one.shifted(M, phi(l))
    agree(one.spatial_inertia(*one.shifted_components(m, p, J, l)), moved_M)  # (2.9, 2.13)
    at_centre = one.shifted(M, phi(-p))
    agree(at_centre[:3, 3:], np.zeros((3, 3)), m)  # (2.10)
    gap = J - at_centre[:3, :3]
    assert np.linalg.eigvalsh(gap)[0] > -1e-12  # (2.11)
    assert np.linalg.eigvalsh(one.shifted(M, phi(l, turn)))[0] > 0.0


def test_rigidly_joined_bodies_add_their_inertias(rng):
    (m, p, _, M), (m2, p2, _, M2) = body(rng), body(rng)
    a, b = frames(rng), frames(rng)
    total, centre, _ = one.components(one.joined((M, M2), (a, b)))
    agree(total, m + m2)

    def seen(x, point):
        moment = x[:3, 3:] @ x[:3, :3].T
        return x[:3, :3] @ point + [moment[2, 1], moment[0, 2], moment[1, 0]]

    agree(centre, (m * seen(a, p) + m2 * seen(b, p2)) / (m + m2))
    V = rng.normal(size=6)
    agree(
        one.kinetic_energy(one.joined((M, M2), (a, b)), V),
        one.kinetic_energy(M, a.T @ V) + one.kinetic_energy(M2, b.T @ V),
    )


def test_momentum_and_energy_from_any_point(rng):
    """Table 2.1."""
    *_, M = body(rng)
    a, V = frames(rng), rng.normal(size=6)
    M_x, V_y = one.shifted(M, a), a.T @ V
    agree(one.momentum(M_x, V), a @ one.momentum(M, V_y))
    agree(one.kinetic_energy(M_x, V), one.kinetic_energy(M, V_y))
    m, p, J = one.components(M)
    w, v = V_y[:3], V_y[3:] + np.cross(V_y[:3], p)  # of the centre of mass: Koenig
    J_C = J + m * skew(p) @ skew(p)
    agree(one.kinetic_energy(M, V_y), 0.5 * m * v @ v + 0.5 * w @ J_C @ w)


def test_four_forms_give_the_same_force(rng):
    """One motion, four references: the force of each, carried to one point by phi."""
    m, p, J, M = body(rng)
    V, body_rate, where = rng.normal(size=(3, 6))
    cross = np.concatenate((np.zeros(3), np.cross(V[:3], V[3:])))
    inertial_rate = body_rate + cross
    agree(one.body_rate(inertial_rate, V), body_rate)  # (2.19)
    f = M @ body_rate + one.b_body(M, V)  # (c)
    agree(M @ inertial_rate + one.b_inertial(M, V), f)  # (b)
    expected = np.concatenate(
        (np.cross(V[:3], J @ V[:3]), m * np.cross(V[:3], np.cross(V[:3], p)))
    )
    agree(one.b_inertial(M, V), expected)
    to_centre = phi(p)
    M_C, V_C = one.shifted(M, phi(-p)), to_centre.T @ V
    centrifugal = np.concatenate((np.zeros(3), np.cross(V[:3], np.cross(V[:3], p))))
    rate_C = to_centre.T @ inertial_rate + centrifugal  # (2.24)
    agree(to_centre @ (M_C @ rate_C + one.b_centre(M_C, V_C)), f)  # (a)
    to_fixed = phi(where[:3])
    M_I, V_I = one.shifted(M, to_fixed), np.linalg.solve(to_fixed.T, V)
    # The rate of V_I = phi'(z, I) V in the inertial frame: the body's, carried.
    rate_I = np.linalg.solve(to_fixed.T, inertial_rate) + np.concatenate(
        (np.zeros(3), np.cross(V[3:], V[:3]))
    )
    agree(M_I @ rate_I + one.b_fixed(M_I, V_I), to_fixed @ f)  # (d)
    unlike(M_I @ rate_I - one.b_fixed(M_I, V_I), to_fixed @ f)  # [Sol 2.14]


def test_force_of_every_form_is_the_rate_of_momentum(rng):
    """Newton and Euler about the centre of mass, (2.20), of a body on a path, by differences.

    Each of the four forms with the rate of its own velocities in its own frame. The momentum
    about any other point that moves has another rate, (2.27).
    """
    m, p, J, M = body(rng)
    J_C = J + m * skew(p) @ skew(p)
    place, velocity = path_of_a_body()
    t, h = 0.6, 1e-6

    def rate(function):
        return (function(t + h) - function(t - h)) / (2 * h)

    def about_centre(s):
        (R, _), V = place(s), velocity(s)
        return np.concatenate((R @ J_C @ R.T @ V[:3], m * (V[3:] + np.cross(V[:3], R @ p))))

    (R, o), V, turn = place(t), velocity(t), np.kron(np.eye(2), place(t)[0])
    f_C = rate(about_centre)
    f = phi(R @ p) @ f_C  # at the body's origin
    size = np.abs(f).max()

    def seen(s):
        return np.kron(np.eye(2), place(s)[0].T) @ velocity(s)

    agree(turn @ (M @ rate(seen) + one.b_body(M, turn.T @ V)), f, size, 1e-8)  # (c)
    M_z = turn @ M @ turn.T
    agree(M_z @ rate(velocity) + one.b_inertial(M_z, V), f, size, 1e-8)  # (b)

    def of_centre(s):
        return phi(place(s)[0] @ p).T @ velocity(s)

    M_C = one.shifted(M_z, phi(-R @ p))
    agree(M_C @ rate(of_centre) + one.b_centre(M_C, of_centre(t)), f_C, size, 1e-8)  # (a)

    def of_base(s):
        return phi(-place(s)[1]).T @ velocity(s)

    M_I = one.shifted(M_z, phi(o))
    agree(M_I @ rate(of_base) + one.b_fixed(M_I, of_base(t)), phi(o) @ f, size, 1e-8)  # (d)
    agree(
        rate(lambda s: phi(place(s)[1] + place(s)[0] @ p) @ about_centre(s)),
        phi(o) @ f,
        size,
        1e-8,
    )  # (2.36)
    unlike(rate(lambda s: phi(place(s)[0] @ p) @ about_centre(s)), f, 1e-2)


def test_rates_of_inertias_by_differences():
    """(2.22), (2.33)."""
    rng = np.random.default_rng(5)
    bodies = random_bodies(rng, (-1,), (hinges.free,))
    tree, thd, h = tree_of(bodies, rng.uniform(0.3, 1.0, 7)), rng.normal(size=6), 1e-6

    def about_body(at):
        return one.shifted(at.M[0], phi(np.zeros(3), tree_kinematics.poses(at)[0, :3, :3]))

    def about_base(at):
        return one.shifted(at.M[0], tree_kinematics.to_inertial(at)[0])

    R = np.kron(np.eye(2), tree_kinematics.poses(tree)[0, :3, :3])
    V_I = tree_kinematics.inertial_velocities(tree, thd)[0]
    for inertia, rate in (
        (about_body, one.inertia_rate(about_body(tree), R @ thd)),
        (about_base, one.inertia_rate_fixed(about_base(tree), V_I)),
    ):
        slope = (inertia(moved(tree, thd, h)) - inertia(moved(tree, thd, -h))) / (2 * h)
        agree(rate, slope, tolerance=1e-8)


def test_properties_of_the_four_forms(rng):
    """Table 2.2, evaluated: where the momentum stays, what b does, and what it depends on."""
    *_, M = body(rng)
    M_C = one.shifted(M, phi(-one.components(M)[1]))
    V, other = rng.normal(size=(2, 6))
    rates = {
        one.b_centre: one.inertia_rate(M_C, V) @ V,
        one.b_fixed: one.inertia_rate_fixed(M, V) @ V,
        one.b_inertial: one.inertia_rate(M, V) @ V,
        one.b_body: bar(angular(V)) @ M @ V,
    }
    own_rates = {
        one.b_centre: one.inertia_rate(M_C, V),
        one.b_fixed: one.inertia_rate_fixed(M, V),
        one.b_inertial: one.inertia_rate(M, V),
        one.b_body: np.zeros((6, 6)),
    }
    for form in one.FORMS:
        inertia = M_C if form.b is one.b_centre else M
        b = form.b(inertia, V)
        size = np.abs(b).max()
        drift = np.abs(rates[form.b] - b).max()
        assert (drift < 1e-12 * size) == form.conserved, form.name
        assert (abs(V @ b) < 1e-12 * size) == form.non_working, form.name
        faster = np.concatenate((V[:3], other[3:]))
        same = np.abs(form.b(inertia, faster) - b).max() < 1e-12 * size
        assert same == form.rotational, form.name
        power = -V @ b + 0.5 * V @ own_rates[form.b] @ V  # where no force acts, M beta' = - b
        agree(power, 0.0, size * np.abs(V).max())


def test_free_body_keeps_energy_and_momentum():
    """Integrating form (c) keeps energy and momentum about a fixed point and about the centre of
    mass. Momentum about another point of the body changes (2.27). All in fixed axes.
    """
    rng = np.random.default_rng(6)
    bodies = random_bodies(rng, (-1,), (hinges.free,))
    q, V, step = rng.uniform(0.3, 1.0, 7), rng.uniform(1.0, 2.0, 6), 2e-3
    hinge = bodies[0].hinge

    def rates(q, V):
        tree = tree_of(bodies, q)
        return hinge.rates(q, V), forward_dynamics.dense(tree, V, np.zeros(6), gravity=False)

    def seen(q, V):
        tree = tree_of(bodies, q)
        R = tree_kinematics.poses(tree)[0, :3, :3]
        h = np.kron(np.eye(2), R) @ one.momentum(tree.M[0], V)
        return (
            composite_bodies.momentum(tree, V),
            phi(-R @ one.components(tree.M[0])[1]) @ h,
            h,
            one.kinetic_energy(tree.M[0], V),
        )

    start = seen(q, V)
    for _ in range(100):
        k1 = rates(q, V)
        k2 = rates(q + step / 2 * k1[0], V + step / 2 * k1[1])
        k3 = rates(q + step / 2 * k2[0], V + step / 2 * k2[1])
        k4 = rates(q + step * k3[0], V + step * k3[1])
        q, V = (
            x + step / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip((q, V), k1, k2, k3, k4)
        )
    end = seen(q, V)
    # What Runge-Kutta of this step leaves: fourth order, 1e-9.
    for k in (0, 1, 3):
        agree(end[k], start[k], tolerance=1e-8)
    unlike(end[2], start[2], 1e-2)


def test_generalised_forces_keep_power(rng):
    A, T, thd = rng.normal(size=(3, 3)) + 2 * np.eye(3), *rng.normal(size=(2, 3))
    agree(one.quasi_force(A, T) @ (A @ thd), T @ thd)
