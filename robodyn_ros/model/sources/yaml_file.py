# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Checked entries of a YAML file beside a description, with errors that name them."""

import os
from collections.abc import Mapping
from numbers import Real

import numpy as np

from robodyn_ros.errors import ModelError, shorten
from robodyn_ros.model.sources import package_path

MOST_BYTES = 1_000_000
KNOWN = (
    'closures',
    'independent',
    'near',
    'couplings',
    'rotors',
    'obstacles',
    'shapes',
    'collision_links',
    'elastic_joints',
    'flexible_links',
    'joint_friction',
)


def sections(source, what, *others):
    """Return a text for the file, and its sections by KNOWN.

    `source` (str or path): path of the file.
    `what`, `*others`: sections of which at least one is required.
    Raises ModelError: without any of these sections.
    """
    where = f'file {shorten(os.fspath(source))}'
    content = _content(package_path.resolved(source), where)
    wanted = {what, *others}
    if not isinstance(content, dict) or not wanted & {*content} or not {*content} <= {*KNOWN}:
        raise ModelError(
            f'{where} has {shorten(content)}; expected {" or ".join((what, *others))}, and '
            f'nothing but {", ".join(KNOWN)}'
        )
    return where, content


def named(where, content, what):
    """Return the entries of a section.

    `where`: text for the file, for messages.
    `content` (dict): sections of the file.
    `what`: name of the section.
    Raises ModelError: if the section is not a mapping of names.
    """
    found = content.get(what, {})
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found):
        raise ModelError(f'{where} has the {what} {shorten(found)}; expected them by names')
    return list(found.items())


def of_joints(source, what, make):
    """Return values by joint of a section of a file.

    `source` (mapping, str, path or None): path of the file, or the mapping itself, of which a copy
      is returned. None for none.
    `what`: name of the section.
    `make` (callable): makes the value of a joint from a text for messages and its entries.
    """
    if source is None or isinstance(source, Mapping):
        return dict(source or {})
    where, content = sections(source, what)
    return {
        name: make(f'{where}: joint {name!r}', entries)
        for name, entries in named(where, content, what)
    }


def check_names(where, entries, known, required):
    """Refuse an unknown entry, or one without its required parts.

    `where`: text for the entry, for messages.
    `entries` (object): the entry, expected to be a dict.
    `known`, `required` (sequence of str): names of the parts that are allowed, and that are
      required.
    Raises ModelError: the message lists the valid names.
    """
    if not isinstance(entries, dict) or not set(required) <= set(entries):
        raise ModelError(
            f'{where} has {shorten(entries)}; expected at least '
            f'{" and ".join(required) or "an empty {} for it"}'
        )
    for name in entries:
        if name not in known:
            raise ModelError(
                f'{where} has the entry {shorten(name)}; expected some of {", ".join(known)}'
            )


def numbers(where, name, value, count):
    """Return the numbers of a part of an entry.

    YAML 1.1 reads 1e-4, without a point, as text. So text is accepted if it is a number.

    `where`, `name`: text for the entry, and name of the part, for messages.
    `value` (object): the value in the file.
    `count`: number of values.
    Raises ModelError: for anything else than that many finite numbers.
    """
    given = value if isinstance(value, list) else [value]
    found = [number for number in map(_number, given) if number is not None]
    if not len(found) == len(given) == count:
        expected = {1: 'a number', 2: 'two numbers', 3: 'three numbers'}[count]
        raise ModelError(f'{where} has {name} {shorten(value)}; expected {expected}')
    return np.array(found)


def scalar(where, name, value):
    """Return a value as a float.

    `where`, `name`: text for the entry, and name of the part, for messages.
    `value` (object): the value in the file.
    """
    return float(numbers(where, name, value, 1)[0])


def scalars(where, entries):
    """Return the numbers of an entry whose parts are numbers.

    `where`: text for the entry, for messages.
    `entries` (dict): parts by name.
    """
    return {name: scalar(where, name, value) for name, value in entries.items()}


def _number(value):
    """Return a value as a float; None if it is no number."""
    if isinstance(value, bool) or not isinstance(value, (str, Real)):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _content(path, where):
    """Return the contents of the file."""
    try:
        import yaml  # comes with ROS; needed here only
    except ModuleNotFoundError:
        raise ModelError(
            f'{where} is YAML, and PyYAML is not installed; expected `pip install PyYAML`, or '
            'what the file says as objects of Python'
        ) from None
    try:
        with open(path, 'rb') as file:
            octets = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ModelError(f'{where} cannot be read: {error.strerror}') from None
    if len(octets) > MOST_BYTES or b'&' in octets:  # aliases can multiply without bound
        raise ModelError(f'{where} is larger than 1 MB or has anchors; expected plain YAML')
    try:
        return yaml.safe_load(octets)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ModelError(f'{where} is no YAML: {shorten(error)}') from None
