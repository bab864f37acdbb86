# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One family of errors: messages state the received, the expected and the valid values."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

MOST_NUMBERS = 8  # of an array that `short_repr` shows
LONGEST_FIELD, LONGEST_FIELDS = 60, 120  # characters of one, and of all after which it ends

#: What users of another library call a quantity, and its expression here, {library: {name: ours}}.
FOREIGN_NAMES = {
    'Pinocchio': {
        'rnea': 'robot.inverse_dynamics(q, qd, qdd)',
        'aba': 'robot.forward_dynamics(q, qd, tau)',
        'crba': 'robot.mass_matrix(q)',
        'computeMinverse': 'robot.mass_matrix_inverse(q)',
        'computeGeneralizedGravity': 'robot.gravity_torque(q)',
        'nonLinearEffects': 'robot.bias_torque(q, qd)',
        'nle': 'robot.bias_torque(q, qd)',
        'computeCoriolisMatrix': 'robot.coriolis_matrix(q, qd)',
        'computeKineticEnergy': 'robot.energy(q, qd)[0]',
        'computePotentialEnergy': 'robot.energy(q, qd)[1]',
        'computeMechanicalEnergy': 'sum(robot.energy(q, qd))',
        'forwardKinematics': 'robot.frames.poses(q)',
        'framesForwardKinematics': 'robot.frames.poses(q)',
        'updateFramePlacement': 'robot.pose(q, frame)',
        'updateFramePlacements': 'robot.frames.poses(q)',
        'oMf': 'robot.pose(q, frame)',
        'oMi': 'robot.pose(q, frame)',
        'getFrameId': 'robot.frames.index(frame)',
        'existFrame': 'frame in robot.frames',
        'computeFrameJacobian': 'robot.frames.jacobian(q, frame, reference)',
        'getFrameJacobian': 'robot.frames.jacobian(q, frame, reference)',
        'computeJointJacobian': "robot.frames.jacobian(q, frame, 'local')",
        'computeJointJacobians': "robot.frames.jacobian(q, frame, 'world')",
        'getJointJacobian': 'robot.frames.jacobian(q, frame, reference)',
        'getFrameJacobianTimeVariation': (
            'robot.frames.jacobian_derivative(q, qd, frame, reference)'
        ),
        'computeJointJacobiansTimeVariation': (
            "robot.frames.jacobian_derivative(q, qd, frame, 'world')"
        ),
        'getFrameKinematicHessian': 'robot.frames.jacobian_hessian(q, frame, reference)',
        'getFrameVelocity': 'robot.frames.velocity(q, qd, frame, reference)',
        'getFrameClassicalAcceleration': (
            'robot.frames.acceleration(q, qd, qdd, frame, reference)'
        ),
        'centerOfMass': 'robot.centroidal.centre_of_mass(q)',
        'jacobianCenterOfMass': 'robot.centroidal.centre_of_mass_jacobian(q)',
        'computeTotalMass': 'robot.centroidal.mass',
        'computeCentroidalMap': 'robot.centroidal.momentum_matrix(q)',
        'ccrba': 'robot.centroidal.momentum_matrix(q)',
        'computeCentroidalMomentum': 'robot.centroidal.momentum(q, qd)',
        'computeRNEADerivatives': 'robot.derivatives.inverse_dynamics(q, qd, qdd)',
        'computeABADerivatives': 'robot.derivatives.forward_dynamics(q, qd, tau)',
        'ComputeRNEASecondOrderDerivatives': (
            'robot.derivatives.inverse_dynamics_second(q, qd, qdd)'
        ),
        'computeJointTorqueRegressor': 'robot.links.regressor(q, qd, qdd)',
        'neutral': 'robot.configuration.neutral()',
        'integrate': 'robot.configuration.integrate(q, qd, dt)',
        'difference': 'robot.configuration.difference(q, q2)',
        'randomConfiguration': 'robot.configuration.random()',
        'exp6': 'robodyn_ros.se3.exp(twist)',
        'log6': 'robodyn_ros.se3.log(pose)',
        'buildModelFromUrdf': 'robodyn_ros.Robot.from_urdf(path)',
        'upperPositionLimit': 'robot.limits.upper',
        'lowerPositionLimit': 'robot.limits.lower',
    },
    'MuJoCo': {
        'mj_inverse': 'robot.inverse_dynamics(q, qd, qdd)',
        'mj_rne': 'robot.inverse_dynamics(q, qd, qdd)',
        'qfrc_inverse': 'robot.inverse_dynamics(q, qd, qdd)',
        'qfrc_bias': 'robot.bias_torque(q, qd)',
        'mj_forward': 'robot.forward_dynamics(q, qd, tau)',
        'mj_step': 'robodyn_ros.simulation.Plant(robot).step(tau, dt)',
        'mj_crb': 'robot.mass_matrix(q)',
        'mj_makeM': 'robot.mass_matrix(q)',
        'mj_fullM': 'robot.mass_matrix(q)',
        'qM': 'robot.mass_matrix(q)',
        'M': 'robot.mass_matrix(q)',
        'mj_factorM': 'robot.mass_operator.factors(q)',
        'mj_mulM': 'robot.mass_operator.product(q, qd)',
        'mj_solveM': 'robot.mass_operator.solve(q, tau)',
        'mj_kinematics': 'robot.frames.poses(q)',
        'xpos': 'robot.pose(q, frame)[:3, 3]',
        'xmat': 'robot.pose(q, frame)[:3, :3]',
        'mj_jac': 'robot.jacobian(q, frame)',
        'mj_jacBody': 'robot.jacobian(q, frame)',
        'mj_jacSite': 'robot.jacobian(q, frame)',
        'mj_jacDot': 'robot.frames.jacobian_derivative(q, qd, frame)',
        'mj_jacSubtreeCom': 'robot.centroidal.centre_of_mass_jacobian(q)',
        'mj_objectVelocity': 'robot.velocity(q, qd, frame)',
        'mj_applyFT': 'robot.task_space.torque_of_wrench(q, {frame: wrench})',
        'subtree_com': 'robot.centroidal.centre_of_mass(q)',
        'mj_angmomMat': 'robot.centroidal.momentum_matrix(q)[3:]',
        'mj_getTotalmass': 'robot.centroidal.mass',
        'mj_energyVel': 'robot.energy(q, qd)[0]',
        'mj_energyPos': 'robot.energy(q, qd)[1]',
        'mj_integratePos': 'robot.configuration.integrate(q, qd, dt)',
        'mj_differentiatePos': 'robot.configuration.difference(q, q2)',
        'from_xml_path': 'robodyn_ros.Robot.from_mjcf(path)',
    },
    'Drake': {
        'CalcInverseDynamics': 'robot.inverse_dynamics(q, qd, qdd)',
        'CalcMassMatrix': 'robot.mass_matrix(q)',
        'CalcMassMatrixViaInverseDynamics': 'robot.mass_matrix(q)',
        'CalcBiasTerm': 'robot.coriolis_matrix(q, qd) @ qd',
        'CalcGravityGeneralizedForces': '-robot.gravity_torque(q)',
        'CalcKineticEnergy': 'robot.energy(q, qd)[0]',
        'CalcPotentialEnergy': 'robot.energy(q, qd)[1]',
        'CalcRelativeTransform': 'robot.frames.relative_pose(q, frame, seen_from)',
        'EvalBodyPoseInWorld': 'robot.pose(q, frame)',
        'EvalBodySpatialVelocityInWorld': 'robot.velocity(q, qd, frame)',
        'CalcJacobianSpatialVelocity': 'robot.jacobian(q, frame)',
        'CalcJacobianTranslationalVelocity': 'robot.jacobian(q, frame)[:3]',
        'CalcJacobianAngularVelocity': 'robot.jacobian(q, frame)[3:]',
        'CalcBiasSpatialAcceleration': 'robot.jacobian_bias(q, qd, frame)',
        'CalcCenterOfMassPositionInWorld': 'robot.centroidal.centre_of_mass(q)',
        'CalcCenterOfMassTranslationalVelocityInWorld': (
            'robot.centroidal.centre_of_mass_velocity(q, qd)'
        ),
        'CalcJacobianCenterOfMassTranslationalVelocity': (
            'robot.centroidal.centre_of_mass_jacobian(q)'
        ),
        'CalcTotalMass': 'robot.centroidal.mass',
        'InverseKinematics': 'robot.inverse_kinematics(pose, frame)',
        'num_positions': 'robot.nq',
        'num_velocities': 'robot.nv',
    },
}


