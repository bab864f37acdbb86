# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A table of the spatial operators: meaning, size and sparsity."""

OPERATORS = (
    ('E_phi', 'phi(parent(k), k) (3.30)', 'forces from a body to its parent'),
    ('phi', '(1 - E_phi)^-1 (3.36)', 'forces from a body to its ancestors'),
    ('H', "Delta_V = H' thd (3.7)", 'axes of the hinges'),
    ('M', 'M(k) (2.8)', 'inertia of each body'),
    ('R', "M + E_phi R E_phi' (4.9)", 'composite inertia, hinges locked'),
    ('P', "M + E_psi P E_phi' (7.7)", 'articulated inertia, hinges free'),
    ('D', "H P H' (6.13)", 'articulated inertia about the hinge'),
    ('G', "P H' D^-1 (6.13)", 'Kalman gain: force per hinge torque'),
    ('K', 'E_phi G (7.3)', 'the gain, for forces on the parent'),
    ('tau', 'G H (6.17)', 'projection onto the hinge motions'),
    ('tau_bar', '1 - tau (6.18)', 'complementary projection'),
    ('P_plus', 'taubar P (6.25)', 'P as felt across the hinge'),
    ('E_psi', 'E_phi taubar (7.4)', 'forces to the parent, hinge free'),
    ('psi', '(1 - E_psi)^-1 (7.5)', 'forces to all ancestors, hinges free'),
    ('mass_matrix', "H phi M phi' H' (4.6)", 'torque per acceleration'),
    ('innovations_factor', '1 + H phi K (7.14)', "L of the mass matrix L D L'"),
    ('mass_matrix_inverse', "(1-H psi K)'D^-1(1-H psi K)", 'acceleration per torque (7.18)'),
    ('Upsilon', "psi'Ups psi+H'D^-1 H (10.15)", 'acceleration per force on the body'),
    ('Omega', "psi'H'D^-1 H psi (10.11)", 'acceleration per force on another body'),
)


def as_table(ops):
    """Return a table of the operators: symbol, size, nonzero blocks, definition, meaning.

    `ops` (SpatialOperators): operators of a robot.
    """
    lines = [f'{"operator":<20} {"size":>9} {"blocks":>9}  {"definition":<28} meaning']
    for name, definition, meaning in OPERATORS:
        operator = getattr(ops, name)
        full = operator.pattern()
        size = '{} x {}'.format(*operator.shape)
        lines.append(
            f'{name:<20} {size:>9} {f"{full.sum()}/{full.size}":>9}  {definition:<28} {meaning}'
        )
    return '\n'.join(lines)


def bodies_table(ops):
    """Return a table of the bodies: k of the book, name, parent, hinge, entries of qd.

    `ops` (SpatialOperators): operators of a robot.
    """
    tree = ops.tree
    lines = [f'{"k":>3}  {"body":<24} {"parent":<24} {"hinge":<12} rows of qd']
    for k, body in enumerate(tree.bodies):
        up = tree.parent[k]
        parent = f'{up + 1} {tree.names[up]}' if up < tree.n else 'inertial frame'
        lines.append(
            f'{k + 1:>3}  {body.name:<24} {parent:<24} {body.hinge.name:<12} '
            f'{", ".join(map(str, body.dofs))}'
        )
    return '\n'.join(lines)
