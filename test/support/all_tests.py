# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every test in several processes, for `make test`; in the end what was left out is listed."""

import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = ('-n', 'auto', '--dist=loadfile', '--no-loadscope-reorder')


def main(arguments):
    """Run the tests that the arguments choose; return the exit code of pytest."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'outcomes.json'
        path = os.pathsep.join(filter(None, (str(ROOT / 'test'), os.environ.get('PYTHONPATH'))))
        code = subprocess.run(
            [sys.executable, '-m', 'pytest', '-p', 'support.outcomes', *PROCESSES, *arguments],
            env={**os.environ, 'PYTHONPATH': path, 'ROBODYN_OUTCOMES': str(file)},
            check=False,
            cwd=ROOT,
        ).returncode
        if file.exists():
            print(sentence(json.loads(file.read_text()), time.monotonic() - begin))
    return code


def sentence(outcomes, seconds):
    """Return the last line: how many tests had which outcome, and why some were skipped.

    Parameters
    ----------
    outcomes : list of (str, str)
        The outcome of each test, and the reason if it was skipped.
    seconds : float
        What all of it took [s].
    """
    counts = collections.Counter(outcome for outcome, _ in outcomes)
    told = ', '.join(f'{count} {outcome}' for outcome, count in sorted(counts.items()))
    reasons = collections.Counter(why for outcome, why in outcomes if outcome == 'skipped')
    why = '; '.join(f'{count} x {reason}' for reason, count in reasons.most_common())
    minutes, rest = divmod(round(seconds), 60)
    return (
        f'{told or "no tests"} in {minutes} min {rest} s; '
        f'{f"skipped: {why}" if why else "nothing was skipped"}'
    )


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
