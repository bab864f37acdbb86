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

if TYPE_CHECKING:  # a controller needs no simulation
    from robodyn_ros.simulation.command_modes import Command

Answer = Callable[[ReadState], 'np.ndarray | Command | None']

_links: WeakKeyDictionary = WeakKeyDictionary()  # context: {topic of the states: LocalLink}


class LocalLink:
    """Connection of the participants of a context to their simulator.

    Attributes
    ----------
    wake : callable or None
        Notifies the simulator that a participant has joined; None without a simulator.
    """

    def __init__(self):
        self.wake: Callable[[], None] | None = None
        self._answers: dict[str, Answer] = {}
        self._lock = threading.Lock()

    def __contains__(self, name: str) -> bool:
        return name in self._answers

    def join(self, name: str, answer: Answer):
        """Join under a name.

        Parameters
        ----------
        name : str
            Of the participant.
        answer : callable
            Called with each state from the simulator's thread. It returns the efforts (n,) [N m |
            N] or a Command, NaN for no command. None means no answer yet.
        """
        with self._lock:
            self._answers[name] = answer
        if self.wake:
            self.wake()

    def leave(self, name: str):
        """Leave, after an answer under way."""
        with self._lock:
            self._answers.pop(name, None)

    def answer_of(self, name: str, state: ReadState) -> 'np.ndarray | Command | None':
        """Return the answer of a participant, or None."""
        with self._lock:
            answer = self._answers.get(name)
            return None if answer is None else answer(state)


def local_link(node, topic: str) -> LocalLink:
    """Return the link of all nodes of a context with this topic of states."""
    links = _links.setdefault(node.context, {})
    return links.setdefault(node.resolve_topic_name(topic), LocalLink())


class LocalLoop:
    """A participant that the simulator calls, with the interface of a PeriodicLoop.

    Parameters
    ----------
    link : LocalLink
        Of the simulator.
    name : str
        Of the participant.
    answer : callable
        See LocalLink.join.
    period : float
        Of a step, in simulated time [s].
    """

    faults, warnings = 0, ()

    def __init__(self, link: LocalLink, name: str, answer: Answer, period: float):
        self.period, self.wake_latency, self.tick_time = period, Histogram(), Histogram()
        self._link, self._name, self._answer, self._asked = link, name, answer, 0

    @property
    def counts(self) -> Counts:
        """States answered, none missed, and the simulated time [ns] that takes."""
        return Counts(self._asked, 0, round(self._asked * self.period * 1e9))

    @property
    def running(self) -> bool:
        """Whether it has joined."""
        return self._name in self._link

    def start(self):
        """Take part."""
        self._link.join(self._name, self._count)

    def stop(self):
        """Leave."""
        self._link.leave(self._name)

    def _count(self, state: ReadState):
        self._asked += 1
        return self._answer(state)
