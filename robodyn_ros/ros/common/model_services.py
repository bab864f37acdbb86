# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services that answer from the model: dynamics, operational-space inertia, model data."""

import time
from array import array

import numpy as np
from geometry_msgs.msg import Point, Vector3

from robodyn_msgs.srv import GetDynamics, GetModelInfo, GetOperationalSpaceInertia
from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.compile.embedded import of_model
from robodyn_ros.control.task_dynamics import BASE, LOCAL, TaskPoint, require_links, task_dynamics
from robodyn_ros.errors import RobodynError, ShapeError, shorten
from robodyn_ros.model import layout
from robodyn_ros.robot.operational_space_dynamics import AXES
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.independent_joints import independent_joints
from robodyn_ros.ros.common.requested_state import requested_state
from robodyn_ros.ros.common.robot_source import default_link
from robodyn_ros.ros.transport.bounded_service import BoundedService

MAX_POINTS = 16  # of one request; no robot has more end effectors
MAX_OFFSET = 1000.0  # [m] from a link to its task point; beyond it rounding spoils the rank
MAX_DAMPING = 100.0  # [1/sqrt(kg)], the same as for the parameter osi_damping


class ModelServices:
    """Answer from the latest joint state or a given one, in the executor's thread.

    An answer is complete, or has success = false and a sentence.

    `node` (Controller): the controller node.
    """

    def __init__(self, node):
        self._node, self._session, self._robot = node, None, None
        for kind, name, answer in (
            (GetDynamics, 'get_dynamics', self._dynamics),
            (GetModelInfo, 'get_model_info', self._info),
            (GetOperationalSpaceInertia, 'get_operational_space_inertia', self._inertia),
        ):
            BoundedService(node, kind, f'~/{name}', self._callback(kind, answer))

    def _callback(self, kind, answer):
        def respond(request, _):
            response = kind.Response()
            try:
                answer(request, response, self._model())
                response.success = True
            except RobodynError as error:
                response = kind.Response(message=str(error))
            except Exception as error:
                self._node.callback_failed(error)
                response = kind.Response(message=f'The service failed, which is a defect: {error}')
            return response

        return respond

    def _model(self) -> Robot:
        """Return a Robot for this thread, since a Robot must not be shared by threads."""
        session = self._node.session
        if session is None:
            raise RobodynError(self._node.why_unconfigured())
        if session is not self._session:
            self._session, self._robot = session, Robot(session.robot.model)
        return self._robot

    def _state(self, request, response, robot):
        given = independent_joints(request.state, robot.model)
        state = requested_state(given, robot.joint_names, self._session.supervisor.measurement)
        response.header.stamp = state.stamp
        response.header.frame_id = robot.model.body_names[0]
        response.joint_names, response.message = list(robot.joint_names), state.note
        response.position, response.velocity = float64_array(state.q), float64_array(state.qd)
        return state

    def _dynamics(self, request, response, robot):
        kind, n = GetDynamics.Request, robot.nv
        fields = valid_flags('fields', request.fields, 63) or (
            kind.FIELD_MASS_MATRIX | kind.FIELD_CORIOLIS | kind.FIELD_GRAVITY
        )
        q, qd, *_ = self._state(request, response, robot)
        qdd = checked_numbers('acceleration', request.acceleration, n)
        tau = checked_numbers('effort', request.effort, n)
        start = time.perf_counter_ns()
        gravity = robot.gravity_torque(q)
        if fields & kind.FIELD_MASS_MATRIX:
            response.rows, response.mass_matrix = n, float64_array(robot.mass_matrix(q))
        if fields & kind.FIELD_CORIOLIS:
            response.coriolis = float64_array(robot.bias_torque(q, qd) - gravity)
        if fields & kind.FIELD_GRAVITY:
            response.gravity = float64_array(gravity)
        if fields & kind.FIELD_FRICTION:
            friction = np.zeros(n)
            of_model(robot.model, friction_torque)(
                robot.model.topology, robot.model.constants, q, qd, friction
            )
            response.friction = float64_array(friction)
        if fields & kind.FIELD_INVERSE_DYNAMICS:
            response.acceleration = float64_array(qdd)
            response.effort = float64_array(robot.inverse_dynamics(q, qd, qdd))
        if fields & kind.FIELD_FORWARD_DYNAMICS:
            response.forward_acceleration = float64_array(robot.forward_dynamics(q, qd, tau))
        require_finite(response)
        set_duration(response, start)

    def _inertia(self, request, response, robot):
        kind = GetOperationalSpaceInertia.Request
        if request.reference not in (kind.REFERENCE_LOCAL_WORLD_ALIGNED, LOCAL, BASE):
            raise ShapeError(f'reference: got {request.reference}; expected 0, 1 or 2.')
        fields = valid_flags('fields', request.fields, 31) or kind.FIELD_JACOBIAN
        points, kept = self._task(request, robot)
        damping = checked_numbers('damping', (request.damping,), 1, MAX_DAMPING)[0]
        if damping < 0.0:
            damping = self._node.parameters['osi_damping']
        q, qd, *_ = self._state(request, response, robot)
        start = time.perf_counter_ns()
        task = task_dynamics(robot, q, qd, points, request.reference, kept, damping)
        response.link, response.damping_used = points[0].link, float(damping)
        response.row_links = [points[row // 6].link for row in kept]
        response.row_axes = [AXES[row % 6] for row in kept]
        if request.reference == LOCAL:
            links = set(response.row_links)
            response.header.frame_id = links.pop() if len(links) == 1 else ''
        self._write_task(fields, response, robot, q, task)
        require_finite(response)
        set_duration(response, start)

    def _task(self, request, robot):
        """Return the points of a request, and the indices of the requested rows."""
        several = len(request.links)
        if several > MAX_POINTS:
            raise ShapeError(f'links: got {several}; at most {MAX_POINTS} are accepted.')
        if not several:
            if request.points or request.axes_of_links:
                raise ShapeError(
                    'points and axes_of_links: got some, but no links; expected '
                    '`point` and `axes` for one link.'
                )
            links = (request.link or default_link(self._node.parameters, robot),)
            places, chosen = (request.point,), [request.axes]
        else:
            if request.link:
                raise ShapeError(
                    f'link and links: got both, {shorten(request.link)} and '
                    f'{several} others; expected either.'
                )
            if request.point != Point():
                raise ShapeError(
                    'point and links: got both; expected points, one for each link, or none.'
                )
            if len(request.points) not in (0, several):
                raise ShapeError(
                    f'points: got {len(request.points)}; expected {several}, one for '
                    'each link, or none.'
                )
            if len(request.axes_of_links) not in (0, 6 * several):
                raise ShapeError(
                    f'axes_of_links: got {len(request.axes_of_links)} entries; '
                    f'expected {6 * several}, six for each link, or none.'
                )
            links, places = request.links, request.points or [Point()] * several
            flags = request.axes_of_links or list(request.axes) * several
            chosen = [flags[k : k + 6] for k in range(0, 6 * several, 6)]
        require_links(links, robot)
        points = [
            TaskPoint(link, checked_numbers('point', (place.x, place.y, place.z), 3, MAX_OFFSET))
            for link, place in zip(links, places)
        ]
        return points, [
            6 * k + row
            for k, axes in enumerate(chosen)
            for row in range(6)
            if axes[row] or not any(axes)
        ]

    def _write_task(self, fields, response, robot, q, task):
        kind, found = GetOperationalSpaceInertia.Request, task.inertia
        response.rows, response.cols = found.jacobian.shape
        response.inertia, response.rank = float64_array(found.inertia), int(found.rank)
        response.singular_values = float64_array(found.singular_values)
        if found.rank < response.rows:
            note = f'Singular: rank {found.rank} of {response.rows}.'
            response.message = f'{response.message} {note}'.strip()
        if fields & kind.FIELD_JACOBIAN:
            response.jacobian = float64_array(found.jacobian)
        if fields & kind.FIELD_MASS_MATRIX:
            response.mass_matrix = float64_array(robot.mass_matrix(q))
        if fields & kind.FIELD_BIAS:
            response.jacobian_dot_qdot = float64_array(task.jacobian_bias)
            response.coriolis, response.gravity = (
                float64_array(task.coriolis),
                float64_array(task.gravity),
            )
            response.task_bias = float64_array(task.bias)
            response.task_gravity = float64_array(task.task_gravity)
        if fields & kind.FIELD_CONSISTENT_INVERSE:
            response.consistent_inverse = float64_array(found.consistent_inverse)
        if fields & kind.FIELD_INERTIA_INVERSE:
            response.inertia_inverse = float64_array(found.inverse)

    def _info(self, _, response, robot):
        model, limits = robot.model, robot.limits
        bodies = model.constants[1:]
        mass = bodies[:, layout.MASS]
        response.name, response.base_link = robot.name, model.body_names[0]
        response.joint_names, response.link_names = list(robot.joint_names), list(robot.frames)
        response.lower, response.upper = float64_array(limits.lower), float64_array(limits.upper)
        response.velocity_limit = float64_array(limits.velocity)
        response.effort_limit = float64_array(limits.effort)
        response.damping = float64_array(model.joint_values(layout.DAMPING))
        response.friction = float64_array(model.joint_values(layout.FRICTION))
        response.rotor_inertia = float64_array(model.joint_values(layout.ROTOR))
        response.body_names = list(model.body_names[1:])
        response.body_mass, response.total_mass = float64_array(mass), float(mass.sum())
        response.body_com = [_com(model, k) for k in range(1, len(model.body_names))]
        x, y, z = (float(component) for component in model.gravity)
        response.gravity = Vector3(x=x, y=y, z=z)
        response.warnings = list(robot.report.warnings)


def _com(model, k: int) -> Point:
    """Return the centre of mass of body k in the frame of its link."""
    frame = model.frames.get(model.body_names[k])
    if frame is None:  # an intermediate body of a multi-DOF joint has neither link nor mass
        return Point()
    mass = model.constants[k, layout.MASS]
    com = model.constants[k, layout.MOMENT : layout.MOMENT + 3] / mass if mass else np.zeros(3)
    x, y, z = (float(component) for component in frame.rotation.T @ (com - frame.translation))
    return Point(x=x, y=y, z=z)


def float64_array(values: np.ndarray) -> array:
    """Return values for a float64[] field.

    `values`: numbers of any shape.
    """
    return array('d', np.ascontiguousarray(values, dtype=float).tobytes())


def valid_flags(name: str, flags: int, every: int) -> int:
    """Return the flags of a request if each of them exists.

    `name`: name of the field, for the error message.
    `flags`: sum of the requested flags.
    `every`: sum of all flags.
    Raises ShapeError: if a flag does not exist.
    """
    if flags & ~every:
        raise ShapeError(
            f'{name}: got {flags}; expected at most {every}, the sum of all flags, or 0.'
        )
    return flags


def require_finite(response):
    """Check that all numbers of a response are finite; extreme requests may overflow.

    Raises ShapeError: if a number is not finite.
    """
    for name, kind in response.get_fields_and_field_types().items():
        if kind == 'sequence<double>' and not np.isfinite(getattr(response, name)).all():
            raise ShapeError(
                f'{name} is not finite for this request; expected positions, velocities and '
                'other numbers that a robot may have.'
            )


def checked_numbers(name: str, values, size: int, most: float = np.inf) -> np.ndarray:
    """Return the numbers of a request as an array; zeros if it gives none.

    `name`: name of the field, for the error message.
    `values` (sequence of float): numbers of the request.
    `size`: number of entries expected.
    `most`: largest magnitude accepted.
    Raises ShapeError: if the number of entries is wrong, or a number is not finite or too large.
    """
    if len(values) not in (0, size):
        raise ShapeError(f'{name}: got {len(values)} entries; expected {size}, or none.')
    numbers = np.array(values, dtype=float) if len(values) else np.zeros(size)
    if not np.isfinite(numbers).all():
        raise ShapeError(f'{name}: got {shorten(numbers.tolist())}; expected finite numbers.')
    if (np.abs(numbers) > most).any():
        raise ShapeError(
            f'{name}: got {shorten(numbers.tolist())}; expected numbers up to {most:g}.'
        )
    return numbers


def set_duration(response, start: int):
    """Set `compute_time` of a response to the time since a start.

    `start`: start by `time.perf_counter_ns` [ns].
    """
    seconds, nanoseconds = divmod(time.perf_counter_ns() - start, 1_000_000_000)
    response.compute_time.sec, response.compute_time.nanosec = seconds, nanoseconds
