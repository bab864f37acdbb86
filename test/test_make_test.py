# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What `make test` and `make setup` say: the last line, and a refusal in the first second."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support import all_tests
from support.all_tests import sentence

ROOT = Path(__file__).resolve().parents[1]
TESTS = """
import pytest

def test_right():
    pass

def test_wrong():
    assert False

@pytest.mark.parametrize('k', range(3))
def test_left_out(k):
    pytest.skip('no such robot')

@pytest.mark.skipif(True, reason='not here')
def test_not_here():
    pass
"""


def test_the_last_line_states_what_was_skipped_and_why(tmp_path):
    (tmp_path / 'test_trial.py').write_text(TESTS)
    file = tmp_path / 'outcomes.json'
    path = os.pathsep.join((str(ROOT / 'test'), os.environ.get('PYTHONPATH', '')))
    done = subprocess.run(
        [
            sys.executable,
            '-m',
            'pytest',
            '-p',
            'support.outcomes',
            '-p',
            'no:launch_testing',
            '-p',
            'no:launch_ros',
            '-p',
            'no:cacheprovider',
            tmp_path,
        ],
        env={**os.environ, 'PYTHONPATH': path, 'ROBODYN_OUTCOMES': str(file)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert sentence(json.loads(file.read_text()), 61.2) == (
        '1 failed, 1 passed, 4 skipped in 1 min 1 s; skipped: 3 x no such robot; 1 x not here'
    )


def test_without_skipped_tests_the_last_line_reports_it():
    assert sentence([('passed', '')], 2.0) == '1 passed in 0 min 2 s; nothing was skipped'


@pytest.mark.parametrize(
    'arguments, parts',
    [
        (['-k', 'jacobian'], {all_tests.NODES, all_tests.OTHERS}),
        (['--nodes=only', '-n', '3'], {all_tests.NODES}),
        (['--nodes=without'], {all_tests.OTHERS}),
    ],
)
def test_each_part_runs_once_or_only_the_one_that_is_asked_for(monkeypatch, arguments, parts):
    started = []

    class Recorded:
        outcomes, is_running = (), False

        def __init__(self, which, *_):
            started.append(which)

        def wait(self):
            return 0

    monkeypatch.setattr(all_tests, 'Part', Recorded)
    assert all_tests.main(arguments) == 0
    assert sorted(started) == sorted(parts)


@pytest.mark.skipif(not shutil.which('make'), reason='make is not installed')
def test_a_path_with_a_space_is_refused_before_anything_is_made(tmp_path):
    folder = tmp_path / 'a b'
    folder.mkdir()
    for name in (
        'Makefile',
        'requirements',
        'package.xml',
        'setup.py',
        'setup.cfg',
        'colcon_defaults.yaml',
    ):
        (folder / name).symlink_to(ROOT / name)
    for name in ('robodyn_ros', 'robodyn_msgs', 'launch', 'config', 'resource'):
        (folder / name).mkdir()
    done = subprocess.run(
        ['make', 'setup'], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0 and f'a space in its path: {folder}' in done.stdout
    assert not list(folder.glob('.venv*')) and not (folder / 'log').exists()
