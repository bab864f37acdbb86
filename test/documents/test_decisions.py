# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A decision has a context and a measurement, and the commands it names exist."""

import functools
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RECORDS = sorted(
    set((ROOT / 'doc' / 'decisions').rglob('*.md')) - {ROOT / 'doc' / 'decisions' / 'index.md'}
)
BENCHMARKS = {path.stem for path in (ROOT / 'benchmark').rglob('*.py')}


@functools.cache
def text_of_tests():
    """Return names and text of all tests."""
    return '\n'.join(
        f'{path.name}\n{path.read_text()}' for path in (ROOT / 'test').rglob('test_*.py')
    )


@pytest.mark.parametrize('record', RECORDS, ids=lambda path: path.stem)
def test_a_record_has_its_three_parts(record):
    lines = record.read_text().splitlines()
    assert lines[0].startswith('# ')
    parts = [line.split('**')[1] for line in lines if line.startswith('**')]
    assert parts == ['Context.', 'Decision.', 'Measurement.']


@pytest.mark.parametrize('record', RECORDS, ids=lambda path: path.stem)
def test_commands_of_a_record_exist(record):
    text = record.read_text()
    for module, argument in re.findall(r'`python -m ([\w.]+) ?(\w+)?', text):
        assert importlib.util.find_spec(module), module
        if module == 'benchmark':
            assert argument in BENCHMARKS
        if module == 'robodyn_ros':
            assert importlib.util.find_spec(f'robodyn_ros.cli.{argument}')
    for name in re.findall(r'`make bench ARGS=(\w+)`', text):
        assert name in BENCHMARKS
    for words in re.findall(r'`make test ARGS="-k (\w+)"`', text):
        name = words.removeprefix('test_')
        assert re.search(rf'^test_\w*{name}|def test_\w*{words}', text_of_tests(), re.M), words
