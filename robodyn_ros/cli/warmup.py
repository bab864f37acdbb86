"""Compile ahead of time: the kernels of any robot, and with a URDF those of that robot alone.

    ros2 run robodyn_ros warmup arm.urdf --frames tool0
    python -m robodyn_ros.cli.warmup arm.urdf
"""
import argparse
import contextlib
import pickle
import sys
import time

from robodyn_ros import RobodynError
from robodyn_ros.background import with_batches
from robodyn_ros.control.registry import BUILT_IN
from robodyn_ros.kernels import cache, checks, generic, known_answers, rows, warm_up
from robodyn_ros.model import build, urdf
from robodyn_ros.simulation.step import step


def main(args=None):
    """Compile; exit code 1, and a sentence, where something is refused."""
    parser = argparse.ArgumentParser(prog='warmup', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('urdf', nargs='?', help='URDF file of the robot to specialise for')
    parser.add_argument('--joints', nargs='*', help='joints that move, in order; all if not given')
    parser.add_argument('--base', help='link that stands still')
    parser.add_argument('--frames', nargs='*', default=[], help='frames to specialise for too')
    parser.add_argument('--parcel', action='store_true',
                        help='make what is described on standard input: for the process that '
                             'started this one, see robodyn_ros.background')
    options = parser.parse_args(args)
    begin = time.perf_counter()
    try:
        if options.parcel:
            pickle.loads(sys.stdin.buffer.read())(progress=plain())
            return 0
        model = build.build(urdf.parse(options.urdf), joints=options.joints,
                            base=options.base) if options.urdf else None
        for frame in options.frames if model else ():
            model.frame(frame)   # refuse before minutes of compiling, not after
        with shown() as progress:
            laws = [kernel for law in BUILT_IN.values() for kernel in law.kernels]
            warm_up(dict.fromkeys([*generic.ALL, *rows.ALL, *checks.ALL, *laws, step]), progress)
            known_answers()
            if model:
                specialise(model, options.frames, progress)
    except RobodynError as error:
        print(f'Refused: {error}', file=sys.stderr)
        return 1
    where = cache.folder(generic.__file__)
    print(f'{time.perf_counter() - begin:.1f} s; ' + (f'kept in {where}' if where else 'not kept'))
    return 0


def specialise(model, frames, progress):
    """Compile for one state and for batches, and check against the generic kernels."""
    robot = with_batches(model, frames, progress)
    for name in robot.generic:
        print(f'{name}: too long for code of its own, the generic kernel serves', file=sys.stderr)


def plain():
    """Progress as lines 'done/total name'."""
    def progress(name, done, total):
        print(f'{done}/{total} {name}'.strip(), flush=True)
    return progress


@contextlib.contextmanager
def shown():
    """Progress for people: a bar where rich is installed and this is a terminal, else lines."""
    try:
        from rich.progress import Progress
    except ImportError:
        Progress = None
    if Progress is None or not sys.stdout.isatty():
        yield plain()
        return
    with Progress() as bars:
        task = bars.add_task('compiling', total=None)

        def progress(name, done, total):
            bars.update(task, description=name or 'compiled', completed=done, total=total)
        yield progress


if __name__ == '__main__':
    sys.exit(main())
