# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Feed unexpected inputs to all interfaces that take data from outside.

    python -m tools.fuzz                        every target, 1000 inputs each
    python -m tools.fuzz urdf csv --count 1000000 --seed 7
    python -m tools.fuzz --record               the next seeds, counted in tools/fuzz_runs.csv

Each input must become a result or an error with a sentence. Anything else is a finding:

- another exception
- a started process
- code compiled from the input
- a file opened for writing outside of the folder of the run

A finding is printed with its input and the seed, and the exit code is 1.
"""

import argparse
import contextlib
import csv
import functools
import json
import logging
import marshal
import os
import pickle
import random
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from unittest import mock

import numpy as np

from robodyn_ros.errors import RobodynError
from tools.pages import markdown

ROOT = Path(__file__).resolve().parents[1]
RUNS = ROOT / 'tools' / 'fuzz_runs.csv'
PAGE = ROOT / 'doc' / 'security.md'
MARKER = '<!-- runs of tools.fuzz -->'
#: A file system in memory, since that of a disk takes most of the time of an input.
MEMORY = '/dev/shm'
COLUMNS = ('target', 'seed', 'inputs', 'accepted', 'refused', 'findings', 'slowest_s')
HEAD = ('Target', 'Seeds', 'Inputs', 'Accepted', 'Refused', 'Findings', 'Longest input')
AT_A_TIME = 8  # parameters that get one value
#: Events that no reading of data causes; for `exec` and `compile` the argument decides.
FORBIDDEN = (
    'subprocess.Popen',
    'os.system',
    'os.exec',
    'os.fork',
    'os.posix_spawn',
    'pickle.find_class',
    'socket.connect',
)
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
WORDS = (
    b'nan', b'inf', b'-1e308', b'1e400', b'5e-324', b'-0', b'0x10', b'1_0', b'', b'\0', b'"', b"'",
    b'<', b'>', b'&', b'&amp;', b'<!--', b'-->', b'<![CDATA[', b']]>', b'<?', b'?>',
    b'<!DOCTYPE a', b'<!ENTITY', b'../', b'${x}', b'$(find x)', b'\n', b'\r', b',', b'=', b'#',
    b'\xff\xfe', b'\xef\xbb\xbf', '\u202e'.encode(), '\uff11'.encode(), b'[', b']', b'{', b'}',
    b'!!python/name:os.system',
    b'__import__("os").system("false")', b'\x1b[2J', b'9' * 400, b'a' * 300,
)  # fmt: skip


def mutated(rng, seed):
    """Return bytes like those of a good input: cut, copied, moved, overwritten, with inserted
    words."""
    data = bytearray(seed)
    for _ in range(rng.choice((1, 1, 2, 3, 8, 30))):
        place = rng.randrange(len(data) + 1)
        end = min(len(data), place + rng.choice((0, 1, 2, 8, 64, 512)))
        kind = rng.randrange(7)
        if kind == 0:
            data[place:end] = b''
        elif kind == 1:
            data[place:end] = rng.choice(WORDS)
        elif kind == 2:
            data[place:place] = data[place:end] * rng.choice((1, 2, 40))
        elif kind == 3 and data:
            data[min(place, len(data) - 1)] = rng.randrange(256)
        elif kind == 4 and data:
            data[min(place, len(data) - 1)] ^= 1 << rng.randrange(8)
        elif kind == 5:
            other = rng.randrange(len(data) + 1)
            data[place:place] = data[other : other + 100]
        else:
            del data[place:]
        del data[200_000:]
    return bytes(data)


class Watch:
    """Records what reading should not do, by an audit hook that stays for the whole process."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.here = set(os.listdir())
        self.active = False
        self.events = []
        sys.addaudithook(self._hear)

    def _hear(self, event, arguments):
        if not self.active:
            return
        if event in FORBIDDEN:
            self.events.append(f'{event} {arguments!r:.200}')
        elif event == 'open' and isinstance(arguments[2], int) and arguments[2] & WRITING:
            name = arguments[0]
            if isinstance(name, int) or os.path.basename(name) == name:
                return  # an open file, or one relative to the handle of a folder, see `strays`
            if not str(name).startswith(self.folder) and name != '/dev/null':
                self.events.append(f'open for writing {name!r}')

    def strays(self):
        """Return the files that have appeared in the current folder."""
        return sorted(set(os.listdir()) - self.here)


