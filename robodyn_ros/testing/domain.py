# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain without other tests of this machine."""

import os
import random
import socket
from pathlib import Path

HIGHEST = 101  # beyond it, ports of domains collide with ephemeral ports
PORT = 32768  # of domain 0
PROFILES = Path(__file__).with_name('fast_dds.xml')  # for reliable and fast discovery

_own: list[socket.socket] = []  # reserves the domain of this process


def reserve_domain() -> tuple[int, socket.socket]:
    """Return a free ROS domain id, and the socket that reserves it while it is open.

    The protocol is that of ament's domain_coordinator: the owner of a domain binds TCP port 32768
    + id.

    Raises
    ------
    RuntimeError
        If all domains are taken.
    """
    for domain in random.sample(range(1, HIGHEST), HIGHEST - 1):
        lock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            lock.bind(('', PORT + domain))
        except OSError:
            lock.close()
        else:
            return domain, lock
    raise RuntimeError('no free ROS domain: all of 1 to 100 are reserved by other tests')


def move_to_own_domain() -> int:
    """Move this process and its children to a separate domain, by UDP alone with Fast DDS.

    Returns
    -------
    int
        The domain, the same one at every call.
    """
    if not _own:
        domain, lock = reserve_domain()
        _own.append(lock)
        os.environ['ROS_DOMAIN_ID'] = str(domain)
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        os.environ.setdefault('FASTRTPS_DEFAULT_PROFILES_FILE', str(PROFILES))
        # In shared memory a node may not hear one that knew an earlier node of its port.
        os.environ.setdefault('FASTDDS_BUILTIN_TRANSPORTS', 'UDPv4')
    return int(os.environ['ROS_DOMAIN_ID'])


def private_domain() -> socket.socket | None:
    """Move this process and its children to a free domain, unless ROS_DOMAIN_ID chooses one.

    Returns
    -------
    socket.socket or None
        Reserves the domain while it is open; None for one that was chosen.

    Raises
    ------
    RuntimeError
        If all domains are taken.
    """
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('FASTRTPS_DEFAULT_PROFILES_FILE', str(PROFILES))
    if 'ROS_DOMAIN_ID' in os.environ:
        return None
    domain, lock = reserve_domain()
    os.environ['ROS_DOMAIN_ID'] = str(domain)
    return lock
