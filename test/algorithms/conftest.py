# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The robots that every law of motion is tried on."""

import pytest

from support.robots.families import FAMILIES, MIXED
from support.robots.real_robots import ARMS, FREE, MAKERS, PACKAGE, robot


def named(name):
    """Return the case of that name, or skip with the reason."""
    case = {**FAMILIES, **MIXED}.get(name) or robot(name)
    if case is None:
        pytest.skip(f'{PACKAGE} is not installed, or has no {name} any more')
    return case


@pytest.fixture(params=[*FAMILIES, *ARMS], scope='session')
def case(request):
    """Return one robot after the other: the random families and the arms of config/."""
    return named(request.param)


@pytest.fixture(params=[*FAMILIES, *MIXED, *ARMS], scope='session')
def any_case(request):
    """Return one robot after the other: those of `case`, and those with nq coordinates for nv
    velocities.
    """
    return named(request.param)


@pytest.fixture(params=[*FAMILIES, *ARMS, *MAKERS], scope='session')
def every_case(request):
    """Return one robot after the other: those of `case`, and those of their makers."""
    return named(request.param)


@pytest.fixture(params=[*FAMILIES, *MIXED, *ARMS, *MAKERS, *FREE], scope='session')
def every_joint_type(request):
    """Return one robot after the other: all there are."""
    return named(request.param)


@pytest.fixture(params=('dense', 'pinocchio'))
def referee(request, every_case):
    """Return one referee after the other.

    It is made for each test, since files define `every_case` differently. Otherwise pytest would
    keep the last referee of one file for the first robot of the next.
    """
    return getattr(every_case, request.param)
