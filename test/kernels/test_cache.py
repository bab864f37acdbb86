"""The cache of machine code: used when sound, and never worse than none."""

from concurrent.futures import ThreadPoolExecutor
import os
from pathlib import Path
import shutil
import stat

from oracles.processes import run_script
import pytest
from robodyn_ros.kernels import cache

ROOT = Path(__file__).resolve().parents[2]
MASS = 2.0
SCRIPT = """
import json
import numpy as np
from oracles.textbook import Segment, serial
from robodyn_ros.kernels import generic
robot = serial((Segment('revolute', (0, -1, 0), (0, 0, 0), 2.0, (0.5, 0, 0), 0.1),))
tau = np.empty(1)
generic.gravity_torque(*robot._weighted, np.zeros(1), tau)
stats = generic.gravity_torque.compiled.stats
print(json.dumps([tau[0], sum(stats.cache_hits.values()), sum(stats.cache_misses.values())]))
"""
TORQUE = MASS * 9.81 * 0.5


@pytest.fixture
def store(tmp_path):
    """Return a folder for a cache of its own, which is not there yet."""
    return tmp_path / 'cache'


@pytest.fixture(scope='module')
def seed(tmp_path_factory):
    """Return a cache that a process has filled, and what the process printed."""
    folder = tmp_path_factory.mktemp('seed')
    printed = run_script(SCRIPT, folder, ROBODYN_CACHE_DIR=folder / 'cache')
    return folder / 'cache', printed


@pytest.fixture
def filled(seed, store):
    """Return a copy of the filled cache."""
    return shutil.copytree(seed[0], store)


def machine_code(store):
    """Return the files of machine code and their index."""
    return sorted(store.rglob('*.nbc')), sorted(store.rglob('*.nbi'))


def private_folder(store):
    """Return the one folder of the cache that is named after its key."""
    (folder,) = store.iterdir()
    return folder


def test_fresh_cache_is_private_and_hit_the_next_time(python, seed):
    """The first process compiles into a folder of mode 0700, the second loads."""
    store, ((torque, hits, _), warnings) = seed
    assert torque == pytest.approx(TORQUE) and hits == 0 and not warnings
    code, index = machine_code(store)
    assert len(code) == len(index) == 1
    assert stat.S_IMODE(private_folder(store).stat().st_mode) == 0o700
    (torque, hits, misses), warnings = python(SCRIPT, ROBODYN_CACHE_DIR=store)
    assert torque == pytest.approx(TORQUE) and (hits, misses) == (1, 0) and not warnings


