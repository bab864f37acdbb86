# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Defects that leave little of the model: signs, order, units, gravity, mounting.

A trial is the recording with other signs, factors or order, or the model with other gravity. Its
misfit is that of the best parameters. They need not be possible, so a trial is judged by the
coupling of the joints: a mass acts on several of them. What coupling does not show, such as
efforts that are all reversed, is judged against the described robot.
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.identification import signals
from robodyn_ros.identification.inertial_parameters import Parameters
from robodyn_ros.identification.recorded_equations import slowest
from robodyn_ros.identification.recording_defects import Defect, listed
from robodyn_ros.robot.robot import Robot

SAMPLES = 400  # of the recording that are looked at
MISFIT = 0.1  # share of the efforts, in the mean, that a good recording may leave
BETTER = 0.3  # square of the misfit, over that without the hypothesis, of an accepted one
EQUAL = 1.1  # the same for hypotheses that the described robot supports
ROUNDS = 3  # defects that may come together
RANK = 1e-9  # of the equations
FAR = 5.0  # factor between recorded and described efforts that masses do not explain
SHOWN = 0.2  # share of a joint's effort that the description has to explain, to be asked
RUBBING = 0.3  # added to SHOWN, for friction in what description and constant leave
SURE = 4.0  # standard deviations
LIGHT = 0.3  # share of the described gravity in efforts without it
LEAST_FACTOR = 1.25  # of the efforts of one joint
ALIKE = 2.0  # largest factor of efforts that masses explain, where another one may be meant


@dataclass(frozen=True, eq=False)
class Trial:
    """A recording or model that may be the right one.

    `position`, `effort`: factors of positions and efforts.
    `position_of`, `effort_of`: recorded columns of each joint.
    `gravity`: gravity of the model [m/s^2].
    `floating`: joints whose efforts are without gravity.
    """

    position: np.ndarray
    effort: np.ndarray
    position_of: np.ndarray
    effort_of: np.ndarray
    gravity: np.ndarray
    floating: np.ndarray

    __repr__ = short_repr


def coarse_defects(robot, recording, cutoff):
    """Return the coarse defects of a recording, and the recording without those of its efforts.

    `robot` (Robot): the robot as described.
    Returns `defects` (list of Defect): in the order in which they were found.
    Returns `corrected` (Recording or None): the recording with corrected efforts; None if more
      than efforts is wrong.
    """
    look = _Look(robot, recording, cutoff)
    trial, found = look.as_recorded(), []
    for _ in range(ROUNDS):
        before = look.misfit(trial)
        option = look.best(trial, before)
        option = option or look.described_otherwise(trial, before)
        if option is None:
            break
        defect, trial = option
        # the order is that of all rounds
        found = [each for each in found if (each.kind, defect.kind) != ('order', 'order')]
        found.append(defect)
    same = look.as_recorded()
    whole = all(
        np.array_equal(getattr(trial, name), getattr(same, name))
        for name in ('position', 'position_of', 'gravity', 'floating')
    )
    corrected = replace(recording, tau=recording.tau[:, trial.effort_of] * trial.effort)
    return found, corrected if whole else None


