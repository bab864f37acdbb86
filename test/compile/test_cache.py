# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cache of machine code: used when sound, and never worse than none."""

import errno
import os
import pwd
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from robodyn_ros.compile import cache
from robodyn_ros.compile.trusted_folder import TrustedFolder
from support.processes import run_script

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
#: A kernel that compiles at once and needs no robot: does a state fit, is it finite.
SCRIPT = """
import json
import robodyn_ros
robodyn_ros.verbose = False
import numpy as np
from robodyn_ros.compile import state_checks
kernel = state_checks.one
found = [kernel(1, 1, np.array(q)) for q in ((0.5,), (0.5, 0.5), (np.nan,))]
stats = kernel.compiled.stats
print(json.dumps([found, sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""
RIGHT = [True, False, False]
TORQUE = 2.0 * 9.81 * 0.5  # m g r
TORQUE_SCRIPT = """
import json
import numpy as np
from support.robots.textbook import Segment, serial
from robodyn_ros.compile import generic
robot = serial((Segment('revolute', (0, -1, 0), (0, 0, 0), 2.0, (0.5, 0, 0), 0.1),))
tau = np.empty(1)
generic.gravity_torque(*robot._weighted, np.zeros(1), tau)
print(json.dumps([tau[0], sum(generic.gravity_torque.compiled.stats.cache_hits.values())]))
"""


@pytest.fixture
def store(tmp_path):
    """Return a folder for a cache of its own, which is not there yet."""
    return tmp_path / 'cache'


@pytest.fixture(scope='module')
def seed(tmp_path_factory):
    """Return a cache that a process has filled, and what the process printed."""
    folder = tmp_path_factory.mktemp('seed')
    printed = run_script(SCRIPT, folder, ROBODYN_CACHE_DIR=folder / 'cache')  # as users do
    return folder / 'cache', printed


@pytest.fixture
def filled(seed, store):
    """Return a copy of the filled cache."""
    return shutil.copytree(seed[0], store)


def machine_code(store, kernel='state_checks.one'):
    """Return the files of a kernel's machine code."""
    return sorted(store.rglob(f'*{kernel}-*.nbc'))


def private_folder(store):
    """Return the one folder of the cache that is named after its key."""
    (folder,) = store.iterdir()
    return folder


def test_fresh_cache_is_private_and_hit_the_next_time(python, seed):
    """The first process compiles into a folder of mode 0700, the second loads."""
    store, ((found, hits, _), warnings) = seed
    assert found == RIGHT and hits == 0 and not warnings
    (file,) = machine_code(store)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(private_folder(store).stat().st_mode) == 0o700
    (found, hits, misses), warnings = python(SCRIPT, ROBODYN_CACHE_DIR=store)
    assert found == RIGHT and (hits, misses) == (1, 0) and not warnings


def flipped(data):
    """Flip one bit in the middle, where the code is."""
    k = len(data) // 2
    return data[:k] + bytes([data[k] ^ 1]) + data[k + 1 :]


