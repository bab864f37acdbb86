# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates of articulated-body operators for the inertial observer: Jain, section 18.5.

    lam - E_psi lam E_psi' = tilde(Delta^w) P - P tilde(Delta^w)
                             + E [bar(Delta^v) P^+ - P^+ tilde(Delta^v)] E'              (18.44)
    dP/dt = lam + tilde(V_S^w) P - P tilde(V_S^w),   dD/dt = H lam H'           (18.49, 18.43a)
    dG/dt = taubar lam H' D^-1 + tilde(V_S^w) G                                         (18.43c)
    dtau/dt = taubar lam H' D^-1 H + tilde(V_S^w) tau - tau tilde(V_S^w)                (18.43d)
    dE_psi/dt = tilde(V^w) E_psi - E_psi tilde(V_S^w)
                - E [taubar lam H' D^-1 H - bar(Delta^v) taubar]                        (18.43f)
    dP^+/dt = taubar lam taubar' + tilde(V_S^w) P^+ - P^+ tilde(V_S^w)                  (18.43g)

Dense operators in fixed axes, O(n^3), but lam follows from (18.44) in one gather. At unit
velocities these are the sensitivities (18.53) and (18.54). `articulated_rates` is the recursion,
as seen by the bodies. A hinge map that turns relative to the parent adds the terms of its rate W.

Corrections to the print: the last term of (18.49) is subtracted. In (18.54f) and (18.54g),
bar(H^v) stands on the left.
"""

from typing import NamedTuple

from robodyn_ros.formulations.jain.operators import sweeps
from robodyn_ros.formulations.jain.operators.block_matrix import BlockMatrix


class ArticulatedOperatorRates(NamedTuple):
    """Operator lam, and the rates of the operators of the other names, in fixed axes.

    `lam`: rate of P as the parents see it, 6n x 6n.
    `P`: dP/dt, 6n x 6n.
    `D`: dD/dt, N x N.
    `D_inverse`: d(D^-1)/dt, N x N.
    `G`: dG/dt, 6n x N.
    `tau`: dtau/dt, 6n x 6n.
    `P_plus`: dP^+/dt, 6n x 6n.
    `E_psi`: dE_psi/dt, 6n x 6n.
    """

    lam: BlockMatrix
    P: BlockMatrix
    D: BlockMatrix
    D_inverse: BlockMatrix
    G: BlockMatrix
    tau: BlockMatrix
    P_plus: BlockMatrix
    E_psi: BlockMatrix


def lambda_operator(ops):
    """Return lam, the solution of (18.44).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    """
    tilde_w, bar_v, E = ops.Delta_tilde_w, ops.Delta_bar_v, ops.E_phi
    own = tilde_w @ ops.P - ops.P @ tilde_w
    P_plus_term = ops.P_plus @ ops.H_seen.T @ ops.G.T
    half = bar_v @ ops.P_plus - P_plus_term
    right = own + E @ (half + half.T) @ E.T
    blocks = [right[name, name] for name in ops.names]
    psi = ops.articulated.psi
    lam = sweeps.forward_diagonal(ops.tree, blocks, psi, psi)
    array = ops.P.array * 0.0
    for rows, block in zip(ops.tree.rows, lam):
        array[rows, rows] = block
    return ops.P.same(array)


def articulated_operator_rates(ops):
    """Return the rates of all articulated-body operators (18.43, 18.49).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    """
    H, P, G, tau, P_plus = ops.H, ops.P, ops.G, ops.tau, ops.P_plus
    lam, W_S, W, inverse = lambda_operator(ops), ops.V_S_tilde_w, ops.H_seen.T, ops.D_inverse
    G_seen = gain_rate(ops, lam)
    tau_seen = G_seen @ H + G @ W.T
    D_term = W.T @ P @ H.T
    D = H @ lam @ H.T + D_term + D_term.T
    P_plus_term = P_plus @ W @ G.T
    return ArticulatedOperatorRates(
        lam=lam,
        P=lam + W_S @ P - P @ W_S,
        D=D,
        D_inverse=inverse.same(-(inverse @ D @ inverse).array),
        G=G_seen + W_S @ G,
        tau=tau_seen + W_S @ tau - tau @ W_S,
        P_plus=ops.tau_bar @ lam @ ops.tau_bar.T
        - P_plus_term
        - P_plus_term.T
        + W_S @ P_plus
        - P_plus @ W_S,
        E_psi=ops.V_tilde_w @ ops.E_psi
        - ops.E_psi @ W_S
        + ops.E_phi @ (ops.Delta_bar_v @ ops.tau_bar - tau_seen),
    )


def gain_rate(ops, lam):
    """Return dG/dt as the parents see it, taubar lam H' D^-1 (18.43c).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    `lam` (BlockMatrix): see `lambda_operator`.
    """
    W = ops.H_seen.T
    return (ops.tau_bar @ lam @ ops.H.T + ops.P_plus @ W) @ ops.D_inverse - ops.G @ W.T @ ops.G
