# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Check before decoding that a JointState has as many octets as its lengths claim.

The middleware prints a line about every message that it cannot decode.
"""

from robodyn_ros.compile.kernel import kernel
from robodyn_ros.middleware.trajectory_cdr import ENCAPSULATION, read_unsigned
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Octets

PLAIN_CDR = b'\0\0', b'\0\1'  # big and little endian; others align numbers otherwise
ARRAYS = 3  # positions, velocities, efforts
STAMP_OCTETS = 8


@primitive
def read_length(data, where):
    """Read a count in the byte order of a message in plain CDR.

    `data` (k,): the message.
    `where`: index of the count.
    """
    found = read_unsigned(data, where)
    if data[1] == 0:
        found = (
            (found & 255) << 24 | (found >> 8 & 255) << 16 | (found >> 16 & 255) << 8 | found >> 24
        )
    return found


@kernel
def lengths_fit(data: Octets):
    """Return whether every length in a JointState in plain CDR lies within its octets.

    Fields follow their alignment: strings and counts on 4 octets, numbers on 8.
    """
    last, at = data.shape[0], ENCAPSULATION + STAMP_OCTETS
    texts = 1  # the frame, a count, and as many names
    counted = False
    while texts > 0 or not counted:
        at += -(at - ENCAPSULATION) % 4
        if at + 4 > last:
            return False
        size = read_length(data, at)
        at += 4
        if texts == 0:
            counted, texts = True, size
            if size == 0:
                break
        else:
            if size > last - at:
                return False
            at += size
            texts -= 1
    for _ in range(ARRAYS):
        at += -(at - ENCAPSULATION) % 4
        if at + 4 > last:
            return False
        size = read_length(data, at)
        at += 4
        if size > 0:
            at += -(at - ENCAPSULATION) % 8
            if size > (last - at) // 8:
                return False
            at += 8 * size
    return True
