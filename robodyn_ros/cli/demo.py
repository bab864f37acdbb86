"""The demonstration: a simulated arm tracks a motion under three laws, and is then pushed by hand.

    make demo        or, in a sourced workspace,   ros2 run robodyn_ros demo

Simulated hardware and controller are two processes that talk over real DDS at 1 kHz. The result is
a table, report.json and tracking.png in the folder demo/.
"""
import argparse
import contextlib
import os
import socket
import sys
from pathlib import Path

import numpy as np

from robodyn_ros import Robot, RobodynError
from robodyn_ros.cli import tracking_report
from robodyn_ros.cli.disturbance import ReferenceLost
from robodyn_ros.cli.motion import mid_range, sway

GAINS = {'p': 100.0, 'd': 20.0}  # [1/s^2, 1/s] each joint critically damped at 10 rad/s
DURATION = 12.0                  # [s] of each tracking run
PUSH_DURATION = 8.0              # [s]
PUSH_PERIOD = 1.2                # [s] of one push and its counter-push
PUSH_FORCE = 4.0                 # [N]
ATTEMPTS = 3                     # at a run that a busy machine disturbs
MODES = ('pd', 'pd_gravity', 'computed_torque')
TITLES = {'pd': 'PD alone', 'pd_gravity': 'PD + gravity compensation',
          'computed_torque': 'computed torque', 'gravity_compensation': 'gravity compensation'}
URDF = Path('config/urdf/franka_like.urdf')
SHOWN, NOT_SHOWN, NOT_JUDGED = 0, 1, 3   # exit codes
EXIT_CODES = f"""exit codes:
  {SHOWN}  computed torque is as much better as it should be
  {NOT_SHOWN}  it is not, or something went wrong
  {NOT_JUDGED}  this machine was too busy to tell"""


def gains(robot, law):
    """Gain parameters of a law, all with the same nominal stiffness.

    PD alone gets the gains of computed torque times the diagonal of M at mid-range.
    """
    scale = np.ones(robot.nv)
    if law != 'computed_torque':
        scale = np.diag(robot.mass_matrix(mid_range(robot.limits)))
    return {f'gains.{joint}.{kind}': float(GAINS[kind] * factor)
            for joint, factor in zip(robot.joint_names, scale) for kind in GAINS}


def parameters(robot, law, start):
    """Parameters of the controller and of the simulator for one run that begins at a posture.

    A machine that also shows progress and draws pictures may pause a process for longer than a
    robot would tolerate: the state timeout is the longest that the controller accepts.
    """
    controller = {
        'law': law, 'robot_compensates_gravity': "'no'", 'state_timeout': 0.2,
        'state_publish_rate': 200.0, 'max_start_error': 1.0,  # PD alone sags before it is asked
        **(gains(robot, law) if law != 'gravity_compensation' else {})}
    simulator = {'initial_position': start.tolist(), 'joint_states_topic': '/joint_states',
                 'external_wrench_timeout': 0.1}
    return controller, simulator


def force(t):
    """Force on the flange [N]: every two seconds a push and its counter-push, along y or x."""
    number, within = divmod(t, 2.0)
    size = PUSH_FORCE * np.sin(2.0 * np.pi * within / PUSH_PERIOD) if within < PUSH_PERIOD else 0.0
    return np.array((0.0, size, 0.0) if number % 2 == 0 else (size, 0.0, 0.0))


def run(urdf, robot, duration, progress):
    """All four runs: ({mode: Record}, Record of the pushed arm, how many runs were repeated).

    A run that a busy machine disturbs is repeated; if all are, the least disturbed one counts.
    """
    from robodyn_ros.cli.experiment import Experiment  # needs ROS
    motion, records, repeated = sway(robot.limits, duration), {}, 0
    for mode in (*MODES, 'gravity_compensation'):
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with Experiment(urdf, *parameters(robot, mode, motion.centre),
                                lambda word, share: progress(mode, word, share)) as experiment:
                    experiment.settle()   # compiling beside it would cost the arm cycles
                    record = (experiment.track(motion, robot.joint_names) if mode in MODES
                              else experiment.push('flange', force, PUSH_DURATION))
                if mode not in records or record.disturbed < records[mode].disturbed:
                    records[mode] = record
                if not record.disturbed:
                    break
            except ReferenceLost:
                if attempt == ATTEMPTS and mode not in records:
                    raise
            repeated += attempt < ATTEMPTS
        progress(mode, 'done', 1.0)
    return records, records.pop('gravity_compensation'), repeated


