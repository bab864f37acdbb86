# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fuzzer finds what is planted, and each target holds on a few inputs of every run."""

import json
import os
import subprocess

import pytest

from robodyn_ros.errors import ShapeError
from tools import bill_of_materials, fuzz

NEEDS = {'bag': 'rosbags', 'parameters': 'rclpy'}


@pytest.fixture(params=sorted(fuzz.TARGETS))
def target(request):
    """Return the name of a target that can run here."""
    if request.param in NEEDS:
        pytest.importorskip(NEEDS[request.param])
    return request.param


def test_any_input_is_accepted_or_refused_with_a_sentence(target, monkeypatch):
    """A test has time for these inputs; the command runs any number."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', os.environ.get('ROBODYN_CACHE_DIR', ''))
    found = fuzz.fuzz(target, 40, seed=11)
    assert found['findings'] == []
    assert found['inputs'] == 40 == found['accepted'] + found['refused']


class Planted:
    """A target that refuses everything, except planted failures."""

    act = None

    def __init__(self, folder):
        self.folder, self.seeds = folder, [b'seed' * 50]

    def run(self, data):
        (self.folder / 'own').write_bytes(data)
        if self.act:
            self.act(data)
        raise ShapeError('refused')


@pytest.mark.parametrize(
    'act, words',
    [
        (lambda _self, _: 1 / 0, 'ZeroDivisionError'),
        (lambda _self, _: subprocess.Popen(['true']).wait(), 'subprocess.Popen'),
        (lambda self, _: (self.folder.parent / 'fuzz-escaped').write_text(''), 'open for writing'),
        (lambda _self, _: os.system('true'), 'os.system'),
    ],
    ids=['exception', 'process', 'file outside', 'shell'],
)
def test_what_is_planted_is_found(monkeypatch, act, words):
    monkeypatch.setitem(fuzz.TARGETS, 'planted', Planted)
    assert fuzz.fuzz('planted', 20, seed=0)['findings'] == []
    monkeypatch.setattr(Planted, 'act', act)
    findings = fuzz.fuzz('planted', 20, seed=0)['findings']
    assert words in json.dumps(findings)


def test_the_same_seed_gives_the_same_inputs(monkeypatch):
    seen = []
    monkeypatch.setitem(fuzz.TARGETS, 'planted', Planted)
    monkeypatch.setattr(Planted, 'act', lambda _self, data: seen.append(data))
    for seed in (3, 3, 4):
        fuzz.fuzz('planted', 30, seed)
    assert seen[:30] == seen[30:60] != seen[60:]
    assert len(set(seen[:30])) > 25


def test_the_bill_of_materials_is_complete_and_reproducible(tmp_path, capsys):
    """Every requirement, and what these require; no time, no random number in it."""
    paths = [tmp_path / name for name in 'ab']
    for path in paths:
        assert bill_of_materials.main([str(path), '--licences', f'{path}.txt']) == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    found = json.loads(paths[0].read_text())
    names = {component['name'] for component in found['components']}
    assert names >= {'numba', 'numpy', 'llvmlite', 'scipy', 'matplotlib', 'rich', 'rosbags'}
    assert names >= {'pillow', 'markdown-it-py', 'ruamel-yaml'}  # what those require
    assert found['bomFormat'] == 'CycloneDX' and found['dependencies'][0]['dependsOn']
    assert 'not stated' not in (tmp_path / 'a.txt').read_text()
    assert 'numba' in capsys.readouterr().out


def test_the_page_has_the_runs_that_were_recorded():
    """And none of them has a finding: `python -m tools.fuzz --page` writes the table."""
    assert fuzz.table() in fuzz.PAGE.read_text() + '\n'
    assert all(row['findings'] == '0' for row in fuzz.runs())
