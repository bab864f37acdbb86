# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a command writes is whole, and takes the place of nothing of the user's."""

import argparse
import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from robodyn_ros.cli import identify
from robodyn_ros.demonstration.result_files import ResultFolder, whole_file
from robodyn_ros.errors import ParameterError

ROOT = Path(__file__).resolve().parents[2]
TWO_LINK = ROOT / 'config' / 'urdf' / 'two_link.urdf'
OLD = 'a day of measurements\n'


def options(output, force=False):
    """Return what a command line gives."""
    return argparse.Namespace(output=Path(output), force=force)


@pytest.mark.parametrize('kind', ['file', 'link', 'broken link', 'folder'])
def test_nothing_is_replaced_unasked(tmp_path, kind):
    """Neither at the beginning nor at the end, whatever is there."""
    path, other = tmp_path / 'motion.csv', tmp_path / 'other'
    if kind == 'folder':
        path.mkdir()
    elif kind == 'file':
        path.write_text(OLD)
    else:
        path.symlink_to(other)
        if kind == 'link':
            other.write_text(OLD)
    with pytest.raises(ParameterError, match='motion.csv is there already; expected --force'):
        ResultFolder(options(tmp_path), ['motion.csv'])
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(ParameterError, match='--force'), whole_file(path) as part:
        part.write_text('new')
    assert sorted(os.listdir(tmp_path)) == before
    if kind in ('file', 'link'):
        assert path.read_text() == OLD


def test_a_file_that_came_meanwhile_is_not_replaced(tmp_path):
    results = ResultFolder(options(tmp_path), ['motion.csv'])
    (tmp_path / 'motion.csv').write_text(OLD)
    with pytest.raises(ParameterError, match='is there already'):
        results.write('motion.csv', 'new')
    assert (tmp_path / 'motion.csv').read_text() == OLD


def test_what_is_to_be_replaced_is(tmp_path):
    (tmp_path / 'motion.csv').write_text(OLD)
    ResultFolder(options(tmp_path, True), ['motion.csv']).write('motion.csv', 'new')
    assert os.listdir(tmp_path) == ['motion.csv']
    assert (tmp_path / 'motion.csv').read_text() == 'new'


def test_a_demonstration_replaces_its_own_files_alone(tmp_path):
    """In the folder that it has made, not in one of the user's that has the same name."""
    own, users = tmp_path / 'demo', tmp_path / 'users'
    for text in ('first', 'second'):
        ResultFolder(options(own), ['report.json'], own).write('report.json', text)
    assert (own / 'report.json').read_text() == 'second'
    users.mkdir()
    (users / 'report.json').write_text(OLD)
    with pytest.raises(ParameterError, match='is there already'):
        ResultFolder(options(users), ['report.json'], users)
    (users / 'report.json').unlink()
    ResultFolder(options(users), ['report.json'], users).write('report.json', 'new')
    with pytest.raises(ParameterError, match='is there already'):
        ResultFolder(options(users), ['report.json'], users)


def test_a_link_is_replaced_not_followed(tmp_path):
    """Its target is left alone."""
    (tmp_path / 'other').write_text(OLD)
    (tmp_path / 'motion.csv').symlink_to(tmp_path / 'other')
    ResultFolder(options(tmp_path, True), ()).write('motion.csv', 'new')
    assert (tmp_path / 'other').read_text() == OLD
    assert not (tmp_path / 'motion.csv').is_symlink()


def test_a_file_has_the_mode_that_any_program_gives(tmp_path):
    plain = tmp_path / 'plain'
    plain.write_text('')
    ResultFolder(options(tmp_path), ()).write('new', 'new')
    assert stat.S_IMODE((tmp_path / 'new').stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


@pytest.mark.parametrize('trouble', [OSError(errno.ENOSPC, 'full'), KeyboardInterrupt()])
def test_a_writer_that_fails_leaves_the_old_file(tmp_path, trouble):
    """A full disk, or a user who has waited long enough."""
    (tmp_path / 'a').write_text(OLD)
    with pytest.raises(type(trouble)), whole_file(tmp_path / 'a', replace=True) as part:
        part.write_text('half of')
        raise trouble
    assert os.listdir(tmp_path) == ['a'] and (tmp_path / 'a').read_text() == OLD


KILLED = """
import sys
from pathlib import Path
from robodyn_ros.demonstration.result_files import whole_file
with whole_file(Path(sys.argv[1]), replace=True) as part, part.open('w') as file:
    file.write('half of')
    file.flush()
    print('writing', flush=True)
    sys.stdin.read()
"""


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path):
    """By -9, in the middle of writing."""
    path = tmp_path / 'motion.csv'
    path.write_text(OLD)
    with subprocess.Popen(
        [sys.executable, '-c', KILLED, str(path)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, env={**os.environ, 'PYTHONPATH': str(ROOT)},
    ) as process:  # fmt: skip
        assert process.stdout.readline() == b'writing\n'
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert path.read_text() == OLD
    assert len(os.listdir(tmp_path)) == 2  # what it had of the new one lies beside


@pytest.mark.parametrize('command', ['demo', 'excite', 'fit'])
def test_a_real_run_is_not_replaced(tmp_path, monkeypatch, capsys, command):
    """Before anything is computed; the demonstration of it has a folder of its own."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / 'identification'
    folder.mkdir()
    names = ('motion.csv', 'identification.json', 'excitation.csv')
    for name in names:
        (folder / name).write_text(OLD)
    monkeypatch.setattr(identify, '_excited', lambda *_: pytest.fail('it began'))
    monkeypatch.setattr(identify, 'read_csv', lambda *_: pytest.fail('it began'))
    more = ['motion.csv'] if command == 'fit' else []
    assert identify.main([command, str(TWO_LINK), *more, '-o', 'identification']) == 1
    assert 'is there already; expected --force' in capsys.readouterr().err
    default = identify.parser().parse_args([command, 'a', *more]).output
    assert (default == Path('identification')) == (command != 'demo')
    assert {(folder / name).read_text() for name in names} == {OLD}
