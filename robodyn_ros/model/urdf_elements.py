# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read elements and attributes of a URDF: children, names, numbers and origins."""

import re
from math import hypot, isfinite, nan

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.model.description import Placement
from robodyn_ros.model.rotation_matrix import from_quaternion, from_rpy, made_exact

LONGEST_NAME = 200
QUATERNION = 'quat_xyzw'
UNIT = 1e-3  # deviation from 1 of the length of a quaternion with four digits
# Stricter than float(), which accepts 'nan', 'inf', '1_000' and full-width digits.
_NUMBER = re.compile(r'[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?')


def read_placement(element, where):
    """Return the placement that the child element <origin> states.

    Raises ModelError: for an element that is not valid.
    """
    origin = element.find('origin')
    zeros = (0.0, 0.0, 0.0)
    if origin is not None and QUATERNION in origin.keys():
        place = read_vector(origin, 'xyz', f'{where} origin', zeros)
        return Placement(_quaternion(origin, f'{where} origin'), place)
    angles = read_vector(origin, 'rpy', f'{where} origin', zeros)
    return Placement(
        from_rpy(*angles),
        read_vector(origin, 'xyz', f'{where} origin', zeros),
        made_exact(*angles),
    )


def _quaternion(origin, where):
    """Return the rotation of the attribute `quat_xyzw`, of URDF 1.1."""
    text = origin.get(QUATERNION)
    if 'rpy' in origin.keys():
        raise ModelError(f"{where} has the attributes 'rpy' and {QUATERNION!r}; expected one")
    numbers = [read_value(word, f'{where} attribute {QUATERNION!r}') for word in text.split()]
    length = hypot(*numbers)
    if len(numbers) != 4 or abs(length - 1.0) > UNIT:
        raise ModelError(
            f'{where} attribute {QUATERNION!r} is {abbreviated(text)!r}; expected the four '
            'numbers x y z w of a unit quaternion'
        )
    return from_quaternion(*(number / length for number in numbers))


def required_child(element, tag, where):
    """Return the first child element of a tag.

    `tag`: tag of the child element.
    Raises ModelError: if there is none.
    """
    child = element.find(tag)
    if child is None:
        raise ModelError(f'{where} has no <{tag}> element')
    return child


def required_attribute(element, key, where):
    """Return the text of an attribute.

    Raises ModelError: if it is missing.
    """
    text = element.get(key)
    if text is None:
        raise ModelError(f'{where} has no attribute {key!r}')
    return text


def read_name(element, key, where):
    """Return the name that an attribute holds.

    Raises ModelError: for any other text.
    """
    name = required_attribute(element, key, where)
    if not name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise ModelError(
            f'{where} attribute {key!r} is {abbreviated(name)!r}; expected a name of 1 to '
            f'{LONGEST_NAME} printable characters'
        )
    if '${' in name or '$(' in name:
        raise ModelError(
            f'{where} attribute {key!r} is {name!r}, a xacro expression; run xacro '
            'on the description first'
        )
    return name


def read_number(element, key, where, default=None):
    """Return the number that an attribute holds.

    `element` (Element or None): XML element, if there is one.
    `default`: number without the attribute; None if the attribute is required.
    Raises ModelError: if it is required and missing, or not a finite decimal number.
    """
    if default is not None and (element is None or element.get(key) is None):
        return default
    return read_value(required_attribute(element, key, where), f'{where} attribute {key!r}')


def read_vector(element, key, where, default):
    """Return the three numbers that an attribute holds, separated by blanks.

    `element` (Element or None): XML element, if there is one.
    `default` ((3,) array_like): numbers without the attribute.
    Raises ModelError: for any other text.
    """
    if element is None or element.get(key) is None:
        return np.array(default)
    words = element.get(key).split()
    if len(words) != 3:
        raise ModelError(
            f'{where} attribute {key!r} is {abbreviated(element.get(key))!r}; '
            'expected three numbers'
        )
    return np.array([read_value(word, f'{where} attribute {key!r}') for word in words])


def read_value(text, where):
    """Return the number that a text holds.

    `where`: text for its place, for messages.
    Raises ModelError: if it is not a finite decimal number.
    """
    word = text.strip()
    value = float(word) if len(word) <= 100 and _NUMBER.fullmatch(word) else nan
    if not isfinite(value):
        hint = ', as xacro writes it' if '${' in text or '$(' in text else ''
        raise ModelError(
            f'{where} is {abbreviated(text)!r}; expected a finite decimal number{hint}'
        )
    return value


def abbreviated(text):
    """Return a text for a message, shortened if it is long."""
    return text if len(text) <= 60 else f'{text[:60]}...'
