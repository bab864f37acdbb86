# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The supervisor in C++ against the one in Python: cycle by cycle, on runs with faults in them."""

import hashlib
import math
import os
import struct
import subprocess

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.codegen.emission import c_package
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.codegen.loops import loop_closing
from robodyn_ros.control import Settings, State, Supervisor
from robodyn_ros.control.laws.law import FRICTION
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.control.reference.trajectory import Trajectory
from robodyn_ros.control.supervisor.payload_ramp import PayloadRamp
from robodyn_ros.control.task_dynamics import BASE, LOCAL, WORLD_ALIGNED, TaskPoint, task_dynamics
from robodyn_ros.errors import RobodynError
from support.c_libraries import EXACT, STRICT, built, compiler, emitted, run
from support.processes import ROOT
from support.robots.mechanisms import palletizer
from support.supervised import FRANKA, TWO_LINK, settings_for

SOURCES = ROOT / 'robodyn_control'
CLOSED = palletizer().robot()
ROBOTS = {robot.name: robot for robot in (TWO_LINK, FRANKA)}
#: What a task needs, and the links that the dynamics are printed with.
TASKS = ('mass_matrix_inverse', 'gravity_torque', 'inverse_dynamics')
TASKS += ('pose', 'jacobian', 'jacobian_bias')
LINKS = {
    'two_link': ('link1', 'tool0'),
    'franka_like': ('link4', 'tool0'),
    CLOSED.name: ('plate',),
}
DESCRIPTIONS = dict.fromkeys(LINKS, '<robot/>') | {'franka_like': '<robot/>\n'}
PERIOD = 1e-3
#: What the status of the plug-in says of states that repeat themselves.
STUCK = 'The joint states repeat themselves bit for bit: a sensor may be stuck.'
RATE_LIMITED = 8  # place of that count among the decisions
FLAGS = ['-std=c++17', '-O1', *STRICT, '-I', SOURCES / 'include']


@pytest.fixture(scope='module')
def programs(tmp_path_factory):
    """Return the folder with the test programs and the dynamics of both robots."""
    folder = tmp_path_factory.mktemp('control')
    objects = []
    for source in sorted((SOURCES / 'src').glob('*.cpp')):
        objects.append(folder / f'{source.stem}.o')
        run([compiler('g++'), *FLAGS, '-c', source, '-o', objects[-1]])
    for program in ('replay', 'no_allocation', 'sha256', 'task_space', 'fits'):
        run(['g++', *FLAGS, SOURCES / 'test' / f'{program}.cpp', *objects]
            + ['-o', folder / program, '-ldl', '-pthread'])  # fmt: skip
    for name, robot in (ROBOTS | {CLOSED.name: CLOSED}).items():
        _, texts = emitted(
            robot.model, Style('arm'), TASKS, LINKS[name], laws=['computed_torque'],
            payloads=LINKS[name], description=DESCRIPTIONS[name],
        )  # fmt: skip
        c_package.write(folder / name, texts)
        command = ['gcc', '-std=c99', *EXACT, '-O1']
        built(folder / f'lib{name}.so', folder / name, command)
    return folder


def told(settings):
    """Return settings as the program reads them."""
    rows = [*settings.gains, settings.effort_limits, settings.effort_rate]
    rows += [settings.velocity_limits, settings.lower, settings.upper, settings.turns]
    rows += [settings.following_error]
    numbers = [
        settings.period,
        settings.position_margin,
        settings.state_timeout,
        settings.reference_timeout,
        settings.stale_action == 'gravity_hold',
        settings.stale_hold,
        settings.recovery_states,
        settings.max_start_error,
        settings.position_jump,
        settings.stuck_time,
        settings.stuck_action == 'stale',
        settings.overspeed,
        settings.robot_compensates_gravity,
        settings.enabled[FRICTION],
        settings.stuck_at_rest,
        settings.stop_time_constant,
        settings.following_action == 'hold',
    ]
    return np.concatenate([*rows, numbers]).astype(float).tobytes()


