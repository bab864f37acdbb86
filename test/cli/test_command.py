# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The one command for people finds every command, and names them where it does not."""

import importlib
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from robodyn_ros.__main__ import COMMANDS, NODES, main

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'two_link.urdf'


def test_every_command_can_be_run():
    for name in COMMANDS.keys() - NODES:
        assert callable(importlib.import_module(f'robodyn_ros.cli.{name}').main)


def test_a_command_gets_its_arguments(capsys):
    assert main(['report', str(URDF)]) == 0
    assert 'two_link' in capsys.readouterr().out


def test_a_wrong_command_is_refused_with_the_right_ones(capsys):
    assert main(['identity']) == 2
    told = capsys.readouterr().err
    assert 'identity' in told and all(name in told for name in COMMANDS)


def test_without_a_command_all_are_listed(capsys):
    assert main([]) == 2
    told = capsys.readouterr().out
    assert all(text in told for text in COMMANDS.values())


@pytest.mark.parametrize(
    'words', [['--help'], ['report', '--help'], ['report', str(URDF)], ['check', str(URDF)]]
)
def test_a_closed_pipe_ends_a_command_in_silence(words, monkeypatch):
    """As behind `| head -1`; 141 is what a shell says of a process that SIGPIPE ends."""
    monkeypatch.delenv('PYTHONUNBUFFERED', raising=False)
    end, begin = os.pipe()
    os.close(end)
    with os.fdopen(begin, 'wb') as pipe:
        done = subprocess.run(
            [sys.executable, '-m', 'robodyn_ros', *words], stdout=pipe, stderr=subprocess.PIPE
        )
    assert (done.returncode, done.stderr) == (141, b'')


def test_another_broken_pipe_is_an_error(monkeypatch):
    """Such as that of a process which a command has started."""

    def fail(arguments):
        raise BrokenPipeError

    monkeypatch.setattr(importlib.import_module('robodyn_ros.cli.report'), 'main', fail)
    with pytest.raises(BrokenPipeError):
        main(['report'])


def test_an_output_that_is_closed_or_full_is_no_defect():
    """Of a service without an output, and of a full disk."""
    words = [sys.executable, '-m', 'robodyn_ros', 'check', str(URDF)]
    closed = subprocess.run(f'{shlex.join(words)} >&-', shell=True, stderr=subprocess.PIPE)
    assert (closed.returncode, closed.stderr) == (0, b'')
    with open('/dev/full', 'wb') as disk:
        full = subprocess.run(words, stdout=disk, stderr=subprocess.PIPE, text=True)
    assert full.returncode == 1
    assert full.stderr == 'The output cannot be written: No space left on device.\n'
