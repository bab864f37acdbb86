# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every test in two parts at the same time, for `make test`; at the end, what was left out.

Tests that start nodes mostly wait; the others take all processors, at a lower priority. The output
of the nodes' part follows when the other part has ended.
"""

import collections
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ('--dist=loadfile', '--no-loadscope-reorder')
GIVES_WAY = ('nice', '-n', '5')
NO_TESTS = 5  # exit code: ARGS chose none of a part, which is a mistake only if it is of both
POLL = 0.5  # [s] between looks at what the other part has printed


def main(arguments):
    """Run both parts; return the exit code of the worst."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ending:
        printed, files = Path(folder) / 'nodes.txt', [Path(folder) / name for name in 'ab']
        with printed.open('w') as output:
            nodes = start('only', files[0], ['-n', '2', *arguments], ending, stdout=output)
        print('Tests that start no nodes; those that start nodes run beside them', flush=True)
        others = start('without', files[1], ['-n', 'auto', *arguments], ending, GIVES_WAY)
        codes = [others.wait()]
        if codes[0] in (0, 1, NO_TESTS):
            print('Tests that start nodes', flush=True)
            codes.append(follow(printed, nodes))
        outcomes = [
            each for file in files if file.exists() for each in json.loads(file.read_text())
        ]
    print(sentence(outcomes, time.monotonic() - begin))
    done = [code for code in codes if code != NO_TESTS]
    return max(done, default=NO_TESTS)


def start(which, outcomes, arguments, ending, before=(), **options):
    """Start pytest for one part; it ends with `ending` at the latest.

    Parameters
    ----------
    which : str
        Value of `--nodes`.
    outcomes : Path
        File for what became of every test.
    arguments : list of str
        Further arguments of pytest.
    ending : contextlib.ExitStack
        Terminates the process when it closes.
    before : tuple of str
        A command that runs the command.
    """
    path = os.pathsep.join(filter(None, (str(ROOT / 'test'), os.environ.get('PYTHONPATH'))))
    command = [
        sys.executable,
        '-m',
        'pytest',
        '-p',
        'support.outcomes',
        f'--nodes={which}',
        *SHARED,
    ]
    process = subprocess.Popen(
        [*before, *command, *arguments],
        env={**os.environ, 'PYTHONPATH': path, 'ROBODYN_OUTCOMES': str(outcomes)},
        cwd=ROOT,
        **options,
    )
    ending.callback(process.wait)
    ending.callback(process.terminate)
    return process


def follow(file, process):
    """Print what a process writes to a file until it ends; return its exit code."""
    with file.open() as text:
        while process.poll() is None:
            print(text.read(), end='', flush=True)
            time.sleep(POLL)
        print(text.read(), end='', flush=True)
    return process.returncode


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
