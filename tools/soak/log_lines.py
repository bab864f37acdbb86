# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates of each kind of line in the logs of nodes: at most a burst, then once a second."""

import re
import time
from collections import Counter

BURST = 10  # lines of a kind at once, as in robodyn_ros.realtime.log_throttle
PREFIX = re.compile(r'^\[\w+\] \[[\d.]+\] \[[^]]*\]: ')
WORDS = 3  # at the beginning, which distinguish kinds of lines


class LogLines:
    """Counts lines from its construction.

    Parameters
    ----------
    nodes : dict
        {name: Node} of the processes.
    """

    def __init__(self, nodes):
        self._nodes, self._begin = nodes, time.monotonic()
        self._read = {name: len(node.output()) for name, node in nodes.items()}

    def judge(self, expect):
        """Expect no kind of line too often; return the number of lines per second in words."""
        seconds, found = time.monotonic() - self._begin, []
        for name, node in self._nodes.items():
            lines = node.output()[self._read[name] :].splitlines()
            for kind, count in kinds(lines).items():
                expect(
                    count <= BURST + seconds,
                    f'{name} has logged {count} lines {kind!r} in {seconds:.0f} s',
                )
            found.append(f'{name} {len(lines) / seconds:.2f}')
        return f'lines of log a second: {", ".join(found)}'


def kinds(lines):
    """Return how often each kind of line comes, by its first words without numbers."""
    texts = (re.sub(r'\d+', '#', PREFIX.sub('', line)) for line in lines)
    return Counter(' '.join(text.split()[:WORDS]) for text in texts if text.strip())
