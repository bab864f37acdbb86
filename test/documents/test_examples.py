# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every file of examples/ runs, and what it shows comes out."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from support.examples import FOLDER, load

ROOT = Path(__file__).resolve().parents[2]
#: Packages that are in this environment for other purposes.
EXTRAS = {'matplotlib', 'mujoco', 'rclpy', 'rich', 'ruamel', 'scipy', 'trimesh', 'xacro', 'yaml'}
TESTED = {
    'carry_a_load_by_crane',
    'carry_an_unknown_load',
    'guide_by_hand',
    'hold_a_tool_in_space',
    'identify_a_load',
    'press_on_a_table',
    'move_an_end_effector',
    'move_closed_chains',
    'sweep_a_parameter',
    'swing_a_flexible_boom',
    'track_a_trajectory',
    'write_a_law',
}


@pytest.fixture(autouse=True)
def declared(monkeypatch):
    """Hide what neither the package nor the page of the examples declares."""
    page = (ROOT / 'doc' / 'start' / 'examples.md').read_text()
    (line,) = re.findall(r'^    pip install \. (.*)$', page, re.M)
    for name in EXTRAS - set(line.replace('PyYAML', 'yaml').split()):
        monkeypatch.setitem(sys.modules, name, None)


def test_every_example_is_tested():
    assert {path.stem for path in FOLDER.glob('*.py')} == TESTED


def test_computed_torque_tracks_a_hundred_times_better_than_pd(tmp_path, capsys):
    pytest.importorskip('matplotlib', reason='the example draws')
    picture = tmp_path / 'tracking.png'
    errors = load('track_a_trajectory').main(picture)
    rms = {law: np.sqrt(np.mean(error**2)) for law, error in errors.items()}
    assert rms['computed_torque'] < 1e-3
    assert rms['pd'] > rms['pd_gravity'] > 100.0 * rms['computed_torque']
    assert picture.read_bytes().startswith(b'\x89PNG')
    assert 'computed_torque' in capsys.readouterr().out


def test_a_guided_arm_moves_and_stays_where_it_is_left():
    places, speed = load('guide_by_hand').main()
    assert np.linalg.norm(places[-1] - places[0]) > 0.1
    assert np.abs(places[-1] - places[-200]).max() < 1e-4 and speed < 1e-3


def test_the_tool_spring_yields_and_comes_back():
    example = load('write_a_law')
    pulled, released = example.main()
    # 20 N against 400 N/m, less what joint friction carries
    assert -20.0 / example.ToolSpring.stiffness <= pulled[2] < -0.04
    assert np.linalg.norm(released) < 0.005


def test_an_arm_presses_on_the_table_with_the_force_of_its_torque(capsys):
    """It falls by 50 mm to the table, and then stands still."""
    _, height, force = load('press_on_a_table').main().T
    assert height[-1] == pytest.approx(-0.05, abs=1e-9) and force[0] == 0.0
    assert force[-1] == pytest.approx(20.0, rel=1e-3)
    assert '20.0' in capsys.readouterr().out


def test_a_load_is_identified():
    example = load('identify_a_load')
    mass, com = example.main()
    assert mass == pytest.approx(example.MASS, rel=0.01)
    assert np.abs(com - example.COM).max() < 1e-3


def test_a_flexible_boom_swings_on_after_a_fast_motion():
    """By a millimetre, and by a twentieth of that after a motion longer than its period."""
    fast, slow = load('swing_a_flexible_boom').main().values()
    assert 5e-4 < fast < 5e-3 and slow < 0.05 * fast


def test_arms_near_critical_damping_settle_first():
    example = load('sweep_a_parameter')
    example.ARMS = 8  # as many show the same in an eighth of the time
    times = example.main()
    assert 0.6 <= min(times, key=times.get) <= 1.5
    assert times[0.1] > 2.0 * times[1.0] < times[2.0] * 2.0


def test_an_arm_holds_its_tool_while_its_base_reacts():
    found = load('hold_a_tool_in_space').main()
    (drift, _), (error, moved) = found['joints held'], found['tool held']
    assert moved.max() > 0.05 and drift.max() > 0.05
    assert error.max() < 1e-3


def test_a_crane_follows_its_reference_while_its_load_swings():
    found = load('carry_a_load_by_crane').main()
    plain, law = found['computed_torque'], found['underactuated_computed_torque']
    driven = [np.abs(errors[:, [0, 2]]).max() for errors, _ in (plain, law)]
    assert driven[1] < 1e-4 and driven[0] > 100.0 * driven[1]
    angles = np.abs(law[1])
    assert angles.max() > np.radians(2.0) and angles[-3000:].max() < np.radians(1.0)


def test_loops_keep_a_plate_level_and_fingers_parallel(tmp_path):
    """To the rounding of closing the loops, some 6e-15, whatever the motors' tracking errors."""
    pytest.importorskip('matplotlib', reason='the example draws')
    picture = tmp_path / 'chains.png'
    motions = load('move_closed_chains').main([picture])
    for positions, errors, tilts in motions.values():
        assert np.abs(positions[-1] - positions[0]).max() > 0.4
        assert np.abs(errors).max() < 1e-3 and tilts.max() < 1e-13
    assert picture.read_bytes().startswith(b'\x89PNG')


def rows_are_in(page, rows):
    """Whether each row of cells is one of a table of the page."""
    text = (ROOT / 'doc' / page).read_text()
    return all(f'| {" | ".join(row)} |\n' in text for row in rows)


@pytest.mark.slow
def test_of_four_laws_the_learning_one_carries_an_unknown_load(tmp_path):
    """Simulated time: the numbers of the page come out again."""
    pytest.importorskip('matplotlib', reason='the example draws')
    example, picture = load('carry_an_unknown_load'), tmp_path / 'laws.png'
    found = example.main(picture)
    assert rows_are_in(
        'control_laws.md', [(example.LAWS[law], *each[2]) for law, each in found.items()]
    )
    assert not any(faults for *_, faults in found.values())
    first, last = (float(found['adaptive_computed_torque'][2][k]) for k in (0, 1))
    assert last < 0.5 * first and last < 0.1 * float(found['computed_torque'][2][1])
    assert all(float(cells[4]) <= 1.0 for _, _, cells, _ in found.values())
    assert picture.read_bytes().startswith(b'\x89PNG')


@pytest.mark.slow
def test_an_end_effector_keeps_its_way_and_gives_up_what_it_cannot_reach(tmp_path):
    """Simulated time: the numbers of the page come out again. No guard acts."""
    pytest.importorskip('matplotlib', reason='the example draws')
    example, picture = load('move_an_end_effector'), tmp_path / 'drives.png'
    found = example.main(picture)
    assert rows_are_in('operational_space.md', [(name, *each[1]) for name, each in found.items()])
    eight, wrist, stretch = (record for record, _ in found.values())
    assert eight.error.max() < 1e-3 and eight.shares.min() == 1.0
    assert wrist.error.max() < 1e-3 and wrist.shares.min() < 1e-3
    assert stretch.error[-1] < 1e-3 and stretch.shares.min() < 0.5
    for record, cells in found.values():
        assert record.rate < example.EFFORT_RATE and float(cells[5]) < 1.0
        assert record.limited == record.refused == record.faults == 0
    assert picture.read_bytes().startswith(b'\x89PNG')
