"""A plant in steps of one length, with its sensor, its pause and a clock that never goes back."""
from collections import deque

NANOSECONDS = 1_000_000_000


class Runner:
    """Steps a plant on demand. Commands may come from another thread; all else from one at a time.

    Attributes:
      plant, sensor: what is run.
      paused: whether `advance` is without effect.
      steps: taken since the start; a reset does not turn it back.
      reading_valid: whether the last reading of the sensor got through.

    Args:
      plant, sensor: a Plant and a Sensor of the same robot.
      rate: steps a second of simulated time [Hz].

    """

    def __init__(self, plant, sensor, rate):
        self.plant, self.sensor = plant, sensor
        self.paused = False
        self.steps = 0
        self._rate, self._dt = rate, 1.0 / rate
        self._pending = deque(maxlen=1)  # appended and popped whole, so that no command is torn
        self.sense()

    @property
    def time(self):
        """Simulated time since the start [ns], without the rounding of a sum."""
        return self.steps * NANOSECONDS // self._rate

    def command(self, effort):
        """Have `effort` (nv,) [N m or N] taken at the next step, in place of one not yet taken."""
        self._pending.append(effort)

    def advance(self, count=1):
        """Take `count` steps, unless paused, and a reading."""
        if not self.paused:
            self.step(count)
        else:
            self.sense()

    def step(self, count=1):
        """Take `count` steps, paused or not, and a reading."""
        for _ in range(count):
            self.plant.step(self._pending.pop() if self._pending else None, self._dt)
        self.steps += count
        self.sense()

    def sense(self):
        """Take a reading of the state as it is."""
        self.reading_valid = self.sensor.read(self.plant.q, self.plant.qd)

    def reset(self):
        """Begin anew, but for the clock: initial state, no command, no latched fault."""
        self._pending.clear()
        self.plant.reset()
        self.sensor.reset()
        self.sense()

    def set_state(self, position=None, velocity=None):
        """Put the robot into a state; see Plant.set_state."""
        self.plant.set_state(position, velocity)
        self.sense()
