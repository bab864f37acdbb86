# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recipes of recordings: recursions, with their inputs and outputs."""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.algorithms.centroidal import body_inertias, centroidal_momentum
from robodyn_ros.algorithms.core import (
    aba,
    composite,
    coriolis,
    crba,
    crba_world_frame,
    energy,
    gravity,
    jacobian,
    joint_wrenches,
    kinematics,
    link_motions,
    rnea,
)
from robodyn_ros.algorithms.derivatives import (
    articulated_inertia_rates,
    inverse_dynamics_hessian,
    inverse_dynamics_second_derivatives,
    link_operator_rates,
    log_determinant_gradient,
    mass_factor_rates,
    regressor,
)
from robodyn_ros.algorithms.mass_matrix import (
    link_operators,
    mass_matrix_factors,
    mass_matrix_factors_world_frame,
    mass_matrix_inverse,
    mass_matrix_inverse_world_frame,
    mass_matrix_product,
    mass_matrix_solve,
)
from robodyn_ros.algorithms.task_space import (
    cholesky_inverse,
    coupled_compliance,
    operational_space_inertia,
    task_acceleration,
    wrench_sweeps,
)
from robodyn_ros.algorithms.variants import (
    composite_inverse_dynamics,
    damping_torques,
    dense_forward_dynamics,
    factored_forward_dynamics,
    hamilton,
    hybrid_dynamics,
    inverse_dynamics_body,
    inverse_dynamics_fixed,
    inverse_dynamics_inertial,
    mixed_dynamics,
    prescribed_motion,
)
from robodyn_ros.compile import embedded
from robodyn_ros.model.layout import PARENT

#: Wrenches on links, to which closures of loops add theirs; these have no code.
OF_LINKS = (joint_wrenches.joint_wrenches, joint_wrenches.forward_dynamics_wrenches)


@dataclass(frozen=True)
class Recipe:
    """A recursion to record, and the shapes of its inputs and outputs.

    Sizes are numbers, 'nq', 'all positions', 'nv', 'bodies', '6 bodies', '10 bodies' or 'nb'. The
    last one counts the base among the bodies.

    `inputs`, `outputs`: {argument: shape}.
    `regrouped`: whether results stay the same if inertias move between bodies
      (`normal_form.regroup`).
    `aligned`: whether results stay the same if frames are rotated (`normal_form.align`).
    `others`: recursions with the same result. The one with the fewest operations for the robot is
      compiled.
    `given`: called with a model and a subject; returns {argument: value} of further arguments.
    `before`: a recursion to run first, which writes f_ext.
    `recorder`: makes the recording in place of `record`.
    `packed`: makes a recording with packs for one state, see `codegen.packs.shorter_with_packs`.
    `of_rates`: whether velocities must be the rates of independent coordinates.
    `is_embedded`: whether the recursion is over independent coordinates already.
    `payloads`: frames whose payloads are an input, see `with_payloads`.
    `columns`: number of right sides of closed loops that are solved at once, in a pack.
    `real`: type of the numbers of the code, 'double' or 'float'. Loops close to its rounding.
    """

    recursion: Callable
    inputs: Mapping[str, tuple[int | str, ...]]
    outputs: Mapping[str, tuple[int | str, ...]]
    regrouped: bool = True
    aligned: bool = True
    others: tuple[Callable, ...] = ()
    given: Callable | None = None
    before: Callable | None = None
    recorder: Callable | None = None
    packed: Callable | None = None
    of_rates: bool = False
    is_embedded: bool = False
    payloads: tuple[str, ...] = ()
    columns: int = 1
    real: str = 'double'

    def from_all_positions(self):
        """Return the recipe whose q has the positions of all joints, with closed loops."""
        return replace(self, inputs=self.inputs | {'q': ('all positions',)}, packed=None)

    def of_model(self, model):
        """Return the recipe over the independent coordinates of a robot.

        Raises ModelError: if the quantity is not defined for this robot, or has no code.
        """
        if self.of_rates:
            what = self.recursion.__name__.replace('_', ' ')
            model.refuse_dependent(what)
            model.refuse_quaternions(what)
        if self.is_embedded or not model.is_embedded:
            return self
        if self.recursion in OF_LINKS:
            model.refuse_loops(f'code of {self.recursion.__name__}')
        if self.recursion not in embedded.HAVE_COUNTERPARTS:
            if 'topology' in inspect.signature(self.recursion).parameters:
                model.refuse_dependent(self.recursion.__name__.replace('_', ' '))
            return self
        before = self.before and embedded.counterpart(self.before)
        recursion, *others = (
            embedded.counterpart(each)
            for each in (self.recursion, *self.others)
            if each in embedded.HAVE_COUNTERPARTS
        )
        aligned = (
            self.aligned and not model.has_loops
        )  # `align` does not rotate frames of closures
        return replace(
            self,
            recursion=recursion,
            others=tuple(others),
            before=before,
            aligned=aligned,
            is_embedded=True,
        )


