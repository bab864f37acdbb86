# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the index of Jain's items names exists."""

import functools
import importlib
from pathlib import Path

from tools.books.identities import IDENTITIES
from tools.books.jain_items.item_index import ITEMS

ROOT = Path(__file__).resolve().parents[3]


def resolve(name):
    """What a dotted name below robodyn_ros stands for."""
    parts = name.split('.')
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module('.'.join(('robodyn_ros', *parts[:cut])))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError(name)


def test_items_are_numbered_without_a_gap():
    assert [item.number for item in ITEMS] == list(range(1, len(ITEMS) + 1))


def test_every_function_named_exists():
    for name in sorted({name for item in ITEMS for name in item.functions}):
        found = resolve(name)
        assert callable(found) or isinstance(found, (property, functools.cached_property)), name


def test_every_test_named_exists():
    tests = ''.join(path.read_text() for path in (ROOT / 'test').rglob('test_*.py'))
    named = [(item.number, name) for item in ITEMS for name in item.tests]
    named += [(each.equations, name) for each in IDENTITIES for name in each.tests]
    wrong = [(where, name) for where, name in named if f'def {name}(' not in tests]
    assert not wrong


def test_every_item_has_a_function_and_a_test_or_is_theory():
    wrong = [
        item.number
        for item in ITEMS
        if not (item.functions and item.tests and not item.theory)
        and not (item.theory and not item.functions and not item.tests)
    ]
    assert not wrong
