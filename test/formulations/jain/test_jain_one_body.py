# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 1 of Jain: spatial algebra."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import hinges as hinges
from robodyn_ros.formulations.jain import single_body as one
from robodyn_ros.formulations.jain import spatial_algebra, tree_kinematics
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, hat, linear, phi, tilde
from robodyn_ros.formulations.posture import skew
from support.compare import agree
from support.robots.families import rotation
from support.robots.jain_trees import frames, moved, path_of_a_body, random_bodies, unit


@pytest.fixture(params=range(3))
def rng(request):
    """Three seeds."""
    return np.random.default_rng(request.param)


def unlike(printed, right, share=1e-3):
    """Assert that what is printed is wrong by more than any rounding."""
    assert np.abs(np.asarray(printed) - right).max() > share * max(np.abs(right).max(), 1.0)


def test_homogeneous_transforms_chain_and_invert(rng):
    (R, l), (Q, m) = ((rotation(rng), rng.normal(size=3)) for _ in range(2))  # noqa: E741
    T, U = spatial_algebra.transform(R, l), spatial_algebra.transform(Q, m)
    agree(T @ U, spatial_algebra.transform(R @ Q, l + R @ m))  # (1.5)
    agree(spatial_algebra.inverse_transform(T), spatial_algebra.transform(R.T, -R.T @ l))
    agree(spatial_algebra.inverse_transform(T) @ T, np.eye(4))
    agree(
        spatial_algebra.inverse_transform(T @ U),
        spatial_algebra.inverse_transform(U) @ spatial_algebra.inverse_transform(T),
    )
    p = rng.normal(size=3)
    agree((T @ [*p, 1.0])[:3], R @ p + l)  # (1.4)


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
    agree(spatial_algebra.rotation_rate(R(0.4), omega(0.4)), rate, tolerance=1e-8)
    own = omega(0.4) @ R(0.4)
    agree(R(0.4) @ skew(own), rate, tolerance=1e-8)

    def seen(t):  # a spatial vector that grows in G, in axes of F
        turn = np.kron(np.eye(2), R(t))
        return turn @ (X * (1 + t))

    V = np.concatenate((omega(0.4), rng.normal(size=3)))
    turn = np.kron(np.eye(2), R(0.4))
    agree(
        spatial_algebra.rate_in(turn @ X, seen(0.4), V),
        (seen(0.4 + h) - seen(0.4 - h)) / (2 * h),
        tolerance=1e-8,
    )


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
    alpha = 0.5 * np.array(
        [bend[2, 1] - bend[1, 2], bend[0, 2] - bend[2, 0], bend[1, 0] - bend[0, 1]]
    )
    v, a = rates(origin, t)
    point = rates(lambda s: origin(s) + place(s) @ l, t)
    agree(spatial_algebra.point_velocity(v, omega, R @ l), point[0], tolerance=1e-6)
    at = spatial_algebra.point_acceleration(a, alpha, omega, R @ l)
    agree(at, point[1], tolerance=1e-6)
    unlike(spatial_algebra.point_acceleration(alpha, a, omega, R @ l), at)  # a and alpha of Ex 1.1

    def particle(s):
        return l + np.array([0.3 * s * s, np.sin(s), 0.0])

    own, total = rates(particle, t), rates(lambda s: origin(s) + place(s) @ particle(s), t)
    base = spatial_algebra.point_acceleration(a, alpha, omega, R @ particle(t))
    agree(
        spatial_algebra.moving_point_acceleration(base, omega, R @ own[0], R @ own[1]),
        total[1],
        tolerance=1e-6,
    )


def test_rates_that_the_body_sees():
    """(1.17), (2.19), (1.28), by differences of a body on a path."""
    place, velocity = path_of_a_body()
    t, h = 0.6, 1e-6
    R, V = place(t)[0], velocity(t)
    acceleration = (velocity(t + h) - velocity(t - h)) / (2 * h)

    def seen(s):
        return np.kron(np.eye(2), place(s)[0].T) @ velocity(s)

    own = np.kron(np.eye(2), R) @ (seen(t + h) - seen(t - h)) / (2 * h)
    agree(own[:3], acceleration[:3], tolerance=1e-8)
    agree(own[3:], acceleration[3:] - np.cross(V[:3], V[3:]), tolerance=1e-8)
    agree(one.body_rate(acceleration, V), own, tolerance=1e-8)
    agree(spatial_algebra.rate_in(own, V, V), acceleration, tolerance=1e-8)
    unlike(own[3:], acceleration[3:])


