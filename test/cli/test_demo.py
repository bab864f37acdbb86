"""The demonstration as its user runs it: two processes, four runs, a report and a picture."""
import json
import subprocess
import sys

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

MODES = ('pd', 'pd_gravity', 'computed_torque')


@pytest.mark.ros
@pytest.mark.slow
def test_the_demonstration_runs_and_reports_what_it_measured(tmp_path, node_environment):
    """A short one; computed torque must beat PD alone by the factor that the report demands."""
    done = subprocess.run(
        [sys.executable, '-m', 'robodyn_ros.cli.demo', '--output', str(tmp_path),
         '--duration', '6'], env=node_environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / 'report.json').read_text())
    assert set(report['modes']) == set(MODES)
    for mode in MODES:
        numbers = report['modes'][mode]
        assert set(numbers['rms_error_rad']) == set(report['joints'])
        assert set(numbers['max_error_rad']) == set(report['joints'])
        assert all(0.0 < numbers['rms_error_rad'][joint] <= numbers['max_error_rad'][joint]
                   for joint in report['joints'])
        assert numbers['cycles'] > 0 and numbers['missed'] >= 0
        assert numbers['compute_us']['p50'] <= numbers['compute_us']['p99']
    found = report['computed_torque_against_pd']
    ratio = (report['modes']['pd']['rms_error_all_rad']
             / report['modes']['computed_torque']['rms_error_all_rad'])
    assert found['ratio'] == pytest.approx(ratio) and found['ratio'] >= 20.0
    assert max(report['gravity_compensation']['displacement_rad']) > 0.05
    assert (tmp_path / 'tracking.png').read_bytes().startswith(b'\x89PNG')