# ---------------------------------------------------------------------------------------- targets


class Urdf:
    """Robot descriptions, from text to the frozen model."""

    def __init__(self, folder):
        from robodyn_ros.model import build, urdf

        self.parse, self.build = urdf.parse, build.build
        files = sorted((ROOT / 'config' / 'urdf').glob('*.urdf'))
        self.seeds = [file.read_bytes() for file in files]

    def run(self, data):
        model = self.build(self.parse(data))
        assert np.isfinite(model.constants).all()


class Csv:
    """Recordings as CSV, up to the samples at equal distances."""

    def __init__(self, folder):
        from robodyn_ros.identification import read_csv

        self.read, self.path = read_csv, folder / 'motion.csv'
        header = b'time,a.position,a.effort,"b,c.position","b,c.effort"\n'
        self.seeds = [header + b''.join(b'%d.5,%d,1e-3,-2,3.25\n' % (k, k) for k in range(20))]

    def run(self, data):
        self.path.write_bytes(data)
        found = self.read(self.path, ['a', 'b,c'])
        assert np.isfinite(found.q).all() and np.isfinite(found.rate)


class Bag:
    """Recordings as rosbag2: storage of sqlite3 and mcap, and sometimes the metadata.

    The metadata are rarer, since the parser of YAML is a hundred times slower than all else.
    """

    def __init__(self, folder):
        from rosbags.rosbag2 import StoragePlugin, Writer
        from rosbags.typesys import Stores, get_typestore

        from robodyn_ros.identification.joint_state_bag import TYPE, read_bag

        self.read, self.folder, self.turn = read_bag, folder, 0
        store = get_typestore(Stores.ROS2_JAZZY)
        types = (TYPE, 'std_msgs/msg/Header', 'builtin_interfaces/msg/Time')
        State, Header, Time = (store.types[name] for name in types)
        self.whole = {}
        for plugin in (StoragePlugin.SQLITE3, StoragePlugin.MCAP):
            path = folder / f'bag-{plugin.name.lower()}'
            with Writer(path, version=9, storage_plugin=plugin) as writer:
                connection = writer.add_connection('/joint_states', TYPE, typestore=store)
                for k in range(5):
                    value = np.array([k, 0.5])
                    message = State(Header(Time(k, 0), ''), ['a', 'b'], value, value, value)
                    writer.write(connection, k, store.serialize_cdr(message, TYPE))
            self.whole |= {
                f'{path.name}/{file.name}'.encode(): file.read_bytes() for file in path.iterdir()
            }
        self.seeds = [
            name + b'\n' + self.whole[name]
            for name in sorted(self.whole)
            for _ in range(1 if name.endswith(b'.yaml') else 15)
        ]

    def run(self, data):
        name, _, content = data.partition(b'\n')
        if name not in self.whole:  # only the name was changed
            name = sorted(self.whole)[self.turn % len(self.whole)]
        self.turn += 1
        path = self.folder / name.decode()
        try:
            path.write_bytes(content)
            of_folder = path.suffix == '.yaml' or self.turn % 100 == 0
            found = self.read(path.parent if of_folder else path, ['a'])
            assert np.isfinite(found.q).all()
        finally:
            path.write_bytes(self.whole[name])


