# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read elements and attributes of a URDF: children, names, numbers and origins."""

import re
from math import isfinite, nan

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.description import Placement
from robodyn_ros.model.rotation_matrix import from_rpy, made_exact

LONGEST_NAME = 200
# Stricter than float(), which accepts 'nan', 'inf', '1_000' and full-width digits.
_NUMBER = re.compile(r'[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?')


def read_placement(element, where):
    """Return the Placement of the child element <origin>, the identity where there is none."""
    origin = only_child(element, 'origin', where)
    zeros = (0.0, 0.0, 0.0)
    angles = read_vector(origin, 'rpy', f'{where} origin', zeros)
    return Placement(
        from_rpy(*angles),
        read_vector(origin, 'xyz', f'{where} origin', zeros),
        made_exact(*angles),
    )


def only_child(element, tag, where):
    """Return the child element of that tag or None; two of them would be ambiguous."""
    found = element.findall(tag)
    if len(found) > 1:
        raise ModelError(f'{where} has {len(found)} <{tag}> elements; expected at most one')
    return found[0] if found else None


def required_child(element, tag, where):
    """Return the one child element of that tag; ModelError where there is none."""
    child = only_child(element, tag, where)
    if child is None:
        raise ModelError(f'{where} has no <{tag}> element')
    return child


def required_attribute(element, key, where):
    """Return the text of an attribute; ModelError where it is missing."""
    text = element.get(key)
    if text is None:
        raise ModelError(f'{where} has no attribute {key!r}')
    return text


def read_name(element, key, where):
    """Return an attribute that is a printable name without xacro expressions."""
    name = required_attribute(element, key, where)
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise ModelError(
            f'{where} attribute {key!r} is {shown(name)!r}; expected a name of 1 to '
            f'{LONGEST_NAME} printable characters'
        )
    if '${' in name or '$(' in name:
        raise ModelError(
            f'{where} attribute {key!r} is {name!r}, a xacro expression; run xacro '
            'on the description first'
        )
    return name


def read_number(element, key, where, default=None):
    """Return one number; `default` None means that the attribute is required."""
    if default is not None and (element is None or element.get(key) is None):
        return default
    return read_value(required_attribute(element, key, where), f'{where} attribute {key!r}')


def read_vector(element, key, where, default):
    """Return three numbers separated by blanks, as (3,)."""
    if element is None or element.get(key) is None:
        return np.array(default)
    words = element.get(key).split()
    if len(words) != 3:
        raise ModelError(
            f'{where} attribute {key!r} is {shown(element.get(key))!r}; expected three numbers'
        )
    return np.array([read_value(word, f'{where} attribute {key!r}') for word in words])


def read_value(text, where):
    """Return the finite decimal number that a text holds."""
    word = text.strip()
    value = float(word) if len(word) <= 100 and _NUMBER.fullmatch(word) else nan
    if not isfinite(value):
        raise ModelError(f'{where} is {shown(text)!r}; expected a finite decimal number')
    return value


def shown(text):
    """Return a text for a message, cut where it is long."""
    return text if len(text) <= 60 else f'{text[:60]}...'
