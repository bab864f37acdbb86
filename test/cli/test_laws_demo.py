# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The comparison of control laws on an arm with an unknown load, as its user runs it."""

import json
from pathlib import Path

import pytest

from robodyn_ros.cli import laws_demo
from tools.pages import simulated_tables

DOCUMENT = Path(__file__).resolve().parents[2] / 'doc' / 'control_laws.md'


@pytest.mark.slow
def test_the_command_makes_the_table_of_the_document(tmp_path, capsys):
    """Simulated time: the committed numbers come out again, and learning wins."""
    assert laws_demo.main(['--output', str(tmp_path / 'laws')]) == 0
    assert simulated_tables.table_from(laws_demo, tmp_path / 'laws') in DOCUMENT.read_text()
    found = json.loads((tmp_path / 'laws' / 'laws.json').read_text())
    laws = found['laws']
    assert set(laws) == set(laws_demo.LAWS) and not any(law['faults'] for law in laws.values())
    adaptive = laws['adaptive_computed_torque']
    assert adaptive['last_rms_rad'] < 0.5 * adaptive['first_rms_rad']
    ratio = laws['computed_torque']['last_rms_rad'] / adaptive['last_rms_rad']
    assert ratio == pytest.approx(found['adaptive_against_computed_torque']) and ratio >= 10.0
    assert all(law['peak_effort_share'] <= 1.0 for law in laws.values())
    printed = capsys.readouterr().out
    assert all(title in printed for title in laws_demo.LAWS.values())
    pytest.importorskip('matplotlib', reason='the command draws')
    assert (tmp_path / 'laws' / 'laws.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize(
    ('arguments', 'sentence'),
    [
        (['--load', '0'], 'expected above 0'),
        (['--load', 'nan'], 'expected above 0'),
        (['--duration', '3'], 'expected 8 to 600'),
    ],
)
def test_invalid_arguments_are_refused_with_a_sentence(arguments, sentence, capsys):
    with pytest.raises(SystemExit):
        laws_demo.main(arguments)
    assert sentence in capsys.readouterr().err