def test_cross_products_of_spatial_vectors(rng):
    A, B, C = rng.normal(size=(3, 6))
    zero = np.zeros(6)
    agree(tilde(A) @ A, zero, 1.0)
    agree(tilde(A) @ B, -tilde(B) @ A)
    jacobi = [tilde(x) @ tilde(y) @ z for x, y, z in ((A, B, C), (B, C, A), (C, A, B))]
    agree(sum(jacobi), zero, np.abs(jacobi).max())
    agree(tilde(A) @ tilde(B) - tilde(B) @ tilde(A), tilde(tilde(A) @ B))  # (1.24)
    agree(bar(A).T @ A, zero, 1.0)  # (1.26)
    agree(bar(A) @ A, np.concatenate((np.zeros(3), np.cross(A[:3], A[3:]))))
    agree(A @ bar(B), -B @ bar(A))  # (1.27a)
    for other in (hat(B) @ A, -hat(B).T @ A, -bar(A) @ B):  # (1.27b)
        agree(tilde(A).T @ B, other)
    for other in (B @ bar(C) @ A, C @ hat(A) @ B):  # (1.27c)
        agree(A @ tilde(B) @ C, other)
    agree(bar(A) @ A, tilde(angular(A)) @ A)  # (1.36d)
    agree(tilde(angular(A)) @ A, tilde(angular(A)) @ linear(A))
    agree(tilde(linear(A)) @ B, tilde(linear(A)) @ angular(B))  # (1.36b)
    agree(bar(linear(A)) @ A, np.zeros(6), 1.0)  # (1.36c)
    agree(bar(linear(A)) @ linear(B), bar(linear(A)) @ B)
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
    agree(spatial_algebra.phi_inverse(a), np.linalg.inv(a))
    agree(spatial_algebra.phi_inverse(a) @ a, np.eye(6))
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
    agree(hat(a @ X), a @ hat(X) @ a.T)  # (1.34)
    agree(tilde(a.T @ X), a.T @ tilde(X) @ np.linalg.inv(a.T), tolerance=1e-11)
    V = a.T @ X
    agree(a.T @ tilde(X), tilde(V) @ a.T)  # (1.35)
    agree(bar(X) @ a, a @ bar(V))
    level = phi(rng.normal(size=3))  # (1.36e): same axes
    agree(level @ bar(linear(X)), bar(linear(X)))
    agree(bar(linear(X)) @ level, bar(linear(X)))


def test_power_does_not_depend_on_the_point(rng):
    a, V, f = frames(rng), *rng.normal(size=(2, 6))
    agree((a @ f) @ V, f @ (a.T @ V))  # (1.47)


def test_rate_of_phi_is_its_difference():
    """(1.37), (1.38), (1.42) by differences, of a body on a moving base."""
    rng = np.random.default_rng(4)
    bodies = random_bodies(rng, (-1, 0), (hinges.free, hinges.free))
    q = rng.uniform(0.3, 1.0, 14)
    tree, thd, h = tree_of(bodies, q), rng.normal(size=12), 1e-6
    there, back = moved(tree, thd, h), moved(tree, thd, -h)
    rate = (there.phi[0].T - back.phi[0].T) / (2 * h)
    Delta = tree.hinge_velocity(thd)[0]
    agree(spatial_algebra.phi_transpose_rate(tree.phi[0], Delta), rate, tolerance=1e-8)
    seen_from_g = np.linalg.solve(tree.phi[0].T, Delta)  # (1.39)
    agree(-tree.phi[0].T @ tilde(seen_from_g), rate, tolerance=1e-8)
    backward = [spatial_algebra.phi_inverse(x.phi[0]).T for x in (tree, there, back)]
    rate_back = (backward[1] - backward[2]) / (2 * h)
    agree(tilde(seen_from_g) @ backward[0], rate_back, tolerance=1e-8)  # (1.43)
    agree(backward[0] @ tilde(Delta), rate_back, tolerance=1e-8)
    agree(
        -backward[0] @ spatial_algebra.phi_transpose_rate(tree.phi[0], Delta) @ backward[0],
        tilde(seen_from_g) @ backward[0],
    )  # (1.44)
    two = tree.phi[1] @ tree.phi[0]  # (1.45)
    by_parts = spatial_algebra.phi_transpose_rate(tree.phi[0], Delta) @ tree.phi[1].T + tree.phi[
        0
    ].T @ spatial_algebra.phi_transpose_rate(tree.phi[1], tree.hinge_velocity(thd)[1])
    agree(
        by_parts, spatial_algebra.phi_transpose_rate(two, tree_kinematics.velocities(tree, thd)[0])
    )
    agree(
        by_parts,
        ((there.phi[1] @ there.phi[0]).T - (back.phi[1] @ back.phi[0]).T) / (2 * h),
        tolerance=1e-8,
    )

    def straight(at):
        T = tree_kinematics.poses(at)
        return phi(T[0, :3, 3] - T[1, :3, 3])

    V, T = tree_kinematics.velocities(tree, thd), tree_kinematics.poses(tree)
    turned = [np.kron(np.eye(2), T[k, :3, :3]) @ V[k] for k in (0, 1)]
    agree(
        spatial_algebra.phi_rate_inertial(turned[1], turned[0]),
        (straight(there) - straight(back)) / (2 * h),
        tolerance=1e-8,
    )
    X = turned[1]  # (1.38): one body
    l = rng.normal(size=3)  # noqa: E741
    Y = phi(l).T @ X
    agree(spatial_algebra.phi_rate_inertial(X, Y), bar(Y) - bar(X), 1.0)
