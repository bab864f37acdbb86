"""A robot that serves at once, and becomes a specialised one when its code is compiled."""
import contextlib
import pickle
import subprocess
import sys
import threading
from dataclasses import replace

from robodyn_ros.errors import RobodynError
from robodyn_ros.kernels import cache
from robodyn_ros.robot import Robot
from robodyn_ros.specialised import SpecialisedRobot


class BackgroundSpecialisation:
    """Compiles the code of one robot in another process, while the generic kernels serve.

    robot : the Robot to use now. It is replaced by a SpecialisedRobot, which has passed its
    examination, in one assignment: whoever reads it gets the one or the other, whole. progress :
    (kernels done, all, name of the next). trouble : '' or why the generic kernels keep serving.

    The other process fills the kernel cache; a thread of this one then loads the machine code from
    there, which takes tenths of a second of this process's time. done : called once at the end,
    from that thread, with this object.
    """

    def __init__(self, model, frames=(), done=None):
        self.robot = Robot(model)
        self.progress = (0, 0, '')
        self.trouble = ''
        self._frames, self._done = tuple(frames), done
        self._process = None
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name='specialise', daemon=True)
        self._thread.start()

    @property
    def ready(self):
        """Whether the specialised kernels serve."""
        return isinstance(self.robot, SpecialisedRobot)

    def wait(self, timeout=None):
        """Wait for the end [s]; return whether the specialised kernels serve."""
        self._thread.join(timeout)
        return self.ready

    def stop(self):
        """End the other process, if it is still at work, and leave the generic kernels serving."""
        self._stopped.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.terminate()
        self._thread.join()

    def _run(self):
        try:
            self._compile()
            if not self._stopped.is_set():
                self.robot = SpecialisedRobot(self.robot.model, self._frames)
        except (RobodynError, OSError) as error:
            self.trouble = str(error)
        if self._done:
            self._done(self)

    def _compile(self):
        """Let the other process fill the cache."""
        if cache.folder(__file__) is None:
            raise RobodynError('there is no kernel cache to compile into; set ROBODYN_CACHE_DIR '
                               'to a folder that can be written')
        model = self.robot.model
        parcel = pickle.dumps((replace(model, frames=dict(model.frames)), self._frames))
        with subprocess.Popen([sys.executable, '-m', 'robodyn_ros.cli.warmup', '--parcel'],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as self._process:
            errors = []
            reader = threading.Thread(target=lambda: errors.append(self._process.stderr.read()))
            reader.start()
            if self._stopped.is_set():  # before there was a process to end
                self._process.terminate()
            with contextlib.suppress(BrokenPipeError):  # it ended early: its code tells why
                with self._process.stdin as pipe:
                    pipe.write(parcel)
            for line in self._process.stdout:
                count, _, name = line.decode(errors='replace').strip().partition(' ')
                done, _, total = count.partition('/')
                if done.isdigit() and total.isdigit():
                    self.progress = (int(done), int(total), name)
            reader.join()
        if self._process.returncode != 0 and not self._stopped.is_set():
            said = b''.join(errors).decode(errors='replace').strip().splitlines()
            raise RobodynError(f'specialising robot {model.name!r} in the background failed with '
                               f'code {self._process.returncode}: {said[-1] if said else ""}')
