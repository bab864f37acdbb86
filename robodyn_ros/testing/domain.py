# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain that no other test on this machine is in."""

import os
import random
import socket

HIGHEST = 101  # above it, ports of domains collide with those that systems give away
PORT = 32768  # of domain 0


def reserve_domain() -> tuple[int, socket.socket]:
    """Return a free ROS domain id and the socket that reserves it for as long as it is open.

    Same protocol as ament's domain_coordinator: whoever binds TCP port 32768 + id owns the domain.

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


def move_to_own_domain() -> socket.socket:
    """Move this process, and all that it starts, to a domain of its own.

    Returns
    -------
    socket
        Closing it gives the domain back.

    """
    domain, lock = reserve_domain()
    os.environ['ROS_DOMAIN_ID'] = str(domain)
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    return lock
