# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A process that this package starts runs nothing that lies in the current folder."""

import ast
import subprocess
from pathlib import Path

import pytest

from robodyn_ros.robot import child_process
from support.patience import PATIENCE
from support.processes import run_script

PACKAGE = Path(child_process.__file__).resolve().parents[1]
POISON = (
    'argparse', 'contextlib', 'llvmlite', 'numba', 'numpy', 'pickle', 'rclpy', 'robodyn_ros',
    'runpy', 'sitecustomize', 'subprocess', 'usercustomize',
)  # fmt: skip
SCRIPT = """
import json
import os
import sys
from robodyn_ros.robot.background_compiler import BackgroundCompilation
from support.patience import PATIENCE
os.chdir(sys.argv[1])
made = BackgroundCompilation(dict)
print(json.dumps([made.wait(PATIENCE), made.trouble, made.known]))
"""


def poisoned(folder):
    """Return a folder of modules that leave a trace where they are run."""
    folder.mkdir()
    for name in POISON:
        (folder / f'{name}.py').write_text(
            f'open({str(folder / "trace")!r}, "a").write({name!r})\nraise SystemExit(3)\n'
        )
    return folder


def test_a_worker_runs_nothing_of_the_current_folder(tmp_path):
    """The node was started in a folder that another user can write to."""
    trap = poisoned(tmp_path / 'trap')
    (ready, trouble, known), _ = run_script(
        SCRIPT, tmp_path, [str(trap)], ROBODYN_CACHE_DIR=tmp_path / 'cache'
    )
    assert not known  # so that there was a worker
    assert ready and trouble == ''
    assert not (trap / 'trace').exists(), (trap / 'trace').read_text()


def help_of_warmup(monkeypatch, folder, path):
    """What a child prints that is started in a folder, with a PYTHONPATH."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv('PYTHONPATH', raising=False)
    if path is not None:
        monkeypatch.setenv('PYTHONPATH', path)
    pipes = {'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE, 'text': True}
    with child_process.start('robodyn_ros.cli.warmup', '--help', **pipes) as process:
        return process.communicate(timeout=PATIENCE), process.returncode


@pytest.mark.parametrize('path', [None, '{0}', '{0}:', ':{0}', '{0}::', '', ':'])
def test_a_module_has_its_arguments_and_its_name(tmp_path, monkeypatch, path):
    """As with `python -m`; an empty entry of PYTHONPATH is the current folder, too."""
    trap = poisoned(tmp_path / 'trap')
    path = path and path.format(PACKAGE.parent)
    (out, err), code = help_of_warmup(monkeypatch, trap, path)
    assert code == 0, err
    assert out.startswith('usage: robodyn_ros warmup') and '--parcel' in out
    assert not (trap / 'trace').exists()


def test_a_folder_that_was_named_stays(tmp_path, monkeypatch):
    """An explicit entry of the current folder in the path is intended."""
    (tmp_path / 'numpy.py').write_text('raise SystemExit(7)')
    assert help_of_warmup(monkeypatch, tmp_path, f'{tmp_path}:')[1] == 7


def test_python_is_started_in_one_place():
    """No other file of the package starts an interpreter."""
    wrong = [
        f'{path}:{node.lineno}'
        for path in PACKAGE.rglob('*.py')
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and (
            ast.unparse(node) == 'sys.executable' or node.attr in ('spawnv', 'ProcessPoolExecutor')
        )
        and path.name != 'child_process.py'
    ]
    assert not wrong, wrong