class RobodynError(Exception):
    """Base of every error this package raises on purpose, without control characters."""

    def __str__(self) -> str:
        return printable(', '.join(map(str, self.args)))


class ModelError(RobodynError, ValueError):
    """A robot description is malformed or physically impossible; the sentence names the element"""


class RemedyError(ModelError):
    """An error whose sentence has a remedy in the syntax of an interface.

    Parameters
    ----------
    before : str
        The sentence before the remedy.
    names : sequence of str
        What the remedy names: joints or arguments.
    after : str
        The sentence after the remedy.
    """

    def __init__(self, before: str, names: Sequence[str] = (), after: str = '') -> None:
        super().__init__(before, names, after)

    def with_remedy(self, remedy: Callable[[Sequence[str]], str]) -> str:
        """Return the sentence with its remedy.

        Parameters
        ----------
        remedy : callable
            Returns the remedy as text, from the names.
        """
        before, names, after = self.args
        return printable(f'{before}{remedy(names)}{after}')


class UnlockedError(RemedyError):
    """Joints have to be locked."""

    def __str__(self) -> str:
        return self.with_remedy(lambda joints: f'locked={dict.fromkeys(joints, 0.0)}')


class UngivenError(RemedyError):
    """Arguments of a xacro file have to be given."""

    def __str__(self) -> str:
        return self.with_remedy(lambda names: f'xacro_arguments={dict.fromkeys(names, "VALUE")}')


