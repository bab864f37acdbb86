# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Decode messages after their lengths have been checked.

The middleware prints a line about every message with invalid lengths.
"""

import numpy as np
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.errors import ShapeError, shorten
from robodyn_ros.middleware.float_array_cdr import array_fits
from robodyn_ros.middleware.joint_state_cdr import PLAIN_CDR, lengths_fit

CHECKS = {JointState: lengths_fit, Float64MultiArray: array_fits}
KERNELS = tuple(CHECKS.values())


def decode_checked(data: bytes, kind, most: int):
    """Return the message that some bytes hold.

    `data`: a serialised message.
    `kind` (type): its type, JointState or Float64MultiArray.
    `most`: largest size accepted [bytes].
    Raises ShapeError: if the size is larger, or the bytes hold no such message.
    """
    if len(data) > most:
        raise ShapeError(f'it has {len(data)} bytes; expected at most {most}')
    if data[:2] not in PLAIN_CDR:
        raise ShapeError(f'encapsulation {data[:2].hex() or "missing"} is not plain CDR')
    if not CHECKS[kind](np.frombuffer(data, np.uint8)):
        raise ShapeError(f'its lengths claim more than its {len(data)} bytes')
    try:
        return deserialize_message(data, kind)
    except Exception as error:  # an error of the middleware, or a string that is not UTF-8
        raise ShapeError(shorten(str(error))) from None
