# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the check of text files refuses, and that `make lint` runs every hook."""

from pathlib import Path

import pytest
import yaml

from tools.text_files import complaints

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ('data', 'suffix', 'word'),
    [
        (b'<' * 7 + b' HEAD\n', '.py', 'merge'),
        (b'one\ntwo \n', '.md', 'line 2'),
        (b'no end', '.txt', 'end of line'),
        (b'two ends\n\n', '.txt', 'end of line'),
        (b'<robot><link></robot>\n', '.urdf', 'mismatched'),
        (b'a: [1\n', '.yaml', 'flow sequence'),
    ],
)
def test_a_malformed_text_file_is_refused(data, suffix, word):
    """One complaint, which names the trouble."""
    (text,) = complaints(data, suffix)
    assert word in text


@pytest.mark.parametrize('data', [b'', b'fine\n', b'\x89PNG\0 \n\n'])
def test_a_sound_or_binary_file_passes(data):
    """Nothing is said about an empty file, nor about a picture."""
    assert not list(complaints(data, '.txt'))


def test_lint_runs_every_hook():
    """`make lint` runs all hooks, in the stage which none of them leaves out."""
    recipe = (ROOT / 'Makefile').read_text().partition('\nlint:')[2].partition('\n\n')[0]
    assert 'pre-commit run --all-files --hook-stage manual' in recipe
    repositories = yaml.safe_load((ROOT / '.pre-commit-config.yaml').read_text())['repos']
    hooks = [hook for each in repositories for hook in each['hooks']]
    assert {'ruff', 'ruff-format', 'mypy', 'docstrings'} <= {hook['id'] for hook in hooks}
    assert all('manual' in hook.get('stages', ['manual']) for hook in hooks)