@pytest.mark.parametrize(
    'damage',
    [
        lambda data: data[: len(data) // 2],
        lambda data: b'garbage' * 100,
        lambda data: b'',
        flipped,
        lambda data: data[:200] + bytes(len(data) - 200),
        lambda data: bytes(len(data)),
    ],
    ids=['truncated', 'garbage', 'empty', 'one bit', 'zeroed code', 'zeroed'],
)
def test_damaged_code_is_never_run_and_replaced(python, filled, damage):
    """Whatever happened to a file: one line, the right result now, and a hit the next time."""
    (file,) = machine_code(filled)
    file.write_bytes(damage(file.read_bytes()))
    (found, hits, _), told = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert found == RIGHT and hits == 0
    assert told.count('\n') == 1 and f'{file.name} is damaged (its seal is broken)' in told
    (found, hits, _), told = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert found == RIGHT and hits == 1 and not told


def test_code_under_the_name_of_another_kernel_is_not_run(python, filled):
    """The seal is over the key too, so sound code cannot be passed off as that of another."""
    python(
        'from robodyn_ros.compile import state_checks; state_checks.two.compiled; print(0)',
        ROBODYN_CACHE_DIR=filled,
    )
    one, two = (machine_code(filled, f'state_checks.{name}')[0] for name in ('one', 'two'))
    shutil.copy(two, one)
    (found, hits, _), told = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert found == RIGHT and hits == 0 and 'its seal is broken' in told


@pytest.mark.parametrize('mode', [0o777, 0o770])
def test_cache_that_others_may_write_is_not_used(python, filled, mode):
    """A folder of mode 0777 is left alone, with a warning that names it: its files run as code."""
    folder = private_folder(filled)
    before = {file: file.read_bytes() for file in folder.rglob('*') if file.is_file()}
    folder.chmod(mode)
    (found, hits, _), warnings = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert found == RIGHT and hits == 0
    assert f'{folder} is not private to this user' in warnings
    assert {file: file.read_bytes() for file in folder.rglob('*') if file.is_file()} == before


@pytest.mark.parametrize('mode', [0o777, 0o775, 0o702])
def test_an_ancestor_that_others_may_write_is_refused(python, filled, mode):
    """A user who owns or can write an ancestor could replace the folder."""
    parent = filled.parent
    os.chown(parent, -1, 54321) if os.geteuid() == 0 else None
    parent.chmod(mode)
    (found, hits, _), told = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert found == RIGHT
    refused = os.geteuid() == 0 or mode != 0o775
    assert (hits == 0) == refused == (f'others can write to {parent}' in told)


def test_a_sticky_ancestor_is_fine(python, filled):
    """In a folder such as /tmp, users cannot move files of others."""
    filled.parent.chmod(0o1777)
    (_, hits, _), told = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert hits == 1 and not told


def test_a_symbolic_link_for_the_folder_or_a_file_is_refused(python, filled, tmp_path):
    """Neither leads out of the folder that was checked; a link to an ancestor does no harm."""
    (file,) = machine_code(filled)
    elsewhere = file.rename(tmp_path / 'elsewhere.nbc')
    file.symlink_to(elsewhere)
    (_, hits, _), told = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert hits == 0 and 'a file of the kernel cache is not used' in told
    folder = private_folder(filled)
    moved = folder.rename(tmp_path / 'moved')
    folder.symlink_to(moved)
    (_, hits, _), told = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert hits == 0 and 'no kernel cache at' in told
    folder.unlink()
    moved.rename(folder)
    (tmp_path / 'link').symlink_to(filled)
    (_, hits, _), told = python(SCRIPT, ROBODYN_CACHE_DIR=tmp_path / 'link')
    assert hits == 1 and not told


def test_what_was_checked_is_what_is_read(tmp_path):
    """A folder that takes the place of the checked one afterwards is never looked at."""
    sound, folder = tmp_path / 'sound', tmp_path / 'base' / 'folder'
    folder.mkdir(parents=True, mode=0o700)
    (folder / 'file').write_text('sound')
    opened = TrustedFolder(folder, (os.getuid(),))
    folder.parent.rename(sound)
    folder.mkdir(parents=True)
    (folder / 'file').write_text('malign')
    assert opened.read_bytes('file') == b'sound'
    opened.write_bytes('new', b'')
    assert (sound / 'folder' / 'new').exists() and not (folder / 'new').exists()


@pytest.mark.parametrize('umask', [0, 0o022, 0o077, 0o177])
def test_folders_are_private_under_any_umask(tmp_path, umask):
    """All that had to be made, up to the base; the user is in the name of the folder."""
    before = os.umask(umask)
    try:
        TrustedFolder(tmp_path / 'a' / 'b' / 'c', (os.getuid(),), create=True).write_bytes(
            'd', b''
        )
    finally:
        os.umask(before)
    made = [tmp_path / 'a', tmp_path / 'a' / 'b', tmp_path / 'a' / 'b' / 'c']
    assert {stat.S_IMODE(path.stat().st_mode) for path in made} == {0o700}
    assert stat.S_IMODE((made[-1] / 'd').stat().st_mode) == 0o600


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path, monkeypatch):
    """So that a loss of power leaves either the whole file or none."""
    calls = []
    for name in ('fsync', 'replace'):
        real = getattr(os, name)
        monkeypatch.setattr(
            os,
            name,
            lambda *given, _real=real, _name=name, **named: (
                calls.append(_name),
                _real(*given, **named),
            ),
        )
    TrustedFolder(tmp_path / 'own', (os.getuid(),), create=True).write_bytes('file', b'data')
    assert calls == ['fsync', 'replace']