class Recorder:
    """A supervisor in operation, with records of its inputs and outputs."""

    def __init__(self, robot, law, settings):
        payload = PayloadRamp(robot.model)
        self.robot = robot = Robot(payload.model)
        self.law = law_class(law)(robot)
        self.supervisor = Supervisor(robot, self.law, settings, payload)
        self.events, self.cycles, self.answer = [told(settings)], [], ''
        self.seen = set()

    def _event(self, letter, now, *rows):
        flat = [float(x) for row in rows for x in row]
        self.events.append(letter.encode() + struct.pack(f'{1 + len(flat)}d', now, *flat))

    def measure(self, q, qd, now):
        self._event('m', now, q, qd)
        self.answer = self.supervisor.measure(q, qd, now)
        self.seen.add(self.answer)

    def aim(self, rows, now, effort=None):
        self._event('r', now, *rows)
        point = Trajectory([0.0], *(row[None] for row in rows), efforts=effort)
        self.answer = 'refused' * bool(self.supervisor.stream_target(point, now))
        if not self.answer and effort is not None:
            self._event('f', now, *effort)

    def attach(self, place, body, ramp, now):
        """Attach a body, as (mass, com, inertia), to a link of LINKS; beyond them to no frame."""
        mass, com, inertia = body
        rows = [[place, mass], com, np.asarray(inertia)[np.triu_indices(3)], [ramp]]
        self._event('p', now, *rows)
        self.answer, links = '', LINKS[self.robot.name]
        try:
            frame = links[place] if place < len(links) else 'hand'
            self.supervisor.attach(frame, mass, com, inertia, ramp)
        except RobodynError as error:
            self.answer = str(error).replace(',', ';')
        self.seen.add('REFUSED PAYLOAD' if self.answer else 'PAYLOAD')

    def request(self, letter, now):
        self._event(letter, now)
        arm = self.supervisor
        if letter in 'ax':
            self.answer = 'refused' * bool((arm.activate if letter == 'a' else arm.reset)(now))
        else:
            {'d': arm.deactivate, 's': arm.stop, 'h': arm.hold}[letter]()

    def release(self, now):
        """Give the arm up at once, to the safe torque: no cycle follows in a plug-in."""
        self._event('e', now)
        arm, output = self.supervisor, self.supervisor._torque_limiter
        if arm.active or arm.publishing:
            arm.deactivate()
            measured, settings = arm.measurement, arm.settings
            fresh = measured.is_fresh(now, settings)
            output.safe(measured, now, fresh, fresh, 0.0, settings, brakes=False)
            output.limit(measured, settings, math.inf)
            arm.publishing = arm._releasing = False
            self.seen.add('RELEASED')
        self._compare()

    def configure(self, settings, now):
        self._event('c', now)
        self.events.append(told(settings))
        self.supervisor.settings = settings

    def tick(self, now):
        self._event('t', now)
        arm = self.supervisor
        self.seen.add(arm.tick(now).name)
        self._compare()

    def _compare(self):
        """Note what both have to agree on."""
        arm = self.supervisor
        self.seen |= {arm.reason, *(name for name, bit in GUARDS.items() if any(bits(arm) & bit))}
        counted = arm.counters
        names = ('cycles', 'effort_limited', 'rate_limited', 'position_guarded')
        names += ('stale_episodes', 'stuck_episodes', 'behind_episodes', 'faults')
        names += ('rejected_references',)
        self.cycles.append((
            (int(arm.state), arm.reason, arm.joint, arm.publishing, STUCK * arm.stuck, self.answer,
             *(counted[name] for name in (*names, 'rejected_states'))),
            bits(arm),
            np.array([arm.value, *arm.command, *arm.unlimited]),
        ))  # fmt: skip


#: Bit of each limit that hits a joint.
GUARDS = {'POSITION GUARD': 1, 'RATE GUARD': 2, 'EFFORT GUARD': 4}


def bits(arm):
    """Return which limits hit each joint, as the kernel's bits."""
    return arm.position_guarded * 1 + arm.rate_limited * 2 + arm.effort_limited * 4


def replayed(folder, recorder, law):
    """Return what the program does with the events, in the form of Recorder.cycles."""
    n = recorder.robot.nv
    done = subprocess.run(
        [folder / 'replay', folder / f'lib{recorder.robot.name}.so', 'arm', law],
        input=b''.join(recorder.events), capture_output=True, check=True,
    )  # fmt: skip
    found = []
    for line in done.stdout.decode().splitlines():
        parts = line.split(',')
        decided = (int(parts[0]), parts[1], int(parts[2]), parts[4] == '1', parts[5],
                   parts[6], *map(int, parts[7:17]))  # fmt: skip
        numbers = np.array([float(x) for x in (parts[3], *parts[17 : 17 + 2 * n])])
        found.append((decided, np.array(parts[17 + 2 * n :], int), numbers))
    return found


def agree(folder, recorder, law='computed_torque'):
    """Compare all decisions exactly and all torques to 1e-12 of the largest.

    In a tick of no time a torque that differs from the last by rounding counts as rate-limited.
    There the bit of the joint, and the count, may differ.
    """
    found = replayed(folder, recorder, law)
    assert len(found) == len(recorder.cycles)
    n, ties = recorder.robot.nv, 0
    for k, ((decided, hits, mine), (expected, theirs_hit, theirs)) in enumerate(
        zip(found, recorder.cycles)
    ):
        finite = np.isfinite(theirs)
        assert (mine[~finite].astype(str) == theirs[~finite].astype(str)).all(), f'cycle {k}'
        largest = max(1.0, np.abs(theirs[finite]).max())
        error = np.abs(mine[finite] - theirs[finite]).max()
        assert error <= 1e-12 * largest, f'cycle {k}: {error} of {largest}'
        differ = hits != theirs_hit
        if differ.any():
            command, unlimited = theirs[1 : 1 + n], theirs[1 + n :]
            assert (np.abs(command - unlimited)[differ] <= 1e-12 * largest).all(), f'cycle {k}'
            assert ((hits ^ theirs_hit)[differ] == 2).all(), f'cycle {k}'
            ties += 1
        assert abs(decided[RATE_LIMITED] - expected[RATE_LIMITED]) <= ties, f'cycle {k}'
        others = [(*row[:RATE_LIMITED], *row[RATE_LIMITED + 1 :]) for row in (decided, expected)]
        assert others[0] == others[1], f'cycle {k}'
    assert ties <= len(found) // 50


