"""The README holds the tables of parameters as the nodes declare them."""
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.cli.document import TABLES, documented  # noqa: E402

README = Path(__file__).resolve().parents[2] / 'README.md'


def test_the_readme_has_every_parameter():
    text = README.read_text()
    assert text == documented(text), 'run `python -m robodyn_ros.cli.document README.md`'
    for table in TABLES.values():
        for spec in table:
            assert f'| `{spec.name}` |' in text


def test_a_text_without_markers_is_refused():
    with pytest.raises(ValueError, match='parameters of the controller'):
        documented('nothing here')
