# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What every test shares: a ROS domain of our own, how nodes are started, the order of tests."""

import gc
import os
import sys
from pathlib import Path

import hypothesis
import pytest

from robodyn_ros.testing.domain import move_to_own_domain

ROOT = Path(__file__).resolve().parent.parent
NODES = ('ros', 'launch_file')
ORDER = ('slow', *NODES)
SENSITIVE = 'sensitive'  # to the rounding of a processor
#: Sensitive as a whole: results of many recursions and formulations against referees.
SENSITIVE_PLACES = 'formulations', 'algorithms/test_referees.py'
#: Files there that repeat recursions of their neighbours at length: 10 s of a processor together.
LONG = 'test_link_coordinates.py', 'test_diagonal_motion.py'
MOST_WORKERS = 4  # each takes 1 to 2 GB
#: Objects between two searches for garbage. With 700 they take a fifth of the time of a recording.
GARBAGE_EVERY = 20_000

hypothesis.settings.register_profile('robodyn', deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile('robodyn')


def pytest_addoption(parser):
    """Let the tests that start nodes be run apart from the others."""
    parser.addoption(
        '--nodes',
        choices=('with', 'without', 'only'),
        default='with',
        help='run all tests, those that start no nodes, or only those that do',
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """Say how many processes `-n auto` is: the processors that there are for us, if not too many.

    Each needs memory, and compiles what the robots of its tests have in common for itself.
    """
    return min(len(os.sched_getaffinity(0)), MOST_WORKERS)


def pytest_ignore_collect(collection_path, config):
    """Read no file if only marked tests are wanted, and none in it is: reading all takes long."""
    wanted = NODES if config.getoption('nodes') == 'only' else ()
    if config.option.markexpr == SENSITIVE:
        wanted = (SENSITIVE,)
        if is_sensitive_as_a_whole(collection_path):
            return None
    if wanted and collection_path.suffix == '.py':
        text = collection_path.read_text()
        return not any(f'mark.{name}' in text for name in wanted) or None
    return None


def is_sensitive_as_a_whole(path):
    """Return whether all tests of a file are run as other processors would."""
    places = (ROOT / 'test' / place for place in SENSITIVE_PLACES)
    return path.name not in LONG and any(path.is_relative_to(place) for place in places)


def pytest_itemcollected(item):
    """Mark the tests of such files."""
    if is_sensitive_as_a_whole(item.path):
        item.add_marker(SENSITIVE)


def pytest_configure(config):
    """Move this process, and so every node that a test starts, to an unused domain."""
    gc.set_threshold(GARBAGE_EVERY)
    move_to_own_domain()


def pytest_report_header():
    """Say which domain the tests run in, so that a hanging one can be watched from outside."""
    return f'ROS_DOMAIN_ID={os.environ["ROS_DOMAIN_ID"]}'


def starts_nodes(item):
    """Return whether a test is marked as one that starts nodes, by itself or from launch files."""
    return any(item.get_closest_marker(name) for name in NODES)


def pytest_collection_modifyitems(config, items):
    """Run the fast tests first, then slow ones, then those that start nodes, then launch files.

    Several processes begin with the slow ones, also among those that start nodes. So none is left
    with a long file in the end. What waits for a compiler of low priority comes last: the others
    leave it no processor.
    """
    several = hasattr(config, 'workerinput')

    def rank(item):
        marks = [bool(item.get_closest_marker(name)) for name in reversed(ORDER)]
        late = bool(item.get_closest_marker('low_priority'))
        return [late, *(mark != several for mark in marks)]

    wanted = config.getoption('nodes')
    if wanted != 'with':
        left_out = [item for item in items if starts_nodes(item) != (wanted == 'only')]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if starts_nodes(item) == (wanted == 'only')]
    items.sort(key=rank)


def exempt_what_lives():
    """Collect garbage, and exempt all other objects from further collections.

    Each collection would take a second. Meanwhile an arm that a test simulates in a thread sends
    nothing, and its controller detects a loss of state.
    """
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Exempt also what a file leaves: recordings, models and compiled code that others use."""
    yield
    if nextitem is not None and nextitem.path != item.path:
        exempt_what_lives()


def pytest_collection_finish():
    """Exempt imported and collected objects from garbage collections."""
    exempt_what_lives()


@pytest.fixture(scope='session')
def warm_python():
    """Return a process that has imported Numba, and runs scripts in its forks."""
    from support.warm_python import WarmPython

    python = WarmPython()
    yield python
    python.close()


@pytest.fixture
def node_environment(tmp_path):
    """Return the environment of a started node: our domain, this code, its own log folder."""
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get('PYTHONPATH'))))
    return {
        **os.environ,
        'PYTHONPATH': path,
        'PYTHONUNBUFFERED': '1',
        'ROS_LOG_DIR': str(tmp_path / 'ros_log'),
    }


@pytest.fixture(scope='session')
def node_command():
    """Return the function that gives the argument list which starts the node of that name."""

    def command(name, *ros_arguments):
        ros = ['--ros-args', *ros_arguments] if ros_arguments else []
        return [sys.executable, '-m', f'robodyn_ros.nodes.{name}', *ros]

    return command
