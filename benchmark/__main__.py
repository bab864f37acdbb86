# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run the measurements: `make bench`, or `python -m benchmark [name ...]`.

Each module measures one thing and shows it as a table. The numbers go to benchmark/results/.
"""

import argparse
import importlib
import json
import sys
from pathlib import Path

from robodyn_ros.demonstration.tracking_report import machine_description

#: Measurements, by the folder in which they are.
FOLDERS = {
    'dynamics': (
        'kernels',
        'derivatives',
        'emitted',
        'emitted_orders',
        'crossover',
        'inverse_kinematics',
        'closed_chains',
        'loop_growth',
        'kernel_orders',
        'unit_torques',
        'body_tiles',
        'packs',
    ),
    'simulation': ('plant', 'contact', 'integrators'),
    'nodes': (
        'tick',
        'shortcuts',
        'first_start',
        'lock_step',
        'repeatability',
        'loop',
        'ros2_control',
        'update_cycle',
    ),
}
MODULES = {
    name: f'benchmark.{folder}.{name}' for folder, names in FOLDERS.items() for name in names
}
RESULTS = Path(__file__).parent / 'results'


def main(arguments=None):
    """Run the named measurements, or all; return exit code 1 if a count is wrong."""
    parser = argparse.ArgumentParser(
        prog='python -m benchmark',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('names', nargs='*', help=f'names of measurements, of {", ".join(MODULES)}')
    names = parser.parse_args(arguments).names or MODULES
    for name in names:
        if name not in MODULES:
            parser.error(
                f'there is no measurement {name!r}; expected some of {", ".join(MODULES)}'
            )
    RESULTS.mkdir(exist_ok=True)
    wrong = []
    for name in names:
        module = importlib.import_module(MODULES[name])
        result = module.measure()
        result['machine'] = machine_description()
        (RESULTS / f'{name}.json').write_text(json.dumps(result, indent=2) + '\n')
        module.show(result)
        wrong += [f'{name}: {sentence}' for sentence in result.get('wrong_counts', [])]
    for sentence in wrong:
        print(sentence, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
