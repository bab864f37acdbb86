# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every test in two parts, for `make test`; in the end what was left out is listed.

Tests that start nodes come after the others, which take all processors with what they compile.
"""

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
PARTS = {
    'tests that start no nodes': ('--nodes=without', *PROCESSES),
    'tests that start nodes': ('--nodes=only', *PROCESSES),
}
NO_TESTS = 5  # exit code: ARGS chose none of a part, which is a mistake only if it is of both


def main(arguments):
    """Run both parts; return the exit code of the worst."""
    begin, codes, outcomes = time.monotonic(), [], []
    for number, (what, options) in enumerate(PARTS.items(), start=1):
        print(f'Part {number} of {len(PARTS)}: {what}', flush=True)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / 'outcomes.json'
            path = os.pathsep.join(
                filter(None, (str(ROOT / 'test'), os.environ.get('PYTHONPATH')))
            )
            codes.append(
                subprocess.run(
                    [sys.executable, '-m', 'pytest', '-p', 'support.outcomes', *options]
                    + arguments,
                    env={**os.environ, 'PYTHONPATH': path, 'ROBODYN_OUTCOMES': str(file)},
                    check=False,
                    cwd=ROOT,
                ).returncode
            )
            outcomes += json.loads(file.read_text()) if file.exists() else []
        if codes[-1] not in (0, 1, NO_TESTS):
            return codes[-1]
    print(sentence(outcomes, time.monotonic() - begin))
    done = [code for code in codes if code != NO_TESTS]
    return max(done, default=NO_TESTS)


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
