"""Chapters 1 and 2 of Jain: spatial algebra, and one rigid body."""

from jain_trees import moved, random_bodies, unit
import numpy as np
from oracles.compare import agree
from oracles.families import inertial, rotation
import pytest

from robodyn_ros.formulations.arm import skew
from robodyn_ros.formulations.jain import hinge as hinges
from robodyn_ros.formulations.jain import (
    forward_dynamics, kinematics, mass_matrix, single_body as one, spatial)
from robodyn_ros.formulations.jain.spatial import angular, bar, hat, linear, phi, tilde
from robodyn_ros.formulations.jain.tree import tree_of


@pytest.fixture(params=range(3))
def rng(request):
    """Three seeds."""
    return np.random.default_rng(request.param)


def unlike(printed, right, share=1e-3):
    """Assert that what is printed is wrong by more than any rounding."""
    assert np.abs(np.asarray(printed) - right).max() > share * max(np.abs(right).max(), 1.0)


def frames(rng):
    """phi of two points with turned axes."""
    return phi(rng.normal(size=3), rotation(rng))


# Chapter 1

def test_homogeneous_transforms_chain_and_invert(rng):
    T, U = (spatial.transform(rotation(rng), rng.normal(size=3)) for _ in range(2))
    agree(spatial.inverse_transform(T) @ T, np.eye(4))
    agree(spatial.inverse_transform(T @ U),
          spatial.inverse_transform(U) @ spatial.inverse_transform(T))
    p = rng.normal(size=3)
    agree((T @ [*p, 1.0])[:3], T[:3, :3] @ p + T[:3, 3])


def test_rates_seen_from_turning_frames():
    """(1.6), (1.8), (1.28) by differences of a frame that turns about a moving axis."""
    rng = np.random.default_rng(2)
    axis, other, X = unit(rng), unit(rng), rng.normal(size=6)
    h = 1e-6

    def R(t):
        return hinges.about(axis, 0.7 * t) @ hinges.about(other, t * t)

    def omega(t):
        return 0.7 * axis + hinges.about(axis, 0.7 * t) @ (2 * t * other)
    rate = (R(0.4 + h) - R(0.4 - h)) / (2 * h)
    agree(spatial.rotation_rate(R(0.4), omega(0.4)), rate, tolerance=1e-8)
    own = omega(0.4) @ R(0.4)
    agree(R(0.4) @ skew(own), rate, tolerance=1e-8)

    def seen(t):  # a spatial vector that grows in G, in axes of F
        turn = np.kron(np.eye(2), R(t))
        return turn @ (X * (1 + t))
    V = np.concatenate((omega(0.4), rng.normal(size=3)))
    turn = np.kron(np.eye(2), R(0.4))
    agree(spatial.rate_in(turn @ X, seen(0.4), V), (seen(0.4 + h) - seen(0.4 - h)) / (2 * h),
          tolerance=1e-8)


def test_velocity_and_acceleration_of_points():
    """(1.15) to (1.19), Ex 1.1, of a body on two hinges and a particle on it, by differences."""
    rng = np.random.default_rng(3)
    axis, other, l = unit(rng), unit(rng), rng.normal(size=3)  # noqa: E741
    h = 1e-4

    def place(t):
        return hinges.about(axis, np.sin(t)) @ hinges.about(other, t * t)

    def origin(t):
        return np.array([np.sin(2 * t), t**3, np.cos(t)])

    def rates(function, t):
        first = (function(t + h) - function(t - h)) / (2 * h)
        return first, (function(t + h) - 2 * function(t) + function(t - h)) / h**2
    t = 0.6
    R = place(t)
    turning = rates(place, t)
    spin = turning[0] @ R.T
    omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
    bend = turning[1] @ R.T - spin @ spin
    alpha = 0.5 * np.array([bend[2, 1] - bend[1, 2], bend[0, 2] - bend[2, 0],
                            bend[1, 0] - bend[0, 1]])
    v, a = rates(origin, t)
    point = rates(lambda s: origin(s) + place(s) @ l, t)
    agree(spatial.point_velocity(v, omega, R @ l), point[0], tolerance=1e-6)
    at = spatial.point_acceleration(a, alpha, omega, R @ l)
    agree(at, point[1], tolerance=1e-6)
    unlike(spatial.point_acceleration(alpha, a, omega, R @ l), at)  # a and alpha of Ex 1.1

    def particle(s):
        return l + np.array([0.3 * s * s, np.sin(s), 0.0])
    own, total = rates(particle, t), rates(lambda s: origin(s) + place(s) @ particle(s), t)
    base = spatial.point_acceleration(a, alpha, omega, R @ particle(t))
    agree(spatial.moving_point_acceleration(base, omega, R @ own[0], R @ own[1]), total[1],
          tolerance=1e-6)


