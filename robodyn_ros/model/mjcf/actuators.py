# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the actuators of an MJCF say of joints: effort limits, inertia, damping."""

from math import inf, nan

#: Transmissions whose force acts on one joint, along its axis for a joint of one velocity.
AT_JOINTS = ('joint', 'jointinparent')
#: Dynamics that lead to no force beyond that of the largest control.
BOUNDED = ('none', 'filter', 'filterexact')


class Actuators:
    """The actuators of an MJCF.

    `compiled` (Compiled): the MJCF.
    """

    def __init__(self, compiled):
        self._compiled, self._model = compiled, compiled.model
        self._targets, self._reach = [], []
        for k in range(len(compiled.actuators)):
            kind = compiled.kind('trn', self._model.actuator_trntype[k])
            target = int(self._model.actuator_trnid[k, 0])
            self._targets.append(('joint' if kind in AT_JOINTS else kind, target))
            joints = compiled.coefficients(target) if kind == 'tendon' else [target]
            is_known = kind in AT_JOINTS or (kind == 'tendon' and joints)
            # a force at a site or a body, and one of a spatial tendon, may act on any joint
            self._reach.append(set(joints) if is_known else set(range(self._model.njnt)))
        self.driven = set().union(*self._reach)

    def effort_limit(self, joint):
        """Return the largest effort on a joint of one velocity in both directions.

        It is clear if one actuator alone acts on the joint, or the joint itself limits the force.

        `joint`: number of the joint.
        Returns effort [N m or N]; nan if the file has none, or none that is clear.
        """
        lower, upper = -inf, inf
        acting = [k for k, joints in enumerate(self._reach) if joint in joints]
        if len(acting) == 1 and self._targets[acting[0]] == ('joint', joint):
            lower, upper = self._force_range(acting[0])
        if self._model.jnt_actfrclimited[joint]:
            least, most = self._model.jnt_actfrcrange[joint]
            lower, upper = max(lower, least), min(upper, most)
        limit = min(-lower, upper)
        return float(limit) if 0.0 < limit < inf else nan

    def share(self, what, kind, number):
        """Return what the actuators add to the damping or the armature of a joint or tendon.

        `what` ({'damping', 'armature'}): the quantity.
        `kind` ({'joint', 'tendon'}): what they act on.
        """
        values = getattr(self._model, f'actuator_{what}', None)  # new in MuJoCo 3.7
        at = [k for k, target in enumerate(self._targets) if target == (kind, number)]
        return 0.0 if values is None else sum(float(values[k] * self._gear(k) ** 2) for k in at)

    def _gear(self, k):
        """Return the gear of an actuator at a joint or a tendon."""
        outputs = getattr(self._model, 'actuator_outadr', None)  # new in MuJoCo 4
        return float(self._model.actuator_gear[k if outputs is None else outputs[k], 0])

    def _force_range(self, k):
        """Return the range of the force of an actuator at its joint."""
        model, lower, upper = self._model, -inf, inf
        if model.actuator_forcelimited[k]:
            lower, upper = model.actuator_forcerange[k]
        controls = getattr(model, 'actuator_ctrladr', None)  # new in MuJoCo 4
        control = k if controls is None else controls[k]
        gain, bias, dynamics = (
            self._compiled.kind(what, getattr(model, f'actuator_{what}type')[k])
            for what in ('gain', 'bias', 'dyn')
        )
        is_motor = (gain, bias) == ('fixed', 'none') and dynamics in BOUNDED
        if is_motor and control >= 0 and model.actuator_ctrllimited[control]:
            ends = sorted(model.actuator_gainprm[k, 0] * model.actuator_ctrlrange[control])
            lower, upper = max(lower, ends[0]), min(upper, ends[1])
        gear = self._gear(k)
        ends = (gear * lower, gear * upper) if gear else (-inf, inf)
        return min(ends), max(ends)
