# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lock step: a step is taken when every participant has answered the current state."""

from collections import Counter
from typing import Sequence

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.simulation.command_modes import CODES, PLURAL, QUANTITIES, Command
from robodyn_ros.simulation.runner import NANOSECONDS, Runner

EFFORT = QUANTITIES.index('effort')
STALE, STRANGER, REPEATED, ACCEPTED, COMPLETE = range(5)  # outcomes of an answer


class LockStep:
    """Run the steps of a runner, each after one answer of every participant.

    State k of an epoch has the time k times the period, an integer number of nanoseconds. Only the
    first answer of a participant to a state counts.

    `runner` (Runner): the runner, at step 0.
    `rate`: steps per second [Hz]; the period must be an integer number of nanoseconds.
    `participants` (sequence of str): names of the nodes that answer every state.
    `epoch`: number of the run, larger than that of any run before.
    `step`: number k of the current state.
    `goal`: step at which the run halts.
    `dropped` (Counter): answers without effect, by reason: 'stale', 'stranger', 'repeated'.
    Raises ParameterError: if the period is not an integer number of nanoseconds, or a name is
      missing or repeated.
    """

    def __init__(self, runner: Runner, rate: int, participants: Sequence[str], epoch: int):
        if NANOSECONDS % rate:
            raise ParameterError(
                f'lock step: got {rate} steps a second, a period of '
                f'{NANOSECONDS / rate} ns; expected a whole number of '
                'nanoseconds, as of 1000 steps a second'
            )
        if not participants or len(set(participants)) != len(participants):
            raise ParameterError(
                f'lock step: got the participants {list(participants)}; '
                'expected one name or more, each once'
            )
        self.runner, self.epoch, self.period = runner, epoch, NANOSECONDS // rate
        self.participants = tuple(participants)
        self.step = self.goal = 0
        self.dropped: Counter[str] = Counter()
        self._answers: dict[str, Command] = {}
        self._efforts = np.full(runner.plant.model.nv, CODES['effort'])
        self._modes: tuple[str, ...] = ()  # those that _all_take_efforts was found for
        self._all_take_efforts = False

    @property
    def time(self) -> int:
        """Simulated time of the current state [ns]."""
        return self.step * self.period

    @property
    def complete(self) -> bool:
        """Whether every participant has answered the current state."""
        return len(self._answers) == len(self.participants)

    @property
    def missing(self) -> list[str]:
        """Participants that have not answered the current state."""
        answers = self._answers
        if not answers:
            return list(self.participants)
        return [name for name in self.participants if name not in answers]

    def answer(
        self,
        participant: str,
        epoch: int,
        step: int,
        command: np.ndarray | Command | tuple[np.ndarray, ...],
    ) -> int:
        """Process an answer to the current state.

        `participant`: name of the sender.
        `epoch`, `step`: the answered state.
        `command`: efforts [N m or N], a Command, or (efforts, positions, velocities), each (nv,)
          or empty. NaN where the participant does not command the joint.
        Returns STALE, STRANGER, REPEATED, ACCEPTED or COMPLETE.
        Raises ParameterError: if the command has another size, or has two quantities for a joint.
          If another participant commands a joint of it, or a joint does not take the quantity.
        """
        if participant not in self.participants:
            self.dropped['stranger'] += 1
            return STRANGER
        if (epoch, step) != (self.epoch, self.step):
            self.dropped['stale'] += 1
            return STALE
        if participant in self._answers:
            self.dropped['repeated'] += 1
            return REPEATED
        if not isinstance(command, (np.ndarray, Command)):
            efforts, positions, velocities = command
            only_efforts = efforts.size and not positions.size and not velocities.size
            command = efforts if only_efforts else self._joined(participant, command)
        self.accept(participant, command)
        return COMPLETE if self.complete else ACCEPTED

    def accept(self, participant: str, command: np.ndarray | Command):
        """Accept the first answer of a participant to the current state.

        `participant`: one of the missing participants.
        `command`: efforts [N m or N], or a Command.
        Raises ParameterError: as for `answer`.
        """
        self._answers[participant] = self._judged(participant, command)

    def withdraw(self, participant: str):
        """Remove the answer to the current state, because the participant has changed it.

        `participant`: name of the sender.
        """
        self._answers.pop(participant, None)

    def advance(self) -> bool:
        """Take one step if the goal lies ahead and all have answered.

        Returns whether the step was taken.
        """
        if self.step >= self.goal or not self.complete:
            return False
        command, *others = self._answers.values()
        for other in others:  # no joint may be commanded twice
            empty = np.isnan(other.value)
            command = Command(*(np.where(empty, *pair) for pair in zip(command, other)))
        self._answers.clear()
        self.runner.step(1, command)
        self.step += 1
        return True

    def restart(self):
        """Start a new epoch at step 0, in the state of the runner."""
        self.epoch += 1
        self.step = self.goal = self.runner.steps = 0
        self._answers.clear()

    def _joined(self, participant, arrays):
        """Return the efforts, positions and velocities of an answer as one Command."""
        joints = self.runner.plant.model.joint_names
        values = np.full((len(QUANTITIES), len(joints)), np.nan)
        for row, given, quantity in zip(values, arrays, QUANTITIES):
            if given.size not in (0, len(joints)):
                self._refuse_size(participant, given.size, quantity)
            if given.size:
                row[:] = given
        given = ~np.isnan(values)
        twice = np.flatnonzero(given.sum(axis=0) > 1)
        if twice.size:
            names = [name for name, row in zip(QUANTITIES, given) if row[twice[0]]]
            raise ParameterError(
                f"lock step: '{participant}' commands joint {joints[twice[0]]} by "
                f'{" and ".join(names)}; expected one of them'
            )
        quantity = given.argmax(axis=0)
        return Command(values[quantity, np.arange(len(joints))], quantity.astype(float))

    def _refuse_size(self, participant, size, quantity):
        joints = self.runner.plant.model.joint_names
        raise ParameterError(
            f"lock step: '{participant}' answered with {size} {PLURAL[quantity]}; "
            f'expected {len(joints)}, of {", ".join(joints)}'
        )

    def _judged(self, participant, command):
        """Return an answer as a Command, after checking that this participant may give it."""
        plant, only_efforts = self.runner.plant, isinstance(command, np.ndarray)
        value = command if only_efforts else command.value
        if value.shape != self._efforts.shape:
            self._refuse_size(participant, value.size, 'effort')
        if only_efforts:
            command = Command(value, self._efforts)
        if plant.command_modes != self._modes:
            self._modes = plant.command_modes
            self._all_take_efforts = bool(plant.accepted_quantities[:, EFFORT].all())
        if not (only_efforts and self._all_take_efforts):
            self._require_taken(participant, command)
        for name, other in self._answers.items():
            both = np.flatnonzero(~np.isnan(value) & ~np.isnan(other.value))
            if both.size:
                raise ParameterError(
                    f"lock step: '{participant}' and '{name}' both command joint "
                    f'{plant.model.joint_names[both[0]]}; expected one of them'
                )
        return command

    def _require_taken(self, participant, command):
        plant = self.runner.plant
        joints, quantity = plant.model.joint_names, command.mode.astype(int)
        taken = plant.accepted_quantities[np.arange(len(joints)), quantity] > 0.0
        refused = np.flatnonzero(~np.isnan(command.value) & ~taken)
        if refused.size:
            k = refused[0]
            raise ParameterError(
                f"lock step: '{participant}' commands joint {joints[k]} by "
                f'{QUANTITIES[quantity[k]]}; expected {plant.command_modes[k]}'
            )
