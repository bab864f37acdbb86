# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Control laws by name: the built-in ones, and those of other packages."""

import importlib.metadata

from robodyn_ros.control.laws.adaptive import AdaptiveComputedTorque
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.diagonal_damping import DiagonalDamping
from robodyn_ros.control.laws.elastic_joint import ElasticJointLaw
from robodyn_ros.control.laws.floating_base import FloatingBaseComputedTorque
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.control.laws.law import ControlLaw
from robodyn_ros.control.laws.operational_space import OperationalSpace
from robodyn_ros.control.laws.passivity import Passivity
from robodyn_ros.control.laws.pd import PD, PDGravity
from robodyn_ros.control.laws.underactuated import UnderactuatedComputedTorque
from robodyn_ros.control.laws.underactuated_task import UnderactuatedOperationalSpace
from robodyn_ros.errors import RobodynError, UnknownNameError

GROUP = 'robodyn_ros.control_laws'
BUILT_IN = {
    law.name: law
    for law in (
        GravityCompensation,
        PD,
        PDGravity,
        ComputedTorque,
        Passivity,
        AdaptiveComputedTorque,
        OperationalSpace,
        DiagonalDamping,
        UnderactuatedComputedTorque,
        UnderactuatedOperationalSpace,
        ElasticJointLaw,
        FloatingBaseComputedTorque,
    )
}


def law_names():
    """Return the names of all laws that can be loaded, the built-in ones first."""
    return tuple(dict.fromkeys([*BUILT_IN, *sorted(_added())]))


def law_class(name):
    """Return the class of a law; built-in names cannot be overridden.

    Parameters
    ----------
    name : str
        Name of the law.

    Returns
    -------
    type
        A subclass of ControlLaw.

    Raises
    ------
    UnknownNameError
        If there is no such law; the message lists the valid names.
    RobodynError
        If the package of the law fails to load, or its object is not a ControlLaw.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    added = _added()
    if name not in added:
        raise UnknownNameError(
            f'control law: got {name!r:.80}; expected one of {", ".join(law_names())}'
        )
    try:
        law = added[name].load()
    except Exception as error:
        raise RobodynError(
            f'control law {name}: its package fails to load {added[name].value}: '
            f'{type(error).__name__}: {error}'
        ) from error
    if not (isinstance(law, type) and issubclass(law, ControlLaw)):
        raise RobodynError(
            f'control law {name}: {added[name].value} is {law!r:.80}; '
            'expected a subclass of robodyn_ros.control.ControlLaw'
        )
    return law


def _added():
    return {entry.name: entry for entry in importlib.metadata.entry_points(group=GROUP)}
