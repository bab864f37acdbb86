# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run tests under both ends of the range of Python, NumPy and Numba that setup.py allows.

    python -m tools.versions                     all of them
    python -m tools.versions 3.10-old 3.13-new   some of them

Every combination has an environment of its own in build/versions, filled by pip. Results are added
to tools/versions.csv, and doc/versions.md is written from that. Each Python must be installed: as
`python3.10` and so on, or by pyenv. ROS is not needed.
"""

import argparse
import csv
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from tools.pages import markdown

ROOT = Path(__file__).resolve().parents[1]
RUNS, PAGE = ROOT / 'tools' / 'versions.csv', ROOT / 'doc' / 'versions.md'
FOLDER = ROOT / 'build' / 'versions'
#: Requirements for pip: the oldest versions with wheels for a Python, and the newest of the range.
OLD, OLD_FOR_3_13 = ('numba==0.59.*', 'numpy==1.26.*'), ('numba==0.61.*', 'numpy==2.1.*')
NEW = ('numba<0.69', 'numpy')
COMBINATIONS = {
    '3.10-old': OLD,
    '3.10-new': NEW,
    '3.11-old': OLD,
    '3.11-new': NEW,
    '3.12-old': OLD,
    '3.12-new': NEW,
    '3.13-old': OLD_FOR_3_13,
    '3.13-new': NEW,
}
TOOLS = ('pytest', 'hypothesis', 'pin', 'psutil', 'PyYAML', 'scipy', 'setuptools')
TESTS = (
    'test/codegen/test_recordings.py',
    'test/compile/test_allocation.py',
    'test/compile/test_compile.py',
    'test/compile/test_known_answers.py',
    'test/compile/test_numba_private.py',
    'test/compile/test_vectorcall.py',
    'test/control/laws/test_task_passivity.py',
    'test/model',
    'test/robot',
)
COLUMNS = ('name', 'python', 'numpy', 'numba', 'llvmlite', 'passed', 'skipped', 'failed')
ASK = (
    'import platform, numpy, numba, llvmlite; '
    'print(platform.python_version(), numpy.__version__, numba.__version__, llvmlite.__version__)'
)
HEAD = """# Versions of Python, NumPy and Numba

Written by `python -m tools.versions`. Each line is a separate environment. It has the oldest or
the newest NumPy and Numba that `setup.py` allows and that have wheels for that Python. The tests
are those of Numba's private parts and their replacements, and of the calls in machine code. Others
test the model, the methods of a robot, and the SHA-256 of the recordings of every robot. Python
3.14, which `setup.py` does not exclude, has not been tried.

"""


def interpreter(version):
    """Return the path of a Python such as 3.12, None if it is not installed."""
    found = shutil.which(f'python{version}')
    versions = Path(os.environ.get('PYENV_ROOT', Path.home() / '.pyenv')) / 'versions'
    by_pyenv = sorted(versions.glob(f'{version}.*/bin/python'))
    return by_pyenv[-1] if by_pyenv else found


def environment(name, folder):
    """Create the environment of a combination; return its Python, None without one."""
    base = interpreter(name.partition('-')[0])
    if base is None:
        return None
    python = folder / name / 'bin' / 'python'
    if not python.exists():
        subprocess.run([base, '-m', 'venv', folder / name], check=True)
    pip = [python, '-m', 'pip', 'install', '--quiet', '--only-binary=:all:']
    subprocess.run([*pip, *COMBINATIONS[name], *TOOLS], check=True)
    return python


def run(name, folder):
    """Run the tests of a combination; return its row, None if its Python is missing."""
    python = environment(name, folder)
    if python is None:
        return None
    clean = {key: value for key, value in os.environ.items() if not key.startswith('PYTHON')}
    clean |= {'ROBODYN_CACHE_DIR': str(folder / f'cache-{name}'), 'PYTHONPATH': str(ROOT)}
    tell = {'cwd': ROOT, 'env': clean, 'capture_output': True, 'text': True}
    versions = subprocess.run([python, '-c', ASK], check=True, **tell).stdout.split()
    command = [python, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--nodes=without']
    output = subprocess.run([*command, '-m', 'not slow', *TESTS], check=False, **tell).stdout
    last = output.strip().splitlines()[-1]
    counts = {kind: int(count) for count, kind in re.findall(r'(\d+) (\w+)', last)}
    failed = counts.get('failed', 0) + counts.get('errors', 0) + counts.get('error', 0)
    if failed or 'passed' not in counts:
        print(output)
    tests = (counts.get('passed', 0), counts.get('skipped', 0), failed)
    return dict(zip(COLUMNS, (name, *versions, *tests)))


def runs():
    """Return {combination: row} of the runs so far."""
    if not RUNS.exists():
        return {}
    with RUNS.open(newline='') as file:
        return {row['name']: row for row in csv.DictReader(file)}


def write(rows):
    """Write the file of runs."""
    with RUNS.open('w', newline='') as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator='\n')
        writer.writeheader()
        writer.writerows(rows[name] for name in COMBINATIONS if name in rows)


def page():
    """Return the page of the runs so far."""
    head = ('Python', 'NumPy', 'Numba', 'llvmlite', 'Passed', 'Skipped', 'Failed')
    found = runs()
    rows = [[found[name][key] for key in COLUMNS[1:]] for name in COMBINATIONS if name in found]
    return f'{HEAD}{markdown.table(head, rows)}\n'


def main():
    """Run the named combinations, or all; return exit code 1 if a test failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('names', nargs='*', metavar='NAME', help=', '.join(COMBINATIONS))
    parser.add_argument('--folder', type=Path, default=FOLDER, help='of the environments')
    options = parser.parse_args()
    unknown = set(options.names) - set(COMBINATIONS)
    if unknown:
        parser.error(f'no {", ".join(unknown)}; expected some of {", ".join(COMBINATIONS)}')
    failed = 0
    for name in options.names or COMBINATIONS:
        row = run(name, options.folder.resolve())
        if row is None:
            print(f'{name}: there is no Python of that version here')
            continue
        print(', '.join(f'{key} {value}' for key, value in row.items()), flush=True)
        failed += row['failed']
        write(runs() | {name: row})
    PAGE.write_text(page())
    return int(bool(failed))


if __name__ == '__main__':
    sys.exit(main())