def at_frames(model, frame):
    """Return the placements of frames.

    `frame` (str or tuple of str): one frame or several.
    Returns 'bodies' (m,) and 'frames' (m, 12) of all frames, 'body' and 'frame' of the first. A
      placement is the rotation, row by row, and the translation [m].
    """
    places = [model.frame(name) for name in ((frame,) if isinstance(frame, str) else frame)]
    bodies = np.array([place.body for place in places], np.int64)
    frames = np.array([[*np.ravel(place.rotation), *place.translation] for place in places])
    return {'bodies': bodies, 'frames': frames, 'body': int(bodies[0]), 'frame': frames[0]}


def at_joints(model, _):
    """Return the frames of the bodies at their joints.

    `_` (object): unused.
    """
    return {'offsets': np.zeros((len(model.body_names), 3))}


def at_centres(model, _):
    """Return the frames of the bodies at their centres of mass.

    `_` (object): unused.
    Returns 'offsets' (nb, 3), the centres of mass in the frames of the bodies [m].
    """
    return {'offsets': model.centres()}


def prescribed(model, joints):
    """Return the joints of prescribed motion.

    `joints` (sequence of str): their names.
    """
    return {'prescribed': np.array([name in joints for name in model.joint_names])}


def flags(transposed, inverse, model, _):
    """Return the flags of a product with the factor of the mass matrix.

    `transposed`: whether to multiply by the transpose.
    `inverse`: whether to multiply by the inverse.
    `model` (RobotModel): unused.
    `_` (object): unused.
    """
    return {'transposed': transposed, 'inverse': inverse}


VECTOR, SQUARE, CUBE = ('nv',), ('nv', 'nv'), ('nv', 'nv', 'nv')
POSITION = {'q': ('nq',)}
MOTION = POSITION | {'qd': VECTOR}
ACCELERATION, DRIVEN = MOTION | {'qdd': VECTOR}, MOTION | {'tau': VECTOR}
TORQUE = {'tau': VECTOR}
OPERATORS = dict.fromkeys(('phi', 'psi', 'M'), ('6 bodies', 6)) | dict.fromkeys('HG', ('nv', 6))

RECIPES = {
    'inverse_dynamics': Recipe(rnea.inverse_dynamics, MOTION | {'qdd': VECTOR}, {'tau': VECTOR}),
    'bias_torque': Recipe(rnea.bias_torque, MOTION, {'tau': VECTOR}),
    'gravity_torque': Recipe(gravity.gravity_torque, POSITION, {'tau': VECTOR}),
    'mass_matrix': Recipe(
        crba.mass_matrix, POSITION, {'M': SQUARE}, others=(crba_world_frame.mass_matrix,)
    ),
    'mass_matrix_inverse': Recipe(
        mass_matrix_inverse_world_frame.mass_matrix_inverse,
        POSITION,
        {'inverse': SQUARE},
        others=(composite.mass_matrix_inverse, mass_matrix_inverse.mass_matrix_inverse_in_place),
    ),
    'mass_solve': Recipe(
        mass_matrix_solve.mass_solve,
        POSITION | {'b': VECTOR},
        {'x': VECTOR},
        others=(composite.mass_solve,),
    ),
    'forward_dynamics': Recipe(
        aba.forward_dynamics,
        MOTION | {'tau': VECTOR},
        {'qdd': VECTOR},
        others=(prescribed_motion.forward_dynamics, composite.forward_dynamics),
    ),
    'coriolis_matrix': Recipe(coriolis.coriolis_matrix, MOTION, {'C': SQUARE}),
    'energy': Recipe(energy.energy, MOTION, {'energies': (2,)}, regrouped=False),
}

