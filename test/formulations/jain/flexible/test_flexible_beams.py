# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 13 of Jain on beams: closed forms, finite elements, an elastic joint, small bodies."""

import numpy as np
import pytest

from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.formulations.jain import hinges
from robodyn_ros.formulations.jain.flexible import (
    flexible_articulated,
    flexible_forward_dynamics,
    flexible_mass_matrix,
)
from robodyn_ros.formulations.jain.flexible.beam import Beam, natural_frequencies, uniform_beam
from robodyn_ros.formulations.jain.flexible.craig_bampton import craig_bampton
from robodyn_ros.formulations.jain.flexible.flexible_tree import FlexibleBody, flexible_tree
from robodyn_ros.formulations.jain.flexible.modal_body import Interface, ModalBody, fixed, rigid
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from robodyn_ros.formulations.spong import spong_arms
from robodyn_ros.model.extended.beam_modes import bending_roots, bending_shape
from support.compare import agree

BEAM = Beam(length=1.3, mass=2.1, EI_z=40.0, EI_y=70.0, polar=0.02, GJ=15.0)
#: Of bending in xy, for roots x: x^2 times this is omega [rad/s].
RATE = np.sqrt(BEAM.EI_z / (BEAM.mass * BEAM.length**3))
GROUND = fixed(np.zeros(3))


def frequencies(bodies, q=None):
    """Natural frequencies [rad/s], rising, of bodies about q, without weight."""
    size = sum(body.modal.n_md + body.hinge.nq for body in bodies)
    tree = flexible_tree(bodies, np.zeros(size) if q is None else q, (0.0, 0.0, 0.0))
    M = flexible_mass_matrix.mass_matrix(tree)
    K = np.zeros_like(M)
    for k, body in enumerate(tree.bodies):
        first, n = tree.slices[k].start, tree.modes[k]
        K[first : first + n, first : first + n] = body.modal.stiffness
    return natural(M, K)


def natural(M, K):
    """Frequencies of M xddot + K x = 0."""
    L = np.linalg.cholesky(M)
    square = np.linalg.eigvalsh(np.linalg.solve(L, np.linalg.solve(L, K).T))
    return np.sqrt(np.maximum(square, 0.0))


def on(name, parent, mount, link, hinge):
    """The FlexibleBody of a ModalBeam."""
    return FlexibleBody(name, parent, mount, hinge, link.root, link.body)


def test_uniform_beam_is_orthogonal_with_the_frequencies_of_euler_and_bernoulli():
    agree(bending_roots(3), [1.875104068711961, 4.694091132974175, 7.854757438237612])
    agree(bending_roots(2, 1.0), [4.730040744862704, 7.853204624095838])
    link = uniform_beam(BEAM, 5, 3, 2)
    M = link.body.M_0[:10, :10]
    # 48 Gauss nodes, modes of size 2 at their ends
    agree(M, np.diag([BEAM.mass] * 8 + [BEAM.polar] * 2), None, 1e-12)
    found = frequencies([on('a', None, GROUND, link, hinges.locked())])
    agree(found, np.sort(natural_frequencies(BEAM, 5, 3, 2)), None, 1e-11)
    agree(found[0], 1.875104068711961**2 * RATE)
    for root in (bending_roots(12)[-1], bending_roots(12, 1.0)[-1]):
        sign = -1.0 if np.isclose(root, bending_roots(12)[-1]) else 1.0
        w, slope = bending_shape(root, np.array([0.0, 1.0]), sign)
        agree((w[0], slope[0]), np.zeros(2), 2.0, 1e-11)
        agree(w[1], 2.0 * (-1.0) ** 11 if sign < 0.0 else 0.0, 2.0, 1e-11)


def test_modal_integrals_of_a_uniform_beam_are_closed_forms():
    """M^rr is a rod's, M^fr has 2 sigma_r / x_r and 2 L / x_r^2, M_2 the unit of the modes."""
    n, L, m = 3, BEAM.length, BEAM.mass
    body, x = uniform_beam(BEAM, n).body, bending_roots(3)
    rod = spatial_inertia(m, np.array([L / 2, 0, 0]), m * L**2 / 3 * np.diag([0.0, 1.0, 1.0]))
    rod[0, 0] = BEAM.polar
    agree(body.M_0[n:, n:], rod)
    sigma = (np.sinh(x) - np.sin(x)) / (np.cosh(x) + np.cos(x))
    agree(body.M_0[:n, n + 4], 2.0 * m * sigma / x)
    agree(body.M_0[:n, n + 2], 2.0 * m * L / x**2)
    agree(body.M_2[:, :, 2, 2], m * np.eye(n))
    stretched = body.mass(np.array([0.3, 0.0, 0.0]))
    agree(stretched[n, n], BEAM.polar + 0.09 * m)