def test_kernels_built_with_the_package_serve_every_user(python, seed, tmp_path):
    """A folder that cannot be written, of mode 0755; what is missing goes to the user's own."""
    built, own = tmp_path / 'built', tmp_path / 'own'
    python(SCRIPT, ROBODYN_CACHE_DIR=own, ROBODYN_BUILT_KERNELS=built, ROBODYN_BUILDING_KERNELS=1)
    assert not own.exists() and len(machine_code(built)) == 1
    folder = private_folder(built)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert stat.S_IMODE(machine_code(built)[0].stat().st_mode) == 0o644
    folder.chmod(0o555)
    before = sorted(built.rglob('*'))
    (found, hits, _), told = python(SCRIPT, ROBODYN_CACHE_DIR=own, ROBODYN_BUILT_KERNELS=built)
    assert (found, hits) == (RIGHT, 1) and not told
    python(
        SCRIPT.replace('kernel =', 'state_checks.two.compiled\nkernel ='),
        ROBODYN_CACHE_DIR=own,
        ROBODYN_BUILT_KERNELS=built,
    )
    assert sorted(built.rglob('*')) == before and len(machine_code(own, 'state_checks.two')) == 1


def test_a_file_that_may_not_be_read_is_not_used(monkeypatch, tmp_path):
    """The mode of a file stops no superuser, so the call is refused."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    assert cache.save(cache.__file__, 'some', b'code')
    assert [data for _, data in cache.found(cache.__file__, 'some')] == [b'code']

    def refuse(*_):
        raise PermissionError(errno.EACCES, 'Permission denied')

    monkeypatch.setattr(TrustedFolder, 'read_bytes', refuse)
    with pytest.warns(cache.CacheWarning, match='is not used: .*Permission denied'):
        assert not list(cache.found(cache.__file__, 'some'))


def test_a_mark_counts_only_with_its_files(monkeypatch, tmp_path):
    """Without its text and its machine code a mark does not count."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    cache.save(cache.__file__, 'one.nbc', b'1')
    cache.set_mark('all')
    assert cache.has_mark('all') and not cache.has_mark('other')
    (cache.folder(cache.__file__) / 'one.nbc').unlink()
    assert not cache.has_mark('all')
    cache.save(cache.__file__, 'one.nbc', b'1')
    (cache.folder(cache.__file__) / 'all.ready').write_bytes(b'')
    assert not cache.has_mark('all'), 'a mark that was cut off'


@pytest.mark.skipif(os.geteuid() != 0, reason='only root can give a folder to another user')
def test_cache_of_another_user_is_not_used(python, filled):
    """A folder of another user is left alone."""
    os.chown(private_folder(filled), 54321, 54321)
    (found, hits, _), warnings = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert found == RIGHT and hits == 0
    assert 'is not private to this user' in warnings


@pytest.mark.parametrize(
    'environment',
    [
        {'ROBODYN_CACHE_DIR': '/proc/no/such/place'},
        {'ROBODYN_CACHE_DIR': '/dev/null'},
        {'ROBODYN_CACHE_DIR': None, 'HOME': '/dev/null', 'XDG_CACHE_HOME': None},
        {'ROBODYN_CACHE_DIR': None, 'HOME': '/proc/self', 'XDG_CACHE_HOME': None},
        {'ROBODYN_CACHE_DIR': None, 'XDG_CACHE_HOME': '/dev/null/cache'},
    ],
    ids=['read-only', 'a file', 'home is a file', 'read-only home', 'XDG'],
)
def test_where_no_cache_can_be_had_kernels_still_run(python, environment):
    """One warning that says what to do, and the right result."""
    (found, hits, _), warnings = python(SCRIPT, **environment)
    assert found == RIGHT and hits == 0
    assert warnings.count('no kernel cache at') == 1
    assert 'set ROBODYN_CACHE_DIR to a folder that can be written' in warnings


def test_without_any_home_there_is_no_cache(monkeypatch):
    """A user without HOME and without an entry in the password file has no cache, and no error."""

    def homeless():
        raise RuntimeError('Could not determine home directory.')

    monkeypatch.delenv('ROBODYN_CACHE_DIR', raising=False)
    monkeypatch.delenv('XDG_CACHE_HOME', raising=False)
    monkeypatch.setattr(cache.pathlib.Path, 'home', staticmethod(homeless))
    assert cache.root() is None
    assert cache.folder(__file__) is None


def test_an_empty_home_is_none(monkeypatch):
    """The entry in the password file counts, not the root folder."""
    for name in ('ROBODYN_CACHE_DIR', 'XDG_CACHE_HOME'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv('HOME', '')
    assert cache.root() == Path(pwd.getpwuid(os.getuid()).pw_dir) / '.cache' / 'robodyn_ros'


def test_cache_follows_home_and_xdg(monkeypatch, tmp_path):
    """ROBODYN_CACHE_DIR first, then XDG_CACHE_HOME/robodyn_ros, then ~/.cache/robodyn_ros."""
    monkeypatch.setenv('HOME', str(tmp_path / 'home'))
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'xdg'))
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path / 'own'))
    assert cache.root() == tmp_path / 'own'
    monkeypatch.delenv('ROBODYN_CACHE_DIR')
    assert cache.root() == tmp_path / 'xdg' / 'robodyn_ros'
    monkeypatch.delenv('XDG_CACHE_HOME')
    assert cache.root() == tmp_path / 'home' / '.cache' / 'robodyn_ros'