def drive(robot, cycles, seed, law='computed_torque', **changes):
    """Return the Recorder of an arm in closed loop, with all sorts of trouble at random times."""
    rng, n, now = np.random.default_rng(seed), robot.nv, 10.0
    recorder = Recorder(robot, law, settings_for(robot, **changes))
    robot = recorder.robot  # with its payloads
    recorder.tick(now)
    q, qd = rng.uniform(0.1, 0.5, n), np.zeros(n)
    centre, trouble, left = q.copy(), '', 0
    for k in range(cycles):
        now += PERIOD
        arm = recorder.supervisor
        if arm.publishing:
            qdd = robot.forward_dynamics(q, qd, arm.command - 0.5 * qd)
            qd = qd + PERIOD * qdd
            q = q + PERIOD * qd
        if left == 0 and k % 40 == 39:
            trouble, left = str(rng.choice(TROUBLE)), int(rng.integers(1, 30))
        left = max(0, left - 1)
        act = trouble if left else ''
        if act == 'payload' and left == 4:
            recorder.attach(int(rng.integers(2)), some_body(rng), rng.choice([0.0, 0.05]), now)
        if act == 'late':
            now += rng.uniform(-0.5, 6.0) * PERIOD
        shown, moving = q.copy(), qd.copy()
        if act == 'nan':
            shown[rng.integers(n)] = rng.choice([np.nan, np.inf, 2e5])
        elif act == 'outlier' and left == 5:
            shown = shown + 1.0
        elif act == 'jump':
            shown = shown + 0.8
        elif act == 'fast':
            moving[rng.integers(n)] = rng.choice([-9.0, 9.0])
        elif act == 'limits':
            shown = shown + 2.4 - shown.max() + 0.2
        if act != 'lost':
            recorder.measure(shown, moving, now)
        letter = ''
        if arm.state is State.FAULT and not left:
            letter = 'x'
        elif not arm.active and not left:
            letter = 'a'
        elif act in ('s', 'd', 'h') and left == 2:
            letter = act
        if act == 'e' and left == 2 and arm.active:
            recorder.release(now)
            continue
        if letter:
            recorder.request(letter, now)
        if act == 'change' and left == 3:
            limits = rng.uniform(5.0, 80.0, n)
            recorder.configure(arm.settings.replace(effort_limits=limits), now)
        if act != 'silent' and not letter:
            wave = 0.2 * np.sin(0.004 * k + np.arange(n))
            rate = 0.2 * 4.0 * np.cos(0.004 * k + np.arange(n))
            way = np.clip(centre + wave - arm.reference[0], -2e-3, 2e-3)
            rows = np.array([arm.reference[0] + way, rate, -16.0 * wave])
            if act == 'far':
                rows[0] += 0.5
            elif act == 'bad':
                rows[2, 0] = np.nan
            recorder.aim(rows, now)
        recorder.tick(now)
    return recorder


def some_body(rng):
    """Return mass, centre and inertia of a random body, or none at all."""
    if rng.uniform() < 0.3:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    moments = rng.uniform(0.01, 0.05, 3)
    return rng.uniform(0.2, 3.0), rng.uniform(-0.2, 0.2, 3), np.diag(moments.sum() - moments)


TROUBLE = ('', 'nan', 'outlier', 'jump', 'fast', 'limits', 'late', 'lost', 'silent', 'far', 'bad',
           's', 'd', 'e', 'h', 'change', 'payload', 'payload')  # fmt: skip
#: What the runs must have met, so that agreement says something.
MET = {
    *('ACTIVATED', 'DEACTIVATED', 'FOLLOWING', 'REFERENCE_TIMEOUT', 'HOLD_REQUESTED'),
    *('POSITION_JUMP', 'STATE_TIMEOUT', 'STATE_RECOVERED', 'RESET', 'OVERSPEED', 'STOPPED'),
    *('NOT_FINITE', 'IMPLAUSIBLE', 'OUTLIER'),
    *('RELEASED', 'PAYLOAD', *GUARDS),
    *('WAIT_STATE', 'READY', 'ACTIVE', 'HOLD', 'STALE', 'FAULT'),
}


def test_same_torques_and_the_same_decisions(programs):
    """Runs through every state and nearly every reason: each cycle is that of Python."""
    seen = set()
    for seed in range(4):
        changes = {'reference_timeout': 0.01, 'robot_compensates_gravity': seed > 1}
        if seed % 2:
            changes |= {'effort_rate': np.full(2, 300.0), 'stale_action': 'zero'}
        recorder = drive(TWO_LINK, 1500, seed, **changes)
        agree(programs, recorder)
        seen |= recorder.seen
    assert seen >= MET, MET - seen


def test_a_release_in_motion_leaves_the_safe_torque(programs):
    """Gravity at the last posture, at once, whatever the rate limit; then it begins anew."""
    recorder = Recorder(TWO_LINK, 'computed_torque', settings_for(TWO_LINK))
    q, qd, zero = np.full(2, 0.3), np.full(2, 0.5), np.zeros(2)
    recorder.measure(q, qd, 10.0)
    recorder.request('a', 10.0)
    for k in range(1, 60):
        now = 10.0 + PERIOD * k
        recorder.measure(q + PERIOD * k * qd, qd, now)
        recorder.aim(np.array([q + 1.2 * PERIOD * k * qd, 1.2 * qd, zero + 20.0]), now)
        recorder.tick(now)
    law, rate = recorder.supervisor.command.copy(), recorder.supervisor.settings.effort_rate
    recorder.release(now)
    agree(programs, recorder)
    _, _, (_, *numbers) = replayed(programs, recorder, 'computed_torque')[-1]
    safe = TWO_LINK.gravity_torque(q + PERIOD * k * qd)
    np.testing.assert_allclose(numbers[:2], safe, rtol=1e-12)
    assert (np.abs(safe - law) > 3.0 * rate * PERIOD).any()