def test_pinned_beam_has_the_frequencies_of_its_closed_form():
    """tan x = tanh x: cantilever modes and a hinge, which turns as a whole."""
    link = uniform_beam(BEAM, 8)
    found = frequencies([on('a', None, GROUND, link, hinges.pin())])
    assert found[0] < 1e-4 * found[1]
    # From above, as Ritz has it, and closer with every mode.
    share = found[1:3] / (np.array([3.926602312047919, 7.068582745628732]) ** 2 * RATE) - 1.0
    assert (share > -1e-9).all() and (share < (1e-6, 1e-5)).all()
    coarse = frequencies([on('a', None, GROUND, uniform_beam(BEAM, 3), hinges.pin())])
    assert coarse[1] / found[1] - 1.0 > 1e-5


@pytest.mark.parametrize('mu', [0.3, 2.0])
def test_mass_at_the_tip_lowers_the_frequencies_as_in_closed_form(mu):
    """1 + cos cosh + mu x (cos sinh - sin cosh) = 0, the mass a body of its own."""
    tip = rigid(spatial_inertia(mu * BEAM.mass, np.zeros(3), np.zeros((3, 3))))
    link = uniform_beam(BEAM, 8, loaded_tip=True)
    bodies = [
        on('a', None, GROUND, link, hinges.locked()),
        FlexibleBody('m', 'a', link.tip, hinges.locked(), GROUND, tip),
    ]
    for x in np.sqrt(frequencies(bodies)[:2] / RATE):

        def closed(y):
            stiff = np.cos(y) * np.sinh(y) - np.sin(y) * np.cosh(y)
            return 1.0 + np.cos(y) * np.cosh(y) + mu * y * stiff

        # Ritz errs by 1e-5 of a root, from above: the closed form changes sign there.
        assert closed(x * (1.0 + 1e-9)) * closed(x * (1.0 - 2e-5)) < 0.0


def test_two_half_beams_are_the_whole_and_need_a_loaded_tip():
    half = BEAM._replace(length=BEAM.length / 2, mass=BEAM.mass / 2)
    errors = []
    for loaded in (True, False):
        link = uniform_beam(half, 6, loaded_tip=loaded)
        bodies = [
            on('a', None, GROUND, link, hinges.locked()),
            on('b', 'a', link.tip, link, hinges.locked()),
        ]
        errors.append(frequencies(bodies)[0] / (1.875104068711961**2 * RATE) - 1.0)
    assert 0.0 < errors[0] < 1e-6 and errors[1] > 1e-3


def elements(beam, count):
    """(M, K) of a beam of Hermite elements, nodes of six displacements, rotations first."""
    size, h = 6 * (count + 1), beam.length / count
    M, K = np.zeros((2, size, size))
    m = beam.mass / count
    bend_m = np.array(
        [
            [156, 22 * h, 54, -13 * h],
            [22 * h, 4 * h**2, 13 * h, -3 * h**2],
            [54, 13 * h, 156, -22 * h],
            [-13 * h, -3 * h**2, -22 * h, 4 * h**2],
        ]
    ) * (m / 420)
    bend_k = np.array(
        [
            [12, 6 * h, -12, 6 * h],
            [6 * h, 4 * h**2, -6 * h, 2 * h**2],
            [-12, -6 * h, 12, -6 * h],
            [6 * h, 2 * h**2, -6 * h, 4 * h**2],
        ]
    ) / (h**3)
    pair_m, pair_k = np.array([[2, 1], [1, 2]]) / 6, np.array([[1, -1], [-1, 1]]) / h
    for e in range(count):
        a, b = 6 * e, 6 * e + 6
        for along, about, sign, EI in ((4, 2, 1.0, beam.EI_z), (5, 1, -1.0, beam.EI_y)):
            at, turn = [a + along, a + about, b + along, b + about], np.diag([1, sign, 1, sign])
            M[np.ix_(at, at)] += turn @ bend_m @ turn
            K[np.ix_(at, at)] += EI * turn @ bend_k @ turn
        for axis, mass, stiff in ((0, beam.polar / count, beam.GJ), (3, m, 5e5)):
            at = [a + axis, b + axis]
            M[np.ix_(at, at)] += mass * pair_m
            K[np.ix_(at, at)] += stiff * pair_k
    return M, K


