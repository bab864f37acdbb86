# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operation counts that others have published for arms with revolute joints, for six joints.

Rows are (source, multiplications, additions). A source may have a colon; behind it are its
formulas for n joints. They are collected in Angeles 2014, sections 7.3 to 7.5, and in Turney,
Mudge and Lee 1980, tables 1 to 5.
"""

INVERSE = (
    ('Uicker and Kahn, Lagrange with 4 x 4 matrices (by Hollerbach 1980)', 66271, 51548),
    (
        'Turney, Mudge and Lee 1980, Lagrange organised in n^3: '
        '81n^3/6 + 165n^2/2 + 5n, 40n^3/3 + 58n^2 - 64n/3',
        5916,
        4840,
    ),
    ('Hollerbach 1980, recursive Lagrange: 412n - 277, 320n - 201', 2195, 1719),
    ('Luh, Walker and Paul 1980: 150n - 48, 131n - 48', 852, 738),
    ('Angeles, Algorithms 7.4.1 and 7.4.2: 137n - 22, 110n - 14', 800, 646),
    ('Walker and Orin 1982: 137n - 22, 101n - 11', 800, 595),
    ('Hollerbach and Sahar 1983', 688, 558),
    ('Turney, Mudge and Lee 1980, Newton-Euler: 108n - 12, 100n - 9', 636, 591),
    ('Khalil et al. 1986: 105n - 92, 94n - 86', 538, 478),
    ('Angeles et al. 1989, Kane: 105n - 109, 90n - 105', 521, 435),
    ('Turney, Mudge and Lee 1980, modified: 90n - 27, 88n - 24', 513, 504),
    ('Balafoutis and Patel 1991 (420 additions are printed): 93n - 69, 81n - 65', 489, 421),
    ('Li and Sankar 1992: 88n - 69, 76n - 66', 459, 390),
)
#: Sequential steps in place of operations, with as many processors as joints.
CONCURRENT = (
    ('Turney, Mudge and Lee 1980, modified, concurrent, steps: 27n + 42, 27n + 41', 204, 203),
)
FORWARD = (
    ('Featherstone 1983, articulated bodies: 300n - 267, 279n - 259', 1533, 1415),
    ('Angeles, natural orthogonal complement, summed step by step', 1540, 1137),
    ('the former as printed; its formula gives 1414 and 1032', 1450, 1068),
    ('Angeles and Ma, modified Denavit-Hartenberg', 1353, 1165),
    ('Li 1989, O(n^2)', 783, 670),
)
STANFORD = (('Kane and Levinson 1983, written for the Stanford arm', 646, 394),)

#: {quantity: rows} of intermediate results.
PARTS = {
    'mass_matrix': (
        (
            'Angeles, twists P and M = P^T P: 17n^2 - 15n + 3n^2 + 3n, '
            '10n^2 - 10n + 5n^2/2 + 5n/2',
            648,
            405,
        ),
    ),
    'mass_solve': (
        (
            'Angeles, the same, its Cholesky factor and two triangular systems: '
            '20n^2 - 12n + n^3/6 + n^2/2 + n/3 + n^2, '
            '25n^2/2 - 15n/2 + n^3/6 + n^2/2 + n/3 + n^2 - n',
            740,
            491,
        ),
    ),
    'bias_torque': (
        ('Angeles, inverse dynamics without acceleration: 137n - 22, 110n - 14', 800, 646),
    ),
    'gravity_torque': (
        (
            'Turney, Mudge and Lee 1980, transforms and gravity: '
            '32n(n - 1) + 2n^2 + 2n, 24n(n - 1) + 2n^2 + n',
            1044,
            798,
        ),
    ),
}

#: Sums over the stages of inverse dynamics, since recorded code does not separate them.
STAGES = (
    ('Angeles, outward: 82n, 66n', 492, 396),
    ('rotations: 4n, 0', 24, 0),
    ('angular velocities: 8n, 5n', 48, 30),
    ('places of the centres: 8n, 10n', 48, 60),
    ('speeds of the centres: 20n, 16n', 120, 96),
    ('angular accelerations: 10n, 7n', 60, 42),
    ('accelerations of the centres: 32n, 28n', 192, 168),
    ('the same for a prismatic joint, each', 70, 53),
    ('Angeles, inward: 55n - 22, 44n - 14', 308, 250),
    ('Turney, Mudge and Lee, Lagrange, transforms: 32n(n - 1), 24n(n - 1)', 960, 720),
    ('their first derivatives: 32n(n - 1), 24n(n - 1)', 960, 720),
    ('their second derivatives: 32n(n^2 - 1)/3, 8n(n^2 - 1)', 2240, 1680),
    ('bracket: 17n^3/6 + 17n^2/2 + 209n/3, 16n^3/3 + 80n/3', 1336, 1312),
    ('traces: 8n^2 + 8n, 8n^2 + 7n', 336, 330),
    ('gravity: 2n^2 + 2n, 2n^2 + n', 84, 78),
    ('Turney, Mudge and Lee, Newton-Euler, angular velocities: 9n, 7n', 54, 42),
    ('angular accelerations: 9n, 9n', 54, 54),
    ('rotations: 6n, 9n', 36, 54),
    ('accelerations: 18n, 15n', 108, 90),
    ('accelerations of the centres: 9n, 9n', 54, 54),
    ('forces: 12(n - 1), 9(n - 1)', 60, 45),
    ('moments of inertia times angular accelerations: 9n, 6n', 54, 36),
    ('gyroscopic moments: 15n, 9n', 90, 54),
    ('arms of the inertial forces: 6n, 3n', 36, 18),
    ('arms of the joint forces: 6n, 3n', 36, 18),
    ('moments turned and added: 9n, 6n + 15n', 54, 126),
    ('Turney, Mudge and Lee, modified, angular velocities: 9n, 7n', 54, 42),
    ('angular accelerations: 9n, 9n', 54, 54),
    ('rotations: 6n, 9n', 36, 54),
    ('accelerations: 18(n - 1), 15(n - 1)', 90, 75),
    ('inertial forces: 12n, 9n', 72, 54),
    ('forces: 9(n - 1), 9(n - 1)', 45, 45),
    ('moments by the pseudo-inertia: 6n, 3n', 36, 18),
    ('arms of the inertial forces: 6n, 3n', 36, 18),
    ('arms of the joint forces: 6n, 3n', 36, 18),
    ('moments turned and added: 9n, 6n + 15n', 54, 126),
)