def test_cross_products_of_spatial_vectors(rng):
    A, B, C = rng.normal(size=(3, 6))
    zero = np.zeros(6)
    agree(tilde(A) @ A, zero, 1.0)
    agree(tilde(A) @ B, -tilde(B) @ A)
    jacobi = [tilde(x) @ tilde(y) @ z for x, y, z in ((A, B, C), (B, C, A), (C, A, B))]
    agree(sum(jacobi), zero, np.abs(jacobi).max())
    agree(tilde(A) @ tilde(B) - tilde(B) @ tilde(A), tilde(tilde(A) @ B))     # (1.24)
    agree(bar(A).T @ A, zero, 1.0)                                            # (1.26)
    agree(bar(A) @ A, np.concatenate((np.zeros(3), np.cross(A[:3], A[3:]))))
    agree(A @ bar(B), -B @ bar(A))                                            # (1.27a)
    for other in (hat(B) @ A, -hat(B).T @ A, -bar(A) @ B):                    # (1.27b)
        agree(tilde(A).T @ B, other)
    for other in (B @ bar(C) @ A, C @ hat(A) @ B):                            # (1.27c)
        agree(A @ tilde(B) @ C, other)
    agree(bar(A) @ A, tilde(angular(A)) @ A)                                  # (1.36d)
    agree(tilde(angular(A)) @ A, tilde(angular(A)) @ linear(A))
    agree(angular(A) + linear(A), A)


def test_bar_of_1_26_is_minus_tilde_transposed(rng):
    z = rng.normal(size=6)
    agree(bar(z), np.block([[skew(z[:3]), skew(z[3:])], [np.zeros((3, 3)), skew(z[:3])]]))
    unlike(-hat(z).T, bar(z))


def test_products_of_1_36_that_vanish(rng):
    X, Y = rng.normal(size=(2, 6))
    agree(bar(linear(X)) @ angular(Y), np.zeros(6), 1.0)
    agree(tilde(linear(X)) @ linear(Y), np.zeros(6), 1.0)
    unlike(tilde(linear(X)) @ angular(Y), np.zeros(6))


def test_phi_is_a_group(rng):
    a, b = frames(rng), frames(rng)
    agree(spatial.phi_inverse(a), np.linalg.inv(a))
    agree(spatial.phi_inverse(a) @ a, np.eye(6))
    agree(phi(np.zeros(3)), np.eye(6))
    agree(np.linalg.det(a), 1.0)
    product = a @ b
    moment = product[:3, 3:] @ product[:3, :3].T
    far = np.array([moment[2, 1], moment[0, 2], moment[1, 0]])
    agree(product, phi(far, product[:3, :3]))
    straight = phi([0.1, 0.2, 0.3])
    agree(straight @ phi([0.4, -0.1, 0.2]), phi([0.5, 0.1, 0.5]))


def test_cross_products_pass_through_phi(rng):
    a, X = frames(rng), rng.normal(size=6)
    agree(hat(a @ X), a @ hat(X) @ a.T)                                       # (1.34)
    agree(tilde(a.T @ X), a.T @ tilde(X) @ np.linalg.inv(a.T), tolerance=1e-11)
    V = a.T @ X
    agree(a.T @ tilde(X), tilde(V) @ a.T)                                     # (1.35)
    agree(bar(X) @ a, a @ bar(V))
    level = phi(rng.normal(size=3))                                           # (1.36e): same axes
    agree(level @ bar(linear(X)), bar(linear(X)))
    agree(bar(linear(X)) @ level, bar(linear(X)))


def test_power_does_not_depend_on_the_point(rng):
    a, V, f = frames(rng), *rng.normal(size=(2, 6))
    agree((a @ f) @ V, f @ (a.T @ V))                                         # (1.47)


