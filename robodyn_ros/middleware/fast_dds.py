# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fast DDS without shared memory, in which a node that was killed may be deaf ever after."""

import os
from pathlib import Path
from typing import MutableMapping

LOCALHOST = Path(__file__).with_name('fast_dds_localhost.xml')
MIDDLEWARE = 'RMW_IMPLEMENTATION'
RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
TRANSPORTS = 'FASTDDS_BUILTIN_TRANSPORTS'
PEERS = 'ROS_STATIC_PEERS'
PROFILES = 'FASTRTPS_DEFAULT_PROFILES_FILE'


def leave_shared_memory(environment: MutableMapping[str, str] = os.environ) -> None:
    """Let the nodes of this process and its children talk by UDP alone, unless the user chose.

    Suppose that a process is killed just when it has taken a message from its port in shared
    memory. Those that wrote to the port go on for ever, and its successor never hears them.
    Nothing changes for another middleware, nor where transports, a profile or static peers are
    chosen.

    Parameters
    ----------
    environment : mapping of str to str
        Variables that the middleware reads when a context begins.
    """
    if 'fastrtps' not in environment.get(MIDDLEWARE, 'rmw_fastrtps_cpp'):
        return
    if any(name in environment for name in (TRANSPORTS, PROFILES, PEERS)):
        return
    environment[TRANSPORTS] = 'UDPv4'
    if environment.get(RANGE) == 'LOCALHOST':
        # rmw_fastrtps adds shared memory to every profile in this range.
        environment.update({PROFILES: str(LOCALHOST), RANGE: 'SYSTEM_DEFAULT'})
