# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of a robot: every quantity of its dynamics by name. Check, allocate, call."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse_world_frame import motions
from robodyn_ros.codegen import linker
from robodyn_ros.compile import embedded, generic
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.errors import ModelError, shorten
from robodyn_ros.model import build, dh
from robodyn_ros.model.dependent.closures import Closure
from robodyn_ros.model.dependent.coupling import Coupling, with_couplings
from robodyn_ros.model.description import RobotDescription
from robodyn_ros.model.dh import DHRow
from robodyn_ros.model.rotors import EXACT, Rotor
from robodyn_ros.model.sources import closure_file, rotor_file
from robodyn_ros.model.sources.description_source import MJCF, opened
from robodyn_ros.model.sources.examples import example_source
from robodyn_ros.robot.centroidal import Centroidal
from robodyn_ros.robot.configuration_space import ConfigurationSpace
from robodyn_ros.robot.derivatives import Derivatives
from robodyn_ros.robot.dispatch import fast_method
from robodyn_ros.robot.extended import Extended
from robodyn_ros.robot.frames import Frames
from robodyn_ros.robot.inverse_kinematics import InverseKinematicsMethods
from robodyn_ros.robot.kinematics import FrameQuantities
from robodyn_ros.robot.links import Links
from robodyn_ros.robot.loops.closing import close_loops, marked_independent
from robodyn_ros.robot.loops.constraint_forces import constraint_forces
from robodyn_ros.robot.loops.loops_view import Loops
from robodyn_ros.robot.mass_operator import MassOperator
from robodyn_ros.robot.robot_view import View
from robodyn_ros.robot.task_space import TaskSpace
from robodyn_ros.robot.variants import Variants


