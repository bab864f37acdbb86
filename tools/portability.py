# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run tests as other processors would run them: no test may depend on the last bit of one machine.

    python -m tools.portability                     every setting, and aarch64 under qemu
    python -m tools.portability --cheap             two settings, tests marked `sensitive`
    python -m tools.portability -- test/model -x    arguments after -- go to pytest

A setting makes a library use code for another processor: OpenBLAS by OPENBLAS_CORETYPE, NumPy by
NPY_DISABLE_CPU_FEATURES and the C library by GLIBC_TUNABLES. Tests that start nodes are left out.

Tests marked `sensitive` are those of test/formulations, and those that compare recursions with
other libraries, except two long files. Of code for one robot they are the tests that compare bits
or counts. The others of test/codegen/specialised compile the same recordings for minutes, so only
a run of every setting has them.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from tools import recordings

ROOT = Path(__file__).resolve().parents[1]
#: Where `make portability` keeps a Debian root and wheels for aarch64.
AARCH64 = ROOT / 'build' / 'aarch64'
CORES = ('Prescott', 'Nehalem', 'Sandybridge', 'Haswell', 'Zen')
#: Processors that OpenBLAS can imitate. Those of NumPy are read at run time.
CHEAP = ('OpenBLAS for Haswell', 'all libraries for the oldest processor')


def settings():
    """Return {description: environment} of all settings that this machine can run."""
    found = np.show_config(mode='dicts')['SIMD Extensions'].get('found', [])
    plain = {'NPY_DISABLE_CPU_FEATURES': ' '.join(found)}
    libc = {'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=-AVX2,-AVX512F,-FMA,-FMA4'}
    cores = {f'OpenBLAS for {core}': {'OPENBLAS_CORETYPE': core} for core in CORES}
    return cores | {
        'NumPy without vector extensions': plain,
        'C library without FMA': libc,
        CHEAP[1]: plain | libc | {'OPENBLAS_CORETYPE': CORES[0]},
    }


def run(what, command, environment):
    """Run a command under a setting, print the outcome, and return its exit code."""
    print(f'== {what}', flush=True)
    begin = time.monotonic()
    code = subprocess.run(
        command, check=False, cwd=ROOT, env={**os.environ, **environment}
    ).returncode
    print(
        f'== {what}: {"as it should" if code == 0 else f"exit code {code}"}, '
        f'{time.monotonic() - begin:.0f} s',
        flush=True,
    )
    return code


def on_aarch64():
    """Compare recordings and dynamics on aarch64; return the exit code, None if it cannot."""
    if platform.machine() == 'aarch64':
        return None  # this machine has run the tests already
    emulator = shutil.which('qemu-aarch64-static') or shutil.which('qemu-aarch64')
    if emulator is None:
        print('aarch64 was left out: qemu is not installed (apt install qemu-user-static)')
        return None
    if (
        not AARCH64.exists()
        and subprocess.run([ROOT / 'tools' / 'aarch64.sh', AARCH64], check=False).returncode
    ):
        print('aarch64 was left out: its Python could not be downloaded, see the lines above')
        return None
    (python,) = (AARCH64 / 'root' / 'usr' / 'bin').glob('python3.[0-9]*')
    of_makers = ['--robots-of', recordings.installed()] if recordings.installed() else []
    numbers = AARCH64 / 'numbers.json'
    codes = [
        run(
            'numbers of this machine',
            [sys.executable, '-m', 'tools.known_numbers', '--write', numbers],
            {},
        )
    ]
    for what, variables, command in (
        (
            'recordings on aarch64',
            {'NUMBA_DISABLE_JIT': '1'},  # recordings need no compiled code
            ['tools.recordings', '--check', *of_makers],
        ),
        (
            'compiled dynamics on aarch64',
            {'ROBODYN_CACHE_DIR': AARCH64 / 'kernels'},
            ['tools.known_numbers', '--check', numbers],
        ),
    ):
        # the emulator would search the modules of this package below ROOT, and find none
        shutil.rmtree(AARCH64 / 'root' / ROOT.relative_to('/'), ignore_errors=True)
        variables = {'PYTHONPATH': f'{AARCH64 / "wheels"}:{ROOT}', **variables}
        passed = [part for name, value in variables.items() for part in ('-E', f'{name}={value}')]
        emulated = [emulator, '-L', AARCH64 / 'root', *passed, python, '-m', *command]
        codes.append(run(f'{what} under qemu', emulated, {}))
    return next((code for code in codes if code), 0)


def main():
    """Run every setting; return exit code 1 if one failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('--cheap', action='store_true', help='two settings, sensitive tests')
    parser.add_argument('pytest', nargs='*', help='arguments for pytest')
    options = parser.parse_args()
    chosen = settings()
    command = [sys.executable, '-m', 'pytest', '-q', '--nodes=without', '-n', 'auto']
    command += ['--dist=loadfile', *options.pytest]
    if options.cheap:
        chosen = {what: chosen[what] for what in CHEAP}
        command += ['-m', 'sensitive']
    codes = {what: run(what, command, environment) for what, environment in chosen.items()}
    codes['aarch64'] = None if options.cheap else on_aarch64()
    failed = [what for what, code in codes.items() if code]
    passed = sum(code == 0 for code in codes.values())
    print(f'{passed} settings as they should be; not so: {", ".join(failed) or "none"}')
    return int(bool(failed))


if __name__ == '__main__':
    raise SystemExit(main())
