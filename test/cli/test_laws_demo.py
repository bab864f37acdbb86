"""The comparison of control laws on an arm with an unknown load, as its user runs it."""
import json
from pathlib import Path

import pytest

from robodyn_ros.cli import laws_demo

DOCUMENT = Path(__file__).resolve().parents[2] / 'doc' / 'control_laws.md'


def table_of(text):
    """What stands between the markers."""
    begin, end = laws_demo.MARKERS
    return text.partition(begin)[2].partition(end)[0].strip()


@pytest.mark.slow
def test_the_command_makes_the_table_of_the_document(tmp_path, capsys):
    """Simulated time: the committed numbers come out again, and learning wins."""
    copy = tmp_path / 'control_laws.md'
    begin, end = laws_demo.MARKERS
    copy.write_text(f'{begin}\n{end}\n')
    assert laws_demo.main(['--output', str(tmp_path / 'laws'), '--document', str(copy)]) == 0
    assert table_of(copy.read_text()) == table_of(DOCUMENT.read_text())
    found = json.loads((tmp_path / 'laws' / 'laws.json').read_text())
    laws = found['laws']
    assert set(laws) == set(laws_demo.LAWS) and not any(law['faults'] for law in laws.values())
    adaptive = laws['adaptive_computed_torque']
    assert adaptive['last_rms_rad'] < 0.5 * adaptive['first_rms_rad']
    ratio = laws['computed_torque']['last_rms_rad'] / adaptive['last_rms_rad']
    assert ratio == pytest.approx(found['adaptive_against_computed_torque']) and ratio >= 10.0
    assert all(law['peak_effort_share'] <= 1.0 for law in laws.values())
    printed = capsys.readouterr().out
    assert all(title in printed for title in laws_demo.LAWS.values())
    pytest.importorskip('matplotlib', reason='the command draws')
    assert (tmp_path / 'laws' / 'laws.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize(('arguments', 'sentence'), [
    (['--load', '0'], 'expected above 0'), (['--load', 'nan'], 'expected above 0'),
    (['--duration', '3'], 'expected 8 to 600')])
def test_nonsense_is_refused(arguments, sentence, capsys):
    with pytest.raises(SystemExit):
        laws_demo.main(arguments)
    assert sentence in capsys.readouterr().err


def test_a_document_without_markers_is_refused():
    with pytest.raises(ValueError, match='no <!-- numbers of laws_demo -->'):
        laws_demo.documented('no table here', {})