@pytest.mark.parametrize('what, damage', [
    ('code', lambda data: data[:len(data) // 2]),
    ('code', lambda data: b'garbage' * 100),
    ('index', lambda data: data[:len(data) // 2]),
    ('index', lambda data: b''),
], ids=['truncated code', 'garbage for code', 'truncated index', 'empty index'])
def test_damaged_cache_is_purged_and_filled_again(python, filled, what, damage):
    """Whatever happened to a file: the right result now, and a hit the next time."""
    for file in machine_code(filled)[('code', 'index').index(what)]:
        file.write_bytes(damage(file.read_bytes()))
    (torque, hits, _), _ = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert torque == pytest.approx(TORQUE) and hits == 0
    (torque, hits, _), _ = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert torque == pytest.approx(TORQUE) and hits == 1


@pytest.mark.parametrize('mode', [0o777, 0o770])
def test_cache_that_others_may_write_is_not_used(python, filled, mode):
    """A folder of mode 0777 is left alone, with a warning that names it: its files run as code."""
    folder = private_folder(filled)
    before = {file: file.read_bytes() for file in folder.rglob('*') if file.is_file()}
    folder.chmod(mode)
    (torque, hits, _), warnings = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert torque == pytest.approx(TORQUE) and hits == 0
    assert f'{folder} is not private to this user' in warnings
    assert {file: file.read_bytes() for file in folder.rglob('*') if file.is_file()} == before


@pytest.mark.skipif(os.geteuid() != 0, reason='only root can give a folder to another user')
def test_cache_of_another_user_is_not_used(python, filled):
    """A folder that somebody else owns is left alone."""
    os.chown(private_folder(filled), 54321, 54321)
    (torque, hits, _), warnings = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert torque == pytest.approx(TORQUE) and hits == 0
    assert 'is not private to this user' in warnings


@pytest.mark.parametrize('environment', [
    {'ROBODYN_CACHE_DIR': '/proc/no/such/place'},
    {'ROBODYN_CACHE_DIR': '/dev/null'},
    {'ROBODYN_CACHE_DIR': None, 'HOME': '/dev/null', 'XDG_CACHE_HOME': None},
    {'ROBODYN_CACHE_DIR': None, 'HOME': '/proc/self', 'XDG_CACHE_HOME': None},
    {'ROBODYN_CACHE_DIR': None, 'XDG_CACHE_HOME': '/dev/null/cache'},
], ids=['read-only', 'a file', 'home is a file', 'read-only home', 'XDG'])
def test_where_no_cache_can_be_had_kernels_still_run(python, environment):
    """One warning that says what to do, and the right result."""
    (torque, hits, _), warnings = python(SCRIPT, **environment)
    assert torque == pytest.approx(TORQUE) and hits == 0
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


@pytest.mark.parametrize('processor', [
    {'NUMBA_CPU_NAME': 'generic', 'NUMBA_CPU_FEATURES': ''},
    {'NUMBA_CPU_FEATURES': '+sse2'}], ids=['another name', 'other features'])
def test_another_processor_has_its_own_folder(python, filled, processor):
    """Machine code of one processor is never looked at by another, and stays for the first."""
    before = private_folder(filled)
    (torque, hits, _), warnings = python(SCRIPT, ROBODYN_CACHE_DIR=filled, **processor)
    assert torque == pytest.approx(TORQUE) and hits == 0 and not warnings
    assert len(list(filled.iterdir())) == 2
    (torque, hits, _), _ = python(SCRIPT, ROBODYN_CACHE_DIR=filled)
    assert torque == pytest.approx(TORQUE) and hits == 1 and before.exists()


def test_edited_source_is_compiled_anew(python, store, tmp_path):
    """Even where size and time of a file are as before, and the kernel only calls into it."""
    copy = shutil.copytree(ROOT / 'robodyn_ros', tmp_path / 'copy' / 'robodyn_ros',
                           ignore=shutil.ignore_patterns('__pycache__'))

    def edit(name, old, new):
        file = copy / name
        text, times = file.read_text(), file.stat()
        edited = text.replace(old, new)
        assert edited != text and len(edited) == len(text)
        file.write_text(edited)
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    found = [python(SCRIPT, package=copy.parent, ROBODYN_CACHE_DIR=store)[0]]
    edit('recursions/gravity.py', 'h[0] * a[1] - h[1] * a[0]', 'h[1] * a[0] - h[0] * a[1]')
    found.append(python(SCRIPT, package=copy.parent, ROBODYN_CACHE_DIR=store)[0])
    edit('spatial/rotation.py', 'return c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]',
         'return c * v[0] + s * v[1], s * v[0] - c * v[1], v[2]')
    found.append(python(SCRIPT, package=copy.parent, ROBODYN_CACHE_DIR=store)[0])
    assert [hits for _, hits, _ in found] == [0, 0, 0]
    assert [torque for torque, _, _ in found] == pytest.approx([TORQUE, -TORQUE, TORQUE])


FULL_DISK = """
import json
import resource
import numpy as np
from oracles.textbook import Segment, serial
from robodyn_ros.kernels import checks, generic
from robodyn_ros.kernels.specialise import RECIPES, specialise
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
robot = serial((Segment('revolute', (0, -1, 0), (0, 0, 0), 2.0, (0.5, 0, 0), 0.1),))
kernel = specialise(robot.model, 'gravity_torque', RECIPES['gravity_torque']).one
tau = np.empty(1)
assert kernel(np.zeros(1), tau) == 0 and checks.one(1, 1, tau)
generic.gravity_torque(*robot._weighted, np.zeros(1), tau)
print(json.dumps([tau[0], sum(generic.gravity_torque.compiled.stats.cache_hits.values())]))
"""


def test_full_disk(python, filled):
    """What fits no more is compiled and not kept, what is there is used and stays."""
    before = sorted(filled.rglob('*'))
    (torque, hits), warnings = python(FULL_DISK, ROBODYN_CACHE_DIR=filled)
    assert torque == pytest.approx(TORQUE) and hits == 1
    assert 'nothing can be written to the kernel cache' in warnings
    assert 'checks.one without a cache' in warnings
    assert set(before) <= set(filled.rglob('*')) and not list(filled.rglob('*.part'))


def test_four_processes_race_on_a_cold_cache(store, tmp_path):
    """All four get the right result, and the fifth gets it from the cache."""
    folders = [tmp_path / f'racer{k}' for k in range(5)]
    for folder in folders:
        folder.mkdir()

    def race(folder):
        return run_script(SCRIPT, folder, ROBODYN_CACHE_DIR=store)
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(race, folders[:4]), race(folders[4])]
    assert [torque for (torque, _, _), _ in found] == pytest.approx([TORQUE] * 5)
    assert found[4][0][1:] == [1, 0]
