# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The spatial operators as a table that teaches: meaning, size and sparsity."""

OPERATORS = (
    ('E_phi', 'phi(parent(k), k) (3.30)', 'forces from a body to its parent'),
    ('phi', '(1 - E_phi)^-1 (3.36)', 'forces from a body to its ancestors'),
    ('H', "Delta_V = H' thd (3.7)", 'axes of the hinges'),
    ('M', 'M(k) (2.8)', 'inertia of each body'),
    ('R', "M + E_phi R E_phi' (4.9)", 'inertia of what it carries, frozen'),
    ('P', "M + E_psi P E_phi' (7.7)", 'inertia of what it carries, hinges free'),
    ('D', "H P H' (6.13)", 'P about the hinge'),
    ('G', "P H' D^-1 (6.13)", 'Kalman gain: force per hinge torque'),
    ('K', 'E_phi G (7.3)', 'the same, carried to the parent'),
    ('tau', 'G H (6.17)', 'what the hinge gives way to of a force'),
    ('tau_bar', '1 - tau (6.18)', 'what the hinge carries of a force'),
    ('P_plus', 'taubar P (6.25)', 'P as the parent feels it'),
    ('E_psi', 'E_phi taubar (7.4)', 'forces to the parent, the hinge free'),
    ('psi', '(1 - E_psi)^-1 (7.5)', 'forces to all ancestors, hinges free'),
    ('mass_matrix', "H phi M phi' H' (4.6)", 'torque per acceleration'),
    ('innovations_factor', '1 + H phi K (7.14)', "L of the mass matrix L D L'"),
    ('mass_matrix_inverse', "(1-H psi K)'D^-1(1-H psi K)", 'acceleration per torque (7.18)'),
    ('Upsilon', "psi'Ups psi+H'D^-1 H (10.15)", 'own acceleration per force'),
    ('Omega', "psi'H'D^-1 H psi (10.11)", 'acceleration here per force there'),
)


def as_table(ops):
    """Return lines of text: symbol, rows x columns, nonzero blocks, definition, meaning."""
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
    """Return the lines of text: k of the book, body, its parent, its hinge, its rows of qd."""
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
