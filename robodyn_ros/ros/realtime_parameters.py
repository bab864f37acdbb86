"""What a node's loop may ask of the operating system, as parameters."""
from typing import Any, Mapping

from robodyn_ros.ros.parameters import START, ParamSpec
from robodyn_ros.ros.realtime import RealTime

REALTIME_PARAMETERS = (
    ParamSpec('realtime.priority', 'int', 0, '', 'SCHED_FIFO priority of the loop; 0 for the '
              'ordinary scheduler.', lower=0, upper=99, change=START),
    ParamSpec('realtime.cpus', 'int[]', (), '', 'Processors the loop may run on. Empty: any.',
              lower=0, upper=1023, change=START),
    ParamSpec('realtime.lock_memory', 'bool', False, '', 'Keep the memory of the process from '
              'being paged out.', change=START),
)


def realtime(values: Mapping[str, Any]) -> RealTime:
    """The requests, from a node's parameters by name."""
    return RealTime(priority=values['realtime.priority'], cpus=values['realtime.cpus'],
                    lock_memory=values['realtime.lock_memory'])
