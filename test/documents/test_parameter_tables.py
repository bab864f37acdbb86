# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The pages of the nodes have the tables of parameters as the nodes declare them."""

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from tools.pages.parameter_tables import TABLES, documented, page_of  # noqa: E402


@pytest.mark.parametrize('node', TABLES)
def test_the_page_of_a_node_has_every_parameter(node):
    text = page_of(node).read_text()
    assert text == documented(text, node), 'run `python -m tools.pages.parameter_tables`'
    for spec in TABLES[node]:
        assert f'| `{spec.name}` |' in text


def test_a_text_without_markers_is_refused():
    with pytest.raises(ValueError, match='gains by law'):
        documented('nothing here', 'controller')
    with pytest.raises(ValueError, match='parameters of the simulator'):
        documented('nothing here', 'simulator')
