"""The command that counts operations, and the document it writes."""

from pathlib import Path

import pytest
from robodyn_ros.cli import info
from robodyn_ros.robot import Robot
from test.specialise.conftest import named

DOCUMENT = Path(__file__).resolve().parents[2] / 'doc' / 'operation_counts.md'


def test_counts_of_a_robot(capsys):
    """Every quantity with every step."""
    assert info.main([str(named('two_link').path), '--counts']) == 0
    said = capsys.readouterr().out
    for word in ('two_link', 'inverse_dynamics', 'operational_space', 'regrouped',
                 'forward_dynamics_derivatives', 'saved by the step',
                 '0 more direction cosines within 1e-12'):
        assert word in said


def test_cleaned_cosines_are_listed(tmp_path, capsys):
    """What the reader made exact, by joint."""
    text = Path(named('two_link').path).read_text()
    straight = '<origin xyz="1.0 0 0" rpy="0 0 0"/>'
    assert text.count(straight) == 1
    file = tmp_path / 'almost.urdf'
    file.write_text(text.replace(straight, straight.replace('"0 0 0"', '"1.5707963267947 0 0"')))
    assert info.main([str(file), '--counts']) == 0
    assert 'one moves by 1.97e-13' in capsys.readouterr().out


def test_refuses_with_a_sentence(tmp_path, capsys):
    """No such file: exit code 1."""
    assert info.main([str(tmp_path / 'nowhere.urdf'), '--counts']) == 1
    assert 'nowhere.urdf' in capsys.readouterr().err


def test_document_is_up_to_date():
    """The committed page is what the command prints."""
    assert DOCUMENT.read_text() == info.document() + '\n'


@pytest.mark.parametrize('arm', [info.general_arm(6), info.stanford_arm(), info.puma_arm()])
def test_arms_can_move(arm):
    """Their mass matrices are positive definite."""
    import numpy as np
    for q in np.random.default_rng(0).uniform(-1.0, 1.0, (5, 6)):
        assert (np.linalg.eigvalsh(Robot(arm).mass_matrix(q)) > 0.0).all()
