# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiling in another process while the generic kernels serve, and the command for it."""

import functools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.cli import warmup
from robodyn_ros.compile import Kernel, cache, generic, state_checks, warm_up
from robodyn_ros.control.laws.pd import PD
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.model import build
from robodyn_ros.robot.background_compiler import (
    NICE,
    BackgroundCompilation,
    BackgroundSpecialisation,
    parallel_compilation,
    picklable_model,
)
from robodyn_ros.robot.robot import Robot
from robodyn_ros.robot.specialised_robot import SpecialisedRobot
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.specialised_step import specialised_step
from support.patience import PATIENCE
from support.robots.families import describe

pytestmark = pytest.mark.slow


@pytest.fixture
def model():
    """Return the smallest arm, which still has every kernel."""
    return build.build(describe('background_arm', 1))


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Let this process and its children keep their kernels here, beside those for any robot."""
    shared = cache.folder(generic.__file__)
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path / 'cache'))
    own = cache.folder(generic.__file__)
    for file in shared.glob('*.nbc') if shared else ():
        if not file.name.startswith('robodyn_specialised_'):  # as those for one robot are
            shutil.copy(file, own)
    return tmp_path / 'cache'


@pytest.fixture
def same_priority(monkeypatch):
    """Let the compiler have the priority of the tests, which wait for it on a busy machine."""
    monkeypatch.setattr('robodyn_ros.robot.background_compiler.NICE', 0)


def three():
    """Return kernels that nothing has compiled yet in this process, for another process too."""
    return [Kernel(each.python) for each in state_checks.ALL]


TOGETHER = """
import sys, time
from pathlib import Path
from robodyn_ros.robot import background_compiler as background
from robodyn_ros.compile import cache, warm_up
from codegen.specialised.test_background import PATIENCE, three
home = Path(cache.folder(background.__file__)).parent
if sys.argv[1] == 'again':
    background.subprocess.Popen = None   # nothing is left for another process to do
def meet(name, done, total):
    deadline = time.monotonic() + PATIENCE   # the other process takes the last first
    while done == 0 and not list(home.rglob('state_checks.three-*.nbc')):
        assert time.monotonic() < deadline
        time.sleep(0.1)
kernels = three()
with background.parallel_compilation(three):
    warm_up(kernels, meet)
