# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The kinematic tree of a description: one root, no loop, unique names."""

from collections import Counter

from robodyn_ros.errors import ModelError, listed, require_names


def base_to_tip(description, base=None):
    """Order the joints below the base link so that each one comes after its parent.

    The walk is depth-first in document order, so the joints of one arm stay together. Links that
    are not below the base are left out.

    `base`: name of the base link; the root by default.
    Returns the base link's name and the joints.
    Raises ModelError: for a description that is not a tree.
    Raises UnknownNameError: for a base that does not exist.
    """
    children = _children(description)
    root = _root(description)
    ordered = _walk(root, children)
    if len(ordered) != len(description.joints):
        unreached = sorted(
            {joint.name for joint in description.joints} - {joint.name for joint in ordered}
        )
        raise ModelError(
            f'robot {description.name!r}: joints {listed(unreached)} form a loop; '
            f'expected a tree below {root!r}'
        )
    if base is None:
        return root, ordered
    require_names(f'robot {description.name!r}', 'link', [base], children)
    return base, _walk(base, children)


def _children(description):
    """Return the joints that leave each link, after checking that names are unique and known."""
    robot = f'robot {description.name!r}'
    if not description.links:
        raise ModelError(f'{robot} has no links; expected at least a base and one moving link')
    for what, parts in (('link', description.links), ('joint', description.joints)):
        repeated = [name for name, times in Counter(p.name for p in parts).items() if times > 1]
        if repeated:
            raise ModelError(
                f'{robot}: {what} names {listed(repeated)} are used more than once; '
                f'expected every {what} name once'
            )
    children = {link.name: [] for link in description.links}
    holder = {}
    for joint in description.joints:
        for role in ('parent', 'child'):
            link = getattr(joint, role)
            if link not in children:
                raise ModelError(
                    f'{robot}: joint {joint.name!r} names {role} link {link!r}, '
                    f'which does not exist; expected one of {", ".join(children)}'
                )
        if joint.parent == joint.child:
            raise ModelError(
                f'{robot}: joint {joint.name!r} joins link {joint.child!r} to '
                'itself; expected two different links'
            )
        if joint.child in holder:
            raise ModelError(
                f'{robot}: link {joint.child!r} is the child of joints '
                f'{holder[joint.child]!r} and {joint.name!r}, a loop; '
                'expected one parent joint per link'
            )
        holder[joint.child] = joint.name
        children[joint.parent].append(joint)
    return children


def _root(description):
    """Return the name of the one link without a parent."""
    held = {joint.child for joint in description.joints}
    roots = [link.name for link in description.links if link.name not in held]
    if not roots:
        raise ModelError(
            f'robot {description.name!r}: every link has a parent, so the joints '
            'form a loop; expected one root link'
        )
    if len(roots) > 1:
        raise ModelError(
            f'robot {description.name!r}: links {listed(roots)} have no parent; '
            'expected one root link'
        )
    return roots[0]


def _walk(base, children):
    """Return the joints below a link, depth first in document order."""
    ordered = []
    waiting = list(reversed(children[base]))
    while waiting:
        joint = waiting.pop()
        ordered.append(joint)
        waiting.extend(reversed(children[joint.child]))
    return ordered