@contextlib.contextmanager
def shown_progress():
    """A function (mode, word, share) that shows how far the demonstration has come."""
    try:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    except ImportError:
        told = set()

        def tell(mode, word, share):
            if (mode, word) not in told:
                told.add((mode, word))
                print(f'{TITLES[mode]}: {word}', flush=True)
        yield tell
        return
    columns = (TextColumn('{task.description:<28}'), BarColumn(),
               TextColumn('{task.fields[word]:<9}'), TimeElapsedColumn())
    with Progress(*columns) as bars:
        tasks = {}

        def show(mode, word, share):
            if mode not in tasks:
                tasks[mode] = bars.add_task(TITLES[mode], total=1.0, word=word)
            bars.update(tasks[mode], completed=share, word=word)
        yield show


def private_domain():
    """Keep to this machine, in a ROS domain that no other test or demonstration has reserved."""
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    if 'ROS_DOMAIN_ID' in os.environ:
        return None
    for domain in range(60, 100):
        lock = socket.socket()
        with contextlib.suppress(OSError):
            lock.bind(('', 32768 + domain))  # how ament's domain_coordinator reserves one
            os.environ['ROS_DOMAIN_ID'] = str(domain)
            return lock
        lock.close()
    return None


def find(path):
    """A file of this package: beside the sources, or installed in share/ by pip or by colcon."""
    for folder in (Path(__file__).resolve().parents[2], Path(sys.prefix, 'share', 'robodyn_ros')):
        if (folder / path).exists():
            return folder / path
    from ament_index_python.packages import get_package_share_directory
    return Path(get_package_share_directory('robodyn_ros')) / path


def main(args=None):
    """Run the demonstration; its exit code is told by EXIT_CODES."""
    parser = argparse.ArgumentParser(prog='demo', description=__doc__, epilog=EXIT_CODES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--output', type=Path, default=Path('demo'), help='folder for the results')
    parser.add_argument('--duration', type=float, default=DURATION,
                        help='seconds of each tracking run, at least 5')
    options = parser.parse_args(args)
    if not 5.0 <= options.duration <= 600.0:
        parser.error(f'--duration {options.duration}: expected 5 to 600 seconds')
    lock = private_domain()
    try:
        urdf = find(URDF)
        robot = Robot.from_urdf(urdf)
        options.output.mkdir(parents=True, exist_ok=True)
        with shown_progress() as progress:
            records, push, repeated = run(urdf, robot, options.duration, progress)
        modes = {mode: tracking_report.figures(record, robot.joint_names)
                 for mode, record in records.items()}
        result = tracking_report.report(
            robot, modes, tracking_report.push_figures(push), urdf, repeated)
        tracking_report.save(result, options.output / 'report.json')
        tracking_report.show(result)
        _picture(records, push, robot, result, options.output / 'tracking.png')
    except RobodynError as error:
        print(f'The demonstration stopped: {error}', file=sys.stderr)
        return NOT_JUDGED if isinstance(error, ReferenceLost) else NOT_SHOWN
    except ImportError as error:
        print(f'The demonstration needs ROS 2 and robodyn_msgs ({error}); `make demo` sets them '
              'up, or source a workspace in which both packages are built.', file=sys.stderr)
        return NOT_SHOWN
    finally:
        if lock:
            lock.close()
    return {True: SHOWN, False: NOT_SHOWN, None: NOT_JUDGED}[
        result['computed_torque_against_pd']['reached']]


def _picture(records, push, robot, result, path):
    try:
        from robodyn_ros.cli.tracking_plot import draw
        draw(records, push, robot.joint_names, tracking_report.verdict(result), path)
    except ImportError as error:
        print(f'No picture: {error}. Install matplotlib for {path}.')
    else:
        print(f'The numbers are in {path.parent / "report.json"}, the picture in {path}.')


if __name__ == '__main__':
    sys.exit(main())