#: Quantities that the argument `also` of `Robot.specialised` may add.
FURTHER_RECIPES = {
    'joint_wrenches': Recipe(
        joint_wrenches.joint_wrenches,
        MOTION | {'qdd': VECTOR},
        {'wrenches': ('bodies', 6)},
        regrouped=False,
    ),
    'centre_of_mass': Recipe(
        centroidal_momentum.centre_of_mass, POSITION, {'com': (3,)}, regrouped=False
    ),
    'centroidal_momentum': Recipe(
        centroidal_momentum.centroidal_momentum, MOTION, {'h': (6,)}, regrouped=False
    ),
    'centroidal_momentum_matrix': Recipe(
        centroidal_momentum.centroidal_momentum_matrix, POSITION, {'A': (6, 'nv')}, regrouped=False
    ),
    'centroidal_momentum_bias': Recipe(
        centroidal_momentum.centroidal_momentum_bias, MOTION, {'bias': (6,)}, regrouped=False
    ),
    'mass_product': Recipe(
        mass_matrix_product.mass_product, POSITION | {'x': VECTOR}, {'y': VECTOR}
    ),
    'mass_matrix_diagonal': Recipe(
        mass_matrix_product.mass_matrix_diagonal, POSITION, {'entries': VECTOR}
    ),
    'joint_inertias': Recipe(
        mass_matrix_factors.joint_inertias,
        POSITION,
        {'D': VECTOR},
        others=(composite.joint_inertias,),
    ),
    'mass_matrix_factors': Recipe(
        mass_matrix_factors.mass_factors,
        POSITION,
        {'F': SQUARE, 'D': VECTOR},
        others=(composite.mass_factors, mass_matrix_factors_world_frame.mass_factors),
    ),
    'log_det_gradient': Recipe(
        log_determinant_gradient.log_det_gradient, POSITION, {'gradient': VECTOR}
    ),
    'mass_factor_rates': Recipe(
        mass_factor_rates.mass_factor_rates, MOTION, {'F_rate': SQUARE, 'D_rate': VECTOR}
    ),
    'inverse_dynamics_composite': Recipe(
        composite_inverse_dynamics.inverse_dynamics_composite, ACCELERATION, TORQUE
    ),
    'inverse_dynamics_body': Recipe(
        inverse_dynamics_body.inverse_dynamics_body, ACCELERATION, TORQUE, given=at_joints
    ),
    'inverse_dynamics_offset': Recipe(
        inverse_dynamics_body.inverse_dynamics_body, ACCELERATION, TORQUE, given=at_centres
    ),
    'inverse_dynamics_inertial': Recipe(
        inverse_dynamics_inertial.inverse_dynamics_inertial, ACCELERATION, TORQUE
    ),
    'inverse_dynamics_fixed': Recipe(
        inverse_dynamics_fixed.inverse_dynamics_fixed, ACCELERATION, TORQUE
    ),
    'forward_dynamics_factored': Recipe(
        factored_forward_dynamics.forward_dynamics_factored, DRIVEN, {'qdd': VECTOR}
    ),
    'forward_dynamics_dense': Recipe(
        dense_forward_dynamics.forward_dynamics_dense, DRIVEN, {'qdd': VECTOR}
    ),
    'forward_dynamics_wrenches': Recipe(
        joint_wrenches.forward_dynamics_wrenches,
        DRIVEN,
        {'qdd': VECTOR, 'wrenches': ('bodies', 6)},
        regrouped=False,
    ),
    'link_motions': Recipe(
        link_motions.link_motions,
        ACCELERATION,
        {'V': ('bodies', 6), 'A': ('bodies', 6)},
        regrouped=False,
    ),
    'composite_inertia': Recipe(
        centroidal_momentum.composite_inertia,
        POSITION,
        {'com': (3,), 'inertia': (3, 3)},
        regrouped=False,
    ),
    'body_inertias': Recipe(
        body_inertias.body_inertias,
        POSITION,
        {'composite': ('6 bodies', 6), 'articulated': ('6 bodies', 6)},
        regrouped=False,
    ),
    'articulated_inertia_rates': Recipe(
        articulated_inertia_rates.articulated_inertia_rates,
        MOTION,
        {'rates': ('6 bodies', 6)},
        regrouped=False,
    ),
    'link_operators': Recipe(link_operators.link_operators, POSITION, OPERATORS, regrouped=False),
    'link_operator_rates': Recipe(
        link_operator_rates.link_operator_rates,
        MOTION,
        {f'{name}_rate': shape for name, shape in OPERATORS.items()},
        regrouped=False,
    ),
    'regressor': Recipe(
        regressor.regressor,
        MOTION | {'qd_r': VECTOR, 'qdd_r': VECTOR},
        {'Y': ('nv', '10 bodies')},
        regrouped=False,
        aligned=False,
    ),
    'hamilton_rates': Recipe(
        hamilton.hamilton_rates,
        POSITION | {'p': VECTOR, 'tau': VECTOR},
        {'qd': VECTOR, 'pdot': VECTOR},
    ),
    'damping_torques': Recipe(
        damping_torques.damping_torques,
        MOTION | {'rates': VECTOR},
        {'damping': VECTOR, 'coriolis': VECTOR},
    ),
    'inverse_dynamics_second_derivatives': Recipe(
        inverse_dynamics_second_derivatives.inverse_dynamics_second_derivatives,
        ACCELERATION,
        {'by_q_q': CUBE, 'by_q_qd': CUBE, 'by_qd_qd': CUBE, 'M_q': CUBE},
        of_rates=True,
    ),
    'inverse_dynamics_hessian': Recipe(
        inverse_dynamics_hessian.inverse_dynamics_hessian,
        ACCELERATION | {'multipliers': VECTOR},
        {'by_q_q': SQUARE, 'by_q_qd': SQUARE, 'by_qd_qd': SQUARE, 'by_q_qdd': SQUARE},
        of_rates=True,
    ),
} | {
    'factor_product' + '_transposed' * transposed + '_inverse' * inverse: Recipe(
        mass_matrix_factors.factor_product,
        POSITION | {'x': VECTOR},
        {'y': VECTOR},
        given=functools.partial(flags, transposed, inverse),
    )
    for transposed in (False, True)
    for inverse in (False, True)
}

