# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Four control laws carry an unknown load, to which one of them adapts. Without ROS.

    robodyn_ros laws_demo          a table; laws/laws.json and laws/laws.png

The simulated arm, the supervisor with its guards and the laws are those of the nodes. Time is
simulated, so the numbers are the same on any machine.
"""

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robodyn_ros import RobodynError, Robot
from robodyn_ros.cli.demo import URDF
from robodyn_ros.compile import warm_up
from robodyn_ros.control import Settings, Supervisor, Trajectory, law_class
from robodyn_ros.demonstration.motion import mid_range, swaying_motion
from robodyn_ros.demonstration.result_files import ResultFolder, add_force
from robodyn_ros.demonstration.text_table import aligned
from robodyn_ros.demonstration.tracking_report import root_mean_square
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.nodes.start import require
from robodyn_ros.simulation import Plant

LAWS = {
    'pd_gravity': 'PD + gravity',
    'computed_torque': 'computed torque',
    'passivity': 'passivity',
    'adaptive_computed_torque': 'adaptive',
}
COLOURS = ('tab:orange', 'tab:blue', 'tab:green', 'tab:red')
PERIOD = 1e-3  # [s]
POINT = 0.05  # [s] between points of the trajectory
FREQUENCY = 10.0  # [rad/s] of each joint, critically damped
SOFTEST = 0.1  # [kg m^2] smallest inertia for the stiffness, since that of a wrist is tiny
LOAD, FRAME = 3.0, 'flange'  # [kg], and its place
LOAD_COM = (0.0, 0.0, 0.1)  # [m] of the load from the flange
GYRATION = 0.05  # [m] radius of gyration of the load
DURATION, PART = 20.0, 4.0  # [s] of a run, and of its first and last part, which are compared
WANTED_RATIO = 10.0  # required final advantage of adaptation over computed torque
HEAD = (
    'Law',
    f'RMS error in the first {PART:g} s [mrad]',
    f'in the last {PART:g} s [mrad]',
    'largest [mrad]',
    'tip in the end [mm]',
    'largest torque / limit',
    'torque limited [%]',
)


@dataclass(frozen=True, eq=False)
class Run:
    """Time series of one law.

    Parameters
    ----------
    error : (k, nv) ndarray
        Joint errors [rad].
    distance : (k,) ndarray
        Distance of the end effector from its reference [m].
    effort : (k, nv) ndarray
        Joint torques [N m].
    mass : (k,) ndarray
        Learnt mass of all bodies [kg].
    limited : float
        Share of the cycles at an effort limit.
    faults : int
        Number of faults.
    """

    error: np.ndarray
    distance: np.ndarray
    effort: np.ndarray
    mass: np.ndarray
    limited: float
    faults: int


def gains(robot, law):
    """Return the gains of a law, with the same stiffness for all laws.

    Parameters
    ----------
    robot : Robot
        The robot.
    law : str
        Name of the law.

    Returns
    -------
    (2, nv) ndarray
        Position and velocity gains, in the units of the law.
    """
    inertia = np.diag(robot.mass_matrix(mid_range(robot.limits)))
    stiffness = np.maximum(inertia, SOFTEST)
    scale = stiffness / inertia if law == 'computed_torque' else stiffness
    return np.array([FREQUENCY**2 * scale, 2.0 * FREQUENCY * scale])


def settings(robot, law):
    """Return the settings of a supervisor, with guards at the robot's limits.

    Parameters
    ----------
    robot : Robot
        The robot.
    law : str
        Name of the law.

    Returns
    -------
    Settings
        The settings.
    """
    limits = robot.limits
    return Settings(
        period=PERIOD,
        gains=gains(robot, law),
        effort_limits=limits.effort,
        effort_rate=np.full(robot.nv, 1000.0),
        velocity_limits=limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
        following_action='warn',  # the errors are what is shown
    )


def trajectory(motion):
    """Return the points of a motion.

    Parameters
    ----------
    motion : Motion
        The motion.

    Returns
    -------
    Trajectory
        Points every POINT seconds.
    """
    times = np.arange(POINT, motion.duration + 0.5 * POINT, POINT)
    q, qd, qdd = motion.at(times)
    qd[-1] = 0.0  # not exactly zero by the sine of a rounded angle
    return Trajectory(times, q, qd, qdd)


def track_under(robot, plant, law, motion, progress):
    """Run one law on the loaded arm, under the supervisor, from activation to the end.

    Parameters
    ----------
    robot : Robot
        The robot.
    plant : Robot
        The robot with its load.
    law : str
        Name of the law.
    motion : Motion
        The reference.
    progress : callable
        Called with (law, share done).

    Returns
    -------
    Run
        Its time series.
    """
    supervisor = Supervisor(robot, law_class(law)(robot), settings(robot, law))
    plant = Plant(plant, position=motion.centre)
    steps = round(motion.duration / PERIOD)
    error, effort = np.empty((2, steps, robot.nv))
    distance, mass = np.empty((2, steps))
    supervisor.measure(plant.q, plant.qd, 0.0)
    refusal = supervisor.activate(0.0) or supervisor.follow(trajectory(motion), 0.0)
    if refusal:
        raise RobodynError(f'law {law}: {refusal}')
    for k in range(steps):
        now = k * PERIOD
        supervisor.measure(plant.q, plant.qd, now)
        supervisor.tick(now)
        wanted = supervisor.reference[0]
        error[k], effort[k] = wanted - plant.q, supervisor.command
        distance[k] = np.linalg.norm(
            robot.pose(wanted, FRAME)[:3, 3] - robot.pose(plant.q, FRAME)[:3, 3]
        )
        mass[k] = supervisor.law.learnt[:, 0].sum() if hasattr(supervisor.law, 'learnt') else 0.0
        plant.step(supervisor.command, PERIOD)
        if k % 500 == 0:
            progress(law, k / steps)
    progress(law, 1.0)
    counters = supervisor.counters
    return Run(
        error,
        distance,
        effort,
        mass,
        counters['effort_limited'] / steps,
        counters['faults'] + plant.faults,
    )


def figures(record, limits):
    """Return the numbers of one run.

    Parameters
    ----------
    record : Run
        Its time series.
    limits : JointLimits
        Limits of the robot.

    Returns
    -------
    dict
        {name with unit: number}.
    """
    part = round(PART / PERIOD)
    return {
        'first_rms_rad': root_mean_square(record.error[:part]),
        'last_rms_rad': root_mean_square(record.error[-part:]),
        'max_error_rad': float(np.abs(record.error).max()),
        'last_end_effector_rms_m': root_mean_square(record.distance[-part:]),
        'peak_effort_share': float((np.abs(record.effort).max(axis=0) / limits.effort).max()),
        'effort_limited_share': record.limited,
        'learnt_mass_kg': float(record.mass[-1]),
        'faults': record.faults,
    }


def rows(numbers):
    """Return the cells of the table.

    Parameters
    ----------
    numbers : dict
        {law: its numbers}.

    Returns
    -------
    list of tuple of str
        A row for each law.
    """
    return [
        (
            LAWS[law],
            f'{1e3 * found["first_rms_rad"]:.1f}',
            f'{1e3 * found["last_rms_rad"]:.1f}',
            f'{1e3 * found["max_error_rad"]:.0f}',
            f'{1e3 * found["last_end_effector_rms_m"]:.1f}',
            f'{found["peak_effort_share"]:.2f}',
            f'{100 * found["effort_limited_share"]:.1f}',
        )
        for law, found in numbers.items()
    ]


def show(numbers, load):
    """Print the table.

    Parameters
    ----------
    numbers : dict
        {law: its numbers}.
    load : float
        Mass of the load [kg].
    """
    lines = [
        (
            'mrad, mm',
            f'first {PART:g} s',
            f'last {PART:g} s',
            'largest',
            'tip',
            'torque',
            'limited %',
        ),
        *rows(numbers),
    ]
    print(
        f'{load:g} kg at the {FRAME} that no law knows of: RMS and largest error of the joints, '
        f'error of the\ntip in the last {PART:g} s, largest torque over its limit.'
    )
    print(aligned(lines))


def draw(records, motion, load, path):
    """Draw the error of every law over time, and the learnt mass.

    Parameters
    ----------
    records : dict
        {law: Run}.
    motion : Motion
        The reference.
    load : float
        Mass of the load [kg].
    path : path
        File of the picture.
    """
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(13, 4.5), layout='constrained', width_ratios=(1.6, 1.0)
    )
    time = PERIOD * np.arange(round(motion.duration / PERIOD))
    for (law, record), colour in zip(records.items(), COLOURS):
        norm = 1e3 * np.maximum(np.linalg.norm(record.error, axis=1), 1e-7)
        left.semilogy(time, norm, color=colour, lw=1.0, label=LAWS[law])
    left.set(
        title=f'a 7-joint arm with {load:g} kg at its end effector that no law knows of',
        xlabel='time [s]',
        ylabel='error, norm over the joints [mrad]',
        ylim=(0.5, None),
    )
    right.plot(time, records['adaptive_computed_torque'].mass, color=COLOURS[-1])
    right.axhline(load, color='k', ls='--', lw=0.8, label='mass of the load')
    right.set(
        title='mass learnt by the adaptive law, all bodies', xlabel='time [s]', ylabel='[kg]'
    )
    for axes in (left, right):
        axes.grid(alpha=0.3, which='both')
        axes.legend(loc='lower right', fontsize=8)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def show_progress(law, share):
    """Show one line on a terminal, else a sentence for each law.

    Parameters
    ----------
    law : str
        Name of the law.
    share : float
        Share done.
    """
    if sys.stderr.isatty():
        sys.stderr.write(f'\r{LAWS[law]:<20}{share:4.0%}{"" if share < 1.0 else chr(10)}')
    elif share == 1.0:
        sys.stderr.write(f'{LAWS[law]}: done\n')


def options_of(args):
    """Parse the command line; exit with a sentence if it is not valid.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments of the command; by default those of this process.

    Returns
    -------
    argparse.Namespace
        The options.
    """
    parser = argparse.ArgumentParser(
        prog='robodyn_ros laws_demo',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--output', type=Path, default=Path('laws'), help='folder for the results')
    add_force(parser)
    parser.add_argument('--load', type=float, default=LOAD, help='mass at the end effector [kg]')
    parser.add_argument('--duration', type=float, default=DURATION, help='of a run [s]')
    options = parser.parse_args(args)
    if not 2.0 * PART <= options.duration <= 600.0:
        parser.error(f'--duration {options.duration}: expected {2.0 * PART:g} to 600 seconds')
    if not 0.0 < options.load <= 5.0:
        parser.error(f'--load {options.load}: expected above 0 and at most 5 kg')
    require('matplotlib')
    return options


def main(args=None):
    """Run the four laws.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments of the command; by default those of this process.

    Returns
    -------
    int
        The exit code: 0 if adaptation has the required advantage, else 1.
    """
    options = options_of(args)
    try:
        results = ResultFolder(options, ('laws.json', 'laws.png'), own=Path('laws'))
        robot = Robot.from_urdf(package_file(URDF))
        plant = robot.with_payload(
            FRAME, options.load, LOAD_COM, options.load * GYRATION**2 * np.eye(3)
        )
        motion = swaying_motion(robot.limits, options.duration)
        warm_up([kernel for law in LAWS for kernel in Supervisor.kernels(law_class(law))])
        records = {law: track_under(robot, plant, law, motion, show_progress) for law in LAWS}
    except RobodynError as error:
        print(f'The demonstration stopped: {error}', file=sys.stderr)
        return 1
    numbers = {law: figures(record, robot.limits) for law, record in records.items()}
    ratio = (
        numbers['computed_torque']['last_rms_rad']
        / numbers['adaptive_computed_torque']['last_rms_rad']
    )
    result = {
        'robot': robot.name,
        'load_kg': options.load,
        'duration_s': options.duration,
        'laws': numbers,
        'adaptive_against_computed_torque': ratio,
    }
    results.write('laws.json', json.dumps(result, indent=2) + '\n')
    show(numbers, options.load)
    print(
        f'In the end learning tracks {ratio:.0f} times better than computed torque '
        f'(expected: {WANTED_RATIO:g}).'
    )
    with results.whole('laws.png') as part:
        draw(records, motion, options.load, part)
    faults = sum(found['faults'] for found in numbers.values())
    return 0 if ratio >= WANTED_RATIO and not faults else 1


if __name__ == '__main__':
    sys.exit(main())
