# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every test in two parts side by side, for `make test`; in the end what was left out is listed.

Tests that start nodes wait for almost half of their time, in which the others compute. What they
print comes after that of the others.
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
NODES, OTHERS = '--nodes=only', '--nodes=without'
NO_TESTS = 5  # exit code: ARGS chose none of a part, which is a mistake only if it is of both
POLL = 0.2  # [s] between looks at what the tests of nodes have printed


class Part:
    """The tests of one part, in processes of their own.

    Parameters
    ----------
    which : str
        Option of pytest that chooses them.
    arguments : list of str
        Further options of pytest.
    folder : Path
        Place for what became of them.
    output : file, optional
        Where they print; by default to the terminal.
    """

    def __init__(self, which, arguments, folder, output=None):
        self._file = folder / f'{which.strip("-")}.json'
        path = os.pathsep.join(filter(None, (str(ROOT / 'test'), os.environ.get('PYTHONPATH'))))
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'pytest', '-p', 'support.outcomes', which, *PROCESSES]
            + arguments,
            env={**os.environ, 'PYTHONPATH': path, 'ROBODYN_OUTCOMES': str(self._file)},
            cwd=ROOT,
            stdout=output,
            stderr=output,
        )

    @property
    def is_running(self):
        """Whether it has not ended."""
        return self._process.poll() is None

    def wait(self):
        """Return the exit code of pytest."""
        return self._process.wait()

    @property
    def outcomes(self):
        """Outcome of each test, and the reason if it was skipped."""
        return json.loads(self._file.read_text()) if self._file.exists() else []


def main(arguments):
    """Run both parts, or the one that is asked for; return the exit code of the worst."""
    begin = time.monotonic()
    asked = [argument for argument in arguments if argument in (NODES, OTHERS)]
    if asked:
        with tempfile.TemporaryDirectory() as folder:
            part = Part(asked[-1], arguments, Path(folder))
            code = part.wait()
            print(sentence(part.outcomes, time.monotonic() - begin))
            return code
    print('Part 1 of 2: tests that start no nodes; part 2 has begun beside them', flush=True)
    with tempfile.TemporaryDirectory() as folder:
        printed = Path(folder) / 'nodes.txt'
        with printed.open('wb') as output:
            nodes = Part(NODES, arguments, Path(folder), output)
            others = Part(OTHERS, arguments, Path(folder))
            codes = [others.wait()]
            print('Part 2 of 2: tests that start nodes', flush=True)
            show_until_the_end(nodes, printed)
            codes.append(nodes.wait())
        print(sentence(others.outcomes + nodes.outcomes, time.monotonic() - begin))
    return max((code for code in codes if code != NO_TESTS), default=NO_TESTS)


def show_until_the_end(part, printed):
    """Print what a part has printed to a file, and what it prints until it ends."""
    with printed.open('rb') as source:
        running = True
        while running:
            running = part.is_running  # before reading, so that nothing is left
            sys.stdout.buffer.write(source.read())
            sys.stdout.flush()
            time.sleep(POLL if running else 0.0)


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
