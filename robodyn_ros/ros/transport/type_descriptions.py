# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Let the service ~/get_type_description of rclpy refuse invalid type hashes.

The middleware logs a line about each hash that it cannot parse, without a limit.
"""

import re

from rclpy.node import Node

from robodyn_ros.errors import shorten

HASH = re.compile(r'RIHS01_[0-9a-f]{64}')


def guard_type_descriptions(node: Node):
    """Refuse malformed hashes before the middleware parses them.

    It does nothing where rclpy has no such service, or it is switched off.

    `node`: the node that serves.
    """
    for service in node.services:
        if service.srv_name.endswith('get_type_description'):
            service.callback = _refusing(service.callback)


def _refusing(answer):
    def judged(request, response):
        if HASH.fullmatch(request.type_hash):
            return answer(request, response)
        response.successful = False
        response.failure_reason = (
            f'type_hash: got {shorten(request.type_hash)}; expected RIHS01_ and 64 hexadecimal '
            'digits'
        )
        return response

    return judged