#: Quantities that `also` adds as (name, joints of prescribed motion).
JOINT_RECIPES = {
    'hybrid_dynamics': Recipe(
        hybrid_dynamics.hybrid_dynamics,
        MOTION | {'given': VECTOR},
        {'tau': VECTOR, 'qdd': VECTOR},
        given=prescribed,
    )
}

#: Quantities of control laws that are no methods of a robot. A specialised law links them.
LAW_RECURSIONS = {
    'mixed_dynamics': Recipe(
        mixed_dynamics.mixed_dynamics,
        MOTION | {'free': VECTOR, 'known': (3, 'nv')},
        {'tau': (3, 'nv'), 'qdd': (3, 'nv')},
    )
}

FRAME_RECIPES = {
    'pose': Recipe(kinematics.pose, POSITION, {'X': (4, 4)}, given=at_frames),
    'velocity': Recipe(kinematics.velocity, MOTION, {'V_0F': (6,)}, given=at_frames),
    'jacobian': Recipe(jacobian.jacobian, POSITION, {'J': (6, 'nv')}, given=at_frames),
    'jacobian_bias': Recipe(jacobian.jacobian_bias, MOTION, {'bias': (6,)}, given=at_frames),
    'operational_space': Recipe(
        operational_space_inertia.operational_space,
        POSITION,
        {'J': (6, 'nv'), 'compliance': (6, 6)},
        others=(composite.operational_space,),
        given=at_frames,
    ),
    'operational_space_inertia': Recipe(
        cholesky_inverse.by_compliances,
        POSITION,
        {'J': (6, 'nv'), 'compliance': (6, 6), 'inertia': (6, 6)},
        others=(cholesky_inverse.by_mass_matrix,),
        given=at_frames,
    ),
}

#: Quantities of frames, or of tuples of frames, that `also` adds.
FURTHER_FRAME_RECIPES = ('torque_of_wrench', 'acceleration_of_wrench', 'task_acceleration')


def frame_recipes(model, frame, also=()):
    """Return the recipes of the quantities of a frame.

    With six joints or more below the frame, its operational-space inertia is one of them. With
    fewer joints, the quantities are recorded from which that inertia is computed. A tuple of
    frames adds their coupling.

    `frame` (str or tuple of str): one frame, or several with their coupling.
    `also` (sequence of str): names in FURTHER_FRAME_RECIPES.
    """
    m = 1 if isinstance(frame, str) else len(frame)
    pushed = POSITION | {'wrenches': (m, 6)}
    further = {
        'torque_of_wrench': Recipe(
            wrench_sweeps.torque_of_wrench,
            pushed,
            TORQUE,
            given=at_frames,
            before=kinematics.load_wrenches,
        ),
        'acceleration_of_wrench': Recipe(
            wrench_sweeps.acceleration_of_wrench,
            pushed,
            {'qdd': VECTOR},
            given=at_frames,
            before=kinematics.load_wrenches,
        ),
        'task_acceleration': Recipe(
            task_acceleration.task_acceleration,
            DRIVEN,
            {'acceleration': (6 * m,)},
            given=at_frames,
        ),
    }
    further = {name: further[name] for name in also}
    if not isinstance(frame, str):
        return {
            'coupled_compliance': Recipe(
                coupled_compliance.coupled_compliance,
                POSITION,
                {'J': (6 * m, 'nv'), 'compliance': (6 * m, 6 * m)},
                given=at_frames,
            )
        } | further
    joints, body = 0, model.frame(frame).body
    while body > 0:
        joints, body = joints + 1, model.topology[body, PARENT]
    other = 'operational_space' if joints >= 6 else 'operational_space_inertia'
    return {name: recipe for name, recipe in FRAME_RECIPES.items() if name != other} | further