@pytest.mark.parametrize(
    'processor',
    [{'NUMBA_CPU_NAME': 'generic', 'NUMBA_CPU_FEATURES': ''}, {'NUMBA_CPU_FEATURES': '+sse2'}],
    ids=['another name', 'other features'],
)
def test_another_processor_has_its_own_folder(python, filled, processor):
    """Machine code of one processor is never looked at by another, and stays for the first."""
    before = private_folder(filled)
    (found, hits, _), warnings = python(SCRIPT, ROBODYN_CACHE_DIR=filled, **processor)
    assert found == RIGHT and hits == 0 and not warnings
    assert len(list(filled.iterdir())) == 2
    (found, hits, _), _ = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert found == RIGHT and hits == 1 and before.exists()


def test_edited_source_is_compiled_anew(python, store, tmp_path):
    """Even where size and time of a file are as before, and the kernel only calls into it."""
    copy = shutil.copytree(
        ROOT / 'robodyn_ros',
        tmp_path / 'copy' / 'robodyn_ros',
        ignore=shutil.ignore_patterns('__pycache__', '__kernels__'),
    )

    def edit(name, old, new):
        file = copy / name
        text, times = file.read_text(), file.stat()
        edited = text.replace(old, new)
        assert edited != text and len(edited) == len(text)
        file.write_text(edited)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    found = [python(TORQUE_SCRIPT, package=copy.parent, ROBODYN_CACHE_DIR=store)[0]]
    edit('algorithms/core/gravity.py', 'h[0] * a[1] - h[1] * a[0]', 'h[1] * a[0] - h[0] * a[1]')
    found.append(python(TORQUE_SCRIPT, package=copy.parent, ROBODYN_CACHE_DIR=store)[0])
    edit(
        'spatial/rotation.py',
        'return c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]',
        'return c * v[0] + s * v[1], s * v[0] - c * v[1], v[2]',
    )
    found.append(python(TORQUE_SCRIPT, package=copy.parent, ROBODYN_CACHE_DIR=store)[0])
    assert [hits for _, hits in found] == [0, 0, 0]
    assert [torque for torque, _ in found] == pytest.approx([TORQUE, -TORQUE, TORQUE])


FULL_DISK = """
import json
import resource
import numpy as np
from support.robots.textbook import Segment, serial
from robodyn_ros.compile import state_checks
from robodyn_ros.codegen.specialise import RECIPES, specialise
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
robot = serial((Segment('revolute', (0, -1, 0), (0, 0, 0), 2.0, (0.5, 0, 0), 0.1),))
kernel = specialise(robot.model, 'gravity_torque', RECIPES['gravity_torque']).one
tau = np.empty(1)
assert kernel(np.zeros(1), tau) == 0 and state_checks.one(1, 1, tau)
print(json.dumps([tau[0], sum(state_checks.one.compiled.stats.cache_hits.values())]))
"""


def test_a_full_disk_costs_only_the_cache(filled, tmp_path):
    """What fits no more is compiled and not kept, what is there is used and stays."""
    before = sorted(filled.rglob('*'))
    # The output of a fork is a file, which would be cut off.
    (torque, hits), warnings = run_script(FULL_DISK, tmp_path, ROBODYN_CACHE_DIR=filled)
    assert torque == pytest.approx(TORQUE) and hits == 1
    assert 'nothing can be written to the kernel cache' in warnings
    assert set(before) <= set(filled.rglob('*')) and not list(filled.rglob('*.part'))


def test_four_processes_race_on_a_cold_cache(python, store, tmp_path):
    """All four get the right result, and the fifth gets it from the cache."""
    folders = [tmp_path / f'racer{k}' for k in range(4)]
    for folder in folders:
        folder.mkdir()

    def race(folder):
        return run_script(SCRIPT, folder, ROBODYN_CACHE_DIR=store)

    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(race, folders), python(SCRIPT, ROBODYN_CACHE_DIR=store)]
    assert [right for (right, _, _), _ in found] == [RIGHT] * 5
    assert found[4][0][1:] == [1, 0]
