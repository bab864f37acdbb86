# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile generic kernels ahead of time, and with a URDF those of that robot.

Programs and nodes then load recursions, control laws and plant from the cache.

    ros2 run robodyn_ros warmup arm.urdf --frames tool0
    python -m robodyn_ros.cli.warmup arm.urdf
    robodyn_ros warmup --build     # once after `pip install` or `colcon build`
"""

import argparse
import contextlib
import functools
import pickle
import sys
import time
import warnings

from robodyn_ros import RobodynError
from robodyn_ros.compile import (
    batch_loops,
    cache,
    embedded,
    flexible_recursions,
    generic,
    known_answers,
    state_checks,
    warm_up,
)
from robodyn_ros.compile.prune import remove_others
from robodyn_ros.compile.vectorcall import method
from robodyn_ros.console.robot_arguments import add_robot, model_of, refuse
from robodyn_ros.control.laws.law_registry import BUILT_IN, law_class
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.robot.background_compiler import ahead, helped, portable, with_batches
from robodyn_ros.simulation import plant, rollouts
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.specialised_step import specialised_step


def main(args=None):
    """Compile; print a sentence and return 1 if an argument is refused."""
    parser = argparse.ArgumentParser(
        prog='warmup', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_robot(parser, optional=True)
    parser.add_argument('--frames', nargs='*', default=[], help='frames to specialise for too')
    parser.add_argument(
        '--laws',
        nargs='*',
        default=[*BUILT_IN],
        help='control laws to specialise; all that come with the package if not given',
    )
    parser.add_argument(
        '--build',
        action='store_true',
        help='keep the kernels of any robot inside the installation, for all its '
        'users; needs to be allowed to write there',
    )
    parser.add_argument(
        '--parcel',
        action='store_true',
        help='make what is described on standard input: for the process that '
        'started this one, see robodyn_ros.robot.background_compiler',
    )
    options = parser.parse_args(args)
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            # without a cache, compilation is of no use
            warnings.simplefilter('error', cache.CacheWarning)
            if options.parcel:
                pickle.loads(sys.stdin.buffer.read())(progress=plain())
                return 0
            if options.build:
                build_kernels()
                return 0
            everything(options)
    except (RobodynError, cache.CacheWarning) as error:
        return refuse(error)
    where = cache.folder(generic.__file__)
    print(f'{time.perf_counter() - begin:.1f} s; kept in {where}')
    return 0


def everything(options):
    """Compile the kernels that the arguments request."""
    model = model_of(options) if options.urdf else None
    for frame in options.frames if model else ():
        model.frame(frame)  # refuse before minutes of compiling, not after
    laws = [law_class(name) for name in options.laws]
    with shown() as progress:
        warm_up(for_any_robot(laws), progress)
        known_answers()
        if model:
            specialise(model, options.frames, laws, progress)


def build_kernels():
    """Compile the generic kernels into the installation, in two processes if possible."""
    begin = time.perf_counter()
    with cache.building():
        laws = tuple(BUILT_IN.values())
        for listed in (functools.partial(written, laws), generated):
            with shown() as progress, helped(listed):
                warm_up(listed(), progress)
        where = cache.folder(generic.__file__)
        remove_others(where)
    known_answers()
    print(f'{time.perf_counter() - begin:.1f} s; kept in {where}')


def for_any_robot(laws):
    """Return every generic kernel, with the control laws of these classes."""
    return list(dict.fromkeys([*written(laws), *generated()]))


def generated():
    """Return the generic kernels whose text is generated; this compiles the kernels they call."""
    return [
        *batch_loops.serving(),
        batch_loops.of(generic.inverse_dynamics_derivatives),
        batch_loops.of(generic.forward_dynamics_derivatives),
        *embedded.serving(),
    ]


def written(laws):
    """Return every other generic kernel, with the control laws of these classes."""
    kernels = [
        *generic.ALL,
        *state_checks.ALL,
        *method.ALL,
        *embedded.OF_LOOPS.values(),
        *flexible_recursions.KERNELS.values(),
        flexible_recursions.body_poses,
        *plant.KERNELS,
        rollouts.kernel,
        *(kernel for law in laws for kernel in Supervisor.kernels(law)),
    ]
    with contextlib.suppress(ImportError):  # there is no ROS
        from robodyn_ros.ros.common.session_kernels import READERS
        from robodyn_ros.ros.transport.readable import KERNELS

        kernels += [*READERS, *KERNELS]
    return list(dict.fromkeys(kernels))


def specialise(model, frames, laws, progress):
    """Compile and verify kernels for one state, for batches, and of the nodes."""
    model = portable(model)
    robot = ahead(functools.partial(with_batches, model, tuple(frames)), progress)
    for name in robot.generic:
        print(f'{name}: too long for code of its own, the generic kernel serves', file=sys.stderr)
    for law in laws:
        ahead(functools.partial(specialised_kernels, model, law), progress)
    ahead(functools.partial(specialised_step, model, PlantSettings.integrator), progress)


def plain():
    """Print progress as lines 'done/total name'."""

    def progress(name, done, total):
        print(f'{done}/{total} {name}'.strip(), flush=True)

    return progress


@contextlib.contextmanager
def shown():
    """Show progress as a bar if rich is installed and this is a terminal, else as lines."""
    try:
        from rich.markup import escape
        from rich.progress import Progress
    except ImportError:
        Progress = None
    if Progress is None or not sys.stdout.isatty():
        yield plain()
        return
    with Progress() as bars:
        task = bars.add_task('compiling', total=None)

        def progress(name, done, total):
            bars.update(task, description=escape(name) or 'compiled', completed=done, total=total)

        yield progress


if __name__ == '__main__':
    sys.exit(main())
