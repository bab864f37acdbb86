# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes that begin with the kernels for any robot, and go on with those of their own."""

import contextlib
import os
import signal
import time
from array import array
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from sensor_msgs.msg import JointState
from std_srvs.srv import Trigger

from robodyn_ros.cli import warmup
from robodyn_ros.compile import cache
from robodyn_ros.robot.background_compiler import compile_ahead, with_batches
from robodyn_ros.simulation.specialised_step import specialised_step
from support.nodes.node_harness import (
    COLD,
    EASY,
    JOINTS,
    POSTURE,
    TWO_LINK,
    ControllerProbe,
    FakeArm,
    wait_until,
)
from support.nodes.simulated_arm import COMMANDS, Arm, posture
from support.patience import PATIENCE

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.low_priority]
GENERIC, SPECIALISED = 'generic kernels', 'specialised kernels'
SMALL = {  # a law of little code
    'law': 'pd_gravity',
    'gains__joint1__p': 50.0,
    'gains__joint2__p': 30.0,
    'specialise': True,
}


@pytest.fixture
def unknown(tmp_path):
    """Return an arm that no kernel was ever compiled for: it has a mass and a name of its own."""
    number = time.time_ns() % 10**9
    path = tmp_path / f'unknown_{number}.urdf'
    text = TWO_LINK.read_text().replace('"two_link"', f'"{path.stem}"')
    first = text.index('<mass value="') + len('<mass value="')
    mass = float(text[first : text.index('"', first)])
    path.write_text(text[:first] + repr(mass + 1e-12 * number) + text[text.index('"', first) :])
    return path


def children(node):
    """Return the numbers of the processes that a node has started and that still run.

    A child that runs its parent's program has not begun with its own. Until then, a parent that
    called vfork waits for it.
    """
    found, own = [], _program(node._process.pid)
    for task in Path(f'/proc/{node._process.pid}/task').iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # a thread that ended
            numbers = map(int, (task / 'children').read_text().split())
            found += [number for number in numbers if _program(number) not in (own, b'')]
    return found


def _program(number):
    """Return the command line of a process; b'' where it has ended."""
    try:
        return Path(f'/proc/{number}/cmdline').read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b''


def test_controller_goes_over_while_it_holds_the_arm(graph, start, unknown):
    """Generic first, then specialised; torques stay the same. The next time it is so at once."""
    probe, arm = ControllerProbe(graph), FakeArm(graph, JOINTS, POSTURE)
    options = {**EASY, **SMALL, 'urdf_path': unknown}
    controller = start('controller', autostart='false', **options)
    probe.wait_for('WAIT_MODEL', timeout=COLD)  # it is heard before it begins to compile
    assert probe.change_state('configure')
    probe.wait_for('READY', timeout=COLD)
    assert probe.enable().success
    probe.wait_for('HOLD', timeout=COLD)
    before = probe.next_command()
    wait_until(lambda: probe.statuses.last.kernels == SPECIALISED, SPECIALISED, PATIENCE)
    texts = [status.kernels for status in probe.statuses.messages if status.kernels]
    assert texts[0].startswith(f'{GENERIC}, specialising')
    probe.wait_for('HOLD')
    assert np.allclose(probe.next_command(), before, rtol=1e-12, atol=1e-12)
    entry = {pair.key: pair.value for pair in probe.diagnosed('state').values}
    assert entry['kernels'] == SPECIALISED
    controller.wait_for_output('is computed by specialised kernels from now on')
    assert children(controller) == []
    assert controller.stop()[0] == 0
    probe.statuses.clear()
    start('controller', **options)
    probe.wait_for('HOLD', timeout=COLD)
    assert {status.kernels for status in probe.statuses.messages} - {''} == {SPECIALISED}
    arm.stop()


def test_after_a_warm_up_nothing_is_compiled(graph, start, unknown, monkeypatch):
    """The controller begins with the kernels of the robot, and starts no other process."""

    def but_for_programs(make, progress):  # what no controller asks for takes its time
        if make.func in (with_batches, specialised_step):
            return SimpleNamespace(generic=())
        return compile_ahead(make, progress)

    def code():
        return set(cache.folder(warmup.__file__).rglob(f'*{unknown.stem}*.nbc'))

    monkeypatch.setattr(warmup, 'compile_ahead', but_for_programs)
    monkeypatch.setattr(warmup, 'warm_up', lambda *_: None)
    assert warmup.main([str(unknown), '--laws', SMALL['law']]) == 0
    before = code()
    assert before
    probe, arm = ControllerProbe(graph), FakeArm(graph, JOINTS, POSTURE)
    controller = start('controller', **{**EASY, **SMALL, 'urdf_path': unknown})
    probe.wait_for('HOLD', timeout=COLD)
    assert {status.kernels for status in probe.statuses.messages} - {''} == {SPECIALISED}
    assert children(controller) == []
    assert code() == before
    arm.stop()


def test_the_other_process_ends_with_the_node(start, unknown):
    """It has a low priority, and an early end of the node is its end."""
    controller = start('controller', **{**EASY, 'urdf_path': unknown, 'specialise': True})
    # watched from the start: it may be done before the graph has discovered the node
    (child,) = wait_until(lambda: children(controller), 'another process', COLD)
    stat = Path(f'/proc/{child}/stat')
    wait_until(lambda: stat.read_text().rpartition(')')[2].split()[16] == '10', 'low priority')
    code, _ = controller.stop()
    assert code == 0 and 'Traceback' not in controller.output
    assert not Path(f'/proc/{child}').exists()


def test_lock_step_keeps_its_kernels_until_a_reset(graph, start, unknown):
    """A run that can be repeated bit for bit goes on as it began."""
    reports = graph.collect(DiagnosticArray, '/diagnostics')

    def kernels():
        values = [
            pair.value
            for report in reports.messages
            for status in report.status
            if status.name == 'robodyn_simulator: robot'
            for pair in status.values
            if pair.key == 'kernels'
        ]
        return values[-1] if values else ''

    compilers = []

    def start_and_pause(*arguments, **parameters):
        node = start(*arguments, **parameters)
        compilers.extend(wait_until(lambda: children(node), 'another process', COLD))
        for process in compilers:  # else the code may be there before the first step
            os.kill(process, signal.SIGSTOP)
        return node

    arm = Arm(graph, start_and_pause, unknown, trigger='command', specialise=True)
    publisher = arm.publisher(JointState, COMMANDS)
    publisher.publish(JointState(name=list(JOINTS), effort=array('d', [1.0, 2.0])))
    arm.next(lambda state: np.any(posture(state)[0]), 'the first step')
    for process in compilers:
        os.kill(process, signal.SIGCONT)
    later = f'{GENERIC}, {SPECIALISED} from the next reset on'
    wait_until(lambda: kernels() == later, later, PATIENCE)
    assert arm.call(Trigger, 'reset').success
    wait_until(lambda: kernels() == SPECIALISED, SPECIALISED)