def test_an_effort_reference_acts_while_a_reference_is_followed(programs):
    """It is added in ACTIVE, within the limits; in HOLD, and with one of 0, it is not."""
    settings = settings_for(TWO_LINK, reference_timeout=0.01, effort_rate=np.full(2, 1e4))
    recorder, effort = Recorder(TWO_LINK, 'computed_torque', settings), np.zeros((1, 2))
    q, qd, zero = np.full(2, 0.3), np.zeros(2), np.zeros(2)
    recorder.measure(q, qd, 10.0)
    recorder.request('a', 10.0)
    added = []
    for k in range(1, 160):
        now = 10.0 + PERIOD * k
        recorder.measure(q, qd, now)
        effort = FED.get(k, effort)
        if k % 50 < 30:  # then the reference expires
            recorder.aim(np.array([q, zero, zero]), now, effort)
        recorder.tick(now)
        added.append(recorder.supervisor.unlimited - TWO_LINK.gravity_torque(q))
    agree(programs, recorder)
    acts = np.abs(added).max(axis=1) > 1.0
    assert acts[10:25].all() and not acts[41:48].any() and acts[60:75].all()
    assert not acts[110:125].any() and 'EFFORT GUARD' in recorder.seen


#: Effort references by cycle.
FED = {5: np.array([[3.0, -2.0]]), 55: np.array([[500.0, 1.5]]), 100: np.zeros((1, 2))}


def test_turns_of_joints_without_end_are_counted(programs):
    """An encoder that wraps, or counts from elsewhere: the torque is that of one that does not."""
    turns, lap = np.array([2.0 * np.pi, 0.0]), 2.0 * np.pi
    recorders = [Recorder(TWO_LINK, 'computed_torque', settings_for(TWO_LINK, turns=turns,
        lower=np.full(2, -99.0), upper=np.full(2, 99.0))) for _ in range(2)]  # fmt: skip
    rate, zero = np.array([2.8, 0.1]), np.zeros(2)
    for k in range(3000):
        now, way = 10.0 + PERIOD * k, 0.3 + rate * PERIOD * k
        wrapped = way - [lap * np.floor((way[0] + np.pi) / lap), 0.0]
        if k > 2000:  # the encoder counts from elsewhere
            wrapped[0] += 5.0 * lap
        for recorder, q in zip(recorders, (way, wrapped)):
            recorder.measure(q, rate, now)
            if k == 0:
                recorder.request('a', now)
            recorder.aim(np.array([way + 1e-3, rate, zero]), now)
            recorder.tick(now)
    for recorder in recorders:
        agree(programs, recorder)
        assert 'POSITION_JUMP' not in recorder.seen and recorder.supervisor.q[0] > lap
    for mine, other in zip(*(recorder.cycles for recorder in recorders)):
        np.testing.assert_allclose(mine[2], other[2], atol=1e-9)


