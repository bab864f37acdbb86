# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lock step within one process: states and efforts are passed by function calls."""

import threading
from typing import TYPE_CHECKING, Callable
from weakref import WeakKeyDictionary

import numpy as np

from robodyn_ros.realtime.histogram import Histogram
from robodyn_ros.realtime.loop import Counts
from robodyn_ros.ros.transport.lock_step_transport import ReadState

if TYPE_CHECKING:  # so that a controller does not import the simulation
    from robodyn_ros.simulation.command_modes import Command

Answer = Callable[[ReadState], 'np.ndarray | Command | None']

_links: WeakKeyDictionary = WeakKeyDictionary()  # context: {topic of the states: LocalLink}


class LocalLink:
    """Connection of the participants of a context to their simulator.

    `wake` (callable or None): notifies the simulator that a participant has joined; None without a
      simulator.
    `settle` (callable or None): returns when all nodes that watch the run have reacted. The
      simulator calls it before it asks the participants, and after all have answered. It may raise
      a ParameterError, which ends the run.
    `is_shared`: whether participants of other processes take part.
    """

    def __init__(self):
        self.wake: Callable[[], None] | None = None
        self.settle: Callable[[], None] | None = None
        self.is_shared = True
        self._answers: dict[str, Answer] = {}
        self._lock = threading.Lock()

    def __contains__(self, name: str) -> bool:
        return name in self._answers

    def join(self, name: str, answer: Answer):
        """Add a participant.

        `name`: name of the participant.
        `answer`: called with each state from the simulator's thread. It returns the efforts (n,)
          [N m or N] or a Command, NaN for no command. None means no answer yet.
        """
        with self._lock:
            self._answers[name] = answer
        if self.wake:
            self.wake()

    def leave(self, name: str):
        """Remove a participant; an answer in progress is awaited.

        `name`: name of the participant.
        """
        with self._lock:
            self._answers.pop(name, None)

    def answer_of(self, name: str, state: ReadState) -> 'np.ndarray | Command | None':
        """Ask a participant for its answer to a state.

        `name`: name of the participant.
        Returns the answer as for `join`; None also without such a participant.
        """
        with self._lock:
            answer = self._answers.get(name)
            return None if answer is None else answer(state)


def local_link(node, topic: str) -> LocalLink:
    """Return the link that all nodes of a context share for one topic of states.

    `node` (rclpy Node): node of the context.
    `topic`: name of the topic, resolved by the node.
    """
    links = _links.setdefault(node.context, {})
    return links.setdefault(node.resolve_topic_name(topic), LocalLink())


class LocalLoop:
    """A participant that the simulator calls, with the interface of a PeriodicLoop.

    `link` (LocalLink): link of the simulator.
    `name`: name of the participant.
    `answer` (callable): see LocalLink.join.
    `period`: simulated time of a step [s].
    """

    faults, warnings = 0, ()

    def __init__(self, link: LocalLink, name: str, answer: Answer, period: float):
        self.period, self.wake_latency, self.tick_time = period, Histogram(), Histogram()
        self._link, self._name, self._answer, self._asked = link, name, answer, 0

    @property
    def counts(self) -> Counts:
        """States answered, none missed, and the simulated time of these steps [ns]."""
        return Counts(self._asked, 0, round(self._asked * self.period * 1e9))

    @property
    def running(self) -> bool:
        """Whether the participant has joined."""
        return self._name in self._link

    def start(self):
        """Join the simulator."""
        self._link.join(self._name, self._count)

    def stop(self):
        """Leave the simulator."""
        self._link.leave(self._name)

    def _count(self, state: ReadState):
        self._asked += 1
        return self._answer(state)
