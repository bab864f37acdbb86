# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generated texts and the code that Python made of them, kept and damaged."""

import sys
import traceback

import pytest

from robodyn_ros.compile import cache, source_cache

BODY = 'number = {}\n\n\ndef fail():\n    raise ValueError(number)\n'


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    monkeypatch.setenv('ROBODYN_BUILT_KERNELS', '')
    yield cache.folder(source_cache.__file__)
    for name in [name for name in sys.modules if name.startswith('robodyn_specialised_trial')]:
        del sys.modules[name]


def module(number=1):
    return source_cache.imported('trial', lambda: BODY.format(number))


def not_again(*_):
    raise AssertionError('compiled again')


def test_what_was_compiled_once_is_not_again(folder, monkeypatch):
    assert module().number == 1
    monkeypatch.setattr(source_cache, 'compile', not_again, raising=False)
    assert module().number == 1
    assert sys.modules['robodyn_specialised_trial'].number == 1
    assert sorted(path.name for path in folder.glob('trial*')) == ['trial.code', 'trial.py']


def test_an_error_shows_the_line_of_the_text(folder):
    module()
    with pytest.raises(ValueError, match='1') as error:
        module().fail()
    last = traceback.extract_tb(error.value.__traceback__)[-1]
    assert (last.filename, last.line) == (str(folder / 'trial.py'), 'raise ValueError(number)')


@pytest.mark.parametrize(
    'damage',
    [
        lambda data: b'',
        lambda data: data[:20],
        lambda data: data[:-1],
        lambda data: data + b'\0',
        lambda data: bytes([data[0] ^ 1]) + data[1:],
        lambda data: b'garbage' * 100,
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
    ],
    ids=['empty', 'short', 'truncated', 'longer', 'other seal', 'garbage', 'one bit'],
)
def test_damaged_code_is_compiled_anew(folder, damage, monkeypatch):
    module()
    path = folder / 'trial.code'
    path.write_bytes(damage(path.read_bytes()))
    assert module().number == 1
    monkeypatch.setattr(source_cache, 'compile', not_again, raising=False)
    assert module().number == 1


def test_code_of_another_text_is_not_used(folder):
    module()
    (folder / 'trial.py').write_text('damaged')
    assert module(2).number == 2
    assert module(3).number == 2, 'the text that is kept'


def test_a_folder_that_cannot_be_written_keeps_nothing(folder, monkeypatch):
    monkeypatch.setattr(cache, 'save', lambda *_: False)
    assert [module(number).number for number in (1, 2)] == [1, 2]
    assert not list(folder.glob('trial*'))