print(*(sum(each.compiled.stats.cache_hits.values()) for each in kernels))
"""


def test_two_processes_compile_from_both_ends(tmp_path):
    """What the other one has compiled is loaded; the second time, none is started."""
    tests = Path(__file__).parents[2]
    environment = {
        **os.environ,
        'ROBODYN_CACHE_DIR': str(tmp_path / 'cache'),
        'ROBODYN_BUILT_KERNELS': '',
        'PYTHONPATH': f'{tests}:{os.environ.get("PYTHONPATH", "")}',
    }
    for run, hits in (('first', '1'), ('again', '1 1 1')):
        done = subprocess.run(
            [sys.executable, '-c', TOGETHER, run],
            env=environment,
            text=True,
            capture_output=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip().endswith(hits)


@pytest.mark.parametrize('processors', [1, 2])
def test_one_process_compiles_alone(processors, home, monkeypatch):
    """On a single processor; on others, the second time."""
    if processors > 1:
        with parallel_compilation(three):
            warm_up(three())
    monkeypatch.setattr('robodyn_ros.robot.background_compiler.cores', lambda: processors)
    monkeypatch.setattr('robodyn_ros.robot.background_compiler.subprocess.Popen', None)
    with parallel_compilation(three):
        assert all(kernel.compiled.signatures for kernel in three())


def test_what_fails_ends_the_helper_and_leaves_no_mark(home, monkeypatch):
    """As a law whose options do not fit; the next time there is help again."""
    started, popen = [], subprocess.Popen
    monkeypatch.setattr('robodyn_ros.robot.background_compiler.cores', lambda: 2)
    monkeypatch.setattr(Kernel, 'is_kept', False)
    monkeypatch.setattr(
        'robodyn_ros.robot.background_compiler.subprocess.Popen',
        lambda *a, **b: started.append(popen(*a, **b)) or started[-1],
    )
    for _ in range(2):
        with pytest.raises(ValueError, match='no such frame'), parallel_compilation(three):
            raise ValueError('no such frame')
    assert len(started) == 2 and all(process.poll() is not None for process in started)


def test_generic_kernels_serve_until_the_specialised_ones_are_verified(model, home, same_priority):
    """Generic at once; specialised, examined and equal when the other process is done."""
    ended = []
    background = BackgroundSpecialisation(model, [model.body_names[-1]], ended.append)
    first = background.robot
    assert type(first) is Robot
    q = np.array((0.3,))
    weight = first.gravity_torque(q)
    assert background.wait(PATIENCE), background.trouble
    assert ended == [background] and background.trouble == ''
    done, total, _ = background.progress
    assert done == total > 10
    assert type(background.robot) is SpecialisedRobot
    assert np.allclose(background.robot.gravity_torque(q), weight, rtol=1e-13)
    # a method bound before keeps working
    assert np.array_equal(first.gravity_torque(q), weight)
    # the machine code came from the cache
    for kernels in background.robot.kernels.values():
        assert sum(kernels.one.compiled.stats.cache_hits.values()) == 1


def test_the_compiler_gives_way_to_processes_that_control_a_robot(model, home):
    """Its priority is lower than that of the process which started it."""
    background = BackgroundSpecialisation(model)
    lower = min(os.getpriority(os.PRIO_PROCESS, 0) + NICE, 19)
    while (process := background._process) is None or (
        os.getpriority(os.PRIO_PROCESS, process.pid) != lower
    ):
        assert not background.ended
        time.sleep(0.01)
    background.stop()


def test_an_early_end_leaves_the_generic_kernels(model, home):
    """An early end leaves the generic kernels serving, and no process behind."""
    background = BackgroundSpecialisation(model)
    background.stop()
    assert not background.ready and background.trouble == ''
    assert background._process is None or background._process.poll() is not None


def endless(progress):
    """Make kernels for ever, as a busy machine seems to."""
    while True:
        progress('kernel', 1, 2)
        time.sleep(0.01)


def test_stopped_while_this_process_makes_it(home, monkeypatch):
    """Compilation stops between two kernels: the end of the process does not wait for the rest."""
    monkeypatch.setattr(BackgroundCompilation, '_compile', lambda _: None)
    ended = []
    background = BackgroundCompilation(endless, done=ended.append)
    while not background.progress[2]:
        time.sleep(0.01)
    background.stop()
    assert ended == [background] and background.ended
    assert not background.ready and background.trouble == ''


def test_without_a_cache_background_compilation_states_what_to_do(model, tmp_path, monkeypatch):
    """Without a cache the other process could hand nothing over: a sentence says what to do."""
    (tmp_path / 'file').write_text('')
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path / 'file' / 'cache'))
    cache._warn_once.cache_clear()
    with pytest.warns(UserWarning, match='no kernel cache'):
        background = BackgroundSpecialisation(model)
        assert not background.wait(PATIENCE)
    assert 'ROBODYN_CACHE_DIR' in background.trouble
    assert background.robot.gravity_torque(np.zeros(1)).shape == (1,)


def test_a_process_that_fails(model, home, monkeypatch):
    """Its last line becomes the sentence."""
    monkeypatch.setattr('robodyn_ros.robot.child_process.sys.executable', '/bin/false')
    background = BackgroundSpecialisation(model)
    assert not background.wait(PATIENCE)
    assert 'failed with code 1' in background.trouble


def test_a_process_that_is_killed(model, home):
    """The generic kernels stay in use, the log states the reason, and no kernel counts as
    compiled."""
    background = BackgroundSpecialisation(model)
    while background._process is None:
        assert not background.ended
        time.sleep(0.01)
    background._process.kill()
    assert not background.wait(PATIENCE)
    assert 'was ended by signal 9' in background.trouble
    assert type(background.robot) is Robot
    again = BackgroundSpecialisation(model)
    assert not again.known
    again.stop()


def test_a_warm_up_that_can_keep_nothing_is_refused(tmp_path, capsys, monkeypatch):
    """Exit code 1 and what to do about it, instead of minutes for nothing."""
    from test.codegen.conftest import named

    cache._warn_once.cache_clear()
    monkeypatch.setenv('ROBODYN_CACHE_DIR', '/dev/null/cache')
    monkeypatch.setattr(warmup, 'warm_up', lambda *_: None)
    assert warmup.main([str(named('two_link').path)]) == 1
    assert 'set ROBODYN_CACHE_DIR' in capsys.readouterr().err


def test_warmup_refuses_with_a_sentence(tmp_path, capsys, monkeypatch):
    """A file that is no URDF, a frame that is none: exit code 1 before anything is compiled."""
    from test.codegen.conftest import named

    monkeypatch.setattr(warmup, 'warm_up', None)
    assert warmup.main([str(tmp_path / 'nowhere.urdf')]) == 1
    assert 'nowhere.urdf' in capsys.readouterr().err
    assert warmup.main([str(named('two_link').path), '--frames', 'hand']) == 1
    assert "no frame 'hand'" in capsys.readouterr().err


def test_warmup_names_every_kernel_and_the_cache(capsys, monkeypatch):
    """Every kernel is named as it is compiled, and so is the folder of the cache."""
    from test.codegen.conftest import named

    monkeypatch.setattr(warmup.generic, 'ALL', ())
    path = named('two_link').path
    assert warmup.main([str(path), '--laws', 'pd', 'computed_torque']) == 0
    said = capsys.readouterr().out
    assert 'two_link inverse_dynamics of batches' in said and 'stored in' in said
    # what nodes and programs make in the background is found
    model = picklable_model(Robot.from_urdf(Path(path).read_text()).model)
    for background in (
        BackgroundSpecialisation(model),
        BackgroundCompilation(functools.partial(specialised_kernels, model, PD)),
        BackgroundCompilation(
            functools.partial(specialised_step, model, PlantSettings.integrator)
        ),
    ):
        assert background.known and background._process is None
        assert background.wait(PATIENCE), background.trouble