class ParametersTarget:
    """Values for a few parameters of both nodes at a time: any JSON that a client may send."""

    def __init__(self, folder):
        from robodyn_ros.model import selection
        from robodyn_ros.model.sources import rotor_file
        from robodyn_ros.ros.common.robot_source import read_entries
        from robodyn_ros.ros.controller.controller_parameters import CONTROLLER_PARAMETERS
        from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS

        self.readers = {
            name: functools.partial(read_entries, name=name, read=read)
            for name, read in (('locked', selection.parse_locked), ('rotors', rotor_file.rotor))
        }
        self.table, self.turn = (*CONTROLLER_PARAMETERS, *SIMULATOR_PARAMETERS), 0
        self.seeds = [
            json.dumps(list(spec.default) if spec.is_array else spec.default).encode()
            for spec in self.table
        ] + [
            b'[1.0, 2.5, -3e300]',
            b'{"a": [null, true]}',
            b'["a=b", "c=1 2 3"]',
            b'1e400',
            b'NaN',
        ]

    def run(self, data):
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            value = data.decode('utf-8', 'replace')
        for _ in range(AT_A_TIME):
            self.turn = (self.turn + 1) % len(self.table)
            spec = self.table[self.turn]
            try:
                found = spec.convert(value)
            except RobodynError as refusal:
                assert str(refusal).isprintable() and len(str(refusal)) < 2000
                continue
            entries = found if spec.is_array else (found,)
            numbers = [x for x in entries if isinstance(x, (int, float))]
            assert all(spec.lower <= x <= spec.upper for x in numbers) or 'bool' in spec.type
            if spec.name in self.readers:
                self.readers[spec.name]({spec.name: found})


def double(x):
    """Return twice a number; the machine code of this kernel is damaged."""
    return 2.0 * x


class Cache:
    """Files of the kernel cache: generated sources, their bytecode, and machine code."""

    def __init__(self, folder):
        os.environ['ROBODYN_CACHE_DIR'] = str(folder / 'cache')
        from robodyn_ros.compile import cache, sealed_code, source_cache
        from robodyn_ros.compile.numba_private import MISSING

        logging.getLogger(sealed_code.__name__).setLevel(
            logging.ERROR
        )  # else it logs a line for each input
        self.cache, self.sealed = source_cache, sealed_code
        self.text = 'one = rows = 7\n'
        assert source_cache.imported('fuzzed', lambda: self.text).one == 7
        place = folder / 'cache'
        self.files = [next(place.rglob(f'fuzzed.{ending}')) for ending in ('py', 'code')]
        if not MISSING:
            self.files.append(self._machine_code(place))
        # the checked path does not depend on the input, so it is opened once
        own, built = functools.cache(cache._own), functools.cache(cache._built)
        self.opened = mock.patch.multiple(cache, _own=own, _built=built)
        self.opened.start()
        self.whole = [path.read_bytes() for path in self.files]
        evil = compile('import builtins; builtins.fuzzed = 1; one = 8', 'evil', 'exec')
        self.seeds = [*self.whole, marshal.dumps(evil), pickle.dumps(print), b'one = 8\n']
        self.turn = 0

    def close(self):
        """Restore the usual way to open folders."""
        self.opened.stop()

    def _machine_code(self, place):
        """Return the file of a compiled kernel."""
        import numba
        from numba.core.registry import cpu_target

        signature, self.context = numba.float64(numba.float64), cpu_target.target_context
        self.code = self.sealed.SealedCode(double, signature, {'nopython': True})
        compiled = numba.njit(signature)(double).overloads[signature.args]
        self.code.save_overload(None, compiled)
        (path,) = place.rglob('*.nbc')
        return path

    def run(self, data):
        kind = self.turn % len(self.files)
        path, whole = self.files[kind], self.whole[kind]
        self.turn += 1
        try:
            path.write_bytes(data)
            if path.suffix == '.nbc':
                if data != whole:
                    assert self.code.load_overload(None, self.context) is None
            else:
                module = self.cache.imported('fuzzed', lambda: self.text)
                assert module.one == 7, 'what was damaged was run'
        finally:
            path.write_bytes(whole)


TARGETS = {'urdf': Urdf, 'csv': Csv, 'bag': Bag, 'parameters': ParametersTarget, 'cache': Cache}


