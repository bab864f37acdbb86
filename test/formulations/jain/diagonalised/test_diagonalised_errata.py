# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 19 of Jain as printed: what fails, beside what holds, on pins, slides and screws."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import composite_bodies, hinges
from robodyn_ros.formulations.jain.articulated_bodies import articulated, residual_forces
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.diagonalised import (
    coordinate_maps,
    innovations_factors,
    normalised_coriolis,
    two_sweep_dynamics,
    unnormalised_coriolis,
)
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import articulated_rates
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, tilde
from support.compare import agree
from support.robots.jain_trees import GRAVITY, KINDS, SOLVED, coordinates, random_bodies, unlike

RNG = np.random.default_rng(19)
BODIES = random_bodies(RNG, (-1, 0, 1, 2, 1, 4, 5), [KINDS[i % 3] for i in range(7)])
TREE = tree_of(BODIES, coordinates(RNG, BODIES), GRAVITY)
THD, T = RNG.normal(size=7), RNG.normal(size=7)
ART = articulated(TREE)
MOVING = coordinate_maps.velocities_of_rates(TREE, ART, THD)
V = MOVING.V.ravel()
OPS = SpatialOperators(TREE)
H, phi, psi, E, E_psi, P, P_plus, G, K, taubar, M = (
    getattr(OPS, name).array for name in 'H phi psi E_phi E_psi P P_plus G K tau_bar M'.split()
)
ONE = np.eye(6 * TREE.n)
D = np.diag(OPS.D.array)
ROOT = np.sqrt(D)
DELTA = TREE.hinge_velocity(THD)


def spread(blocks):
    """Blocks on a diagonal."""
    found = np.zeros((TREE.n, 6, TREE.n, 6))
    for k, block in enumerate(blocks):
        found[k, :, k] = block
    return found.reshape(6 * TREE.n, -1)


V_BAR = spread([bar(v) for v in MOVING.V])


def test_map_of_19_28_leads_to_six_numbers_a_body_only_with_h():
    """H' (1 + H phi K)' thd = tau' V; as printed, N numbers equal 6n."""
    xi = OPS.innovations_factor.array.T @ THD
    agree(H.T @ xi, (G @ H).T @ V)
    printed = H.T @ (G.T @ phi.T @ H.T @ THD)
    assert printed.shape != xi.shape
    agree(printed, H.T @ xi)


def test_signs_of_19_29():
    """- E_psi lambda + lambda E_psi' inside the bracket that is halved and subtracted."""
    right = normalised_coriolis.coriolis_vector(TREE, ART, MOVING)
    dw, dv, lam = innovations_factors.spreads(OPS, THD)
    rest = dw @ P + P @ dw + E @ (dv @ P_plus - P_plus @ dv.T) @ E.T
    own = E_psi @ lam - lam @ E_psi.T

    def vector(sign):
        return H @ psi @ (V_BAR @ M - 0.5 * (rest + sign * own)) @ V / ROOT

    agree(vector(-1.0), right)
    unlike(vector(1.0), right)


def factor_rates(thd, v, G_D):
    """(19.34) and (19.35), or (19.25) and (19.33), with v for bar(Delta^v) and G_D for G D."""
    dw, _, lam = innovations_factors.spreads(OPS, thd)
    half = 0.5 * (ONE + taubar) @ lam @ H.T
    m_rate = H @ phi @ (dw @ (phi - ONE) @ P @ H.T + E @ v @ phi @ P @ H.T + half) / ROOT
    inner = dw @ phi @ K * D + E @ v @ phi @ G_D + half
    return m_rate, -(H @ psi @ inner / D @ OPS.inverse_factor.array) / ROOT[:, None]


@pytest.mark.parametrize('thd', [THD, np.eye(7)[1]], ids=['rate', 'sensitivity to a screw'])
def test_rates_of_the_factors_take_bar(thd):
    """(19.33) to (19.35): bar(Delta^v), not tilde, and phi G D, not phi G."""
    m_right = innovations_factors.factor_rate(TREE, thd)
    l_right = innovations_factors.inverse_factor_rate(TREE, thd)
    m = innovations_factors.factor(TREE)
    sizes = np.abs(m).max(), np.abs(np.linalg.inv(m)).max()
    dv = innovations_factors.spreads(OPS, thd)[1]
    m_rate, l_rate = factor_rates(thd, dv, G * D)
    agree(m_rate, m_right, sizes[0], SOLVED)
    agree(l_rate, l_right, sizes[1], SOLVED)
    unlike(factor_rates(thd, dv, G)[1], l_right)
    m_printed, l_printed = factor_rates(thd, -dv.T, G * D)
    unlike(m_printed, m_right)
    unlike(l_printed, l_right)


def test_energy_of_19_37_is_of_velocities():
    xi_rate = two_sweep_dynamics.xi_rates(TREE, ART, MOVING, T, gravity=False)
    right = 0.5 * THD @ composite_bodies.mass_matrix(TREE) @ THD
    agree(0.5 * MOVING.xi @ (D * MOVING.xi), right)
    unlike(0.5 * xi_rate @ (D * xi_rate), right)


