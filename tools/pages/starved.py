# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compute the motion of an arm while its controller stops: `python -m tools.pages.starved`.

Supervisor and simulated arm run in lock step, so that the page is the same on every machine.
"""

import functools
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.control import Settings, State, Supervisor, Trajectory
from robodyn_ros.control.laws.law_registry import BUILT_IN
from robodyn_ros.control.reference.task_target import TaskTarget
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.sensors.encoders import Sensor, SensorSettings

ROOT = Path(__file__).resolve().parents[2]
PAGE, PICTURE = ROOT / 'doc' / 'starved.md', ROOT / 'doc' / 'pictures' / 'starved.svg'
URDF = ROOT / 'config' / 'urdf' / 'two_link.urdf'
PERIOD, START, TOOL = 1e-3, np.array([0.4, -0.7]), 'tool0'
GAPS = (5, 20, 50, 100, 200, 340)  # [ms]
LAWS = tuple(BUILT_IN)
TASKS = ('held', 'pushed', 'moving')
CASES = tuple(
    (law, task) for law in LAWS for task in TASKS if task != 'moving' or BUILT_IN[law].tracks
)
BEFORE, AFTER = 300, 1500  # [ms] of regular cycles before and after the gap
STIFFNESS, DAMPING = 100.0, 20.0  # [1/s^2, 1/s]; times the inertia for laws with gains of effort
PUSH = (20.0, 0.0, 20.0, 0.0, 0.0, 0.0)  # [N, N m] at the tool, from the beginning of the gap
PUSH_TIME = 0.05  # [s]
MOVE, TOOL_MOVE, MOVE_TIME = 0.4, (0.1, 0.0, 0.1), 0.8  # [rad, m, s]
# Without these a held arm is in exact equilibrium, and no gap has an effect.
SPEED = 0.05  # [rad/s] of a held arm when its controller starts
NOISE = SensorSettings(position_noise=1e-5, velocity_noise=1e-3, seed=55)  # of a held arm


class Starved(NamedTuple):
    """The effects of one gap."""

    deviation: float  # [rad] largest deviation of a joint from the motion without a gap
    effort: float  # [N m] largest difference of a command from that without a gap
    state: State
    reason: str


def run(law, task, gap):
    """Run an arm whose controller stops for a gap.

    Parameters
    ----------
    law : str
        Name of the law.
    task : str
        One of TASKS.
    gap : int
        Length of the gap [ms].

    Returns
    -------
    positions, commands : (k, nv) ndarray
        Motion and efforts of the arm.
    supervisor : Supervisor
        The supervisor.
    """
    robot, held = Robot.from_urdf(URDF), task == 'held'
    supervisor = make_supervisor(law, robot)
    plant = Plant(robot, position=START, velocity=np.full(2, SPEED * held))
    sensor = Sensor(2, NOISE if held else SensorSettings())
    positions, commands = [], []
    for step in range(BEFORE + gap + AFTER):
        now = 10.0 + step * PERIOD
        starved = BEFORE <= step < BEFORE + gap
        sensor.sample_and_deliver(plant.q, plant.qd, PERIOD)
        if not starved:
            supervisor.measure(sensor.position, sensor.velocity, now)
            if step == 0:
                assert supervisor.activate(now) == ''
            if step == 100 and task == 'moving':
                assert move(supervisor, robot, now) == ''
            supervisor.tick(now)
        if task == 'pushed' and step == BEFORE:
            plant.apply_wrench(TOOL, PUSH, PUSH_TIME)
        plant.step(None if starved else supervisor.command, PERIOD)
        positions.append(plant.q.copy())
        commands.append(supervisor.command.copy())
    return np.array(positions), np.array(commands), supervisor


def make_supervisor(law, robot):
    """Return the supervisor of a robot under a law, with default limits."""
    kind, limits, scale = BUILT_IN[law], robot.limits, np.ones(2)
    if kind.gain_unit[0] and not kind.gain_unit[0].startswith('1/s'):
        scale = np.diag(robot.mass_matrix(START))
    has_tool = any(option.name == 'frame' for option in kind.options)
    return Supervisor(
        robot,
        kind(robot, **({'frame': TOOL} if has_tool else {})),
        Settings(
            period=PERIOD,
            gains=[STIFFNESS * scale, DAMPING * scale],
            effort_limits=limits.effort,
            effort_rate=np.full(2, 1000.0),
            velocity_limits=limits.velocity,
            lower=limits.lower,
            upper=limits.upper,
        ),
    )


def move(supervisor, robot, now):
    """Request the motion: of the tool if the law moves the tool, else of the joints."""
    if supervisor.law.task is None:
        return supervisor.follow(Trajectory([MOVE_TIME], [START + MOVE]), now)
    place = robot.pose(START, TOOL)[:3, 3] + TOOL_MOVE
    base = robot.model.body_names[0]
    return supervisor.set_task_target(TaskTarget(base, position=place, delay=MOVE_TIME), now)


@functools.cache
def unstarved(law, task):
    """Return positions and commands of the arm without a gap."""
    return run(law, task, 0)[:2]


@functools.cache
def starve(law, task, gap):
    """Return the effects of a gap, against the same arm without it.

    Parameters
    ----------
    law : str
        Name of the law.
    task : str
        One of TASKS.
    gap : int
        Length of the gap [ms].

    Returns
    -------
    Starved
        The effects.
    """
    q, command, supervisor = run(law, task, gap)
    wanted, given = unstarved(law, task)
    kept = np.r_[:BEFORE, BEFORE + gap : len(q)]
    if task == 'moving':  # the reference waits while the controller stops
        q, command = q[kept], command[kept]
    shared = min(len(q), len(wanted))
    return Starved(
        float(np.abs(q[:shared] - wanted[:shared]).max()),
        float(np.abs(command[:shared] - given[:shared]).max()),
        supervisor.state,
        supervisor.reason,
    )


def results():
    """Return {(law, task, gap): Starved}."""
    return {(law, task, gap): starve(law, task, gap) for law, task in CASES for gap in GAPS}


def shown(value):
    """Return a number for the table; smaller ones than rounding on any machine are 0."""
    return f'{value:.1e}' if value > 1e-9 else '0'


def row(law, task, gap, one):
    """Return the line of the table for one gap."""
    return (
        f'| `{law}` | {task} | {gap} | {shown(one.deviation)} | {shown(one.effort)} '
        f'| {one.state.name} {one.reason} |'
    )


def page(found):
    """Return the page for the results of `results`."""
    lines = [
        '# What the arm does while its controller stands still',
        '',
        'Written by `python -m tools.pages.starved`. The two-link arm and its controller run in',
        'lock step at 1 kHz, with default limits and timeouts. The controller stops for the gap.',
        'Meanwhile the arm is *held*, *pushed* (20 N along x and z of the base, for 50 ms), or',
        f'*moving* (0.4 rad in 0.8 s). A held arm starts at {SPEED} rad/s, and its encoders have',
        'noise. After 100 ms without a command the drive of the simulated arm brakes',
        '(`void_command`).',
        '',
        'Deviation and effort are the largest differences from the same arm without a gap. The',
        'reference of a stopped controller waits: the gap of a moving arm is cut out first. An',
        'arm under gravity compensation drifts on, unless the drive has braked it. Under `pd` it',
        'sags when it is activated. `operational_space` moves `tool0` by 0.14 m, which two',
        'joints cannot do without turning it: it is still on its way to the target. All joints',
        'have motors, also those of the two `underactuated` laws.',
        '',
        '![Largest deviation over the gap](pictures/starved.svg)',
        '',
        '| Law | Task | Gap [ms] | Deviation [rad] | Effort [N m] | State afterwards |',
        '|---|---|---:|---:|---:|---|',
    ]
    for (law, task, gap), one in found.items():
        lines.append(row(law, task, gap, one))
    return '\n'.join(lines) + '\n'


COLOURS = (
    *('#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#8c564b', '#e377c2', '#17becf'),
    *('#7f7f7f', '#bcbd22', '#000000', '#66c2a5'),
)
WIDTH, HEIGHT, MARGIN = 820, 360, 60
DECADES = (-6, 1)  # of the deviation [rad]


def picture(found):
    """Return the deviation over the gap as SVG, both logarithmic; one line per law and task."""

    def x(gap):
        low, high = np.log(GAPS[0]), np.log(GAPS[-1])
        return MARGIN + (np.log(gap) - low) / (high - low) * (WIDTH - MARGIN - 230)

    def y(deviation):
        low, high = DECADES
        share = (np.log10(max(deviation, 10.0**low)) - low) / (high - low)
        return HEIGHT - 40 - share * (HEIGHT - 70)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" role="img" aria-label="Deviation over the gap, by law and task">',
        '<style>text{font-family:sans-serif;font-size:12px;fill:#1b1f24}'
        'path{fill:none;stroke-width:2}line{stroke:#d0d7de}</style>',
    ]
    for decade in range(DECADES[0], DECADES[1] + 1):
        at = y(10.0**decade)
        parts.append(f'<line x1="{MARGIN}" x2="{WIDTH - 230}" y1="{at:.1f}" y2="{at:.1f}"/>')
        parts.append(f'<text x="8" y="{at + 4:.1f}">1e{decade} rad</text>')
    for gap in GAPS:
        parts.append(f'<text x="{x(gap) - 12:.1f}" y="{HEIGHT - 16}">{gap} ms</text>')
    for k, law in enumerate(LAWS):
        for task, dashes in zip(TASKS, ('', '6 3', '2 3')):
            if (law, task) not in CASES:
                continue
            points = [(x(gap), y(found[law, task, gap].deviation)) for gap in GAPS]
            way = ' L'.join(f'{a:.1f} {b:.1f}' for a, b in points)
            parts.append(f'<path d="M{way}" stroke="{COLOURS[k]}" stroke-dasharray="{dashes}"/>')
        parts.append(
            f'<text x="{WIDTH - 218}" y="{40 + 20 * k}" style="fill:{COLOURS[k]}">{law}</text>'
        )
    legend = 'solid: held, dashed: pushed, dotted: moving'
    parts.append(f'<text x="{WIDTH - 218}" y="{50 + 20 * len(LAWS)}">{legend}</text>')
    return '\n'.join([*parts, '</svg>', ''])


def main():
    """Write page and picture."""
    found = results()
    PAGE.write_text(page(found))
    PICTURE.write_text(picture(found))


if __name__ == '__main__':
    main()
