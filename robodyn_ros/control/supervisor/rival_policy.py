# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The reaction to a rival: another node that commands the same robot."""

from typing import Callable

REPORT, HOLD, STOP = 'report', 'hold', 'stop'
RIVAL_ACTIONS = (HOLD, REPORT, STOP)


class RivalPolicy:
    """React to rivals that start after this controller was activated.

    With a rival that is already there, activation is refused.

    `supervisor` (Supervisor): the supervisor of this controller.
    `topic`: topic of the commands.
    `tell` (callable): called with a message whenever the set of rivals changes.
    """

    def __init__(self, supervisor, topic: str, tell: Callable[[str], None]):
        self._supervisor, self._topic, self._tell = supervisor, topic, tell
        self._rivals: list[str] = []
        self._action = REPORT

    def react(self, rivals: list[str], action: str):
        """Update the rivals, and act if there is a new one.

        `rivals`: full names of the nodes.
        `action`: reaction to a new rival, one of RIVAL_ACTIONS.
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
        """Return why no reference is followed at present, or ''."""
        if not self._rivals or self._action != HOLD:
            return ''
        return (
            f"the posture is held while another node publishes on '{self._topic}': "
            f'{", ".join(self._rivals)}'
        )