def reduced(beam, count, kept):
    """The Craig-Bampton set of a beam: both ends, and `kept` modes with them held."""
    M, K = elements(beam, count)
    ends = np.r_[0:6, len(M) - 6 : len(M)]
    inside = np.setdiff1d(np.arange(len(M)), ends)
    L = np.linalg.cholesky(M[np.ix_(inside, inside)])
    K_inside = K[np.ix_(inside, inside)]
    _, modes = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, K_inside).T))
    T = np.zeros((len(M), 12 + kept))
    T[ends, range(12)] = 1.0
    T[inside, :12] = -np.linalg.solve(K_inside, K[np.ix_(inside, ends)])
    T[inside, 12:] = np.linalg.solve(L.T, modes[:, :kept])
    return T.T @ M @ T, T.T @ K @ T


def test_craig_bampton_sets_join_to_the_whole_of_their_finite_elements():
    """Two sets with all their modes are the elements of the whole beam, to rounding."""
    half = BEAM._replace(length=BEAM.length / 2, mass=BEAM.mass / 2, polar=BEAM.polar / 2)
    ends = np.array([[0.0, 0.0, 0.0], [half.length, 0.0, 0.0]])
    body, root, (tip,) = craig_bampton(*reduced(half, 4, 18), ends)
    bodies = [
        FlexibleBody('a', None, GROUND, hinges.locked(), root, body),
        FlexibleBody('b', 'a', tip, hinges.locked(), root, body),
    ]
    M, K = elements(BEAM, 8)
    whole = natural(M[6:, 6:], K[6:, 6:])
    agree(frequencies(bodies), whole, None, 1e-9)
    agree(whole[0], natural_frequencies(BEAM, 1)[0], None, 1e-5)
    few, root, (tip,) = craig_bampton(*reduced(half, 4, 6), ends, damping_ratio=0.05)
    assert few.n_md == 12 and few.stiffness.shape == (12, 12)
    agree(tip.motion(np.zeros(12))[:, :6], np.eye(6))
    agree(few.M_0[12:, 12:][3:, 3:], half.mass * np.eye(3), None, 1e-10)
    L = np.linalg.cholesky(few.M_0[:12, :12])
    lost = np.linalg.eigvalsh(np.linalg.solve(L, np.linalg.solve(L, few.damping).T))
    agree(lost, 0.1 * natural(few.M_0[:12, :12], few.stiffness), None, 1e-9)


def test_sets_in_another_order_are_refused():
    half = BEAM._replace(length=0.5)
    M, K = reduced(half, 3, 2)
    ends = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0]])
    with pytest.raises(ParameterError, match='rotations .rad. before translations'):
        craig_bampton(M[::-1, ::-1], K[::-1, ::-1], ends)
    with pytest.raises(ShapeError, match='12 at least'):
        craig_bampton(M[:11, :11], K[:11, :11], ends)
    with pytest.raises(ParameterError, match='got no modes'):
        uniform_beam(BEAM)
    with pytest.raises(ParameterError, match='expected both above 0'):
        uniform_beam(BEAM._replace(GJ=0.0), torsion=1)
    with pytest.raises(ParameterError, match='expected 0, or 2'):
        uniform_beam(BEAM, 1, loaded_tip=True)


