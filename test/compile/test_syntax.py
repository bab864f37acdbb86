# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Syntax trees while other threads parse too, with a collector that runs Python code."""

import ast
import gc
import sys
import threading

from robodyn_ros.compile.syntax_tree import parsed

TEXT = '\n'.join(f'a{k} = b[{k}] * (c + {k})' for k in range(2000))


def test_threads_that_parse_at_the_same_time():
    """Three of ours, and one of another package that knows of no lock."""
    expected, trees, troubles, over = ast.dump(ast.parse(TEXT)), [], [], threading.Event()

    def ours():
        try:
            trees.extend(parsed(TEXT) for _ in range(4))
        except SystemError as error:
            troubles.append(str(error))

    def another():
        while not over.wait(0.2):
            try:
                ast.parse('a = b\n' * 20)
            except SystemError:
                pass

    interval, threads = sys.getswitchinterval(), [threading.Thread(target=ours) for _ in range(3)]
    foreign = threading.Thread(target=another)
    collected = []
    gc.callbacks.append(lambda *_: collected.append(1))
    sys.setswitchinterval(1e-6)
    try:
        for thread in (foreign, *threads):
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        over.set()
        foreign.join()
        sys.setswitchinterval(interval)
        gc.callbacks.pop()
    assert not troubles and len(trees) == 12
    assert collected, 'no thread could have come between: the test shows nothing'
    assert all(ast.dump(tree) == expected for tree in trees)
