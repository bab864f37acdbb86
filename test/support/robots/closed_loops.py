# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Mechanisms with closed loops, and the dense referee of them: the tree with its multipliers.

The referee shares nothing with the loops of the package. Its rows are in world axes, from poses,
Jacobians and accelerations of the tree. A mimic or coupled joint is a row too, so its tree has
none.
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.model.dependent.closures import TYPES, Closure
from robodyn_ros.model.dependent.mimic import leaders_of
from robodyn_ros.model.description import Inertial, Joint, Link, Placement, RobotDescription
from robodyn_ros.model.rotation_matrix import from_rpy
from robodyn_ros.model.rotors import Rotor, with_rotors
from robodyn_ros.robot.robot import Robot

GRAVITY = (0.7, -1.3, -9.7)
Z = np.array((0.0, 0.0, 1.0))


def at(x=0.0, y=0.0, z=0.0, rpy=(0.0, 0.0, 0.0)):
    """Return a placement."""
    return Placement(from_rpy(*rpy), np.array((x, y, z)))


def body(name, mass, length, aside=0.02):
    """Return a bar along x with its centre beside its axis."""
    com = np.array((0.4 * length, aside, -0.5 * aside))
    spread = np.array(((0.02, 0.003, 0.001), (0.003, 0.05, 0.002), (0.001, 0.002, 0.06)))
    return Link(name, Inertial(mass, com, mass * (0.1 + length**2) * spread))


