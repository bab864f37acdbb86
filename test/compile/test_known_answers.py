# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The self-test that machine code has to pass, and that it cannot be passed by accident."""

import importlib

import numpy as np
import pytest

from robodyn_ros.compile import generic, known_answers
from robodyn_ros.errors import KernelError
from robodyn_ros.model import layout

self_test = importlib.import_module('robodyn_ros.compile.self_test')
EXAMINED = ('inverse_dynamics', 'gravity_torque', 'mass_matrix', 'forward_dynamics')


def test_sound_kernels_pass():
    """Nothing is raised, and nothing is returned that could be ignored."""
    assert known_answers() is None


@pytest.mark.parametrize('name', EXAMINED)
@pytest.mark.parametrize(
    'spoil',
    [
        lambda x: x * (1.0 + 1e-8),
        lambda x: x + 1e-7,
        lambda x: -x,
        lambda x: x[::-1].copy(),
        lambda x: x * np.nan,
    ],
    ids=['a little too large', 'shifted', 'negative', 'permuted', 'nan'],
)
def test_wrong_results_are_noticed_and_named(monkeypatch, name, spoil):
    """Every examined kernel in turn: wrong in the eighth digit, in sign, in order, or NaN."""
    right = getattr(generic, name)

    class Wrong:
        name = right.name

        def __call__(self, *arguments):
            status = right(*arguments)
            arguments[-1][...] = spoil(arguments[-1])
            return status

    monkeypatch.setattr(generic, name, Wrong())
    with pytest.raises(
        KernelError,
        match=f'kernel .*{name} fails its known-answer test: got .*'
        'expected .*remove the kernel cache',
    ):
        known_answers()


@pytest.mark.parametrize(
    'column', [layout.OFFSET, layout.MASS, layout.MOMENT, layout.INERTIA + 5, layout.ROTATION + 7]
)
def test_a_corrupted_constant_is_noticed(monkeypatch, column):
    """One constant of one link wrong in the seventh digit fails the self-test."""
    sound = self_test._elbow

    def corrupted():
        topology, constants, gravity = sound()
        constants = constants.copy()
        constants[1 if column == layout.ROTATION + 7 else 2, column] *= 1.0 + 1e-6
        constants.flags.writeable = False
        return topology, constants, gravity

    monkeypatch.setattr(self_test, '_elbow', corrupted)
    with pytest.raises(KernelError, match='fails its known-answer test'):
        known_answers()