def fuzz(name, count, seed, seconds=float('inf')):
    """Run one target; return a dictionary of the findings."""
    rng = random.Random(f'{name} {seed}')
    results = {
        'target': name,
        'seed': seed,
        'inputs': 0,
        'accepted': 0,
        'refused': 0,
        'findings': [],
    }
    memory = MEMORY if os.access(MEMORY, os.W_OK) else None
    with contextlib.ExitStack() as closing:
        place = tempfile.TemporaryDirectory(prefix='robodyn-fuzz-', dir=memory)
        place = closing.enter_context(place)
        watch, target = Watch(place), TARGETS[name](Path(place))
        closing.callback(getattr(target, 'close', int))
        begin, slowest = time.monotonic(), 0.0
        while results['inputs'] < count and time.monotonic() - begin < seconds:
            data = mutated(rng, rng.choice(target.seeds))
            results['inputs'] += 1
            started = time.monotonic()
            watch.active = True
            try:
                results[_outcome(target, data)] += 1
            except Exception as error:
                found = ''.join(traceback.format_exception(error)[-3:])
                results['findings'].append({'error': found, 'input': repr(data[:2000])})
            finally:
                watch.active = False
            slowest = max(slowest, time.monotonic() - started)
            if watch.events:
                results['findings'].append({'did': watch.events[:5], 'input': repr(data[:2000])})
                watch.events.clear()
            if len(results['findings']) >= 10:
                break
        if watch.strays():
            results['findings'].append({'did': watch.strays()[:5]})
        results['seconds'] = round(time.monotonic() - begin, 1)
        results['slowest_s'] = round(slowest, 3)
    return results


def _outcome(target, data):
    """Give one input to a target; return the outcome."""
    try:
        target.run(data)
    except RobodynError as refusal:
        assert str(refusal).replace('\n', '').isprintable()
        return 'refused'
    return 'accepted'


def runs():
    """Return the rows of the runs so far."""
    with RUNS.open(newline='') as file:
        return list(csv.DictReader(file))


def record(found):
    """Add one run to the file of runs."""
    row = {key: found[key] for key in COLUMNS[:-2]}
    row |= {'findings': len(found['findings']), 'slowest_s': found['slowest_s']}
    with RUNS.open('a', newline='') as file:
        csv.DictWriter(file, COLUMNS, lineterminator='\n').writerow(row)


def table():
    """Return the runs so far, summed for each target, as a table for the page on security."""
    rows = []
    for name in TARGETS:
        own = [row for row in runs() if row['target'] == name]
        sums = [
            f'{sum(int(row[key]) for row in own):,}'.replace(',', ' ')
            for key in ('inputs', 'accepted', 'refused', 'findings')
        ]
        seeds = sorted(int(row['seed']) for row in own)
        slowest = max((float(row['slowest_s']) for row in own), default=0.0)
        span = f'{seeds[0]} to {seeds[-1]}' if seeds else 'none'
        rows.append([f'`{name}`', span, *sums, f'{slowest:.2g} s'])
    return markdown.table(HEAD, rows)


def main(args=None):
    """Run the targets; return exit code 1 if there is a finding."""
    parser = argparse.ArgumentParser(
        prog='fuzz', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument('targets', nargs='*', metavar='TARGET', help=f'of {", ".join(TARGETS)}')
    parser.add_argument('--count', type=int, default=1000, help='inputs of each (%(default)s)')
    parser.add_argument('--seed', type=int, default=0, help='of the inputs (%(default)s)')
    parser.add_argument(
        '--seconds', type=float, default=float('inf'), help='after which a target ends'
    )
    parser.add_argument(
        '--record', action='store_true', help='take the next seed, and add to the runs so far'
    )
    parser.add_argument(
        '--page', action='store_true', help='run nothing, put the runs so far into doc/security.md'
    )
    options = parser.parse_args(args)
    unknown = set(options.targets) - set(TARGETS)
    if unknown:
        parser.error(f'no target {", ".join(unknown)}; expected some of {", ".join(TARGETS)}')
    if options.page:
        PAGE.write_text(markdown.renewed(PAGE.read_text(), MARKER, table()))
        return 0
    warnings.simplefilter('ignore')
    ok = True
    for name in options.targets or TARGETS:
        seed = options.seed
        if options.record:
            used = [int(row['seed']) for row in runs() if row['target'] == name]
            seed = max(used, default=0) + 1
        found = fuzz(name, options.count, seed, options.seconds)
        print(json.dumps(found, indent=1), flush=True)
        if options.record:
            record(found)
        ok = ok and not found['findings']
    return 0 if ok else 1


if __name__ == '__main__':
    sys.exit(main())
