# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Guards and laws have to pass a self-test before they serve, and cannot by accident."""

import numpy as np
import pytest

from robodyn_ros.control.laws.law_registry import BUILT_IN
from robodyn_ros.control.reference import path
from robodyn_ros.control.supervisor import guard_self_test, guards
from robodyn_ros.errors import KernelError
from support.robots.textbook import Segment, serial

WRITTEN = {'add_terms': 2, 'brake': 0, 'limit_torque': 4, 'sample': 4}


@pytest.fixture(scope='module')
def robot():
    """Return an arm of two joints."""
    link = Segment('revolute', (0, -1, 0), (0.5, 0, 0), 2.0, (0.5, 0, 0), 0.1)
    return serial((link, link))


class Spoiled:
    """A kernel whose answer is wrong, by one or by its sign."""

    def __init__(self, right, place=None):
        self.name, self._right, self._place = right.name, right, place

    def __call__(self, *arguments):
        status = self._right(*arguments)
        if self._place is None:
            return status + 1
        arguments[self._place][...] *= 1.0 + 1e-12
        return status


def test_sound_guards_pass():
    assert guard_self_test.guards_known_answers() is None


@pytest.mark.parametrize(
    'name', ['judge', 'first_stuck', 'first_behind', 'add_terms', 'brake', 'limit_torque']
)
@pytest.mark.parametrize('what', ['status', 'result'])
def test_a_guard_that_answers_wrongly_is_named(monkeypatch, name, what):
    has_status = name != 'brake'
    place = WRITTEN.get(name) if what == 'result' or not has_status else None
    monkeypatch.setattr(guards, name, Spoiled(getattr(guards, name), place))
    with pytest.raises(KernelError, match=f'{name} fails its known-answer test: got'):
        guard_self_test.guards_known_answers()


@pytest.mark.parametrize('name', ['sample', 'first_violation'])
def test_wrong_samples_of_a_trajectory_are_noticed(monkeypatch, name):
    monkeypatch.setattr(path, name, Spoiled(getattr(path, name), WRITTEN.get(name)))
    with pytest.raises(KernelError, match=f'{name} fails its known-answer test: got'):
        guard_self_test.guards_known_answers()


@pytest.mark.parametrize('name', BUILT_IN)
def test_every_law_passes_and_none_does_by_accident(monkeypatch, robot, name):
    """One term wrong in the seventh digit is noticed."""
    law = BUILT_IN[name]
    assert guard_self_test.law_known_answers(law, robot) is None

    class Wrong(law):
        def torques(self, q, qd, reference, gains, terms):
            status = super().torques(q, qd, reference, gains, terms)
            if not isinstance(self._torques, type(lambda: None)):  # not the plain text
                terms[np.unravel_index(np.abs(terms).argmax(), terms.shape)] *= 1.0 + 1e-6
            return status

    with pytest.raises(KernelError, match=f'of law {name} fails its known-answer test'):
        guard_self_test.law_known_answers(Wrong, robot)
