# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Long runs of both nodes: traffic, kills, malformed messages, parameters, stops, lock step.

    python -m tools.soak                         every part, at the length of an acceptance run
    python -m tools.soak stop malformed --scale 0.001 --seed 4 --record

`fuzz` and `malformed` make 10^6 inputs, `kills` ends each node 1000 times, `parameters` makes 10^4
changes. `undecodable` sends 10^4 requests that cannot be decoded. `traffic` is an hour of computed
torque with 1 % of garbage. `stop` calls ~/stop 1000 times under each load. `lock_step` repeats a
run 1000 times. `--scale` shortens all. `--record` writes the run to tools/soak_runs.csv. It
replaces a run of the same part, seed and count.
"""

import csv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNS = ROOT / 'tools' / 'soak_runs.csv'
COLUMNS = ('part', 'seed', 'count', 'result', 'failures')


def runs():
    """Return the rows of the runs so far."""
    with RUNS.open(newline='') as file:
        return list(csv.DictReader(file))


def record(row):
    """Write a row; it replaces an earlier one of the same part, seed and count."""
    same = [str(row[key]) for key in COLUMNS[:3]]
    others = [other for other in runs() if [other[key] for key in COLUMNS[:3]] != same]
    with RUNS.open('w', newline='') as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator='\n')
        writer.writeheader()
        writer.writerows([*others, row])
