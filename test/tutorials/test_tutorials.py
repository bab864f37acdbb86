# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The lessons of doc/tutorials: every 'book vs ours' line agrees, or corrects a known misprint."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from support.patience import PATIENCE

FOLDER = Path(__file__).resolve().parents[2] / 'doc' / 'tutorials'

#: Comparisons and misprints that a lesson must not fall below.
LESSONS = {
    'angeles': (60, 15),
    'turney_mudge_lee': (20, 5),
    'spong': (25, 1),
    'craig': (30, 7),
    'jain': (37, 5),
    'jain_closed_chains': (20, 0),
    'jain_flexible': (14, 2),
    'jain_sensitivities': (23, 3),
    'jain_diagonalised': (13, 1),
    'jain_under_actuated': (18, 2),
    'jain_free_flying': (18, 3),
}


def load(name):
    """A file of doc/tutorials as a module; it finds its neighbour `lesson`."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f'{name}.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def neighbours(monkeypatch):
    """What python does for a script: its folder comes first in the path of imports."""
    monkeypatch.syspath_prepend(str(FOLDER))


@pytest.mark.parametrize('name', LESSONS)
def test_every_line_agrees_or_corrects_a_misprint(name, tmp_path, capsys):
    pytest.importorskip('matplotlib', reason='the lessons draw')
    lesson = load(name).main([str(tmp_path)])
    printed = capsys.readouterr().out
    wrong = [line.name for line in lesson.lines if not line.agrees]
    assert wrong == [] and 'DIFFERS' not in printed
    comparisons, misprints = LESSONS[name]
    assert len(lesson.lines) >= comparisons
    assert sum(line.printed is not None for line in lesson.lines) >= misprints
    assert lesson.figures and all(path.stat().st_size > 10000 for path in lesson.figures)
    assert all(len(line) <= 110 for line in printed.splitlines() if 'figure:' not in line)


def test_every_lesson_is_tested():
    assert {path.stem for path in FOLDER.glob('*.py')} == {*LESSONS, 'lesson'}


def test_lesson_runs_as_a_script_without_a_folder(node_environment):
    run = subprocess.run(
        [sys.executable, str(FOLDER / 'craig.py')],
        env=node_environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert run.returncode == 0, run.stderr
    assert '0 differ' in run.stdout and 'figure' not in run.stdout


@pytest.mark.parametrize(
    ('book', 'ours'),
    [(1.0, 1.001), ([1.0, 2.0], [1.0, 2.1]), ([1.0, 2.0], [1.0]), (1.0, np.nan), (0.0, 1e-30)],
)
def test_a_difference_is_seen(book, ours, capsys):
    teacher = load('lesson').Lesson()
    teacher.compare('value', book, ours)
    assert not teacher.lines[0].agrees and 'DIFFERS' in capsys.readouterr().out
    assert load('lesson').exit_code(teacher) == 1


def test_a_misprint_that_is_none_is_seen():
    teacher = load('lesson').Lesson()
    teacher.misprint('B', 'Spong, Example 6.1', 2.7, 2.7, 2.7)
    teacher.misprint('B', 'Spong, Example 6.1', 0.25, 2.7, 2.7)
    assert [line.agrees for line in teacher.lines] == [False, True]
    with pytest.raises(ValueError, match='not enough values'):
        teacher.misprint('B', 'no such place', 0.25, 2.7, 2.7)
