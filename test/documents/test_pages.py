# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Links lead somewhere, what pages name exists, and their Python blocks run."""

import functools
import re
from pathlib import Path

import pytest

from robodyn_ros.cli import identify
from support.warm_python import WarmPython

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in (
        *sorted(ROOT.glob('*.md')),
        *sorted((ROOT / 'doc').rglob('*.md')),
        *sorted((ROOT / 'benchmark').glob('*.md')),
    )
]
BLOCK = re.compile(r'^```python\n(.*?)^```', re.S | re.M)
WITH_BLOCKS = [page for page in PAGES if BLOCK.search((ROOT / page).read_text())]
LONGEST_README = 150
#: Files that a benchmark writes, and files of another repository.
ELSEWHERE = ('benchmark/results/', 'config/ur5e/')


@functools.cache
def text_of_tests():
    """Return the text of all tests."""
    return '\n'.join(path.read_text() for path in (ROOT / 'test').rglob('*.py'))


@pytest.mark.parametrize('page', PAGES)
def test_every_link_of_a_page_has_its_target(page):
    targets = re.findall(r'\]\(([^)#]+)', (ROOT / page).read_text())
    missing = [
        target
        for target in targets
        if not target.startswith('http') and not (ROOT / page).parent.joinpath(target).exists()
    ]
    assert missing == []


@pytest.mark.parametrize('page', PAGES)
def test_tests_and_files_that_are_named_exist(page):
    text = (ROOT / page).read_text()
    named_tests = set(re.findall(r'`(test_\w+)`', text))
    assert [name for name in named_tests if f'def {name}(' not in text_of_tests()] == []
    named = re.findall(r'`((?:test|config|tools|examples|robodyn_ros|benchmark)/[\w/.]+)`', text)
    missing = {path for path in named if not (ROOT / path).exists()}
    assert {path for path in missing if not path.startswith(ELSEWHERE)} == set()


@pytest.fixture(scope='module')
def warm_robots():
    """Return a process that has imported what most pages use, and forks."""
    python = WarmPython('robodyn_ros.robot.robot', 'robodyn_ros.simulation.plant')
    yield python
    python.close()


@pytest.mark.parametrize('page', WITH_BLOCKS)
def test_python_blocks_run(page, warm_robots, tmp_path):
    """All blocks of a page one after the other, as printed, in a process of their own."""
    blocks = BLOCK.findall((ROOT / page).read_text())
    warm_robots.run('\n'.join((f'import os\nos.chdir({str(ROOT)!r})', *blocks)), tmp_path)


def test_the_first_pages_have_blocks():
    """A change of the pattern must not leave them untested."""
    assert {'README.md', 'doc/start/tutorial.md', 'doc/start/python.md'} <= set(WITH_BLOCKS)


def test_the_readme_is_short():
    assert len((ROOT / 'README.md').read_text().splitlines()) <= LONGEST_README


@pytest.mark.slow
def test_the_numbers_of_the_identification_come_out_again(monkeypatch, capsys, tmp_path):
    """What the page quotes is what the command on it prints."""
    pytest.importorskip('scipy', reason='filtering a recording needs scipy')
    monkeypatch.chdir(ROOT)
    page = Path('doc/robots/identification.md').read_text()
    (arguments,) = re.findall(r'^    robodyn_ros identify (demo config.*)', page, re.M)
    assert identify.main([*arguments.split(), '--output', str(tmp_path)]) == 0
    quoted, printed = re.findall(r'^    > (.*)', page, re.M), capsys.readouterr().out.splitlines()
    assert len(quoted) > 10 and [line for line in quoted if line not in printed] == []
