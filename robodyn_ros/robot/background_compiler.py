# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile in another process, while generic kernels compute."""

import atexit
import contextlib
import functools
import hashlib
import os
import pickle
import subprocess
import threading
from dataclasses import replace

from robodyn_ros.codegen.parallel_rows import cores
from robodyn_ros.compile import cache, warm_up
from robodyn_ros.errors import RobodynError
from robodyn_ros.robot import child_process
from robodyn_ros.robot.robot import Robot
from robodyn_ros.robot.specialised_robot import SpecialisedRobot

NICE = 10  # steps of priority below the process that started it, which may control a robot

_running: set['BackgroundCompilation'] = set()


class _Stopped(Exception):
    """The result is no longer needed."""


class BackgroundCompilation:
    """Build an object from compiled kernels without delaying this process.

    Another process of low priority builds it first, and so fills the kernel cache. A thread of
    this process then builds it from the cache.

    `make` (callable): called as make(progress=...) in both processes. It must be picklable: a
      function of a module, or a functools.partial of one.
    `fill` (callable): the function that the other process calls instead, to compile more.
    `done` (callable): called with this object once at the end, from the thread.
    `result` (object or None): the result of `make`, set in one assignment.
    `progress` (tuple): kernels done, all kernels, and the name of the next one.
    `trouble`: why there is no result, or ''.
    `known`: whether it was built before on this machine, so that no other process is needed.
    """

    def __init__(self, make, fill=None, done=None):
        self.result = None
        self.progress = (0, 0, '')
        self.trouble = ''
        self._make, self._done = make, done
        self._parcel = pickle.dumps(fill or make)
        self._mark = _mark(self._parcel)
        self.known = cache.has_mark(self._mark)
        self._process = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name='specialise', daemon=True)
        _running.add(self)
        self._thread.start()

    @property
    def ready(self):
        """Whether there is a result."""
        return self.result is not None

    @property
    def ended(self):
        """Whether it has ended, with or without a result."""
        return self.ready or self.trouble != '' or not self._thread.is_alive()

    def wait(self, timeout=None):
        """Wait for the end.

        `timeout`: longest wait [s]; without a limit by default.
        Returns whether there is a result.
        """
        self._thread.join(timeout)
        return self.ready

    def stop(self):
        """End the compilation, in this process between two kernels; the current robot stays."""
        self._stopped.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
        self._thread.join()

    def _run(self):
        try:
            if not self.known:
                self._compile()
            if not self._stopped.is_set():
                self.result = self._make(progress=self._tell)
                if not self.known:
                    cache.set_mark(self._mark)
        except _Stopped:
            pass
        except Exception as error:  # a law of another package may raise any exception
            self.trouble = (
                str(error)
                if isinstance(error, (RobodynError, OSError))
                else (f'{type(error).__name__}: {error}')
            )
        _running.discard(self)
        if self._done:
            self._done(self)

    def _tell(self, name, done, total):
        if self._stopped.is_set():
            raise _Stopped
        self.progress = (done, total, name)

    def _compile(self):
        """Let the other process fill the cache."""
        if cache.folder(__file__) is None:
            raise RobodynError(
                'there is no kernel cache to compile into; set ROBODYN_CACHE_DIR '
                'to a folder that can be written'
            )
        with _worker(subprocess.PIPE) as self._process:
            with contextlib.suppress(OSError):  # it ended already
                lower = os.getpriority(os.PRIO_PROCESS, 0) + NICE
                os.setpriority(os.PRIO_PROCESS, self._process.pid, lower)
            errors = []
            reader = threading.Thread(
                target=lambda: errors.append(self._process.stderr.read()),
                daemon=True,  # an exit without `stop` does not wait for the compiler
            )
            reader.start()
            if self._stopped.is_set():  # before there was a process to end
                self._process.terminate()
            with contextlib.suppress(BrokenPipeError):  # it ended early: its code gives the reason
                with self._process.stdin as pipe:
                    pipe.write(self._parcel)
            forward_progress(self._process.stdout, self._tell)
            reader.join()
        if self._process.returncode != 0 and not self._stopped.is_set():
            messages = b''.join(errors).decode(errors='replace').strip().splitlines()
            code = self._process.returncode
            how = f'failed with code {code}' if code > 0 else f'was ended by signal {-code}'
            raise RobodynError(
                f'compiling in the background {how}' + (f': {messages[-1]}' if messages else '')
            )


def forward_progress(lines, progress):
    """Report the progress of a compiling process.

    `lines` (iterable of str): lines 'done/total name' of its output.
    `progress` (callable): called with (name, done, total).
    """
    for line in lines:
        count, _, name = line.decode(errors='replace').strip().partition(' ')
        done, _, total = count.partition('/')
        if done.isdigit() and total.isdigit():
            progress(name, int(done), int(total))


@atexit.register
def stop_all():
    """End every compilation under way.

    A process that leaves without the functions of `atexit` has to call it.
    """
    for background in tuple(_running):
        background.stop()


@contextlib.contextmanager
def parallel_compilation(listed):
    """Let another process compile kernels from the end of a list, while entered.

    It fills the cache, from which a later warm-up of the same list loads. No process starts if all
    kernels are cached, or only one processor may be used.

    `listed` (callable): called without arguments, returns the kernels; must be picklable.
    """
    if cores() < 2 or cache.folder(__file__) is None or all(kernel.is_kept for kernel in listed()):
        yield
        return
    with _worker(subprocess.DEVNULL) as worker:
        try:
            with contextlib.suppress(BrokenPipeError), worker.stdin as pipe:
                pipe.write(pickle.dumps(functools.partial(_warm_up_backwards, listed)))
            yield
        finally:
            worker.terminate()


def _warm_up_backwards(listed, progress):
    warm_up(list(listed())[::-1], progress)


def compile_ahead(make, progress=None):
    """Call `make` in this process and return its result.

    A BackgroundCompilation of the same `make` then finds the kernels in the cache.

    `make` (callable): called as make(progress=...).
    `progress` (callable): as in robodyn_ros.compile.warm_up.
    """
    result = make(progress=progress)
    cache.set_mark(_mark(pickle.dumps(make)))
    return result


def _worker(output):
    """Start a process that calls its pickled function; output : file for its output."""
    return child_process.start(
        'robodyn_ros.cli.warmup', '--parcel', stdin=subprocess.PIPE, stdout=output, stderr=output
    )


def _mark(parcel):
    """Return the name of the mark that a function has run on this machine."""
    return hashlib.sha256(parcel).hexdigest()[:32]


class BackgroundSpecialisation(BackgroundCompilation):
    """A robot that is usable at once, and specialised when its code is compiled."""

    def __init__(self, model, frames=(), done=None):
        self._generic = Robot(model)
        given = picklable_model(model), tuple(frames)
        super().__init__(
            functools.partial(SpecialisedRobot, *given),
            functools.partial(with_batches, *given),
            done,
        )

    @property
    def robot(self):
        """The current Robot: the generic one, or the SpecialisedRobot after its verification."""
        return self.result or self._generic


def picklable_model(model):
    """Return the model in a picklable form."""
    return replace(model, frames=dict(model.frames), held=dict(model.held))


def with_batches(model, frames, progress=None):
    """Return a SpecialisedRobot with compiled kernels for batches too.

    `progress` (callable): as in robodyn_ros.compile.warm_up.
    """
    robot = SpecialisedRobot(model, frames, progress)
    warm_up([kernels.rows for kernels in robot.kernels.values()], progress)
    return robot
