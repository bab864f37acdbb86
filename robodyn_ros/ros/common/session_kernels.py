# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels of a session: first the generic ones, then those compiled for its robot."""

from typing import Any, Callable

from robodyn_ros.compile import generic
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.middleware.joint_state_cdr import lengths_fit
from robodyn_ros.middleware.trajectory_cdr import points
from robodyn_ros.robot.background_compiler import BackgroundCompilation
from robodyn_ros.ros.common.parameter_table import ParamSpec
from robodyn_ros.ros.transport.cdr import read_numbers

KERNEL_PARAMETERS = (
    ParamSpec(
        'specialise',
        'bool',
        True,
        '',
        'Compile code for this robot alone in another process of low priority. Use it when it is '
        'ready.',
    ),
)
READERS = read_numbers, points, lengths_fit  # decode the messages that a controller receives
LOADING = 5.0  # [s] allowed for loading compiled kernels from the cache

LATER = 'from the next reset on'
GENERIC, SPECIALISED = 'generic kernels', 'specialised kernels'


def controller_kernels(law) -> tuple:
    """Return every generic kernel of a controller."""
    return tuple(dict.fromkeys((*Supervisor.kernels(law), *generic.SERVING, *READERS)))


class SessionKernels:
    """Compile the kernels of one robot in the background, and hand them over when they are ready.

    Kernels in the cache are available at once.

    `node` (rclpy Node): node whose logger is used.
    `robot`: name of the robot, for messages.
    `wanted`: whether to compile any.
    `make` (callable): see robodyn_ros.robot.background_compiler.BackgroundCompilation.
    `adopt` (callable): called with the result of `make`, from another thread.
    `waiting` (callable): returns whether the adopted kernels wait for the next reset.
    `at_once`: whether to compile them now, in this thread, so that no others are ever used.
    Raises KernelError: if kernels wanted at once do not compile, or differ from the generic ones.
    """

    def __init__(
        self,
        node,
        robot: str,
        wanted: bool,
        make: Callable,
        adopt: Callable[[Any], None],
        waiting: Callable[[], bool] = lambda: False,
        at_once: bool = False,
    ):
        self._logger, self._robot = node.get_logger(), robot
        self._adopt, self._waiting, self._at_once = adopt, waiting, at_once
        if at_once:
            adopt(make())
        wanted = wanted and not at_once
        self._background = BackgroundCompilation(make, done=self._ended) if wanted else None
        if self._background is not None and self._background.known:
            self._background.wait(LOADING)

    @property
    def text(self) -> str:
        """The kernels in use, and the reason."""
        background = self._background
        if background is None:
            return SPECIALISED if self._at_once else GENERIC
        if background.ready:
            return f'{GENERIC}, {SPECIALISED} {LATER}' if self._waiting() else SPECIALISED
        if background.trouble:
            return f'{GENERIC}: {background.trouble}'
        done, total, _ = background.progress
        return f'{GENERIC}, specialising {done}/{total}' if total else f'{GENERIC}, specialising'

    def close(self):
        """Stop a compilation that is still running."""
        if self._background is not None:
            self._background.stop()

    def _ended(self, background: BackgroundCompilation):
        if background.ready:
            self._adopt(background.result)
            when = LATER if self._waiting() else 'from now on'
            self._logger.info(f"'{self._robot}' is computed by {SPECIALISED} {when}.")
        elif background.trouble:
            self._logger.warning(f"'{self._robot}' stays with {GENERIC}: {background.trouble}")
