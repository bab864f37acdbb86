# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Appendix B of Jain: attitudes and their rates, by complex step."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import attitude
from robodyn_ros.formulations.jain.hinges import about, rotation_of
from robodyn_ros.formulations.posture import skew
from support.compare import agree
from support.robots.jain_trees import unit, unlike

STEP = 1e-30


@pytest.fixture(params=range(4))
def rng(request):
    return np.random.default_rng(request.param)


def velocity(R):
    """omega of R(i STEP), a matrix whose imaginary part is its rate times STEP."""
    spin = np.real(R).T @ np.imag(R) / STEP
    agree(spin, -spin.T)
    return np.array([spin[2, 1], spin[0, 2], spin[1, 0]])


def test_euler_angle_rates_give_the_angular_velocity(rng):
    angles, rates = rng.normal(size=(2, 3))
    R = attitude.euler_zxz(*(angles + 1j * STEP * rates))
    agree(attitude.euler_zxz_velocity(*angles[1:]) @ rates, velocity(R))


def test_rates_of_euler_angles_come_back_from_the_angular_velocity(rng):
    """The inverse of (B.2); its second rates are those of the first along the motion."""
    angles, rates, domega = rng.uniform(0.3, 1.2, 3), *rng.normal(size=(2, 3))
    _, gamma, phi = angles
    omega = attitude.euler_zxz_velocity(gamma, phi) @ rates
    agree(attitude.euler_zxz_rates(gamma, phi, omega), rates)
    _, gamma_ahead, phi_ahead = angles + 1j * STEP * rates
    ahead = attitude.euler_zxz_rates(gamma_ahead, phi_ahead, omega + 1j * STEP * domega)
    found = attitude.euler_zxz_accelerations(gamma, phi, omega, domega)
    agree(found, np.imag(ahead) / STEP, None, 1e-11)
    unlike(attitude.euler_zxz_rates(gamma, phi, domega), found)


def test_second_rates_of_axis_and_angle_are_those_along_the_motion(rng):
    """(B.11) differentiated, against complex steps of it; the axis stays of length one."""
    axis, angle, (omega, domega) = unit(rng), rng.uniform(0.3, 2.8), rng.normal(size=(2, 3))
    axis_rate, angle_rate = attitude.axis_angle_rates(axis, angle, omega)
    ahead = attitude.axis_angle_rates(
        axis + 1j * STEP * axis_rate, angle + 1j * STEP * angle_rate, omega + 1j * STEP * domega
    )
    found = attitude.axis_angle_accelerations(axis, angle, omega, domega)
    for second, first in zip(found, ahead):
        agree(second, np.imag(first) / STEP, None, 1e-11)
    agree(axis @ found[0], -axis_rate @ axis_rate, None, 1e-11)


def test_second_rate_of_a_gibbs_vector_is_that_along_the_motion(rng):
    s, omega, domega = rng.normal(size=(3, 3))
    moved = s + 1j * STEP * attitude.gibbs_rate(s, omega)
    expected = np.imag(attitude.gibbs_rate(moved, omega + 1j * STEP * domega)) / STEP
    found = attitude.gibbs_acceleration(s, omega, domega)
    agree(found, expected)
    unlike(attitude.gibbs_rate(s, domega), found)


def test_cross_products_and_rotations_have_the_polynomials_of_b_5_and_b_8(rng):
    """(B.5), (B.8): the coefficients of det(l - S) and det(l - R); Cayley and Hamilton, too."""
    axis, angle, s = unit(rng), rng.normal(), rng.normal(size=3)
    for matrix, found in (
        (skew(s), attitude.characteristic_of_cross(s)),
        (about(axis, angle), attitude.characteristic_of_rotation(angle)),
    ):
        agree(found, np.poly(matrix), None, 1e-11)
        powers = [np.linalg.matrix_power(matrix, 3 - k) for k in range(4)]
        agree(np.tensordot(found, powers, 1), np.zeros((3, 3)), np.abs(powers).max())


def test_rates_of_axis_and_angle_give_the_angular_velocity(rng):
    axis, angle = unit(rng), rng.uniform(0.3, 2.8)
    axis_rate, angle_rate = np.cross(axis, rng.normal(size=3)), rng.normal()
    R = about(axis + 1j * STEP * axis_rate, angle + 1j * STEP * angle_rate)
    omega = attitude.axis_angle_velocity(axis, angle, axis_rate, angle_rate)
    agree(omega, velocity(R))
    found = attitude.axis_angle_rates(axis, angle, omega)
    agree(found[0], axis_rate)
    agree(found[1], angle_rate)