def test_gain_of_table_19_2_has_the_root():
    """z^+ = z + G D^1/2 zeta. As printed, zeta is not l T."""
    right = innovations_factors.inverse_factor(TREE) @ T

    def zeta(root):
        z, found = np.zeros((TREE.n, 6)), np.zeros(TREE.N)
        for k, up in enumerate(TREE.parent):
            found[k] = ((T[k] - TREE.H[k] @ z[k]) / ROOT[k])[0]
            if up < TREE.n:
                z[up] += TREE.phi[k] @ (z[k] + ART.G[k][:, 0] * root[k] * found[k])
        return found

    agree(zeta(ROOT), right)
    unlike(zeta(np.ones(TREE.N)), right)


def coriolis_of_19_1(sign, both):
    """Algorithm 19.1 with S = X + sign Z, and with Z in y, or X alone."""
    X = [tilde(angular(d)) @ P_k for d, P_k in zip(DELTA, ART.P)]
    Z, lam, y = np.zeros((3, TREE.n, 6, 6))
    y, C = np.zeros((TREE.n, 6)), np.zeros(TREE.N)
    for k, up in enumerate(TREE.parent):
        S, v = X[k] + sign * Z[k], MOVING.V[k]
        lam[k] += S + S.T
        skew = X[k] + Z[k] if both else X[k]
        y[k] -= (skew - skew.T - 2.0 * bar(v) @ TREE.M[k]) @ v
        y[k] -= lam[k] @ ART.taubar[k].T @ MOVING.V_plus[k]
        C[k] = 0.5 * (TREE.H[k] @ y[k] / ROOT[k])[0]
        if up < TREE.n:
            carry = TREE.phi[k]
            Z[up] += carry @ bar(linear(DELTA[k])) @ ART.P_plus[k] @ carry.T
            lam[up] += ART.psi[k] @ lam[k] @ ART.psi[k].T
            y[up] += ART.psi[k] @ (y[k] + lam[k] @ v)
    return C


def test_algorithm_19_1_adds_slides_to_turns():
    """S = X + Z, and Z - Z' in y; as printed it is right for pins only."""
    right = normalised_coriolis.coriolis_vector(TREE, ART, MOVING)
    agree(coriolis_of_19_1(1.0, both=True), right)
    for printed in (coriolis_of_19_1(-1.0, both=False), coriolis_of_19_1(1.0, both=False)):
        unlike(printed, right)


def momentum_of_slides(own):
    """sum phi bar(Delta^v) P^+ V of algorithm 19.2, V of the child, or of the body as printed."""
    found = np.zeros((TREE.n, 6))
    for k, up in enumerate(TREE.parent):
        if up < TREE.n:
            v = MOVING.V[k] if own else MOVING.V[up]
            found[up] += TREE.phi[k] @ bar(linear(DELTA[k])) @ ART.P_plus[k] @ v
    return found.ravel()


def y_of_19_2(slides):
    """y of algorithm 19.2 with some momentum of slides."""
    dw, _, lam = innovations_factors.spreads(OPS, THD)
    return psi @ (lam @ H.T @ MOVING.xi - (dw @ P - V_BAR @ M) @ V - slides)


def test_algorithm_19_2_takes_the_velocity_of_the_child():
    right = unnormalised_coriolis.coriolis_vector(TREE, ART, MOVING)
    agree(H @ y_of_19_2(momentum_of_slides(own=True)), right)
    unlike(H @ y_of_19_2(momentum_of_slides(own=False)), right)


def test_two_sweeps_of_19_42_need_the_slides():
    right = two_sweep_dynamics.xi_rates(TREE, ART, MOVING, T, gravity=False)
    epsilon = residual_forces(TREE, ART, T)[2]
    agree((epsilon - H @ y_of_19_2(momentum_of_slides(own=True))) / D, right, tolerance=SOLVED)
    unlike((epsilon - H @ y_of_19_2(0.0 * V)) / D, right)


def test_root_of_step_4_of_algorithm_19_3():
    """eta = D^1/2 xi, by (19.12) and (19.36)."""
    eta = innovations_factors.factor(TREE).T @ THD
    agree(ROOT * MOVING.xi, eta)
    unlike(MOVING.xi / ROOT, eta)


def test_pins_have_the_simpler_forms_of_19_32():
    """(19.32) as printed: no part of it has to do with slides."""
    rng = np.random.default_rng(5)
    bodies = random_bodies(rng, (-1, 0, 1, 1, 3), [hinges.pin] * 5)
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    thd = rng.normal(size=5)
    art, ops = articulated(tree), SpatialOperators(tree)
    moving = coordinate_maps.velocities_of_rates(tree, art, thd)
    lam = articulated_rates(tree, art, thd).lam
    y = np.zeros((tree.n, 6))
    for k, up in enumerate(tree.parent):
        turn, v = tilde(angular(tree.hinge_velocity(thd)[k])), moving.V[k]
        inner = 2.0 * bar(v) @ tree.M[k] - turn @ art.P[k] - art.P[k] @ turn
        y[k] += inner @ v
        if up < tree.n:
            y[up] += art.psi[k] @ lam[k] @ v
            y[k] -= lam[k] @ art.psi[k].T @ moving.V[up]
    C = 0.5 * ops.H.array @ ops.psi.array @ y.ravel() / np.sqrt(np.diag(ops.D.array))
    agree(C, normalised_coriolis.coriolis_vector(tree, art, moving))
