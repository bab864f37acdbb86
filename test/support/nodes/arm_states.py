# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint states by joint, and messages that are sent until the arm obeys."""

import time

import numpy as np

from robodyn_ros.testing.participant import wait_until


def rows_of(messages, names):
    """Return positions, velocities and efforts of joint states, (k, 3, joints) by name."""
    rows = []
    for message in messages:
        places = [list(message.name).index(name) for name in names]
        kinds = (message.position, message.velocity, message.effort)
        rows.append([np.take(values, places) for values in kinds])
    return np.array(rows).reshape(-1, 3, len(names))


def send_until(condition, what, publisher, message, again):
    """Send a message every `again` seconds until a condition holds; return its value.

    Topics are matched one by one, and what is sent before is lost.
    """
    due = 0.0

    def holds():
        nonlocal due
        if time.monotonic() >= due:
            publisher.publish(message)
            due = time.monotonic() + again
        return condition()

    return wait_until(holds, what)