def test_rate_of_phi():
    """(1.37), (1.38), (1.42) by differences, of a body on a moving base."""
    rng = np.random.default_rng(4)
    bodies = random_bodies(rng, (-1, 0), (hinges.free, hinges.free))
    q = rng.uniform(0.3, 1.0, 14)
    tree, thd, h = tree_of(bodies, q), rng.normal(size=12), 1e-6
    there, back = moved(tree, thd, h), moved(tree, thd, -h)
    rate = (there.phi[0].T - back.phi[0].T) / (2 * h)
    Delta = tree.hinge_velocity(thd)[0]
    agree(spatial.phi_transpose_rate(tree.phi[0], Delta), rate, tolerance=1e-8)
    agree(-tree.phi[0].T @ tilde(np.linalg.solve(tree.phi[0].T, Delta)), rate, tolerance=1e-8)

    def straight(at):
        T = kinematics.poses(at)
        return phi(T[0, :3, 3] - T[1, :3, 3])
    V, T = kinematics.velocities(tree, thd), kinematics.poses(tree)
    turned = [np.kron(np.eye(2), T[k, :3, :3]) @ V[k] for k in (0, 1)]
    agree(spatial.phi_rate_inertial(turned[1], turned[0]),
          (straight(there) - straight(back)) / (2 * h), tolerance=1e-8)
    X = turned[1]                                                             # (1.38): one body
    l = rng.normal(size=3)  # noqa: E741
    Y = phi(l).T @ X
    agree(spatial.phi_rate_inertial(X, Y), bar(Y) - bar(X), 1.0)


# Chapter 2

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
    rod = one.spatial_inertia(2.0, np.zeros(3), np.diag([0.1, 0.0, 0.1]))     # Ex 2.2, 2.3
    assert abs(np.linalg.eigvalsh(rod)[0]) < 1e-15


def test_parallel_axes(rng):
    m, p, J, M = body(rng)
    l, turn = rng.normal(size=3), rotation(rng)  # noqa: E741
    moved_M = one.shifted(M, phi(l))
    agree(one.spatial_inertia(*one.shifted_components(m, p, J, l)), moved_M)  # (2.9, 2.13)
    at_centre = one.shifted(M, phi(-p))
    agree(at_centre[:3, 3:], np.zeros((3, 3)), m)                             # (2.10)
    gap = J - at_centre[:3, :3]
    assert np.linalg.eigvalsh(gap)[0] > -1e-12                                # (2.11)
    assert np.linalg.eigvalsh(one.shifted(M, phi(l, turn)))[0] > 0.0


def test_bodies_joined_rigidly(rng):
    (m, p, _, M), (m2, p2, _, M2) = body(rng), body(rng)
    a, b = frames(rng), frames(rng)
    total, centre, _ = one.components(one.joined((M, M2), (a, b)))
    agree(total, m + m2)

    def seen(x, point):
        moment = x[:3, 3:] @ x[:3, :3].T
        return x[:3, :3] @ point + [moment[2, 1], moment[0, 2], moment[1, 0]]
    agree(centre, (m * seen(a, p) + m2 * seen(b, p2)) / (m + m2))


def test_momentum_and_energy_from_any_point(rng):
    """Table 2.1."""
    *_, M = body(rng)
    a, V = frames(rng), rng.normal(size=6)
    M_x, V_y = one.shifted(M, a), a.T @ V
    agree(one.momentum(M_x, V), a @ one.momentum(M, V_y))
    agree(one.kinetic_energy(M_x, V), one.kinetic_energy(M, V_y))


def test_four_forms_give_the_same_force(rng):
    """One motion, four references: the force of each, carried to one point by phi."""
    m, p, J, M = body(rng)
    V, body_rate, where = rng.normal(size=(3, 6))
    cross = np.concatenate((np.zeros(3), np.cross(V[:3], V[3:])))
    inertial_rate = body_rate + cross
    agree(one.body_rate(inertial_rate, V), body_rate)                         # (2.19)
    f = M @ body_rate + one.b_body(M, V)                                      # (c)
    agree(M @ inertial_rate + one.b_inertial(M, V), f)                        # (b)
    expected = np.concatenate((np.cross(V[:3], J @ V[:3]),
                               m * np.cross(V[:3], np.cross(V[:3], p))))
    agree(one.b_inertial(M, V), expected)
    to_centre = phi(p)
    M_C, V_C = one.shifted(M, phi(-p)), to_centre.T @ V
    centrifugal = np.concatenate((np.zeros(3), np.cross(V[:3], np.cross(V[:3], p))))
    rate_C = to_centre.T @ inertial_rate + centrifugal                        # (2.24)
    agree(to_centre @ (M_C @ rate_C + one.b_centre(M_C, V_C)), f)             # (a)
    to_fixed = phi(where[:3])
    M_I, V_I = one.shifted(M, to_fixed), np.linalg.solve(to_fixed.T, V)
    # The rate of V_I = phi'(z, I) V in the inertial frame: the body's, carried.
    rate_I = np.linalg.solve(to_fixed.T, inertial_rate) + np.concatenate(
        (np.zeros(3), np.cross(V[3:], V[:3])))
    agree(M_I @ rate_I + one.b_fixed(M_I, V_I), to_fixed @ f)                 # (d)
    unlike(M_I @ rate_I - one.b_fixed(M_I, V_I), to_fixed @ f)                # [Sol 2.14]