class Robot(FrameQuantities, InverseKinematicsMethods):
    """A robot: every quantity of its dynamics by name.

    tau = M(q) qdd + C(q, qd) qd + g(q) - J^T f_ext, in SI units, joints in the order of
    `joint_names`. Quantities of a frame are in base axes, at the origin of the frame, linear part
    first.

    Every method takes one state: q (nq,) in the order of `position_names`, and all else (nv,).
    Or it takes a batch, (k, nq) and (k, nv), and returns arrays with k in front. One state beside
    a batch is used for all k rows. nq = nv unless a joint has a quaternion. Wrong shapes and types
    raise a ShapeError, values that are not finite a NotFiniteError. One robot serves one thread at
    a time. With closed loops q may also have the positions of all joints, near closed ones, in the
    order of `all_position_names`.

    Less frequent quantities are in views, such as `robot.centroidal.momentum_matrix(q)`.

    Parameters
    ----------
    model : RobotModel
        Arrays of the robot. `Robot(robot.model)` makes another robot over the same model.

    Attributes
    ----------
    frames : Frames
        Names of all frames, their poses and motions.
    configuration : ConfigurationSpace
        Zero, random postures, integration, differences.
    derivatives : Derivatives
        Derivatives of the dynamics.
    centroidal : Centroidal
        Mass, centre of mass, momentum.
    links : Links
        Motions, joint wrenches, inertias and inertial parameters of all links.
    mass_operator : MassOperator
        Solutions, products and factors of the mass matrix.
    task_space : TaskSpace
        Compliance, bias, null space, prescribed motion, J^T f.
    variants : Variants
        Other routes to the same dynamics; hybrid dynamics; Hamilton.
    loops : Loops
        Torques of redundant actuators of closed loops.
    extended : Extended
        New robots with springs, beams, friction or a free base.
    """

    frames: Frames
    configuration: ConfigurationSpace
    derivatives: Derivatives
    centroidal: Centroidal
    links: Links
    mass_operator: MassOperator
    task_space: TaskSpace
    variants: Variants
    loops: Loops
    extended: Extended

    def _views(self) -> dict[str, type[View]]:
        return {
            'frames': Frames,
            'configuration': ConfigurationSpace,
            'derivatives': Derivatives,
            'centroidal': Centroidal,
            'links': Links,
            'mass_operator': MassOperator,
            'task_space': TaskSpace,
            'variants': Variants,
            'loops': Loops,
            'extended': Extended,
        }

    @classmethod
    def from_urdf(
        cls,
        text_or_path: str | bytes | os.PathLike[str],
        joints: Sequence[str] | None = None,
        base: str | None = None,
        gravity: ArrayLike | None = None,
        locked: Mapping[str, Any] | None = None,
        free_base: bool = False,
        rotors: Mapping[str, Rotor] | str | os.PathLike[str] | None = None,
        rotor_model: str = EXACT,
        closures: Sequence[Closure] | str | os.PathLike[str] = (),
        independent: Sequence[str] | None = None,
        near: Mapping[str, float] | None = None,
        couplings: Sequence[Coupling] = (),
        xacro_arguments: Mapping[str, Any] | None = None,
    ) -> Robot:
        """Build a robot from a URDF, or from an MJCF as `from_mjcf` does.

        Parameters
        ----------
        text_or_path : str, bytes or path
            Text of the URDF, or path of a file, also as `package://<name>/<path>`. A path that
            ends with .xacro is expanded by xacro, where that is installed.
        joints : sequence of str, optional
            Movable joints in the order of q. By default all but floating and planar ones, which
            must be named or locked.
        base : str, optional
            Link that is fixed to the ground; the root by default.
        gravity : (3,) array_like, optional
            Acceleration of gravity [m/s^2] in base axes; by default (0, 0, -9.81), or that of the
            MJCF.
        locked : mapping of str to float or sequence, optional
            Positions of locked joints: a number [rad or m], or one for each position of the joint.
            Links coincide at 0.
        free_base : bool
            Whether the base moves freely, on a first joint 'free_base'.
        rotors : mapping of str to Rotor or path, optional
            Rotors of geared motors by driven joint, or a YAML file of them. They replace those of
            the URDF for these joints.
        rotor_model : {'exact', 'reflected'}
            Rotors as spinning bodies on their mounts, or as inertia at their joints alone.
        closures : sequence of Closure or path
            Closures of loops, or a YAML file of them, which may give the next three as well. They
            are added to those of a URDF+. Dependent joints have no coordinate.
        independent : sequence of str, optional
            Independent joints of the loops; by default the nearest to the base that are possible.
        near : mapping of str to float, optional
            Initial guess of a closed posture [rad or m]; zero by default, or others where the
            loops are singular there.
        couplings : sequence of Coupling
            Joints that follow several others, beside those of the file.
        xacro_arguments : mapping of str to object, optional
            Values of the arguments of a xacro file by name, such as `{'ur_type': 'ur5e'}`.

        Returns
        -------
        Robot

        Raises
        ------
        UngivenError
            If an argument of a xacro file is missing; the message lists those of the file.
        ModelError
            If the description is malformed or not physical; the message names the element. If
            loops cannot be closed with the chosen joints; the message names the joints.
        UnknownNameError
            If a joint or link of that name does not exist.
        """
        loops = closure_file.loops_of(closures)
        return cls.from_description(
            opened(text_or_path, xacro_arguments).description(),
            joints,
            base,
            gravity,
            locked,
            free_base,
            rotor_file.rotors_of(rotors),
            rotor_model,
            loops.closures,
            loops.independent if independent is None else independent,
            loops.near | dict(near or {}),
            (*loops.couplings, *couplings),
        )

    @classmethod
    def from_mjcf(
        cls,
        text_or_path: str | bytes | os.PathLike[str],
        joints: Sequence[str] | None = None,
        base: str | None = None,
        gravity: ArrayLike | None = None,
        locked: Mapping[str, Any] | None = None,
        independent: Sequence[str] | None = None,
        near: Mapping[str, float] | None = None,
    ) -> Robot:
        """Build a robot from an MJCF, as the compiler of MuJoCo reads it.

        q is MuJoCo's qpos without the joints that equalities let follow others. Quaternions are
        (x, y, z, w) here, and (w, x, y, z) in MuJoCo. The world is the base, sites are links, and
        free joints move. What this package cannot represent is in `robot.report.warnings`.

        Parameters
        ----------
        text_or_path : str, bytes or path
            Text of the MJCF, or path of a file, also as `package://<name>/<path>`. Files that a
            text names are relative to the current folder.
        joints : sequence of str, optional
            As in `from_urdf`; by default all.
        base : str, optional
            As in `from_urdf`; 'world' by default.
        gravity : (3,) array_like, optional
            As in `from_urdf`; by default that of the file, as if the base stood like the world.
        locked : mapping, optional
            As in `from_urdf`.
        independent : sequence of str, optional
            As in `from_urdf`.
        near : mapping of str to float, optional
            As in `from_urdf`; by default the posture in which the file has the bodies.

        Returns
        -------
        Robot

        Raises
        ------
        ModelError
            If MuJoCo is not installed, or refuses the file.
        UnknownNameError
            If a joint or link of that name does not exist.
        """
        source = opened(text_or_path)
        if source.root.tag != MJCF:
            raise ModelError(
                f'the root element is <{shorten(source.root.tag)[1:-1]}>; expected <{MJCF}>, an '
                'MJCF'
            )
        return cls.from_description(
            source.description(), joints, base, gravity, locked, independent=independent, near=near
        )

    @classmethod
    def from_description(
        cls,
        description: RobotDescription | str,
        joints: Sequence[str] | None = None,
        base: str | None = None,
        gravity: ArrayLike | None = None,
        locked: Mapping[str, Any] | None = None,
        free_base: bool = False,
        rotors: Mapping[str, Rotor] | None = None,
        rotor_model: str = EXACT,
        closures: Sequence[Closure] = (),
        independent: Sequence[str] | None = None,
        near: Mapping[str, float] | None = None,
        couplings: Sequence[Coupling] = (),
    ) -> Robot:
        """Build a robot from links and joints, also of types that URDF does not have.

        Parameters
        ----------
        description : RobotDescription or str
            Links and joints; joints may also be helical, cylindrical, universal and spherical. Or
            the name of an `example`, such as 'panda_description' of robot_descriptions.
        joints : sequence of str, optional
            As in `from_urdf`.
        base : str, optional
            As in `from_urdf`.
        gravity : (3,) array_like, optional
            As in `from_urdf`; that of the description by default.
        locked : mapping, optional
            As in `from_urdf`.
        free_base : bool
            As in `from_urdf`.
        rotors : mapping of str to Rotor, optional
            Rotors of geared motors by driven joint, in place of those described.
        rotor_model : {'exact', 'reflected'}
            As in `from_urdf`.
        closures : sequence of Closure
            As in `from_urdf`.
        independent : sequence of str, optional
            As in `from_urdf`.
        near : mapping of str to float, optional
            As in `from_urdf`.
        couplings : sequence of Coupling
            As in `from_urdf`.

        Returns
        -------
        Robot

        Raises
        ------
        UnknownNameError
            If there is no example of that name.
        """
        if isinstance(description, str):
            description = opened(*example_source(description)).description()
        closures = *description.closures, *closures
        model = build.build(
            with_couplings(description, couplings),
            joints=joints,
            base=base,
            gravity=gravity,
            locked=locked or {},
            free_base=free_base,
            rotors=rotors,
            rotor_model=rotor_model,
            in_loops=bool(closures),
        )
        if not closures:
            return cls(model)
        if independent is None:
            independent = marked_independent(description, model)
        known = {name: q for name, q in description.near.items() if name in model.joint_names}
        return cls(close_loops(model, closures, independent, {**known, **(near or {})}))

    @classmethod
    def from_dh(
        cls,
        rows: Sequence[DHRow],
        convention: str = 'modified',
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        **options: Any,
    ) -> Robot:
        """Build a serial arm from Denavit-Hartenberg rows.

        Parameters
        ----------
        rows : sequence of DHRow
            Rows from base to tip.
        convention : {'modified', 'standard'}
            Convention of the rows.
        gravity : (3,) array_like
            Acceleration of gravity [m/s^2] in base axes.
        **options
            Further arguments of `robodyn_ros.model.dh.describe`.

        Returns
        -------
        Robot
        """
        description = dh.describe(rows, convention=convention, **options)
        return cls(build.build(description, gravity=gravity))

    def specialised(
        self,
        frames: Sequence[str | tuple[str, ...]] = (),
        progress: Callable[[str, int, int], object] | None = None,
        also: Sequence[str] = (),
    ) -> Robot:
        """Compile straight-line code for this robot alone.

        Parameters
        ----------
        frames : sequence of str or tuple
            Frames whose quantities are compiled too; a tuple of names includes their coupling.
        progress : callable, optional
            Called with (kernel, done, all).
        also : sequence of str
            Names of further methods, such as 'joint_wrenches'.

        Returns
        -------
        SpecialisedRobot
            A robot with the same methods.
        """
        from robodyn_ros.robot.specialised_robot import (
            SpecialisedRobot,  # a subclass: it imports this module
        )

        return SpecialisedRobot(self.model, frames, progress, also)

    def linked(self, kernel: Kernel) -> Kernel:
        """Return the kernel for this robot; a specialised robot returns the linked one.

        It is the kernel itself unless joints depend on others.

        Parameters
        ----------
        kernel : Kernel
            A kernel that calls recursions.

        Returns
        -------
        Kernel

        Raises
        ------
        ModelError
            If links move without inertia; the message names them.
        """
        self.model.require_dynamics()
        coordinates = linker.coordinates_of(self.model)
        linked: Kernel = linker.over_coordinates(kernel, self.model, coordinates)
        return linked

    def with_payload(
        self,
        frame: str,
        mass: float,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike = np.zeros((3, 3)),
    ) -> Robot:
        """Return a new robot with a rigid payload; this one does not change.

        `Plant.attach`, `Supervisor.attach` and the services `~/set_payload` take the same.

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

        Returns
        -------
        Robot
        """
        return Robot(self.model.with_inertia(frame, mass, com, inertia))

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """Return a new robot with another gravity vector, for another mounting of the base.

        Parameters
        ----------
        gravity : (3,) array_like
            Acceleration of gravity [m/s^2] in base axes.

        Returns
        -------
        Robot
        """
        return Robot(self.model.with_gravity(gravity))

    def expand(
        self, q: ArrayLike, qd: ArrayLike | None = None, qdd: ArrayLike | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the state of all joints, including dependent ones.

        rates = E qd, accelerations = E qdd + dE/dt qd; Jain 2011, section 15.1. Without dependent
        joints it is the given state.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like, optional
            Velocities [rad/s or m/s], zero by default.
        qdd : (nv,) array_like, optional
            Accelerations [rad/s^2 or m/s^2], zero by default.

        Returns
        -------
        tuple of three ndarray
            Positions in the order of `all_position_names`; velocities and accelerations in that
            of `all_joint_names`.

        Raises
        ------
        ShapeError
            For a wrong shape or a value that is not finite.
        """
        none = np.zeros((*np.shape(q)[:-1], self.nv))
        states, k = self._states(q, none if qd is None else qd, none if qdd is None else qdd)
        if not self.model.is_embedded:
            here, rates, changes = (state.copy() for state in states)
            return here, rates, changes
        sizes = len(self.all_position_names), *[len(self.all_joint_names)] * 2
        positions, velocities, accelerations = (self._out(None, k, (size,)) for size in sizes)
        results = positions, velocities, accelerations
        run = embedded.expand_state.compiled
        if k is None:
            run(*self._body, *states, *results)
        else:
            for rows in zip(*states, *results):
                run(*self._body, *rows)
        self._refuse_open(results[0])
        return results

    def constraint_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
    ) -> dict[str, np.ndarray]:
        """Compute the constraint wrenches of the closures.

        Each wrench acts from the link of frame A on the link of frame B. It is in base axes, about
        the origin of B. Redundant closures share it in the least-squares sense. Only independent
        joints are driven.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        tau : (nv,) array_like
            Joint torques or forces [N m or N].
        f_ext : mapping of str to (6,) array_like, optional
            External wrenches, as of `forward_dynamics`.

        Returns
        -------
        dict of str to (6,) ndarray
            Wrench of each closure by its name [N, N m]; empty for a robot without loops.

        Raises
        ------
        ShapeError
            For a batch of states.
        SingularityError
            Where the loops cannot be closed.
        """
        return constraint_forces(self, q, qd, tau, f_ext) if self.model.has_loops else {}

    @fast_method
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute the torques of a motion: tau = M qdd + C qd + g - J^T f_ext.

        Recursive Newton-Euler, O(n).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        qdd : (nv,) array_like
            Accelerations [rad/s^2 or m/s^2].
        f_ext : mapping of str to (6,) array_like, optional
            External wrenches by frame: force and moment [N, N m] in base axes, at the frame's
            origin.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Joint torques or forces [N m or N].
        """
        states, k = self._states(q, qd, qdd, out=out)
        out = self._out(out, k, (self.nv,))
        self._run(
            generic.inverse_dynamics,
            k,
            *self._weighted,
            *states,
            *self._wrenches(states[0], k, f_ext),
            out,
        )
        return out

    @fast_method
    def gravity_torque(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute the gravity torques: g(q) = dV/dq.

        O(n).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Joint torques or forces [N m or N].
        """
        (q,), k = self._states(q, out=out)
        out = self._out(out, k, (self.nv,))
        self._run(generic.gravity_torque, k, *self._weighted, q, out)
        return out

    @fast_method
    def bias_torque(
        self, q: ArrayLike, qd: ArrayLike, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute the torques at zero acceleration: h = C qd + g.

        O(n).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Joint torques or forces [N m or N].
        """
        states, k = self._states(q, qd, out=out)
        out = self._out(out, k, (self.nv,))
        self._run(generic.bias_torque, k, *self._weighted, *states, out)
        return out

    @fast_method
    def mass_matrix(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute the mass matrix M(q), rotor inertias included.

        Composite bodies, O(n depth).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv, nv) ndarray
            Mass matrix [kg m^2, kg m or kg].
        """
        (q,), k = self._states(q, out=out)
        out = self._out(out, k, (self.nv, self.nv))
        self._run(generic.mass_matrix, k, *self._body, q, out)
        return out

    @fast_method
    def mass_matrix_inverse(self, q: ArrayLike, out: np.ndarray | None = None) -> np.ndarray:
        """Compute the inverse of the mass matrix, without the mass matrix.

        From articulated inertias, O(n^2); Jain 2011, Algorithm 10.4.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv, nv) ndarray
            Inverse of the mass matrix.

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        (q,), k = self._states(q, out=out)
        out = self._out(out, k, (self.nv, self.nv))
        self._run(
            generic.mass_matrix_inverse,
            k,
            *self._body,
            q,
            self._zero,
            np.empty(motions(self.nv)),
            out,
        )
        return out

    @fast_method
    def coriolis_matrix(
        self, q: ArrayLike, qd: ArrayLike, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Compute the Coriolis matrix of the Christoffel symbols.

        With this C the matrix Mdot - 2 C is skew. O(n depth).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv, nv) ndarray
            Coriolis matrix.
        """
        states, k = self._states(q, qd, out=out)
        out = self._out(out, k, (self.nv, self.nv))
        self._run(generic.coriolis_matrix, k, *self._body, *states, out)
        return out

    @fast_method
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        f_ext: Mapping[str, ArrayLike] | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Compute the motion under torques: qdd = M^-1 (tau - C qd - g + J^T f_ext).

        Articulated bodies, O(n).

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].
        tau : (nv,) array_like
            Joint torques or forces [N m or N].
        f_ext : mapping of str to (6,) array_like, optional
            External wrenches by frame: force and moment [N, N m] in base axes, at the frame's
            origin.
        out : ndarray, optional
            Array that receives the result.

        Returns
        -------
        (nv,) ndarray
            Accelerations [rad/s^2 or m/s^2].

        Raises
        ------
        SingularityError
            If the mass matrix is singular.
        """
        states, k = self._states(q, qd, tau, out=out)
        out = self._out(out, k, (self.nv,))
        self._run(
            generic.forward_dynamics,
            k,
            *self._weighted,
            *states,
            *self._wrenches(states[0], k, f_ext),
            self._zero,
            out,
        )
        return out

    def energy(self, q: ArrayLike, qd: ArrayLike) -> tuple[Any, Any]:
        """Compute kinetic and potential energy.

        Parameters
        ----------
        q : (nq,) array_like
            Positions [rad or m].
        qd : (nv,) array_like
            Velocities [rad/s or m/s].

        Returns
        -------
        tuple of float or of (k,) ndarray
            Kinetic and potential energy [J].
        """
        states, k = self._states(q, qd)
        out = self._out(None, k, (2,))
        self._run(generic.energy, k, *self._weighted, *states, out)
        return out[..., 0], out[..., 1]