def test_one_mode_of_rotation_is_the_elastic_joint_of_spong():
    """Spong, example 6.2: the motor's rotor with one massless mode, its twist; q1 = q2 + eta."""
    J_m, J_l, m, r, k = 0.1, 0.4, 2.0, 0.3, 80.0
    axis = np.array([0.0, 0.0, 1.0])
    zero = np.zeros((6, 6))
    zero[:3, :3] = J_m * np.eye(3)
    M = np.zeros((7, 7))
    M[1:, 1:] = zero
    rotor = ModalBody(
        M, np.zeros((1, 7, 7)), np.zeros((1, 1, 6, 6)), np.array([[k]]), np.zeros((1, 1))
    )
    twist = Interface(np.zeros(3), np.eye(3), np.r_[axis, np.zeros(3)][:, None])
    link = rigid(spatial_inertia(m, np.array([r, 0.0, 0.0]), J_l * np.eye(3)))
    bodies = [
        FlexibleBody('motor', None, GROUND, hinges.pin(axis), fixed(np.zeros(3), n_md=1), rotor),
        FlexibleBody('link', 'motor', twist, hinges.locked(), GROUND, link),
    ]
    q2, u = 0.45, 3.0
    # A small twist: the exact rotation of an Interface is 2 atan(eta / 2), from eta in eta^3 / 12.
    for eta in (1e-3, -2e-3):
        tree = flexible_tree(bodies, np.array([eta, q2]), (9.81, 0.0, 0.0))
        order = np.argsort(tree.dofs)
        found, _ = flexible_forward_dynamics.forward_dynamics(
            tree, np.zeros(2), np.array([0.0, u])[tree.dofs]
        )
        eta2, motor2 = found[order]
        angle = q2 + 2.0 * np.arctan(eta / 2.0)
        arm = spong_arms.elastic_link(J_m, J_l, m, r, k, np.array([angle, q2]))
        expected = np.linalg.solve(arm.D, np.array([0.0, u]) - arm.g)
        # eta / (1 + eta^2 / 4) is the angle's rate: both differ by eta^2 = 4e-6 at most.
        agree([motor2 + eta2, motor2], expected, None, 5e-6)
        unlike_rigid = u / (J_m + J_l) - m * 9.81 * r * np.sin(q2) / (J_m + J_l)
        assert abs(motor2 - unlike_rigid) > 0.1
    with pytest.raises(ParameterError, match='a mode without a mass of its own'):
        flexible_articulated.modal_inverses(tree)


def small_bodies(beams, segments):
    """MJCF of an arm whose beams are rigid segments with springs between, and a hinge at each."""
    pieces = []
    for beam in beams:
        h = beam.length / segments
        for j, length in enumerate([h / 2] + [h] * (segments - 1) + [h / 2]):
            pieces.append((length, beam.mass * length / beam.length, j and beam.EI_z / h))
    nested, before = '', 0.0
    for length, m, k in pieces:
        I = m * length**2 / 12  # noqa: E741
        nested += (
            f'<body pos="{before!r} 0 0"><joint type="hinge" axis="0 0 1" stiffness="{k!r}"/>'
            f'<inertial pos="{length / 2!r} 0 0" mass="{m!r}" diaginertia="{I!r} {I!r} {I!r}"/>'
        )
        before = length
    return (
        '<mujoco><option gravity="0 0 0"/><compiler angle="radian" inertiafromgeom="false"/>'
        f'<worldbody>{nested}{"</body>" * len(pieces)}</worldbody></mujoco>'
    ), np.array([k for _, _, k in pieces])


def test_flexible_arm_has_the_frequencies_of_many_small_bodies():
    """Two flexible links with a bent elbow against MuJoCo, 20 rigid segments a link."""
    mujoco = pytest.importorskip('mujoco')
    upper, fore = Beam(1.3, 2.1, 40.0, 70.0), Beam(0.9, 1.2, 25.0, 50.0)
    expected = []
    for segments in (10, 20):
        text, k = small_bodies((upper, fore), segments)
        model = mujoco.MjModel.from_xml_string(text)
        data = mujoco.MjData(model)
        data.qpos[0], data.qpos[segments + 1] = 0.3, 0.8
        mujoco.mj_forward(model, data)
        M = np.zeros((model.nv, model.nv))
        for column, unit in zip(M, np.eye(model.nv)):
            mujoco.mj_mulM(model, data, column, unit)
        expected.append(natural(M, np.diag(k))[2:5])
    # Segments err with the square of their length: Richardson takes the larger part away.
    limit = expected[1] + (expected[1] - expected[0]) / 3.0
    one, two = uniform_beam(upper, 8, loaded_tip=True), uniform_beam(fore, 8)
    arm = [on('a', None, GROUND, one, hinges.pin()), on('b', 'a', one.tip, two, hinges.pin())]
    q = np.zeros(18)
    q[8], q[-1] = 0.3, 0.8
    found = frequencies(arm, q)
    assert found[1] < 1e-3 * found[2]
    # Eight modes a link leave 1e-5, the extrapolated segments 1e-6.
    agree(found[2:5] / limit, np.ones(3), None, 2e-5)
    q[-1] = 0.1
    assert np.abs(frequencies(arm, q)[2:5] / limit - 1.0).max() > 0.01  # the elbow counts
