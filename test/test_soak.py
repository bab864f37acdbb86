# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a long run judges: steps of efforts, growth, lines of log, sentences of refusals."""

import importlib
import math
import random
import time
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from tools.soak.__main__ import LENGTHS
from tools.soak.effort_rate import EffortRate, largest_step
from tools.soak.growth import Growth
from tools.soak.log_lines import LogLines, kinds
from tools.soak.parameters import parameters
from tools.soak.soak_arm import Arm


class Failures(list):
    """Sentences of conditions that do not hold."""

    def expect(self, condition, sentence):
        if not condition:
            self.append(sentence)


@pytest.mark.parametrize(
    ('effort', 'number', 'seconds', 'exceeded'),
    [
        ((3.0, 2.9), 6, 1.001, False),
        ((0.0, -3.1), 6, 1.001, True),
        ((math.nan, 0.0), 6, 1.001, True),
        ((50.0, 0.0), 7, 1.002, False),
        ((50.0, 0.0), 1, 1.001, False),
        ((50.0, 0.0), 6, 1.2, False),
    ],
    ids=['within', 'beyond', 'NaN', 'after a lost one', 'of another sender', 'after a silence'],
)
def test_an_effort_beyond_the_rate_is_noticed(effort, number, seconds, exceeded):
    rate = EffortRate(3.0)
    assert not rate.exceeded((0.0, 0.0), 5, 1.0)
    assert rate.exceeded(effort, number, seconds) is exceeded


@pytest.mark.parametrize(
    ('given', 'most'),
    [({}, 3.0), ({'update_rate': '200'}, 15.0), ({'max_effort_rate': '[10.0, 20.0]'}, 0.06)],
)
def test_the_largest_step_is_that_of_three_periods(given, most):
    assert largest_step(given) == pytest.approx(most)


@pytest.mark.parametrize(
    ('more', 'words'),
    [
        ((3.9, 0, 0), []),
        ((4.0, 0, 0), ['+4.0 MB; expected less than 4']),
        ((0.0, 1, 0), ['+1 threads']),
        ((0.0, 0, 2), ['+2 files']),
        ((-9.0, -1, -1), []),
    ],
)
def test_what_a_process_gains_is_a_failure(more, words):
    figures, failures = [(100.0, 10, 20)], Failures()
    growth = Growth({'simulator': SimpleNamespace(memory=lambda: figures[-1])})
    figures.append(tuple(old + new for old, new in zip(figures[0], more)))
    assert growth.judge(failures.expect, 4.0).startswith(f'{more[0]:+.2f} MB')
    assert [word in sentence for word, sentence in zip(words, failures, strict=True)] == [
        True
    ] * len(words)


@pytest.mark.parametrize(('count', 'kind', 'failed'), [(15, 'a', 0), (16, 'a', 1), (99, '', 0)])
def test_a_kind_of_line_that_comes_too_often_is_a_failure(monkeypatch, count, kind, failed):
    """Ten at once and five in five seconds; lines of other kinds do not count with it."""
    now, text, failures = [50.0], ['before\n'] * 100, Failures()
    monkeypatch.setattr(time, 'monotonic', lambda: now[0])
    lines = LogLines({'node': SimpleNamespace(output=lambda: ''.join(text))})
    now[0] += 5.0
    words = [kind or 'x' * (k + 1) for k in range(count)]
    text += [f'[WARN] [{k}.1] [arm]: {word} is {k} late\n' for k, word in enumerate(words)]
    assert f'node {count / 5.0:.2f}' in lines.judge(failures.expect)
    assert len(failures) == failed


def test_lines_of_a_kind_differ_in_numbers_and_in_what_follows():
    assert kinds(['[INFO] [1.2] [a]: It took 3 s', '[INFO] [4.5] [a]: It took 44 ms', '']) == {
        'It took #': 2
    }


@pytest.mark.parametrize(('reason', 'failed'), [('too large', 0), ('  ', 5), ('', 5)])
def test_a_refusal_without_a_sentence_is_a_failure(reason, failed):
    result = SimpleNamespace(successful=False, reason=reason)
    failures = Failures()
    arm = SimpleNamespace(
        rng=random.Random(1),
        turns=range,
        expect=failures.expect,
        watcher=SimpleNamespace(call=lambda *_: SimpleNamespace(result=result)),
    )
    assert parameters(arm, 5) == f'0 accepted, 5 refused, {failed} of them without a sentence'
    assert len(failures) == failed


@pytest.mark.parametrize('part', LENGTHS)
def test_every_part_has_its_run_and_is_judged_in_the_end(part):
    module = importlib.import_module(f'tools.soak.{part}')
    assert callable(getattr(module, part))
    judged = {Arm.expect_alive} if part == 'lock_step' else {Arm.expect_good}
    assert {getattr(module, 'EXPECTED', Arm.expect_good)} == judged


def test_efforts_beyond_limit_or_rate_are_failures():
    for beyond, leaps, failed in ((0, 0, 0), (1, 0, 1), (0, 1, 1)):
        arm = Arm.__new__(Arm)
        node = SimpleNamespace(lives=True, output=str, log=SimpleNamespace(name='log'))
        arm.controller = arm.simulator = node
        arm.watcher, arm.failures = SimpleNamespace(beyond=beyond, leaps=leaps, state=''), []
        arm.expect_alive()
        assert len(arm.failures) == failed
