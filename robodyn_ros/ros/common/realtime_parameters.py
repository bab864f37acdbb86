# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parameters for the operating-system requests of a node's loop."""

from typing import Any, Mapping

from robodyn_ros.errors import RobodynError
from robodyn_ros.realtime.loop import PeriodicLoop
from robodyn_ros.realtime.os_requests import RealTime
from robodyn_ros.ros.common.parameter_table import START, ParamSpec

REALTIME_PARAMETERS = (
    ParamSpec(
        'realtime.priority',
        'int',
        0,
        '',
        'SCHED_FIFO priority of the loop; 0 for the default scheduler.',
        lower=0,
        upper=99,
        change=START,
    ),
    ParamSpec(
        'realtime.cpus',
        'int[]',
        (),
        '',
        'Processors the loop may run on. Empty: any. In lock step they bind all threads.',
        lower=0,
        upper=1023,
        change=START,
    ),
    ParamSpec(
        'realtime.lock_memory',
        'bool',
        False,
        '',
        'Lock the memory of the process, so that it is never paged out.',
        change=START,
    ),
    ParamSpec(
        'realtime.require',
        'bool',
        False,
        '',
        'Refuse to activate when the system refuses one of these requests.',
        change=START,
    ),
)


def realtime(values: Mapping[str, Any], binds_process: bool = False) -> RealTime:
    """Return the requests to the operating system for a loop.

    `binds_process`: whether the processors are those of all threads of the process.
    """
    return RealTime(
        priority=values['realtime.priority'],
        cpus=values['realtime.cpus'],
        lock_memory=values['realtime.lock_memory'],
        binds_process=binds_process,
    )


def require_granted(loop: PeriodicLoop, values: Mapping[str, Any]):
    """Check that the operating system granted the requests, if the parameters require it.

    `loop`: the running loop.
    Raises RobodynError: if the system refused a required request.
    """
    if values['realtime.require'] and loop.warnings:
        raise RobodynError("Parameter 'realtime.require' is true. " + ' '.join(loop.warnings))