def test_quaternion_products_compose_rotations(rng):
    """E-' E+ = diag(R, 1), E+(p) q = E-(q) p, R(p o q) = R(p) R(q)."""
    axis, angle = unit(rng), rng.normal()
    p, q = attitude.quaternion(axis, angle), attitude.quaternion(unit(rng), rng.normal())
    agree(rotation_of(p), about(axis, angle))
    both = attitude.e_plus(p) @ q
    agree(both, attitude.e_minus(q) @ p)
    agree(rotation_of(both), rotation_of(p) @ rotation_of(q))
    agree(attitude.e_plus(p).T @ attitude.e_plus(p), np.eye(4))
    T = np.eye(4)
    T[:3, :3] = rotation_of(p)
    agree(attitude.e_minus(p).T @ attitude.e_plus(p), T)
    agree(np.trace(rotation_of(p)), 4.0 * p[3] ** 2 - 1.0, 4.0)


def test_quaternion_rates_give_the_angular_velocity(rng):
    q, omega = attitude.quaternion(unit(rng), rng.normal()), rng.normal(size=3)
    rate = attitude.quaternion_rate(q, omega)
    agree(velocity(rotation_of(q + 1j * STEP * rate)), omega)
    agree(attitude.quaternion_velocity(q, rate), omega)
    agree(q @ rate, 0.0, 1.0)


def test_second_rate_of_b_42_turns_towards_the_quaternion(rng):
    """(B.42): - |omega|^2 q / 4; the rate of (B.34) along the motion."""
    q, omega, domega = attitude.quaternion(unit(rng), rng.normal()), *rng.normal(size=(2, 3))
    moved = q + 1j * STEP * attitude.quaternion_rate(q, omega)
    expected = np.imag(attitude.quaternion_rate(moved, omega + 1j * STEP * domega)) / STEP
    agree(attitude.quaternion_acceleration(q, omega, domega), expected)
    unlike(attitude.quaternion_rate(q, domega) + 0.25 * (omega @ omega) * q, expected)


def test_velocity_in_fixed_axes_is_that_of_the_body_turned(rng):
    """(B.39) to (B.41)."""
    q = unit4(rng)
    rate = attitude.quaternion_rate(q, rng.normal(size=3))
    fixed = attitude.quaternion_velocity_fixed(q, rate)
    agree(fixed, rotation_of(q) @ attitude.quaternion_velocity(q, rate))
    v, w = q[:3], q[3]
    agree(2.0 * (w * np.eye(3) + skew(v) + np.outer(v, v) / w) @ rate[:3], fixed, None, 1e-11)


def test_both_terms_of_b_37_are_doubled(rng):
    q = unit4(rng)
    rate = attitude.quaternion_rate(q, rng.normal(size=3))
    for sign, omega in (
        (-1.0, attitude.quaternion_velocity(q, rate)),
        (1.0, attitude.quaternion_velocity_fixed(q, rate)),
    ):
        first = (q[3] * np.eye(3) + sign * skew(q[:3])) @ rate[:3]
        agree(2.0 * (first - q[:3] * rate[3]), omega)
        unlike(2.0 * first - q[:3] * rate[3], omega)


def test_square_of_b_43_is_added(rng):
    """The inverse of (B.42): its last entry is zero, as a rate has none; printed with a minus."""
    q, (omega, omega_rate) = unit4(rng), rng.normal(size=(2, 3))
    rate2 = attitude.quaternion_acceleration(q, omega, omega_rate)
    agree(attitude.angular_acceleration(q, omega, rate2), np.append(omega_rate, 0.0))
    printed = 2.0 * attitude.e_plus(q).T @ rate2 - 0.5 * (omega @ omega) * np.eye(4)[3]
    unlike(printed, np.append(omega_rate, 0.0))


def unit4(rng):
    """A random unit quaternion."""
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def test_rates_of_gibbs_vectors_give_the_angular_velocity(rng):
    q, omega = attitude.quaternion(unit(rng), rng.uniform(-2.0, 2.0)), rng.normal(size=3)
    s = q[:3] / q[3]
    agree(attitude.gibbs_rotation(s), rotation_of(q))
    agree(velocity(attitude.gibbs_rotation(s + 1j * STEP * attitude.gibbs_rate(s, omega))), omega)


def test_rotations_of_b_49_take_one_vector_to_the_other(rng):
    """(B.49), for every share; with (a + b) x (a - b), of solution B.18, b would go to a."""
    a, b = unit(rng), unit(rng)
    turns = [attitude.gibbs_rotation(attitude.gibbs_between(a, b, x)) for x in (0.0, 0.7, -2.0)]
    for R in turns:
        agree(R @ a, b, 1.0)
    unlike(turns[1], turns[0])
    printed = np.cross(a + b, a - b) / ((a + b) @ (a + b))
    unlike(attitude.gibbs_rotation(printed) @ a, b)


def test_entry_33_of_b_1_is_the_cosine_of_gamma(rng):
    psi, gamma, phi = rng.uniform(0.3, 1.2, 3)
    R = attitude.euler_zxz(psi, gamma, phi)
    agree(R[2, 2], np.cos(gamma))
    agree(R[1, 0], np.sin(psi) * np.cos(phi) + np.cos(psi) * np.cos(gamma) * np.sin(phi), 1.0)
    unlike(1.0, R[2, 2])
