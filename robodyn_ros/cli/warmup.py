# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile generic kernels ahead of time, and with a URDF those of that robot.

Programs and nodes then load recursions, control laws and plant from the cache.

    robodyn_ros warmup arm.urdf --frames tool0
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
from robodyn_ros.console.robot_arguments import RobotParser, add_robot, model_of, refuse
from robodyn_ros.control.laws.law_registry import BUILT_IN, law_class
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.robot.background_compiler import (
    compile_ahead,
    parallel_compilation,
    picklable_model,
    with_batches,
)
from robodyn_ros.simulation import rollouts
from robodyn_ros.simulation.contact import plant_kernels
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.specialised_step import specialised_step


def main(args=None):
    """Compile the kernels that the arguments request.

    Returns the exit code: 1 if an argument is refused, else 0.
    """
    parser = RobotParser(
        prog='robodyn_ros warmup',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_robot(parser, optional=True)
    parser.add_argument('--frames', nargs='*', default=[], help='frames for quantities of frames')
    parser.add_argument(
        '--laws',
        nargs='*',
        default=[*BUILT_IN],
        help='control laws to specialise; by default all of this package',
    )
    parser.add_argument(
        '--build',
        action='store_true',
        help='store the generic kernels in the installation, for all its '
        'users; needs permission to write there',
    )
    parser.add_argument(
        '--parcel',
        action='store_true',
        help='compile a request from standard input, for the parent process; '
        'see robodyn_ros.robot.background_compiler',
    )
    options = parser.parse_args(args)
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            # without a cache the compiled kernels would be lost
            warnings.simplefilter('error', cache.CacheWarning)
            if options.parcel:
                pickle.loads(sys.stdin.buffer.read())(progress=line_progress())
                return 0
            if options.build:
                build_kernels()
                return 0
            compile_everything(options)
    except (RobodynError, cache.CacheWarning) as error:
        return refuse(error)
    where = cache.folder(generic.__file__)
    print(f'{time.perf_counter() - begin:.1f} s; stored in {where}')
    return 0


def compile_everything(options):
    """Compile the generic kernels, then those of a robot."""
    model = model_of(options) if options.urdf else None
    if model:
        model.require_dynamics()  # refuses before minutes of compilation, as for unknown frames
    for frame in options.frames if model else ():
        model.frame(frame)
    laws = [law_class(name) for name in options.laws]
    with progress_display() as progress:
        warm_up(for_any_robot(laws), progress)
        known_answers()
        if model:
            specialise(model, options.frames, laws, progress)


def build_kernels():
    """Compile the generic kernels into the installation, in two processes if possible."""
    begin = time.perf_counter()
    with cache.building():
        laws = tuple(BUILT_IN.values())
        for listed in (functools.partial(written_kernels, laws), generated_kernels):
            with progress_display() as progress, parallel_compilation(listed):
                warm_up(listed(), progress)
        where = cache.folder(generic.__file__)
        remove_others(where)
    known_answers()
    print(f'{time.perf_counter() - begin:.1f} s; stored in {where}')


def for_any_robot(laws):
    """Return every generic kernel, with the kernels of control laws.

    `laws` (sequence of type): classes of the laws.
    """
    return list(dict.fromkeys([*written_kernels(laws), *generated_kernels()]))


def generated_kernels():
    """Return the generic kernels with generated source.

    This compiles the kernels that they call.
    """
    return [
        *batch_loops.kernels_in_use(),
        batch_loops.of(generic.inverse_dynamics_derivatives),
        batch_loops.of(generic.forward_dynamics_derivatives),
        *embedded.kernels(),
    ]


def written_kernels(laws):
    """Return every other generic kernel, with the kernels of control laws.

    `laws` (sequence of type): classes of the laws.
    """
    kernels = [
        *generic.ALL,
        *state_checks.ALL,
        *method.ALL,
        *embedded.OF_LOOPS.values(),
        *flexible_recursions.KERNELS.values(),
        flexible_recursions.body_poses,
        *plant_kernels.KERNELS,
        rollouts.kernel,
        *(kernel for law in laws for kernel in Supervisor.kernels(law)),
    ]
    with contextlib.suppress(ImportError):  # there is no ROS
        from robodyn_ros.ros.common.session_kernels import READERS
        from robodyn_ros.ros.transport.checked_messages import KERNELS

        kernels += [*READERS, *KERNELS]
    return list(dict.fromkeys(kernels))


def specialise(model, frames, laws, progress):
    """Compile and verify the kernels of one robot: one state, batches, laws and plant.

    `frames` (sequence of str): frames for quantities of frames.
    `laws` (sequence of type): classes of the laws.
    `progress` (callable): called with (name, number done, total).
    """
    model = picklable_model(model)
    robot = compile_ahead(functools.partial(with_batches, model, tuple(frames)), progress)
    for name in robot.generic:
        print(f'{name}: its code would be too long; the generic kernel is used', file=sys.stderr)
    for law in laws:
        compile_ahead(functools.partial(specialised_kernels, model, law), progress)
    compile_ahead(functools.partial(specialised_step, model, PlantSettings.integrator), progress)


def line_progress():
    """Return a function that prints progress as lines 'done/total name'."""

    def progress(name, done, total):
        print(f'{done}/{total} {name}'.strip(), flush=True)

    return progress


@contextlib.contextmanager
def progress_display():
    """Show progress as a bar if rich is installed and this is a terminal, else as lines.

    Yields call it with (name, number done, total).
    """
    try:
        from rich.markup import escape
        from rich.progress import Progress
    except ImportError:
        Progress = None
    if Progress is None or not sys.stdout.isatty():
        yield line_progress()
        return
    with Progress() as bars:
        task = bars.add_task('compiling', total=None)

        def progress(name, done, total):
            bars.update(task, description=escape(name) or 'compiled', completed=done, total=total)

        yield progress


if __name__ == '__main__':
    sys.exit(main())
