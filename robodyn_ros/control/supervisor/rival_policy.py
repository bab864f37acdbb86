# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The policy for a node that begins to command the robot while this one does."""

from typing import Callable

REPORT, HOLD, STOP = 'report', 'hold', 'stop'
RIVAL_ACTIONS = (HOLD, REPORT, STOP)


class RivalPolicy:
    """React to rivals that come later; at activation this node yields to older ones.

    Parameters
    ----------
    supervisor
        Of this controller.
    topic : str
        Of their commands.
    tell : callable
        Called with a sentence whenever the set of rivals changes.
    """

    def __init__(self, supervisor, topic: str, tell: Callable[[str], None]):
        self._supervisor, self._topic, self._tell = supervisor, topic, tell
        self._rivals: list[str] = []
        self._action = REPORT

    def meet(self, rivals: list[str], action: str):
        """Update the rivals, and act if there is a new one.

        Parameters
        ----------
        rivals : list of str
            Full names of the nodes.
        action : str
            One of RIVAL_ACTIONS.
        """
        came = [name for name in rivals if name not in self._rivals]
        gone = self._rivals and not rivals
        self._rivals, self._action = list(rivals), action
        if gone:
            self._tell(f"No other node publishes on '{self._topic}' any more.")
        if not came:
            return
        sentence = f"Another node publishes on '{self._topic}': {', '.join(rivals)}."
        self._tell(sentence)
        if action == STOP:
            self._supervisor.stop(sentence)
        elif action == HOLD:
            self._supervisor.hold()

    @property
    def refusal(self) -> str:
        """'', or why no reference is followed at present."""
        if not self._rivals or self._action != HOLD:
            return ''
        return (
            f"the posture is held while another node publishes on '{self._topic}': "
            f'{", ".join(self._rivals)}'
        )
