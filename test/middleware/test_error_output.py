# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A line that C code repeats on the error output comes once a second, all others always."""

import os

import pytest

from robodyn_ros.middleware import error_output
from robodyn_ros.middleware.error_output import limited_lines


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands, in seconds."""
    now = [0.0]
    monkeypatch.setattr(error_output.time, 'monotonic', lambda: now[0])
    monkeypatch.setattr(error_output, '_latest', {})
    return now


def write(*lines):
    with limited_lines(b'failed to'):
        os.write(2, b''.join(lines))


def test_a_repeated_line_comes_once_a_second(clock, capfd):
    for clock[0] in (0.0, 0.3, 0.9, 1.0, 1.2):
        write(b'failed to create array\n')
    assert capfd.readouterr().err == 2 * 'failed to create array\n'


def test_other_lines_come_in_their_order(clock, capfd):
    write(b'one\n', b'failed to create array\n', b'two\n')
    write(b'three\n', b'failed to create array\n', b'no end of line')
    assert capfd.readouterr().err == 'one\nfailed to create array\ntwo\nthree\nno end of line'


def test_the_error_output_comes_back_after_an_exception(clock, capfd):
    with pytest.raises(ValueError, match='wrong'), limited_lines(b'failed to'):
        os.write(2, b'before\n')
        raise ValueError('wrong')
    os.write(2, b'after\n')
    assert capfd.readouterr().err == 'before\nafter\n'


def test_a_process_without_a_file_in_memory_writes_as_before(monkeypatch, capfd):
    monkeypatch.delattr(os, 'memfd_create')
    before = os.listdir('/proc/self/fd')
    write(b'failed to create array\n', b'failed to create array\n')
    assert capfd.readouterr().err == 2 * 'failed to create array\n'
    assert len(os.listdir('/proc/self/fd')) == len(before)
