# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a recording gives in plain Python, operation by operation."""

import numpy as np

from robodyn_ros.codegen.specialise import stored
from robodyn_ros.codegen.tape import Recorded, evaluate


def by_the_tape(one, given):
    """Return what plain Python computes along the tape."""
    recording = one.recording
    inputs = stored(dict(zip(recording.inputs, given)))
    nodes = [value for value in recording.results.values() if isinstance(value, Recorded)]
    values = evaluate(recording.tape, [node.index for node in nodes], inputs)
    known = dict(zip((node.index for node in nodes), values))
    flat = [known[v.index] if isinstance(v, Recorded) else v for v in recording.results.values()]
    sizes = [int(np.prod(shape)) for shape in recording.outputs.values()]
    return [
        part.reshape(shape)
        for part, shape in zip(
            np.split(np.array(flat), np.cumsum(sizes)[:-1]), recording.outputs.values()
        )
    ]


def played(recording, **inputs):
    """Return the results of a recording, and whether its checks hold."""
    given = {
        f'{name}[{k}]': value for name, values in inputs.items() for k, value in enumerate(values)
    }
    nodes = [value.index for value in recording.results.values() if isinstance(value, Recorded)]
    found = iter(evaluate(recording.tape, nodes, given))
    results = [
        next(found) if isinstance(value, Recorded) else value
        for value in recording.results.values()
    ]
    checks = evaluate(recording.tape, [index for index, _ in recording.tape.checks], given)
    holds = all(value > floor for value, (_, floor) in zip(checks, recording.tape.checks))
    return np.array(results), holds
