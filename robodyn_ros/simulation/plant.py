# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot: dynamics with a clock, commands, external wrenches and latched faults."""

from collections import Counter, deque
from math import inf

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.codegen.linker import version_for
from robodyn_ros.compile.call import provide
from robodyn_ros.errors import ParameterError, ShapeError
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.rigid_body import Payloads
from robodyn_ros.model.rotation_matrix import SHORTEST
from robodyn_ros.robot.loops.dead_centre import FAR, NEAR, DeadCentres
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation import drives, rollouts
from robodyn_ros.simulation.all_joints import AllJoints
from robodyn_ros.simulation.command_modes import QUANTITIES, Command
from robodyn_ros.simulation.contact.contact_state import ContactState
from robodyn_ros.simulation.contact.plant_kernels import has_contact_step, kernels_of
from robodyn_ros.simulation.integrators import adaptive_steps
from robodyn_ros.simulation.integrators.names import TOO_LONG
from robodyn_ros.simulation.joint_table import work_rows
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.sensed_plant import SensedPlant
from robodyn_ros.simulation.step import (
    BEYOND_REACH,
    DEAD_CENTRE,
    LARGEST_EFFORT,
    LARGEST_POSITION,
    SWIFT,
)


class Plant(SensedPlant):
    """A robot that obeys commands: M qdd + C qd + g + friction = tau + J^T f_ext, between stops.

    tau is the command in effort mode. In position or velocity mode it comes from the drive, which
    follows the command within its effort limit, see servo.py.

    The same calls give the same bits. A command is ignored as a whole if a value is infinite, or
    if it commands no joint. It is also ignored if a joint does not take the quantity. `refused`
    counts such commands. A blow-up restores the last valid state, sets `fault` until the next
    reset, and counts in `faults`.

    Parameters
    ----------
    robot : Robot
        The robot; a specialised one steps with its own code.
    settings : PlantSettings
        Behaviour of drives, friction and integrator.
    position, velocity : (nq,) and (nv,) array_like, optional
        Initial state [rad or m, rad/s or m/s]. By default at rest, each joint as near to zero as
        its stops allow.
    contacts : Contacts, optional
        Shapes and the obstacles that they touch; see doc/contact.md.
    led_joints : bool
        Whether dependent joints of closed loops have their friction and their stops.
    damped : sequence of str
        Joints that get damping by `LoopPlant`; dependent ones of loops need `led_joints`.

    Attributes
    ----------
    q, qd : (nq,) and (nv,) ndarray
        State [rad or m, rad/s or m/s]; live arrays, copy them to keep them.
    effort : (nv,) ndarray
        Efforts of the motors in the last step [N m or N]; live.
    model : RobotModel
        The robot with its payloads.
    t : float
        Simulated time [s].
    fault : str
        Message of the blow-up that stopped the robot, '' without one.
    faults : int
        Number of blow-ups.
    kernel : Kernel
        The step for any robot; see `replace_kernel`.
    dead_centres : DeadCentres or None
        Those of the closed loops; None without loops.
    refused : Counter
        Commands ignored, by reason: 'value', 'mode', 'empty' (no joint commanded).

    Raises
    ------
    ShapeError, ParameterError
        If the initial state is not valid for this robot.
    """

    _closures: tuple[Closure, ...] = ()  # over all joints; see GraspingPlant
    _usual = None  # of a DeadCentres, where that of the closed posture does not serve

    def __init__(
        self,
        robot,
        settings=PlantSettings(),
        position=None,
        velocity=None,
        contacts=None,
        led_joints=False,
        damped=(),
    ):
        model = robot.model
        model.require_dynamics()
        self.model, self.settings = model, settings
        self.q, self.qd = np.zeros(model.nq), np.zeros(model.nv)
        self.effort = np.zeros(model.nv)
        self.faults, self.refused = 0, Counter()
        self._touching, self._has_closures = None, model.has_loops or bool(self._closures)
        self._all_joints = AllJoints(model) if model.has_loops else None
        self.dead_centres = DeadCentres(robot, self._usual) if model.has_loops else None
        self._largest = np.array((LARGEST_EFFORT, LARGEST_POSITION, settings.largest_speed))
        self._robot = robot
        if position is None:
            position = model.closed_posture if model.has_loops else self._near_zero()
        velocity = self.qd if velocity is None else velocity
        self._initial = self.checked_position(position), self.checked_velocity(velocity)
        self._drives = drives.Drives(model, settings, self._inertia)
        self._f_ext = np.zeros((len(model.body_names), 6))
        joint_work = np.zeros((work_rows(model.nv), model.nq))
        self._memory = working_memory.allocate(model.topology), joint_work
        self._payloads = Payloads(model)
        self._options = (
            settings.substeps,
            settings.method,
            settings.friction_speed,
            settings.largest_speed,
            self.q,
            self.qd,
            self.effort,
        )
        if self._closures or has_contact_step(model, contacts, led_joints, damped):
            self._touching = ContactState(
                model, contacts, settings if led_joints else None, self._closures, damped
            )
            self._options += (self._touching.arrays,)
        self.kernel, _, *called = kernels_of(settings.method, self._touching is not None)
        provide(called)
        self._accept_command = drives.accept_command.vectorcall
        self._kernel = robot.linked(self.kernel)
        self.reset()

    def replace_kernel(self, kernel):
        """Step with another kernel; later states stay the same to rounding.

        Parameters
        ----------
        kernel : Kernel
            `plant.kernel`, or its version for this robot. A payload suspends the latter.

        Raises
        ------
        KernelError
            If it is a version for a robot of another structure.
        """
        self._kernel = version_for(self._with_payload(self._robot.model), kernel, self.kernel)
        self._carry(self.model)

    def reset(self):
        """Return to the initial state: time zero, no command, wrench, payload or latched fault.

        Injected faults and counters stay.
        """
        self.t, self._substeps = 0.0, self.settings.substeps
        self._carry(self._payloads.clear())
        self._wrenches = {}
        self._gather_wrenches()
        self._pipeline = deque([None] * self.settings.latency)
        self._expiry = inf  # no command expires before it, so a step compares only this time
        self._drives.reset()
        self.set_state(*self._initial)

    def set_state(self, position=None, velocity=None):
        """Set the state and clear a latched fault.

        Joints in position mode stay in the new position until their next command.

        Parameters
        ----------
        position, velocity : (nq,) and (nv,) array_like, optional
            New state [rad or m, rad/s or m/s]. None leaves that part unchanged.

        Raises
        ------
        ShapeError
            For a wrong shape. The state is unchanged then.
        ParameterError
            For a value beyond a stop, or too large. The state is unchanged then.
        """
        position = self.q if position is None else self.checked_position(position)
        velocity = self.qd if velocity is None else self.checked_velocity(velocity)
        self.q[:], self.qd[:] = position, velocity
        self._drives.stay(self.q)
        self.effort[:] = 0.0
        self.fault = ''
        if self._touching is not None:
            self._touching.clear()

    def step(self, command=None, dt=1e-3):
        """Advance by one step.

        Parameters
        ----------
        command : (nv,) array_like or Command, optional
            Efforts [N m or N], positions [rad or m] or velocities [rad/s or m/s], by the mode of
            each joint. NaN leaves a joint without command. None repeats the last command.
        dt : float
            Length of the step [s], at most 1.

        Raises
        ------
        ShapeError
            For a command of another size. Nothing has changed then.
        ParameterError
            For a step length out of range. Nothing has changed then.
        """
        if not 0.0 < dt <= 1.0:
            raise ParameterError(
                f'robot {self.model.name!r}: a step of {dt} s; expected above 0 and at most 1'
            )
        if self._pipeline:
            self._pipeline.append(None if command is None else self.command_with_modes(command))
            command = self._pipeline.popleft()
        if command is not None:
            self._accept(*self._quantities(command))
        if self.t >= self._expiry:
            self._release()
        if self.t >= self._wrench_end:
            self._gather_wrenches()
        if self.fault:
            self.qd[:] = 0.0
        else:
            self._move(dt)
        self.t += dt

    def _move(self, dt):
        """Take the step of the dynamics; latch a blow-up, or a state in which loops are open."""
        before = (self.q.copy(), self.qd.copy()) if self._has_closures else None
        if self.settings.tolerance:
            status = self._advance(dt)
        else:
            status = self._step(*self._arrays, dt, *self._options)
        if before is not None:
            status = status or self._status_of_loops(before[0])
            if status == BEYOND_REACH:
                self.q[:], self.qd[:] = before
        if status:
            self._latch(status)

    def _status_of_loops(self, before):
        """Return 0 if the loops close, and no dead centre is close ahead after those positions."""
        if self._all_joints is None:
            return 0
        places, rates, _ = self._all_joints.state(self.q, self.qd, self.effort)
        if not np.isfinite(places).all():
            return BEYOND_REACH
        swift = np.abs(rates).max() > SWIFT * np.abs(self.qd).max()
        return DEAD_CENTRE if swift and self.dead_centres.is_ahead(before, self.q) else 0

    @property
    def _loops(self):
        """Return the names of the closures of the loops."""
        return self.model.closures

    def _advance(self, dt):
        """Take one step with as many substeps as the tolerance needs; return its status."""
        _, _, _, joints, _, joint_work, command, _ = self._arrays
        status, self._substeps = adaptive_steps.advance(
            lambda count: self._step(*self._arrays, dt, count, *self._options[1:]),
            (joints, joint_work, command, self.q, self.qd, self.effort),
            self.q,
            self.qd,
            dt,
            self.settings.tolerance,
            self._substeps,
        )
        return status

    def rollout(
        self, position, velocity, efforts, dt=1e-3, gains=None, targets=None, law=None, every=1
    ):
        """Simulate many copies of this plant at once, on all cores.

        Each row has the same bits as this plant with that initial state and those commands, or
        under that law. Friction, stops, contacts, faults and wrenches act. A latency, a tolerance
        and laws with a state are refused. A plant with closed loops stops before a dead centre.

        Parameters
        ----------
        position : (k, nq) or (nq,) array_like
            Initial positions [rad or m].
        velocity : (k, nv) or (nv,) array_like
            Initial velocities [rad/s or m/s].
        efforts : (k, m, nv) or (m, nv) array_like
            Commands of m steps [N m or N], each in the present mode of its joint.
        dt : float
            Length of a step [s].
        gains : (k, 2, nv) or (2, nv) array_like, optional
            Feedback gains [N m/rad, N m s/rad], or gains of the law in its units. The feedback is
            added to the efforts.
        targets : (k, m, 2, nv) or (m, 2, nv) array_like, optional
            Positions and velocities that the feedback follows, at the beginning of each step. With
            a law (k, m, 3, nv) or (m, 3, nv), its reference: accelerations, too.
        law : ControlLaw, optional
            A control law; its torque is added to the efforts. Its robot may have another model
            than the plant.
        every : int
            Steps from one recorded state to the next.

        Returns
        -------
        Rollout
            States and efforts of the k plants, the step of a blow-up, and a sentence about it.

        Raises
        ------
        ShapeError
            If an array has another shape.
        ParameterError
            For a tolerance or a latency. For gains without targets, or in another mode than
            effort. For a value out of range.
        """
        if gains is not None and self._drives.mode.any():
            raise ParameterError(
                f'robot {self.model.name!r}: a rollout with gains, of joints in the modes '
                f'{", ".join(self.modes)}; expected effort for each'
            )
        if self.settings.tolerance:
            what = f'robot {self.model.name!r}: a rollout with a tolerance of'
            raise ParameterError(f'{what} {self.settings.tolerance:g}; expected 0, and substeps')
        given = position, velocity, efforts, dt, gains, targets, law, every
        joints, options = self._drives.all_commanded(), self._options[:4]
        return rollouts.rollout(self, joints, self._f_ext, options, self._touching, *given)

    def apply_wrench(self, frame, wrench, duration=inf):
        """Apply a wrench to a frame; it replaces the one that acts there.

        Parameters
        ----------
        frame : str
            Name of a link or joint.
        wrench : (6,) array_like
            Force and moment [N, N m] at the origin of the frame, in its axes. Zeros end it.
        duration : float
            How long it acts [s].

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        ShapeError, ParameterError
            If the wrench or the duration is not valid.
        """
        placement = self.model.frame(frame)
        wrench = self._finite('wrench', wrench, (6,), LARGEST_EFFORT)
        if not duration > 0.0:
            raise ParameterError(
                f'robot {self.model.name!r}: a wrench for {duration} s; expected '
                'a positive duration'
            )
        force = _turned(placement.rotation, wrench[:3])
        moment = _turned(placement.rotation, wrench[3:]) + np.cross(placement.translation, force)
        on_body = np.concatenate((moment, force))
        self._wrenches[frame] = placement.body, on_body, self.t + duration, wrench
        self._gather_wrenches()

    @property
    def acting_wrenches(self):
        """Return the wrenches that acted in the last step.

        Returns
        -------
        dict of str to (6,) ndarray
            By name of the frame; see `apply_wrench`.
        """
        return {frame: entry[3] for frame, entry in self._wrenches.items()}

    @property
    def motors(self):
        """Return the positions and velocities of the motors, converted to the joint side.

        Returns
        -------
        (2, nv) ndarray
            Position and velocity [rad or m, rad/s or m/s]. The position is 0 where a joint has
            none of its own.
        """
        at = self.model.coordinates
        return np.array((np.where(at >= 0, self.q[at], 0.0), self.qd))

    @property
    def dependent_efforts(self):
        """Return the efforts of dependent joints of closed loops in the last substep.

        Returns
        -------
        dict of str to float
            Of friction and stops [N m or N], of the joints that have some.
        """
        return {} if self._touching is None else self._touching.led_efforts()

    def attach(self, frame, mass, com=(0.0, 0.0, 0.0), inertia=np.zeros((3, 3))):
        """Attach a rigid payload to a frame; it replaces the one there.

        Zeros detach it. The joint velocities stay.

        Parameters
        ----------
        frame : str
            Name of a link or joint.
        mass : float
            Mass [kg].
        com : (3,) array_like
            Centre of mass [m] in the axes of the frame.
        inertia : (3, 3) array_like
            Inertia [kg m^2] about the centre of mass, in the axes of the frame.

        Raises
        ------
        UnknownNameError
            If there is no such frame.
        ModelError, ShapeError
            For an impossible payload. Nothing has changed then.
        """
        self._carry(self._payloads.attach(frame, mass, com, inertia))

    def lift_effort_limits(self):
        """Let the motors give any effort, for efforts whose limits already hold."""
        self._drives.effort_limits[:] = inf
        self._drives.arrange()

    @property
    def injected_faults(self):
        """Return the injected Faults; assign to change them.

        Returns
        -------
        Faults
            The faults.

        Raises
        ------
        UnknownNameError
            For a joint that the robot does not have.
        """
        return self._drives.faults

    @injected_faults.setter
    def injected_faults(self, faults):
        faults.check_names(self.model.name, self.model.joint_names)
        self._drives.faults = faults
        self._drives.arrange()

    @property
    def measured(self):
        """Return the positions and velocities at the encoders, without measurement errors.

        Returns
        -------
        tuple of ndarray
            Positions (nq,) and velocities (nv,); live.
        """
        return self.q, self.qd

    @property
    def stepped_model(self):
        """Return the model with all coordinates that the step integrates.

        Returns
        -------
        RobotModel
            The model.
        """
        return self.model

    @property
    def commanded(self):
        """Return which joints follow a command at present.

        Returns
        -------
        (nv,) ndarray of bool
            Whether the joint does.
        """
        return self._drives.phase == drives.COMMANDED

    @property
    def modes(self):
        """Return the present mode of each joint: 'effort', 'position' or 'velocity'.

        Returns
        -------
        tuple of str
            The modes.
        """
        return tuple(QUANTITIES[int(mode)] for mode in self._drives.mode)

    @property
    def command_modes(self):
        """Return the command modes of the joints; assign one for all, or one for each.

        After a change a commanded joint continues without a jump until its next command or the
        time-out. It keeps its present position, zero velocity, or its present effort.

        Returns
        -------
        tuple of str
            The modes, of `COMMAND_MODES`.

        Raises
        ------
        ParameterError
            For a mode that a joint cannot have.
        """
        return self._drives.names

    @command_modes.setter
    def command_modes(self, names):
        until = self.t + self.settings.command_timeout
        self._drives.set_modes(names, (self.q, self.effort, until))
        self._expiry = self._drives.expiry.min()

    @property
    def accepted_quantities(self):
        """Return whether each joint takes efforts, positions and velocities.

        Returns
        -------
        (nv, 3) ndarray
            1.0 where it does, else 0.0; live.
        """
        return self._drives.accepted

    @property
    def command_bounds(self):
        """Return the largest absolute effort, position and velocity of a command.

        Returns
        -------
        (3,) ndarray
            In N m or N, rad or m, rad/s or m/s.
        """
        return self._largest

    def command_with_modes(self, command):
        """Return a command with its modes, which a later change of mode does not affect.

        Parameters
        ----------
        command : (nv,) array_like or Command
            As for `step`.

        Returns
        -------
        Command
            A copy.

        Raises
        ------
        ShapeError
            For a command of another size.
        """
        value, mode = self._quantities(command)
        return Command(value.copy(), mode.copy())

    @property
    def contacts(self):
        """Return the points that touched, or were near, in the last step, with their forces.

        Returns
        -------
        list of ContactPoint
            Link, obstacle, point, normal, gap and force of each; empty without contacts.
        """
        return [] if self._touching is None else self._touching.points()

    @property
    def over_speed(self):
        """Return which joints exceed their velocity limit.

        Returns
        -------
        (nv,) ndarray of bool
            Whether the joint does.
        """
        return np.abs(self.qd) > self.model.limits.velocity

    def _carry(self, model):
        """Step the robot with its payloads; the kernel for one robot does not include them."""
        robot, kernel = self._robot, self._kernel
        if self._payloads:
            robot = self._with_payload(model)
            kernel = robot.linked(self.kernel)
        self.model, self.linked, self._step = model, robot.linked, kernel.vectorcall
        self._arrays = (
            model.topology,
            model.constants,
            model.gravity,
            self._drives.joints,
            *self._memory,
            self._drives.command,
            self._f_ext,
        )

    def _with_payload(self, model):
        """Return the robot of a model with payloads."""
        return Robot(model)

    def _inertia(self):
        """Return the (nv,) diagonal of the initial mass matrix: the inertia seen by each drive."""
        return self._robot.mass_matrix(self._initial[0]).diagonal()

    def _quantities(self, command):
        """Return the values and modes of a command; arrays are not copied."""
        if isinstance(command, Command):
            return self._vector(command.value), self._vector(command.mode)
        return self._vector(command), self._drives.mode

    def _vector(self, command):
        try:
            vector = np.asarray(command, dtype=np.float64, order='C')
        except (TypeError, ValueError):
            vector = None
        if vector is None or vector.shape != self.qd.shape:
            got = f'one of shape {vector.shape}' if vector is not None else repr(command)[:80]
            raise ShapeError(
                f'robot {self.model.name!r}: got {got} for a command; expected an effort for each '
                f'of {", ".join(self.model.joint_names)}, NaN where none is commanded'
            )
        return vector

    def _accept(self, value, quantity):
        until, acting = self.t + self.settings.command_timeout, self._drives
        outcome = self._accept_command(
            value,
            quantity,
            self._largest,
            acting.accepted,
            until,
            acting.mode,
            acting.phase,
            acting.expiry,
            acting.command,
        )
        if outcome < 0:
            self.refused['value' if outcome >= -self.model.nv else 'mode'] += 1
        elif outcome == 2:
            self.refused['empty'] += 1
        else:
            self._expiry = min(self._expiry, until)
            if outcome == 1:
                acting.arrange()

    def _release(self):
        """Void the commands that expire now, and find when the next one may."""
        acting = self._drives
        if self.t >= acting.expiry.min():
            acting.release(self.t)
        self._expiry = acting.expiry.min()

    def _gather_wrenches(self):
        """Sum the wrenches that still act, and find when the first of them ends."""
        self._wrenches = {
            frame: entry for frame, entry in self._wrenches.items() if self.t < entry[2]
        }
        self._f_ext[:] = 0.0
        for body, wrench, *_ in self._wrenches.values():
            self._f_ext[body] += wrench
        self._wrench_end = min((entry[2] for entry in self._wrenches.values()), default=inf)

    def _latch(self, status):
        """Stop after a step with this status, until a reset."""
        self.faults += 1
        self.effort[:] = 0.0
        self.fault = (
            f'robot {self.model.name!r}: {self.reason(status, self.q)} at t = {self.t:.6g} s; it '
            'stands still in the last valid state until it is reset or gets another state'
        )

    def reason(self, status, q):
        """Return why a step failed, as the beginning of a sentence.

        Parameters
        ----------
        status : int
            Status of the step, not 0; see `step`.
        q : (nq,) ndarray
            Positions where the robot stands still [rad or m].

        Returns
        -------
        str
            The clause. Near a dead centre it names closures and joints.
        """
        if status in (BEYOND_REACH, DEAD_CENTRE):
            where = f'the loops of {", ".join(self._loops)} do not close'
        elif status == TOO_LONG:
            where = 'the step is too long for the speed of its joints; shorter ones keep energy'
        elif status > 0:
            where = f'the mass matrix is singular at body {self.model.body_names[status]!r}'
        else:
            joint = self.model.joint_names[-1 - status]
            where = f'the state of joint {joint!r} is not finite or too large'
        share = FAR if status == BEYOND_REACH else NEAR
        return (self.dead_centres and self.dead_centres.sentence(q, share)) or where

    def checked_velocity(self, values):
        """Check velocities, and return a copy of them.

        Parameters
        ----------
        values : (nv,) array_like
            Velocities [rad/s or m/s].

        Returns
        -------
        (nv,) ndarray
            The copy.

        Raises
        ------
        ShapeError, ParameterError
            If the plant cannot have them.
        """
        return self._finite('velocity', values, self.qd.shape, self.settings.largest_speed)

    def _near_zero(self):
        model, at = self.model, self.model.coordinates
        q = np.zeros(model.nq)
        q[at[at >= 0]] = np.clip(0.0, model.limits.lower, model.limits.upper)[at >= 0]
        q[model.quaternions + 3] = 1.0
        return q

    def checked_position(self, values):
        """Check positions, and return a copy with quaternions of length one.

        Parameters
        ----------
        values : (nq,) array_like
            Positions [rad or m].

        Returns
        -------
        (nq,) ndarray
            The copy.

        Raises
        ------
        ShapeError, ParameterError
            If the plant cannot have them.
        """
        model, limits = self.model, self.model.limits
        values = self._finite('position', values, self.q.shape, LARGEST_POSITION)
        for k, at in enumerate(model.coordinates):
            if at >= 0 and not limits.lower[k] <= values[at] <= limits.upper[k]:
                raise ParameterError(
                    f'robot {model.name!r}: position of joint '
                    f'{model.joint_names[k]!r} is {values[at]:g}; expected '
                    f'between its stops, {limits.lower[k]:g} and '
                    f'{limits.upper[k]:g}'
                )
        for k in model.quaternions:
            length = np.linalg.norm(values[k : k + 4])
            if length < SHORTEST:
                raise ParameterError(
                    f'robot {model.name!r}: the quaternion '
                    f'{", ".join(model.position_names[k : k + 4])} has length '
                    f'{length:.3g}; expected a unit quaternion'
                )
            values[k : k + 4] /= length
        return values

    def _finite(self, what, values, shape, bound):
        """Return a copy of the values; require that shape, and at most `bound` for each."""
        name = self.model.name
        try:
            values = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise ShapeError(
                f'robot {name!r}: {what} is {values!r}; expected {shape[0]} numbers'
            ) from None
        if values.shape != shape:
            raise ShapeError(f'robot {name!r}: {what} has shape {values.shape}; expected {shape}')
        if not np.all(np.abs(values) <= bound):
            raise ParameterError(
                f'robot {name!r}: {what} is {values.tolist()}; expected finite '
                f'numbers up to {bound:g}'
            )
        return values


def _turned(rotation, vector):
    """Rotate a vector; BLAS would sum in an order that depends on the processor."""
    return rotation[:, 0] * vector[0] + rotation[:, 1] * vector[1] + rotation[:, 2] * vector[2]
