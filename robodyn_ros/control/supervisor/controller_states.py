# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""States of a controller, their reasons, and counters of events."""

import dataclasses
import enum

from robodyn_ros.control.supervisor import guards


class State(enum.IntEnum):
    """State of the controller, as published (robodyn_msgs/ControllerStatus)."""

    WAIT_MODEL = 0  # no robot description yet; a node has this state, a supervisor never
    WAIT_STATE = 1  # no fresh joint state
    READY = 2  # may be activated
    ACTIVE = 3  # following a reference, or a law that needs none
    HOLD = 4  # active without a reference: a posture is held
    STALE = 5  # joint states are missing: the predicted motion is braked
    FAULT = 6  # latched until reset: the motion is braked


class Reason:
    """Short codes of the causes of states and refusals."""

    NONE = ''
    ACTIVATED = 'ACTIVATED'
    DEACTIVATED = 'DEACTIVATED'
    FOLLOWING = 'FOLLOWING'
    TRAJECTORY_END = 'TRAJECTORY_END'
    TARGET_REACHED = 'TARGET_REACHED'
    TARGET_NOT_REACHED = 'TARGET_NOT_REACHED'
    REFERENCE_TIMEOUT = 'REFERENCE_TIMEOUT'
    REFERENCE_NOT_FINITE = 'REFERENCE_NOT_FINITE'
    FOLLOWING_ERROR = 'FOLLOWING_ERROR'
    HOLD_REQUESTED = 'HOLD_REQUESTED'
    POSITION_JUMP = 'POSITION_JUMP'
    STATE_TIMEOUT = 'STATE_TIMEOUT'
    STATE_STUCK = 'STATE_STUCK'
    STATE_RECOVERED = 'STATE_RECOVERED'
    RESET = 'RESET'
    # faults
    TORQUE_NOT_FINITE = 'TORQUE_NOT_FINITE'
    LAW_EXCEPTION = 'LAW_EXCEPTION'
    OVERSPEED = 'OVERSPEED'
    KERNEL_STATUS = 'KERNEL_STATUS'
    STOPPED = 'STOPPED'
    LOOP_EXCEPTION = 'LOOP_EXCEPTION'
    # refusals of joint states by `measure`
    WRONG_SIZE = 'WRONG_SIZE'
    NOT_FINITE = 'NOT_FINITE'
    IMPLAUSIBLE = 'IMPLAUSIBLE'
    OUT_OF_ORDER = 'OUT_OF_ORDER'
    OUTLIER = 'OUTLIER'


#: Reasons of HOLD after the reference of an end effector has arrived at its target.
ARRIVALS = (Reason.TARGET_REACHED, Reason.TARGET_NOT_REACHED)


@dataclasses.dataclass
class Counters:
    """Counters of events since the supervisor was created.

    `cycles`: ticks in which torque was published.
    `effort_limited`: ticks in which an effort limit changed a torque.
    `rate_limited`: ticks in which a rate limit changed a torque.
    `position_guarded`: ticks in which a position or velocity limit changed a torque.
    `stale_episodes`: how often joint states were missing.
    `stuck_episodes`: how often joint states were bitwise equal for too long.
    `behind_episodes`: how often a joint was too far from its reference.
    `faults`: how often FAULT was entered.
    `rejected_references`: refused trajectories and targets.
    """

    cycles: int = 0
    effort_limited: int = 0
    rate_limited: int = 0
    position_guarded: int = 0
    stale_episodes: int = 0
    stuck_episodes: int = 0
    behind_episodes: int = 0
    faults: int = 0
    rejected_references: int = 0

    def count(self, acted):
        """Count a tick in which torque was published.

        `acted`: limits that acted, as bits of `guards.limit_torque`.
        """
        self.cycles += 1
        self.position_guarded += acted & guards.POSITION_GUARDED != 0
        self.effort_limited += acted & guards.EFFORT_LIMITED != 0
        self.rate_limited += acted & guards.RATE_LIMITED != 0