class _Look:
    """Samples of a recording, at which trials are judged."""

    def __init__(self, robot, recording, cutoff):
        self.robot, self.names = robot, robot.joint_names
        rate, self.cutoff = recording.rate, cutoff
        states = signals.differentiated(recording.q, rate, cutoff)
        wide = min(signals.WIDER * cutoff, 0.45 * rate)
        edge = signals.thinned(rate, cutoff, len(recording.q))
        keep = slice(edge.start, edge.stop, max(1, (edge.stop - edge.start) // SAMPLES))
        moving = signals.steady(states[1], rate, cutoff, slowest(states[1]))
        self.states = [each[keep] for each in states]
        self.tau = signals.lowpass(recording.tau, rate, wide)[keep]
        self.moving = moving[keep]
        #: How many samples have one independent error.
        self.alike = max(1.0, rate / (keep.step * 2.0 * cutoff))
        self.parameters = {}

    def as_recorded(self):
        """Return the trial without a change."""
        one, own = np.ones(len(self.names)), np.arange(len(self.names))
        return Trial(one, one, own, own, self.robot.model.gravity, np.zeros(len(own), dtype=bool))

    def of_trial(self, trial):
        """Return states, efforts without known rotors, and which samples count, of a trial."""
        states = [each[:, trial.position_of] * trial.position for each in self.states]
        tau = self.tau[:, trial.effort_of] * trial.effort
        return states, tau, self.moving[:, trial.position_of]

    def model(self, gravity):
        """Return the Parameters of the robot with another gravity."""
        key = tuple(gravity)
        if key not in self.parameters:
            model = self.robot.model.with_gravity(gravity)
            self.parameters[key] = Parameters(Robot(model))
        return self.parameters[key]

    def rows(self, trial):
        """Return W (k nv, p) and the efforts, scaled to 1 for each joint: (k, nv)."""
        states, tau, counts = self.of_trial(trial)
        parameters = self.model(trial.gravity)
        W = parameters.regressor(*states)
        if trial.floating.any():
            still = np.zeros_like(states[0])
            weight = parameters.robot.links.regressor(states[0], still, still)
            W[:, trial.floating, : weight.shape[2]] -= weight[:, trial.floating]
        tau = (tau - parameters.known_torque(states[2])) * counts
        scale = counts / np.maximum(np.linalg.norm(tau, axis=0), np.finfo(float).tiny)
        W = (W * scale[:, :, None]).reshape(tau.size, -1)
        return W / np.maximum(np.linalg.norm(W, axis=0), np.finfo(float).tiny), tau * scale

    def misfit(self, trial):
        """Return the root mean square over joints of what the best parameters leave."""
        W, tau = self.rows(trial)
        left = tau.ravel() - W @ np.linalg.lstsq(W, tau.ravel(), rcond=RANK)[0]
        return np.linalg.norm(left) / np.sqrt(len(self.names))

    def best(self, trial, before):
        """Return (defect, trial) of the hypothesis that explains most of the misfit, or None."""
        options, least = [], np.sqrt(BETTER) * before
        hypotheses = self.hypotheses if before > MISFIT else self.factors
        for defect, other in hypotheses(trial):
            after = self.misfit(other)
            if after < least:
                options.append((after, defect, other))
        if not options:
            return None
        after = 1.2 * min(option[0] for option in options)
        return next(option[1:] for option in options if option[0] <= after)  # the simplest of them

    def hypotheses(self, trial):
        """Yield (defect, trial), simple ones first."""
        count = len(self.names)
        yield from self.signs(trial)
        yield from self.factors(trial)
        yield from self.angles(trial)
        yield from self.orders(trial)
        for j in range(count):
            yield self.mirrored(trial, j, False)
            yield self.mirrored(trial, j, True)
        for i in range(count):
            for j in range(i):
                yield self.exchanged(trial, i, j, False)
                yield self.exchanged(trial, i, j, True)
        every = np.ones(count, dtype=bool)
        yield self.without_gravity(every), replace(trial, floating=every)
        yield from self.mountings(trial)

    def signs(self, trial):
        """Yield the trial with the signs of efforts that the description asks for.

        Joints of which it knows nothing may have the sign of the others, or not.
        """
        reversed_, unknown = self.reversed_joints(trial)
        if reversed_.any():
            for joints in (reversed_, *((reversed_ | unknown,) if unknown.any() else ())):
                yield (
                    self.sign(joints),
                    replace(trial, effort=np.where(joints, -trial.effort, trial.effort)),
                )

    def sign(self, joints):
        """Return the defect of reversed efforts."""
        names = self.named(joints)
        return Defect(
            'sign',
            names,
            f'{listed(names)}: the efforts look reversed; expected those that accelerate a joint '
            'along its positive axis, so multiply them by -1',
            -1.0,
        )

    def factors(self, trial):
        """Yield trials with the factors of efforts that fit those of the other joints."""
        W, tau = self.rows(trial)
        count = len(self.names)
        blocks = (tau[:, :, None] * np.eye(count)).reshape(tau.size, count)
        left = blocks - W @ np.linalg.lstsq(W, blocks, rcond=RANK)[0]
        S = left.T @ left
        chosen, gains = [], np.ones(count)
        for _ in range(count // 2):
            trials = []
            for j in set(range(count)) - set(chosen):
                free = [*chosen, j]
                fixed = np.setdiff1d(np.arange(count), free)
                c = np.ones(count)
                coupling = S[np.ix_(free, fixed)].sum(axis=1)
                c[free] = -np.linalg.lstsq(S[np.ix_(free, free)], coupling, rcond=None)[0]
                trials.append((c @ S @ c / (c @ c), j, c))
            _, j, gains = min(trials, key=lambda each: each[0])
            chosen.append(j)
            other = self.scaled(trial, gains)
            turned, far = other < 0.0, np.abs(np.log(np.abs(other))) > np.log(LEAST_FACTOR)
            wrong = turned | far
            if wrong.any() and not wrong.all():
                yield (
                    self.factor(self.named(wrong), 1.0 / other[wrong])
                    if far.any()
                    else self.sign(turned),
                    replace(trial, effort=trial.effort * np.where(wrong, other, 1.0)),
                )

    def scaled(self, trial, gains):
        """Return gains, which coupling tells but for one factor, with that of the description."""
        factor, spread, share, _, _ = self.asked(replace(trial, effort=trial.effort * gains))
        known = (share > SHOWN) & (np.abs(factor) > SURE * spread)
        usual = np.median(factor[known]) if known.any() else 1.0
        near = 1.0 / ALIKE < usual < ALIKE
        return gains if near or usual == 0.0 else gains / usual

    def factor(self, names, factors):
        """Return the defect of efforts that are too large or too small."""
        sizes = ', '.join(f'{each:.3g}' for each in factors)
        return Defect(
            'factor',
            tuple(names),
            f'{listed(names)}: the efforts are {sizes} times those that the other joints or the '
            'description tell; they look like another unit (mA, percent, N mm), or those of the '
            'motor before its gear; expected N m or N at the joint',
            float(factors[0]),
        )

    def angles(self, trial):
        """Yield the trial with angles in degrees, and with lengths in millimetres."""
        sliding = self.robot.model.slides
        for joints, factor, unit, right in (
            (~sliding, np.pi / 180.0, 'degrees', 'rad'),
            (sliding, 1e-3, 'millimetres', 'm'),
        ):
            if joints.any():
                names = self.named(joints)
                yield (
                    Defect(
                        'units',
                        names,
                        f'{listed(names)}: the positions look like {unit}; expected {right}',
                        factor,
                    ),
                    replace(trial, position=np.where(joints, factor, 1.0) * trial.position),
                )

    def orders(self, trial):
        """Yield the trial with the order of efforts that the description asks for, and swaps."""
        from scipy.optimize import linear_sum_assignment

        count, swaps = len(self.names), []
        nominal, _, _ = self.described(trial)
        states, tau, counts = self.of_trial(trial)
        pairs = [(j, i) for j in range(count) for i in range(count)]
        share = [self.own_fit(nominal, states, tau[:, i], counts, j)[2] for j, i in pairs]
        apart = [
            _distance(nominal[:, j], tau[:, i], states[1][:, j], counts[:, j]) for j, i in pairs
        ]
        for cost in (apart, np.negative(share)):
            swaps.append(linear_sum_assignment(np.reshape(cost, (count, count)))[1])
        for i in range(count):
            for j in range(i):
                swaps.append(np.arange(count))
                swaps[-1][[i, j]] = j, i
        for order in swaps:
            if (order != np.arange(count)).any():
                other = replace(
                    trial, effort_of=trial.effort_of[order], effort=trial.effort[order]
                )
                yield self.order(other.effort_of), other

    def order(self, effort_of):
        """Return the defect of efforts in another order."""
        moved = effort_of != np.arange(len(effort_of))
        names = self.named(moved)
        right = tuple(self.names[k] for k in np.argsort(effort_of)[moved])
        return Defect(
            'order',
            names,
            f'{listed(names)}: the efforts look like those of {listed(right)}, in this order; '
            'expected the same order of joints in positions and efforts',
        )

    def mirrored(self, trial, j, both):
        """Return (defect, trial) of a joint with a reversed position, or a reversed axis."""
        sign = np.where(np.arange(len(self.names)) == j, -1.0, 1.0)
        other = replace(trial, position=trial.position * sign)
        if both:
            other = replace(other, effort=trial.effort * sign)
        what = 'position and effort look' if both else 'the position looks'
        return (
            Defect(
                'axis' if both else 'position sign',
                (self.names[j],),
                f'{self.names[j]}: {what} reversed; expected positions that grow along the axis '
                'of the description',
                -1.0,
            ),
            other,
        )

    def exchanged(self, trial, i, j, both):
        """Return (defect, trial) of two joints with exchanged positions, or columns."""
        order = np.arange(len(self.names))
        order[[i, j]] = j, i
        other = replace(trial, position_of=trial.position_of[order])
        if both:
            other = replace(other, effort_of=trial.effort_of[order])
        names = (self.names[j], self.names[i])
        what = 'positions and efforts look' if both else 'the positions look'
        return (
            Defect(
                'names' if both else 'position order',
                names,
                f'{listed(names)}: {what} exchanged; expected the columns of each joint under its '
                'name',
            ),
            other,
        )

    def mountings(self, trial):
        """Yield trials with gravity along another axis of the base."""
        g = np.linalg.norm(trial.gravity) or 9.81
        for vector in (*np.eye(3), *-np.eye(3)):
            if np.linalg.norm(g * vector - trial.gravity) > 0.1 * g:
                text = ', '.join(f'{each:g}' for each in g * vector + 0.0)
                yield (
                    Defect(
                        'gravity',
                        tuple(self.names),
                        f'gravity looks like ({text}) m/s^2 in the base, so the robot is mounted '
                        'otherwise than described; expected the gravity of its base',
                    ),
                    replace(trial, gravity=g * vector),
                )

    def without_gravity(self, joints):
        """Return the defect of efforts without gravity."""
        names = self.named(joints)
        return Defect(
            'without gravity',
            names,
            f'{listed(names)}: the efforts look like those without the gravity that the driver '
            'compensates; expected efforts with gravity, so add what it compensates',
        )

    def named(self, chosen):
        """Return the names of joints by a mask."""
        return tuple(np.array(self.names)[chosen].tolist())

    def described(self, trial):
        """Return described torques (k, nv) without friction: all, of gravity, and of motion."""
        states, _, _ = self.of_trial(trial)
        links, still = self.model(trial.gravity).robot.links, np.zeros_like(states[0])
        theta = links.inertial_parameters()
        whole = links.regressor(*states) @ theta
        weight = links.regressor(states[0], still, still) @ theta
        return whole, weight, whole - weight

    def own_fit(self, nominal, states, tau, counts, j):
        """Return factor of a described torque, its deviation, and its share; also of friction.

        An effort is compared with the described torque of one joint, its friction, a rotor and a
        constant. The power is that of friction.
        """
        use = counts[:, j]
        y, (_, qd, qdd) = tau[use], (each[use, j] for each in states)
        columns = np.column_stack((nominal[use, j], qd, np.sign(qd), 0.0 * y + 1.0, qdd))
        if len(y) < 10 or not y.any():
            return 0.0, np.inf, 0.0, 0.0, 0.0
        values, left = _least(columns, y)
        _, without = _least(columns[:, 1:], y)
        _, smooth = _least(columns[:, [0, 3, 4]], y)
        size = y @ y
        share = (without - left) / size
        rubbing = max(
            (smooth - left) / size, (smooth - left) / max(smooth, np.finfo(float).tiny) - RUBBING
        )
        _, alone = _least(columns[:, 1:], columns[:, 0])
        told = alone > RANK * (columns[:, 0] @ columns[:, 0])
        spread = np.sqrt(left * self.alike / len(y) / alone) if told else np.inf
        power = np.sum((columns[:, 1:3] @ values[1:3]) * columns[:, 1])
        return values[0], spread, share, rubbing, power

    def asked(self, trial, torque=None):
        """Return factors, deviations, shares, shares and powers of friction, each (nv,)."""
        nominal = self.described(trial)[0] if torque is None else torque
        states, tau, counts = self.of_trial(trial)
        tau = tau - self.model(trial.gravity).known_torque(states[2])
        return np.array(
            [self.own_fit(nominal, states, tau[:, j], counts, j) for j in range(len(self.names))]
        ).T

    def reversed_joints(self, trial):
        """Return which efforts oppose the description, or drive where friction should brake.

        Also return of which joints neither is known.
        """
        factor, spread, share, rubbing, power = self.asked(trial)
        known = share > SHOWN
        against = known & (factor + SURE * spread < 0.0)
        rubs = ~known & (rubbing > SHOWN)
        return against | (rubs & (power < 0.0)), ~known & ~rubs

    def described_otherwise(self, trial, before):
        """Return (defect, trial) of what the described robot contradicts, or None."""
        for defect, other in self.signs(trial):
            if self.misfit(other) <= np.sqrt(EQUAL) * before:
                return defect, other
        return self.light(trial, before) or self.far(trial)

    def light(self, trial, before):
        """Return (defect, trial) of efforts without gravity, or None."""
        _, weight, motion = self.described(trial)
        states, tau, counts = self.of_trial(trial)
        heavy = np.linalg.norm(weight * counts, axis=0) > np.linalg.norm(tau * counts, axis=0)
        heavy |= np.linalg.norm(weight * counts, axis=0) > np.linalg.norm(motion * counts, axis=0)
        factor, spread, _, _, _ = self.asked(replace(trial), weight)
        joints = heavy & (np.abs(factor) + SURE * spread < LIGHT) & ~trial.floating
        other = replace(trial, floating=trial.floating | joints)
        if joints.any() and self.misfit(other) <= np.sqrt(EQUAL) * before:
            return self.without_gravity(joints), other
        return None

    def far(self, trial):
        """Return (defect, trial) of efforts far from those of the description, or None."""
        factor, spread, share, _, _ = self.asked(trial)
        known = (share > SHOWN) & (factor > SURE * spread)
        _, tau, _ = self.of_trial(trial)
        limits = np.nan_to_num(self.robot.limits.effort, nan=np.inf)
        beyond = np.abs(tau).max(axis=0) / np.where(limits > 0.0, limits, np.inf)
        factor = np.where(known, factor, np.where(beyond > FAR, beyond, 1.0))
        joints = np.abs(np.log(factor)) > np.log(FAR)
        if not joints.any():
            return None
        correction = np.where(joints, 1.0 / factor, 1.0)
        if (joints & known).sum() > known.sum() / 2:
            usual = np.median(factor[joints])
            every = np.ones(len(joints), dtype=bool)
            return (
                self.factor(self.named(every), [usual]),
                replace(trial, effort=trial.effort / usual),
            )
        return (
            self.factor(self.named(joints), factor[joints]),
            replace(trial, effort=trial.effort * correction),
        )


def _distance(nominal, tau, qd, use):
    """Return how far an effort is from a described torque and some friction, 0 to 1."""
    friction = np.column_stack((qd, np.sign(qd)))[use]
    _, left = _least(friction, tau[use] - nominal[use])
    return left / max(tau[use] @ tau[use] + nominal[use] @ nominal[use], np.finfo(float).tiny)


def _least(columns, y):
    """Return least-squares values, and the sum of squares that they leave."""
    values = np.linalg.lstsq(columns, y, rcond=None)[0]
    left = y - columns @ values
    return values, left @ left
