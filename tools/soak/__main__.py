# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command: run the parts, print and record the results."""

import argparse
import contextlib
import importlib
import json
import math
import os
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

from tools import fuzz, soak

LENGTHS = {
    'traffic': 3600,
    'kills': 1000,
    'malformed': 1_000_000,
    'undecodable': 10_000,
    'parameters': 10_000,
    'stop': 1000,
    'lock_step': 1000,
}
INPUTS = 1_000_000  # of each target of tools.fuzz
DOMAIN = '151'  # beyond those that tests reserve, so that messages stay apart


def run(part, count, seed, given, minutes):
    """Run one part with these parameters of the controller; return its row.

    It ends after the given number of minutes; the row has the number of inputs until then.
    """
    from tools.soak.effort_rate import largest_step
    from tools.soak.soak_arm import Arm
    from tools.soak.watcher import Watcher

    module = importlib.import_module(f'tools.soak.{part}')
    given = {**getattr(module, 'GIVEN', {}), **given}
    with (
        mock.patch.dict(os.environ, getattr(module, 'ENVIRONMENT', {})),
        tempfile.TemporaryDirectory(prefix='robodyn-soak-') as folder,
        contextlib.closing(Watcher(largest_step(given))) as watcher,
    ):
        arm = Arm(folder, watcher, seed, given, getattr(module, 'SIMULATED', {}))
        arm.latest, result = time.monotonic() + 60.0 * minutes, ''
        try:
            result = getattr(module, part)(arm, count)
            getattr(module, 'EXPECTED', Arm.expect_good)(arm)
        finally:
            arm.close()
            if arm.failures:
                for log in Path(folder).glob('*.log'):
                    print(f'-- {log.name}', *log.read_text().splitlines()[-15:], sep='\n')
    row = {'part': part, 'seed': seed, 'count': arm.done or count, 'result': result}
    return row | {'failures': '; '.join(arm.failures)}


def options_of(args):
    """Return the options of a command line."""
    parser = argparse.ArgumentParser(
        prog='soak', description=soak.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('parts', nargs='*', metavar='PART', help=f'fuzz, {", ".join(LENGTHS)}')
    parser.add_argument('--scale', type=float, default=1.0, help='of every length (%(default)s)')
    parser.add_argument('--seed', type=int, default=1, help='of what is sent (%(default)s)')
    parser.add_argument('--record', action='store_true', help='write to tools/soak_runs.csv')
    parser.add_argument(
        '--set',
        action='append',
        default=[],
        metavar='NAME=VALUE',
        help='a parameter of the controller, as update_rate=200 on a busy machine',
    )
    parser.add_argument(
        '--minutes', type=float, default=math.inf, help='end kills and messages after so long'
    )
    parser.add_argument('--domain', default=DOMAIN, help='ROS domain of the run (%(default)s)')
    options = parser.parse_args(args)
    known = ('fuzz', *LENGTHS)
    unknown = set(options.parts) - set(known)
    if unknown:
        parser.error(f'no part {", ".join(unknown)}; expected some of {", ".join(known)}')
    options.parts = options.parts or known
    return options


def main(args=None):
    """Run the parts; return exit code 1 if one failed."""
    options = options_of(args)
    given = dict(each.split('=', 1) for each in options.set)
    os.environ |= {'ROS_DOMAIN_ID': options.domain, 'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
    failed = False
    for part in options.parts:
        if part == 'fuzz':
            count = ['--count', str(max(1, round(INPUTS * options.scale)))]
            failed = bool(fuzz.main([*count, '--seed', str(options.seed)])) or failed
            continue
        row = run(
            part,
            max(1, round(LENGTHS[part] * options.scale)),
            options.seed,
            given,
            options.minutes,
        )
        row['result'] += ''.join(f'; {key} {value}' for key, value in given.items())
        print(json.dumps(row, indent=1), flush=True)
        failed = failed or bool(row['failures'])
        if options.record:
            soak.record(row)
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
