# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests that cannot be decoded, as bytes, to every service of a second simulated arm.

The middleware decodes them before any node can refuse them. A wrong count makes it allocate up to
the limit of the process, so that answers may take long. Meanwhile the other pair of nodes must
hold its arm.
"""

import contextlib
from collections import Counter

from rclpy.serialization import serialize_message

from tools.fuzz import mutated
from tools.raw_requests import RawRequests
from tools.soak.growth import Growth
from tools.soak.interfaces import WORDS, filled, is_decodable, served
from tools.soak.second_arm import NODE, answers, second_arm

SIMULATED = GIVEN = {'update_rate': 200}
PATIENCE = 300.0  # [s] for an answer of a node that allocates claimed sizes
MOST = 2000.0  # [MB] that a process may allocate


def undecodable(arm, count):
    """Send `count` such requests; after each round the second arm must answer a good one."""
    with second_arm(arm, SIMULATED) as node, _services(arm) as services:
        sent, growth = Counter(), Growth({'second simulator': node})
        for _ in arm.turns(count):
            if sum(sent.values()) >= count or not node.lives:
                break
            for name, (publish, data, kind) in services.items():
                request = mutated(arm.rng, arm.rng.choice(data))
                if not is_decodable(request, kind):
                    sent[name] += publish(request)
            answers(arm, [NODE], PATIENCE)
        arm.expect(node.lives, f'the second arm has ended with {node.process.code()}')
        grown = growth.judge(arm.expect, MOST) if node.lives else ''
    arm.done = sum(sent.values())
    return f'{arm.done} on {len(sent)} services; memory {grown}'


@contextlib.contextmanager
def _services(arm):
    """Yield {name: (publish, good requests, type of a request)}."""
    with contextlib.ExitStack() as stack:
        found = {}
        for name, kind in served(arm.watcher, [NODE]).items():
            raw = RawRequests(arm.watcher.node, kind, name)
            stack.callback(raw.close)
            good = [kind.Request(), *(filled(kind.Request, word) for word in WORDS)]
            found[name] = raw.publish, [serialize_message(each) for each in good], kind.Request
        yield found