def test_a_payload_is_compensated_over_its_ramp(programs):
    """At rest the torque goes linearly to the weight of the arm with its payloads, and back."""
    for robot in ROBOTS.values():
        settings = settings_for(robot, effort_rate=np.full(robot.nv, 1e6))
        recorder = Recorder(robot, 'computed_torque', settings)
        q, qd, rng = np.full(robot.nv, 0.3), np.zeros(robot.nv), np.random.default_rng(4)
        loaded = robot
        bodies = [some_body(np.random.default_rng(seed)) for seed in (6, 7)]
        for place, (mass, com, inertia) in enumerate(bodies):
            assert mass > 0.0
            loaded = loaded.with_payload(LINKS[robot.name][place], mass, com, inertia)
        torques = []
        for k in range(100):
            now = 10.0 + PERIOD * k
            recorder.measure(q + 1e-9 * rng.normal(size=robot.nv), qd, now)
            if k == 0:
                recorder.request('a', now)
            elif k in (10, 20):  # the second ramp begins where the first one is half-way
                recorder.attach(k // 20, bodies[k // 20], 20 * PERIOD, now)
            elif k in (60, 61):
                recorder.attach(k - 60, (0.0, np.zeros(3), np.zeros((3, 3))), 10 * PERIOD, now)
            recorder.tick(now)
            torques.append(recorder.supervisor.command.copy())
        agree(programs, recorder)
        bare, full = robot.gravity_torque(q), loaded.gravity_torque(q)
        torques = np.array(torques)
        np.testing.assert_allclose(torques[45:60], np.tile(full, (15, 1)), atol=1e-6)
        np.testing.assert_allclose(torques[80:], np.tile(bare, (20, 1)), atol=1e-6)
        steps = np.diff(torques[10:20], axis=0)
        np.testing.assert_allclose(steps, np.tile(steps[0], (9, 1)), atol=1e-6)
        assert np.abs(full - bare).max() > 100 * np.abs(steps).max() / 20 > 0.0


BODY = (2.0, np.array([0.1, 0.0, 0.2]), np.diag([0.02, 0.03, 0.04]))
REFUSED = {
    'a ramp that is too long': (1, BODY, 61.0, 'expected 0 to 60 s'),
    'a ramp that is no number': (1, BODY, math.nan, 'a payload ramp of nan s'),
    'a mass that is no number': (1, (math.nan, *BODY[1:]), 0.1, 'mass has the entry nan'),
    'a negative mass': (1, (-2.0, *BODY[1:]), 0.1, 'mass is -2 kg'),
    'grams': (1, (2000.0, *BODY[1:]), 0.1, 'is its number in kg?'),
    'millimetres': (1, (2.0, 1e3 * BODY[1], BODY[2]), 0.1, 'are its numbers in metres?'),
    'far beyond the world': (1, (2.0, 1e8 * BODY[1], BODY[2]), 0.1, 'expected at most 1e+06'),
    'a centre that is no number': (1, (2.0, BODY[1] + np.inf, BODY[2]), 0.1, 'com has the'),
    'no triangle': (1, (2.0, BODY[1], np.diag([0.1, 0.1, 1.0])), 0.1, 'triangle inequality'),
    'an indefinite inertia': (
        1, (2.0, BODY[1], np.eye(3) + 3.0 * np.eye(3)[[0, 2, 1]]), 0.1, 'expected none below zero',
    ),
    'a wide body': (1, (0.01, BODY[1], np.eye(3)), 0.1, 'radius of gyration'),
    'a huge inertia': (1, (2.0, BODY[1], 1e13 * np.eye(3)), 0.1, 'entries up to 1e+13'),
    'inertia alone': (1, (0.0, *BODY[1:]), 0.1, 'has mass 0 and other values'),
    'what a joint cannot hold': (1, (90.0, *BODY[1:]), 0.1, 'needs'),
}  # fmt: skip


@pytest.mark.parametrize('place, body, ramp, words', REFUSED.values(), ids=REFUSED)
def test_a_payload_is_refused_in_the_words_of_the_node(programs, place, body, ramp, words):
    """Nothing changes then, and a robot that compensates gravity is asked for no weight."""
    for by_robot in (False, True):
        settings = settings_for(TWO_LINK, robot_compensates_gravity=by_robot)
        recorder = Recorder(TWO_LINK, 'computed_torque', settings)
        q, qd = np.full(2, 0.3), np.zeros(2)
        for k in range(5):
            now = 10.0 + PERIOD * k
            recorder.measure(q, qd, now)
            if k == 2:
                recorder.attach(place, body, ramp, now)
                refused = words != 'needs' or not by_robot
                assert (words.replace(',', ';') in recorder.answer) == refused
            recorder.tick(now)
            if k == 0:
                recorder.request('a', now)
        agree(programs, recorder)


def test_a_payload_on_no_frame_of_the_library_is_refused(programs):
    """With the frames that it was printed with."""
    recorder = Recorder(TWO_LINK, 'computed_torque', settings_for(TWO_LINK))
    recorder.attach(9, BODY, 0.1, 10.0)
    recorder.tick(10.0)
    ((decided, *_),) = replayed(programs, recorder, 'computed_torque')
    assert decided[5] == "robot 'two_link' has no frame 'hand'; valid: link1; tool0"
    assert recorder.answer.startswith(decided[5].partition('; valid')[0])


def test_both_supervisors_agree_on_seven_joints_with_friction(programs):
    """A longer arm, whose law has friction in it, within its limits and out of them."""
    recorder = drive(FRANKA, 600, 21, effort_limits=np.full(7, 40.0))
    agree(programs, recorder)
    assert recorder.seen >= {'FOLLOWING', 'FAULT'}


def test_both_supervisors_agree_on_closed_loops(programs):
    """Joints of the plug-in are the independent ones; a payload moves with the dependent ones."""
    recorder = Recorder(CLOSED, 'computed_torque', settings_for(CLOSED))
    middle = CLOSED.model.closed_posture
    for k in range(200):
        now, angle = 10.0 + k * PERIOD, 0.02 * k + np.arange(CLOSED.nv)
        wave, rate = 0.1 * np.sin(angle), 2.0 * np.cos(angle)
        recorder.measure(middle + wave, rate, now)
        if k == 3:
            recorder.request('a', now)
        if k == 50:
            recorder.attach(0, (2.0, np.full(3, 0.05), 0.01 * np.eye(3)), 0.05, now)
        if k > 3:
            recorder.aim(np.array([middle + wave + 0.01, rate, -400.0 * wave]), now)
        recorder.tick(now)
    agree(programs, recorder)
    assert {'FOLLOWING', 'PAYLOAD', 'ACTIVE'} <= recorder.seen


def test_a_posture_outside_the_box_of_closed_loops_is_a_fault(programs):
    """The C of the law refuses it; the kernels in Python have no box. The arm keeps the weight of
    its last posture inside.
    """
    far = {'velocity_limits': np.full(4, 100.0), 'upper': np.full(4, 10.0), 'position_jump': 1.0}
    far |= {'effort_limits': np.full(4, 1e3), 'effort_rate': np.full(4, 1e5)}
    recorder = Recorder(CLOSED, 'computed_torque', settings_for(CLOSED, **far))
    plan = loop_closing.plan(CLOSED.model)
    q, qd = CLOSED.model.closed_posture.copy(), np.zeros(CLOSED.nv)
    edge, moving = plan.low[0] + plan.width[0], plan.places[0]
    inside = np.append(np.arange(q[moving], edge, 0.01), edge - 1e-6)
    for k, q[moving] in enumerate((*inside, *[edge + 1e-6] * 300)):
        now = 10.0 + PERIOD * k
        qd[moving] = float(k < len(inside))
        recorder.measure(q, qd, now)
        if k == 0:
            recorder.request('a', now)
        recorder.tick(now)
    cycles = replayed(programs, recorder, 'computed_torque')
    states = [decided[:2] for decided, *_ in cycles[1:]]
    assert {state for state, _ in states[: len(inside) - 1]} == {State.HOLD}
    assert set(states[len(inside) - 1 :]) == {(State.FAULT, 'KERNEL_STATUS')}
    assert recorder.supervisor.state is State.HOLD
    q[moving] = inside[-1]
    weight = CLOSED.gravity_torque(q)
    last = [numbers[1 : 1 + CLOSED.nv] for *_, numbers in cycles if np.isfinite(numbers[1])][-1]
    np.testing.assert_allclose(last, weight, rtol=0.0, atol=1e-12 * np.abs(weight).max())


def test_gravity_compensation_follows_nothing(programs):
    """The law without a reference is ACTIVE at once, and refuses every target."""
    recorder = drive(TWO_LINK, 500, 3, 'gravity_compensation')
    agree(programs, recorder, 'gravity_compensation')
    assert recorder.supervisor.counters['rejected_references'] > 100


@pytest.mark.parametrize('action', ['warn', 'stale'])
def test_a_frozen_state_is_found(programs, action):
    """States that are bit for bit the same under a changing torque, as behind a broadcaster."""
    recorder = Recorder(
        TWO_LINK,
        'computed_torque',
        settings_for(
            TWO_LINK, stuck_action=action, reference_timeout=0.05, effort_limits=np.full(2, 40.0)
        ),
    )
    q, qd, zero = np.full(2, 0.3), np.zeros(2), np.zeros(2)
    recorder.measure(q, qd, 10.0)
    recorder.request('a', 10.0)
    for k in range(1, 200):
        now = 10.0 + PERIOD * k
        if not 110 < k < 150:  # then the robot is lost, which is a timeout
            recorder.measure(q if k < 150 else q + 1e-6 * k, qd, now)
        recorder.aim(np.array([q + 1.8e-3 * min(k, 100), zero, zero]), now)
        recorder.tick(now)
    agree(programs, recorder)
    assert any(cycle[0][4] for cycle in recorder.cycles) and not recorder.cycles[-1][0][4]
    assert ('STATE_STUCK' in recorder.seen) == (action == 'stale')
    assert ('STATE_TIMEOUT' in recorder.seen) == (action == 'warn')


@pytest.mark.parametrize('at_rest', [False, True])
def test_a_lost_robot_is_found_under_a_constant_torque_if_asked_for(programs, at_rest):
    """In HOLD the torque does not change: only the mode for broadcasters counts the states."""
    recorder = Recorder(
        TWO_LINK,
        'computed_torque',
        settings_for(TWO_LINK, stuck_time=0.05, stuck_action='stale', stuck_at_rest=at_rest),
    )
    q, qd = np.full(2, 0.3), np.zeros(2)
    recorder.measure(q, qd, 10.0)
    recorder.request('a', 10.0)
    for k in range(1, 120):
        now = 10.0 + PERIOD * k
        recorder.measure(q if k < 100 else q + 1e-6 * k, qd, now)
        recorder.tick(now)
    agree(programs, recorder)
    assert ('STATE_STUCK' in recorder.seen) == at_rest
    assert ('STATE_RECOVERED' in recorder.seen) == at_rest


def test_torque_that_is_no_number_is_a_fault(programs):
    """Gains that overflow trip, and the safe torque is published."""
    recorder = Recorder(
        TWO_LINK, 'computed_torque', settings_for(TWO_LINK, gains=[[1.0, 1.0], [1.2e308, 1.0]])
    )
    for k in range(10):
        now = 10.0 + PERIOD * k
        recorder.measure(np.full(2, 0.3), np.full(2, 1.9 * (k > 5)), now)
        if k == 0:
            recorder.request('a', now)
        recorder.tick(now)
    agree(programs, recorder)
    assert 'TORQUE_NOT_FINITE' in recorder.seen


def test_a_million_cycles_allocate_nothing(programs):
    """No allocation, no lock and no output, with failing sensors, stops and lost states in it."""
    out = run([programs / 'no_allocation', programs / 'libtwo_link.so', 'arm', 1_000_000])
    awake, allocations, locks, writes, not_finite, states = map(int, out.split())
    assert awake and (allocations, locks, writes, not_finite) == (0, 0, 0, 0)
    assert states == sum(1 << int(s) for s in (State.ACTIVE, State.HOLD, State.STALE, State.FAULT))


def test_hash_of_the_description_is_that_of_python(programs):
    """SHA-256 is that of Python, for texts about the length of a block."""
    for size in (0, 1, 55, 56, 63, 64, 65, 1000):
        text = os.urandom(size)
        done = subprocess.run([programs / 'sha256'], input=text, capture_output=True, check=True)
        assert done.stdout.decode().strip() == hashlib.sha256(text).hexdigest()


def test_what_does_not_fit_is_refused(programs):
    """A library that is not there, a prefix and settings that do not fit end with a sentence."""
    library = programs / 'libtwo_link.so'
    good = told(settings_for(TWO_LINK))
    for path, prefix, law, settings, words in (
        (programs / 'none.so', 'arm', 'computed_torque', good, 'does not load'),
        (library, 'leg', 'computed_torque', good, 'has no leg_self_test'),
        (library, 'arm', 'adaptive', good, 'has no arm_adaptive'),
        (library, 'arm', 'computed_torque', struct.pack('d', -1.0) + good[8:], 'position gains'),
    ):
        done = subprocess.run(
            [programs / 'replay', path, prefix, law], input=settings, capture_output=True,
            check=False,
        )  # fmt: skip
        assert done.returncode and words in done.stderr.decode()


def test_a_linked_library_needs_no_path(programs):
    """An empty path means the library that the program is linked with, with the same checks."""
    linked, joints = programs / 'linked', TWO_LINK.joint_names
    library = ['-Wl,--no-as-needed', programs / 'libtwo_link.so', f'-Wl,-rpath,{programs}']
    run(['g++', *FLAGS, SOURCES / 'test' / 'fits.cpp', *programs.glob('*.o'), *library]
        + ['-o', linked, '-ldl', '-pthread'])  # fmt: skip
    assert fits(programs, '', '<robot/>', *joints, program=linked) == ''
    sentence = fits(programs, '', '<robot />', *joints, program=linked)
    assert 'the dynamics library that is linked was printed from' in sentence
    sentence = fits(programs, '', '<robot/>', *joints)
    assert 'no arm_self_test is linked' in sentence and 'ROBODYN_DYNAMICS' in sentence


def test_known_answers_that_fail_are_refused(programs, tmp_path):
    """With how many numbers are wrong, before anything else is asked of the library."""
    source, library = tmp_path / 'wrong.c', tmp_path / 'wrong.so'
    source.write_text('int arm_self_test(void) { return 3; }\n')
    run([compiler('gcc'), '-shared', '-fPIC', source, '-o', library])
    assert 'known answers fail, 3 numbers are wrong' in fits(programs, library, '<robot/>')


def test_a_library_of_another_robot_is_refused(programs):
    """By the order of the joints, and by the hash of the description."""
    library, joints = programs / 'libtwo_link.so', TWO_LINK.joint_names
    assert fits(programs, library, '<robot/>', *joints) == ''
    sentence = fits(programs, library, '<robot/>', *joints[::-1])
    assert 'joints: got joint2, joint1' in sentence and 'joint1, joint2' in sentence
    assert 'joints: got joint1' in fits(programs, library, '<robot/>', joints[0])
    sentence = fits(programs, library, '<robot />', *joints)
    assert hashlib.sha256(b'<robot />').hexdigest() in sentence
    assert hashlib.sha256(b'<robot/>').hexdigest() in sentence


def test_a_description_without_its_last_newline_fits(programs):
    """As a shell passes the text of a file; another text still does not."""
    library, joints = programs / 'libfranka_like.so', FRANKA.joint_names
    for description in ('<robot/>\n', '<robot/>'):
        assert fits(programs, library, description, *joints) == ''
    for description in ('<robot/>\n\n', '<robot/> ', ''):
        assert 'SHA-256' in fits(programs, library, description, *joints)
    sentence = fits(programs, programs / 'libtwo_link.so', '<robot/>\n', *TWO_LINK.joint_names)
    assert 'SHA-256' in sentence


def fits(programs, library, description, *joints, program='fits'):
    """Return why a library does not fit a robot, or an empty string."""
    done = subprocess.run(
        [programs / program, library, 'arm', *joints], input=description, text=True,
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == (done.stderr != '')
    return done.stderr


def test_a_library_of_another_interface_is_refused(programs, tmp_path):
    """By its version, before a function is called with arguments that it does not take."""
    source, library = tmp_path / 'old.c', tmp_path / 'old.so'
    source.write_text(
        'int arm_self_test(void) { return 0; }\nint arm_interface_version(void) { return 1; }\n'
    )
    run([compiler('gcc'), '-shared', '-fPIC', source, '-o', library])
    done = subprocess.run(
        [programs / 'replay', library, 'arm', 'computed_torque'],
        input=told(settings_for(TWO_LINK)),
        capture_output=True,
        check=False,
    )
    assert done.returncode
    assert f'version 1 of its interface; expected {c_package.INTERFACE}' in done.stderr.decode()


def test_without_ros2_control_nothing_is_built_and_nothing_fails(tmp_path):
    """CMake says what is missing, looks for no compiler, and succeeds."""
    command = [compiler('cmake'), '-S', SOURCES, '-B', tmp_path]
    said = run(command, env={'PATH': os.environ['PATH']})
    assert 'robodyn_control: not built' in said and 'hardware_interface' in said
    assert 'compiler' not in said


def task_results(programs, robot, reference, damping, rows, points, states, payload=None):
    """Return what the program computes of a task at each state, {name: array}.

    payload : ten numbers for each of the robot's LINKS; by default zeros.
    """
    payload = np.zeros(10 * len(LINKS[robot.name])) if payload is None else payload
    numbers = [number for link, place in points for number in (link, *place)]
    out = run_with(
        [programs / 'task_space', programs / f'lib{robot.name}.so', reference, damping]
        + [','.join(map(str, rows)), *numbers],
        np.concatenate([payload, states.ravel()]).tobytes(),
    )
    m, n = len(rows), robot.nv
    shapes = {
        'status': (), 'rank': (), 'inertia': (m, m), 'inverse': (m, m), 'jacobian': (m, n),
        'consistent_inverse': (n, m), 'singular_values': (m,), 'jacobian_bias': (m,),
        'coriolis': (n,), 'gravity': (n,), 'bias': (m,), 'task_gravity': (m,),
    }  # fmt: skip
    ends = np.cumsum([math.prod(shape) for shape in shapes.values()])
    for line in out.splitlines():
        parts = np.split(np.array(line.split(), float), ends[:-1])
        yield {name: part.reshape(shapes[name]) for name, part in zip(shapes, parts)}


def run_with(command, text):
    """Return what a program prints that reads some bytes."""
    command = [*map(str, command)]
    done = subprocess.run(command, input=text, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


@pytest.mark.parametrize('reference', [WORLD_ALIGNED, LOCAL, BASE])
@pytest.mark.parametrize('robot', ROBOTS.values(), ids=ROBOTS)
def test_task_dynamics_are_those_of_the_node(programs, robot, reference):
    """Lambda, mu, p and all else of two coupled points off their links' origins.

    Beside the answer of the node's service. What went through the inverse may be off by the
    rounding of J M^-1 J^T times its condition. Coriolis torque is a difference, as exact as the
    weight in it.
    """
    points = [*zip(LINKS[robot.name], ((0.1, -0.2, 0.3), (-0.15, 0.05, 0.2)))]
    rows = [0, 5, 6, 7, 8] if robot is FRANKA else [4, 8]
    states = np.random.default_rng(reference).uniform(-1.5, 1.5, (6, 2, robot.nv))
    mass, com, inertia = BODY
    loaded, about = robot.with_payload('tool0', *BODY), com @ com * np.eye(3) - np.outer(com, com)
    row = [mass, *(mass * com), *(inertia + mass * about)[np.triu_indices(3)]]
    for damping, carrier in ((0.0, robot), (0.3, robot), (0.0, loaded)):
        payload = np.concatenate([np.zeros(10), row if carrier is loaded else np.zeros(10)])
        found = task_results(programs, robot, reference, damping, rows, points, states, payload)
        for (q, qd), mine in zip(states, found, strict=True):
            points_of = [TaskPoint(link, np.array(place)) for link, place in points]
            theirs = task_dynamics(carrier, q, qd, points_of, reference, rows, damping)
            condition = theirs.inertia.singular_values[0] / theirs.inertia.singular_values[-1]
            assert mine['status'] == 0 and mine['rank'] == theirs.inertia.rank == len(rows)
            for name, result in mine.items():
                if name not in ('status', 'rank'):
                    expected = getattr(theirs, name, None)
                    expected = getattr(theirs.inertia, name) if name in LAMBDA else expected
                    size = np.abs(expected).max() + np.abs(WEIGHT.get(name, zero)(theirs)).max()
                    error = np.abs(result - expected).max() / size
                    assert error < 1e-14 * max(10.0, condition), name


def zero(_):
    """Return no weight: of a quantity that is no difference."""
    return 0.0


#: Weight that is taken away again.
WEIGHT = {'coriolis': lambda task: task.gravity, 'bias': lambda task: task.task_gravity}
#: Of the inertia within the dynamics of a task.
LAMBDA = ('inertia', 'inverse', 'jacobian', 'consistent_inverse', 'singular_values')


def test_a_lost_direction_leaves_the_inertia_out(programs):
    """Six rows of an arm with two joints: rank two, and the pseudo-inverse of the node."""
    states = np.random.default_rng(7).uniform(0.3, 1.2, (3, 2, 2))
    found = task_results(programs, TWO_LINK, 0, 0.0, range(6), [('tool0', (0, 0, 0))], states)
    for (q, _), mine in zip(states, found, strict=True):
        theirs = TWO_LINK.operational_space_inertia(q, 'tool0')
        assert mine['rank'] == theirs.rank == 2
        np.testing.assert_allclose(
            mine['inertia'], theirs.inertia, rtol=0.0, atol=1e-12 * np.abs(theirs.inertia).max()
        )


def test_an_unknown_link_is_refused(programs):
    """The sentence names the links that the dynamics were printed with."""
    done = subprocess.run(
        [programs / 'task_space', programs / 'libtwo_link.so', '0', '0', '0', 'hand', *'000'],
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert b'no link hand' in done.stderr and b'one of link1, tool0' in done.stderr


def test_settings_have_the_defaults_of_python():
    """What a user leaves out is the same in both."""
    text = (SOURCES / 'include' / 'robodyn_control' / 'settings.hpp').read_text()
    for name in ('position_margin', 'state_timeout', 'reference_timeout', 'stale_hold',
                 'recovery_states', 'max_start_error', 'position_jump', 'stuck_time',
                 'overspeed'):  # fmt: skip
        assert f' {name} = {getattr(Settings, name)};' in text, name
    assert ' stuck_at_rest = false;' in text and not Settings.stuck_at_rest