def test_rates_of_inertias_by_differences():
    """(2.22), (2.33)."""
    rng = np.random.default_rng(5)
    bodies = random_bodies(rng, (-1,), (hinges.free,))
    tree, thd, h = tree_of(bodies, rng.uniform(0.3, 1.0, 7)), rng.normal(size=6), 1e-6

    def about_body(at):
        return one.shifted(at.M[0], phi(np.zeros(3), kinematics.poses(at)[0, :3, :3]))

    def about_base(at):
        return one.shifted(at.M[0], kinematics.to_inertial(at)[0])
    R = np.kron(np.eye(2), kinematics.poses(tree)[0, :3, :3])
    V_I = kinematics.inertial_velocities(tree, thd)[0]
    for inertia, rate in ((about_body, one.inertia_rate(about_body(tree), R @ thd)),
                          (about_base, one.inertia_rate_fixed(about_base(tree), V_I))):
        slope = (inertia(moved(tree, thd, h)) - inertia(moved(tree, thd, -h))) / (2 * h)
        agree(rate, slope, tolerance=1e-8)


def test_properties_of_the_four_forms(rng):
    """Table 2.2, evaluated: where the momentum stays, what b does, and what it depends on."""
    *_, M = body(rng)
    M_C = one.shifted(M, phi(-one.components(M)[1]))
    V, other = rng.normal(size=(2, 6))
    rates = {one.b_centre: one.inertia_rate(M_C, V) @ V, one.b_fixed:
             one.inertia_rate_fixed(M, V) @ V, one.b_inertial: one.inertia_rate(M, V) @ V,
             one.b_body: bar(angular(V)) @ M @ V}
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


def test_free_body_keeps_energy_and_momentum():
    """Form (c) integrated: energy and the momentum about a fixed point stay, M V does not."""
    rng = np.random.default_rng(6)
    bodies = random_bodies(rng, (-1,), (hinges.free,))
    q, V, step = rng.uniform(0.3, 1.0, 7), rng.uniform(1.0, 2.0, 6), 2e-3
    hinge = bodies[0].hinge

    def rates(q, V):
        tree = tree_of(bodies, q)
        return hinge.rates(q, V), forward_dynamics.dense(tree, V, np.zeros(6), gravity=False)

    def seen(q, V):
        tree = tree_of(bodies, q)
        return (mass_matrix.momentum(tree, V), tree.M[0] @ V, one.kinetic_energy(tree.M[0], V))
    start = seen(q, V)
    for _ in range(100):
        k1 = rates(q, V)
        k2 = rates(q + step / 2 * k1[0], V + step / 2 * k1[1])
        k3 = rates(q + step / 2 * k2[0], V + step / 2 * k2[1])
        k4 = rates(q + step * k3[0], V + step * k3[1])
        q, V = (x + step / 6 * (a + 2 * b + 2 * c + d)
                for x, a, b, c, d in zip((q, V), k1, k2, k3, k4))
    end = seen(q, V)
    # What Runge-Kutta of this step leaves: fourth order, 1e-9.
    agree(end[0], start[0], tolerance=1e-8)
    agree(end[2], start[2], tolerance=1e-8)
    unlike(end[1], start[1], 1e-2)


def test_generalised_forces_keep_power(rng):
    A, T, thd = rng.normal(size=(3, 3)) + 2 * np.eye(3), *rng.normal(size=(2, 3))
    agree(one.quasi_force(A, T) @ (A @ thd), T @ thd)
