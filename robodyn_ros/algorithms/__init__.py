# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recursions over bodies: one algorithm per file, plain functions over the model's arrays.

Conventions: bodies are numbered base to tip (parent < child), row 0 is the world. Quantities are
expressed in the frame of their body (z along the joint). Forces and motions are angular first.
Accelerations are those of the body's origin: classical, not spatial. The base accelerates with
-gravity, so weight needs no separate term (Angeles 7.44). inverse_dynamics_body and
inverse_dynamics_fixed use other references: Jain 2011, Table 5.1. The derivatives are about the
origin of the base, like inverse_dynamics_fixed.

    ours                         Featherstone 2008    Jain 2011         Drake
    axis of the joint S          S                    H*                H_PB
    articulated inertia P        I^A                  P                 P_B
    P after the joint, P+        I^a                  P+                Pplus_PB
    joint inertia D = S* P S     D                    D                 D_B
    Kalman gain G = P S / D      U D^-1               G                 g_PB
    bias force z                 p^A                  z                 Z_B
    joint force residual u       u                    epsilon           e_B
    compliance Omega (diagonal)  Lambda^-1            Upsilon           -

    The bias forces of the books differ by P times the velocity-dependent acceleration. Here z
    includes it only after the joint, as Featherstone's p^A does.
"""