class OpenError(RemedyError):
    """Loops are not closed; a posture near a closed one has to be given."""

    def __str__(self) -> str:
        return self.with_remedy(
            lambda joints: f'near={{{", ".join(f"{each!r}: POSITION" for each in joints)}}}'
        )


class ShapeError(RobodynError, ValueError):
    """An array has the wrong shape or type for this robot."""


class NotFiniteError(ShapeError):
    """A number is NaN or infinite; the sentence names the joint and the place."""


class UnknownNameError(RobodynError, KeyError):
    """A joint, frame or law of that name does not exist; the sentence lists the valid names."""


class ParameterError(RobodynError, ValueError):
    """A parameter value is refused; the sentence says what would be accepted."""


class SingularityError(RobodynError, ArithmeticError):
    """A mass matrix or a pivot is singular; the sentence names the body."""


class KernelError(RobodynError, RuntimeError):
    """Compiled code is missing, will not build, or fails its known-answer test."""


def require_names(
    owner: str, kind: str, names: Iterable[str], valid: Collection[str], purpose: str = ''
) -> None:
    """Refuse the first name that does not exist.

    Parameters
    ----------
    owner : str
        Owner of the names in the message, such as "robot 'arm'".
    kind : str
        Kind of the named objects, such as 'joint' or 'closure'.
    names : iterable of str
        The names to look up.
    valid : collection of str
        The names that exist.
    purpose : str
        Use of the name with a leading blank, such as ' for friction'.

    Raises
    ------
    UnknownNameError
        For the first unknown name. The message lists the valid ones.
    """
    for name in names:
        if name not in valid:
            known = ', '.join(valid) or 'none'
            raise UnknownNameError(f'{owner} has no {kind} {name!r}{purpose}; valid: {known}')


def answer_to_foreign_name(name: str) -> str:
    """Return the clause that says what a quantity of another library is here; '' if none.

    Parameters
    ----------
    name : str
        Name of a function or attribute of Pinocchio, MuJoCo or Drake.
    """
    for library, names in FOREIGN_NAMES.items():
        if name in names:
            return f'expected {names[name]}, which is {name} of {library}'
    return ''


def printable(text: str) -> str:
    """Return a text whose control characters are escaped, except ends of lines.

    Parameters
    ----------
    text : str
        Any text.
    """
    if text.isprintable():
        return text
    return ''.join(
        c if c.isprintable() or c == '\n' else c.encode('unicode_escape').decode() for c in text
    )


def shorten(value: object, length: int = 80) -> str:
    """Return a value as text for a message: escaped, and cut if it is long.

    Parameters
    ----------
    value : object
        A value of unknown origin.
    length : int
        Longest text.
    """
    if isinstance(value, (str, bytes, list, tuple)):
        value = value[: length + 1]  # before repr, which would escape all of it
    text = repr(value)
    return text if len(text) <= length else text[:length] + '...'


def listed(names: Iterable[str], most: int = 8) -> str:
    """Return names for a message, only the first of many.

    Parameters
    ----------
    names : iterable of str
        The names.
    most : int
        Number of names that are shown.
    """
    names = list(names)
    shown = ', '.join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f'{shown} and {len(names) - most} more'


def short_repr(self: Any) -> str:
    """Return `Name(field=value, ...)` on one line of about 160 characters, with shapes of arrays.

    A dataclass or a NamedTuple assigns it to `__repr__`. Fields that do not fit are left out.
    """
    described = getattr(self, '__dataclass_fields__', None)
    names = (
        self._fields if described is None else [k for k, each in described.items() if each.repr]
    )
    inside = ''
    for name in names:
        if len(inside) > LONGEST_FIELDS:
            inside += ', ...'
            break
        inside += f'{", " if inside else ""}{name}={_value_text(getattr(self, name))}'
    return f'{type(self).__name__}({inside})'


def _value_text(value: Any) -> str:
    """Return the text of one field."""
    shape = getattr(value, 'shape', None)
    if shape and value.size > MOST_NUMBERS:
        return f'<array {shape}>'
    text = ' '.join(repr(value.tolist() if shape else value).split())
    return text if len(text) <= LONGEST_FIELD else f'{text[:LONGEST_FIELD]}...'