def joint(name, parent, child, place, kind='revolute', axis=Z, **more):
    """Return a joint about z, or another axis."""
    return Joint(name, kind, parent, child, place, np.asarray(axis, float), **more)


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A tree, its closures, where they close, and how many coordinates are left.

    text : the URDF, where there is one. independent : joints of the loops that lead.
    """

    description: RobotDescription
    closures: tuple[Closure, ...]
    near: dict[str, float]
    freedoms: int
    text: str = ''
    independent: tuple[str, ...] | None = None

    def robot(self, **options):
        """Return the robot over independent coordinates."""
        chosen = {'near': self.near, 'independent': self.independent}
        options = {'gravity': GRAVITY, **chosen, **options}
        return Robot.from_description(self.description, closures=self.closures, **options)

    def with_joints(self, **values):
        """Return the mechanism with other values of joints: {joint: {field: value}}."""
        joints = tuple(replace(j, **values.get(j.name, {})) for j in self.description.joints)
        return replace(self, description=replace(self.description, joints=joints))

    def build(self, gravity=GRAVITY):
        """Return what builds the robot for a choice of independent joints near a posture."""

        def built(independent, near):
            return self.robot(gravity=gravity, independent=independent, near=near)

        return built

    @property
    def followers(self):
        """The mimic and coupled joints."""
        return [each for each in self.description.joints if leaders_of(each)]

    def tree(self, **options):
        """Return the robot whose loops are open, with frames `<closure>_a` and `_b`.

        Mimic and coupled joints are independent in it.
        """
        links = list(self.description.links)
        joints = [replace(each, mimic='', follows={}) for each in self.description.joints]
        for closure in self.closures:
            for end, link, place in (
                ('a', closure.a, closure.place_a),
                ('b', closure.b, closure.place_b),
            ):
                name = f'{closure.name}_{end}'
                links.append(Link(name))
                joints.append(Joint(f'to_{name}', 'fixed', link, name, place))
        open_loops = RobotDescription(self.description.name, tuple(links), tuple(joints))
        return Robot.from_description(open_loops, gravity=GRAVITY, **options)


def four_bar(links=(0.2, 0.5, 0.4, 0.45), stops=None, kind='hinge'):
    """Return a four-bar between two links of an arm, which carries a slide on its coupler."""
    crank, coupler, rocker, ground = links
    description = RobotDescription(
        'four_bar',
        (
            Link('base'),
            body('shoulder', 4.0, 0.3),
            body('crank', 1.0, crank),
            body('coupler', 2.0, coupler),
            body('tool', 0.7, 0.2),
            body('rocker', 1.5, rocker),
        ),
        (
            joint('yaw', 'base', 'shoulder', at(0.1, 0.2, 0.3, (0.2, -0.4, 0.3)), axis=(1, 2, 3)),
            joint('crank', 'shoulder', 'crank', at(0.1, 0.0, 0.2, (0.5, 0.2, 0.1))),
            joint('coupler', 'crank', 'coupler', at(crank)),
            joint(
                'slide',
                'coupler',
                'tool',
                at(0.3, 0.1, 0.0, (0.3, 0.9, 0)),
                'prismatic',
                (1, 1, 0),
            ),
            joint(
                'rocker',
                'shoulder',
                'rocker',
                at(0.1, 0.0, 0.2, (0.5, 0.2, 0.1)) @ at(ground),
                rotor_inertia=0.3,
            ),
        ),
    )
    pin = Closure('pin', 'coupler', 'rocker', kind, stops, at(coupler), at(rocker))
    return Mechanism(description, (pin,), {'crank': 1.0, 'coupler': -0.5, 'rocker': 1.6}, 3)


def several_four_bars(count, further=7, in_a_row=True):
    """Return four-bars whose couplers carry an arm of further joints, ten bodies with each.

    Each stands on the last link of the one before, or they stand side by side.
    """
    links, joints, closures, near, parent = [Link('base')], [], [], {}, 'base'
    stand, angles = at(0.1, 0.0, 0.2, (0.5, 0.2, 0.1)), {'crank': 1.0, 'coupler': -0.5}
    for k in range(count):
        crank, coupler, rocker = (f'{name}{k}' for name in ('crank', 'coupler', 'rocker'))
        links += [body(crank, 1.0, 0.2), body(coupler, 2.0, 0.5), body(rocker, 1.5, 0.4)]
        joints += [
            joint(crank, parent, crank, stand),
            joint(coupler, crank, coupler, at(0.2)),
            joint(rocker, parent, rocker, stand @ at(0.45)),
        ]
        closures.append(Closure(f'pin{k}', coupler, rocker, 'hinge', None, at(0.5), at(0.4)))
        near |= {f'{name}{k}': angle for name, angle in (angles | {'rocker': 1.6}).items()}
        parent = coupler
        for j in range(further):
            name, axis = f'arm{k}_{j}', np.roll((1.0, 0.3, 0.0), j)
            links.append(body(name, 1.0, 0.1))
            joints.append(joint(name, parent, name, at(0.15, 0.02), axis=axis))
            parent = name
        parent = parent if in_a_row else 'base'
    description = RobotDescription(f'{count}_four_bars', tuple(links), tuple(joints))
    return Mechanism(description, tuple(closures), near, count * (1 + further))


def pinned_twice():
    """Return two four-bars in a row, of which one has a redundant pin, written down last."""
    plain = several_four_bars(2, further=1)
    again = replace(
        plain.closures[0], name='again', place_a=at(0.5, z=0.1), place_b=at(0.4, z=0.1)
    )
    return replace(plain, closures=(*plain.closures, again))


def geared():
    """Return the four-bar with rotors that follow a joint that leads and one that loops lead."""
    plain = four_bar()
    rotors = {'crank': Rotor(1e-4, -80.0, mass=0.1), 'rocker': Rotor(2e-4, 60.0, across=1e-4)}
    return replace(plain, description=with_rotors(plain.description, rotors))


def spong_five_bar(m, l1, l2, lc, I):  # noqa: E741
    """Return the five-bar linkage of Spong: bars 1 and 3 along q1, bars 2 and 4 along q2."""

    def bar(name, k, com):
        inertia = Inertial(m[k], np.array((com, 0.0, 0.0)), I[k] * np.diag((0.5, 0.9, 1.0)))
        return Link(name, inertia)

    description = RobotDescription(
        'five_bar',
        (
            Link('base'),
            bar('bar1', 0, lc[0]),
            bar('bar2', 1, lc[1]),
            bar('bar3', 2, lc[2]),
            bar('bar4', 3, -lc[3]),
        ),
        (
            joint('q1', 'base', 'bar1', at()),
            joint('q2', 'base', 'bar2', at()),
            joint('q3', 'bar2', 'bar3', at(l2)),
            joint('q4', 'bar1', 'bar4', at(l1)),
        ),
    )
    pin = Closure('pin', 'bar3', 'bar4', 'hinge', None, at(l1), at(l2))
    return Mechanism(description, (pin,), {'q1': 0.3, 'q2': 1.2, 'q3': -0.9, 'q4': 0.9}, 2)


def rod_of_constant_length():
    """Return a crank and a slide across it, with a rod between them that has no mass."""
    description = RobotDescription(
        'rod',
        (Link('base'), body('crank', 1.0, 0.3), body('carriage', 2.0, 0.2), body('tip', 0.4, 0.1)),
        (
            joint('crank', 'base', 'crank', at(0.0, 0.1, 0.0, (0.3, 0.5, 0.1)), axis=(1, 0, 2)),
            joint(
                'slide',
                'base',
                'carriage',
                at(0.9, 0.0, 0.1, (0.1, -0.4, 0)),
                'prismatic',
                (3, 1, 1),
            ),
            joint('tip', 'carriage', 'tip', at(0.1, 0.2, 0.0, (1.0, 0.0, 0.4)), axis=(0, 1, 1)),
        ),
    )
    rod = Closure('rod', 'crank', 'tip', 'distance', None, at(0.3, 0.05), at(0.1), 0.7)
    return Mechanism(description, (rod,), {'crank': 0.4, 'slide': 0.05, 'tip': 0.3}, 2)


def guided():
    """Return an arm of six joints whose tool slides along a rail that a joint turns."""
    links, joints, near = [Link('base')], [], {}
    parent, rng = 'base', np.random.default_rng(3)
    for k in range(6):
        links.append(body(f'link{k}', 2.0 - 0.2 * k, 0.3))
        place = at(0.3 if k else 0.0, 0.05, 0.0, tuple(rng.uniform(-1.5, 1.5, 3)))
        joints.append(joint(f'arm{k}', parent, f'link{k}', place))
        near[f'arm{k}'] = float(rng.uniform(-1.0, 1.0))
        parent = f'link{k}'
    links.append(body('rail', 3.0, 0.5))
    joints.append(
        joint('rail', 'base', 'rail', at(0.3, 0.4, 0.2, (0.4, 0.2, 0.1)), axis=(0, 1, 2))
    )
    guide = Closure('guide', 'rail', 'link5', 'slider', None, at(0.1), at(0.2, 0.0, 0.1))
    return Mechanism(RobotDescription('guided', tuple(links), tuple(joints)), (guide,), near, 2)


def two_arms():
    """Return two arms of six joints that hold one tray, which is welded to both."""
    links, joints, near, rng = [Link('base')], [], {}, np.random.default_rng(8)
    for side, y in (('left', 0.35), ('right', -0.35)):
        parent = 'base'
        for k in range(6):
            links.append(body(f'{side}{k}', 2.0 - 0.2 * k, 0.25))
            turn = (np.pi / 2 * (k % 2), 0.3, 0.2 * k)
            place = at(0.0 if k == 0 else 0.28, y if k == 0 else 0.02, 0.0, turn)
            joints.append(joint(f'{side}{k}', parent, f'{side}{k}', place))
            near[f'{side}{k}'] = float(rng.uniform(-0.8, 0.8))
            parent = f'{side}{k}'
    tray = Closure('tray', 'left5', 'right5', 'weld', None, at(0.3), at(0.3))
    return Mechanism(RobotDescription('two_arms', tuple(links), tuple(joints)), (tray,), near, 6)


MECHANISMS = {
    'four-bar in a tree': four_bar(),
    'parallelogram in a tree': four_bar((0.3, 0.45, 0.3, 0.45)),
    'four-bar with rotors': geared(),
    'rod of constant length': rod_of_constant_length(),
    'tool on a rail': guided(),
    'two arms with a tray': two_arms(),
    'two four-bars, one pinned twice': pinned_twice(),
}


class Referee:
    """The tree of a mechanism with one multiplier for each stopped motion and mimic joint."""

    def __init__(self, mechanism, **options):
        self.mechanism, self.tree = mechanism, mechanism.tree(**options)

    def rows(self, q, qd):
        """Return phi, J and Jdot qd at a state of the tree: closures, then mimic joints."""
        tree, phi, J, bias = self.tree, [], [], []
        for closure in self.mechanism.closures:
            (RA, pA, JA, vA, aA), (RB, pB, JB, vB, aB) = (
                self._frame(q, qd, f'{closure.name}_{end}') for end in 'ab'
            )
            p, v, a, wA = pB - pA, vB[:3] - vA[:3], aB[:3] - aA[:3], vA[3:]
            if closure.type == 'distance':
                phi.append(p @ p - closure.distance**2)
                J.append(2.0 * p @ (JB - JA)[:3])
                bias.append(2.0 * (p @ a + v @ v))
                continue
            stops = closure.stops or TYPES[closure.type]
            for k, name in enumerate('xyz'):
                e = RA[:, k]
                e_rate = np.cross(wA, e)
                if name in stops:
                    second = np.cross(aA[3:], e) + np.cross(wA, e_rate)
                    phi.append(e @ p)
                    J.append(e @ (JB - JA)[:3] + np.cross(e, p) @ JA[3:])
                    bias.append(e @ a + 2.0 * e_rate @ v + second @ p)
                if f'r{name}' in stops:
                    turn = np.cross(RA.T, RB.T).sum(axis=0)  # of all axes, zero where they agree
                    free = [RA[:, i] for i, other in enumerate('xyz') if f'r{other}' not in stops]
                    phi.append(e @ (np.cross(free[0], RB @ (RA.T @ free[0])) if free else turn))
                    J.append(e @ (JB - JA)[3:])
                    bias.append(e @ (aB - aA)[3:] + e_rate @ (vB - vA)[3:])
        for follower in self.mechanism.followers:
            row = np.zeros(tree.nv)
            row[tree.joint_names.index(follower.name)] = 1.0
            for leader, ratio in leaders_of(follower).items():
                row[tree.joint_names.index(leader)] -= ratio
            phi.append(row @ q - follower.offset)
            J.append(row)
            bias.append(0.0)
        return np.array(phi), np.reshape(J, (-1, tree.nv)), np.array(bias)

    def _frame(self, q, qd, name):
        X, tree = self.tree.pose(q, name), self.tree
        return (
            X[:3, :3],
            X[:3, 3],
            tree.jacobian(q, name),
            tree.velocity(q, qd, name),
            tree.jacobian_bias(q, qd, name),
        )

    def expansion(self, q, independent):
        """Return E, of all joints, from the rows of the closures alone."""
        J = self.rows(q, np.zeros(self.tree.nv))[1]
        names = self.tree.joint_names
        lead = [names.index(name) for name in independent]
        led = [k for k in range(len(names)) if k not in lead]
        E = np.zeros((len(names), len(lead)))
        E[lead, range(len(lead))] = 1.0
        E[led] = -np.linalg.lstsq(J[:, led], J[:, lead], rcond=None)[0]
        return E

    def solve(self, q, qd, tau, held=None, added=0.0):
        """Return the accelerations of all joints by the dense KKT system, and J^T lambda.

        J and lambda are those of the closures, without the rows of mimic joints. held : torque
        without acceleration, by default the bias of the tree. added : to the diagonal of its M.
        """
        held = self.tree.bias_torque(q, qd) if held is None else held
        _, rows, bias = self.rows(q, qd)
        U, sizes, _ = np.linalg.svd(rows)
        rank = int(np.count_nonzero(sizes > 1e-9 * sizes[0]))
        J, bias = U.T[:rank] @ rows, U.T[:rank] @ bias
        n = self.tree.nv
        M = self.tree.mass_matrix(q) + np.diag(np.broadcast_to(added, n))
        K = np.block([[M, -J.T], [J, np.zeros((rank, rank))]])
        right = np.concatenate((tau - held, -bias))
        x = np.linalg.solve(K, right)
        closures = len(rows) - len(self.mechanism.followers)
        return x[:n], rows[:closures].T @ (U[:closures, :rank] @ x[n:])
