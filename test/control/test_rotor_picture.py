# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The picture of an arm whose controller knows its rotors, or does not, and its two numbers."""

import pytest

from tools.pages import rotor_picture


@pytest.mark.parametrize(('knows', 'error'), [(False, 0.76), (True, 3.6e-4)])
def test_the_picture_has_the_errors_that_its_page_states(knows, error):
    """[rad], within 10 %; test/nodes/test_rotors.py has the same run of both nodes."""
    assert rotor_picture.worst(knows) == pytest.approx(error, rel=0.1)
    page = (rotor_picture.ROOT / 'doc' / 'robots' / 'joints.md').read_text()
    assert f'{error:g} rad' in page.replace('3.6e-4', '0.00036')
