# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain without other tests of this machine."""

import os
import random
import socket

from robodyn_ros.middleware.fast_dds import LOCALHOST, PROFILES, RANGE, leave_shared_memory

HIGHEST = 101  # beyond it, ports of domains collide with ephemeral ports
PORT = 32768  # of domain 0

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
        if os.environ.get(PROFILES) != str(LOCALHOST):  # else by a parent process
            os.environ[RANGE] = 'LOCALHOST'
            leave_shared_memory()
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
    os.environ.setdefault(RANGE, 'LOCALHOST')
    leave_shared_memory()
    if 'ROS_DOMAIN_ID' in os.environ:
        return None
    domain, lock = reserve_domain()
    os.environ['ROS_DOMAIN_ID'] = str(domain)
    return lock
