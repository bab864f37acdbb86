// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace robodyn_control
{

/// State of a controller, numbered as in robodyn_msgs/ControllerStatus.
enum class State
{
  WAIT_STATE = 1,  ///< no fresh joint state
  READY = 2,       ///< may be activated
  ACTIVE = 3,      ///< the law follows a reference, or needs none
  HOLD = 4,        ///< active, holds a posture without a reference
  STALE = 5,       ///< no recent joint state: the predicted motion is braked
  FAULT = 6        ///< latched until reset: the motion is braked
};

/// Reason of a state, or of a refused input.
enum class Reason
{
  NONE,
  ACTIVATED,
  DEACTIVATED,
  FOLLOWING,
  REFERENCE_TIMEOUT,
  REFERENCE_NOT_FINITE,
  FOLLOWING_ERROR,
  HOLD_REQUESTED,
  POSITION_JUMP,
  STATE_TIMEOUT,
  STATE_STUCK,
  STATE_RECOVERED,
  RESET,
  // faults
  TORQUE_NOT_FINITE,
  OVERSPEED,
  KERNEL_STATUS,
  STOPPED,
  // joint states that are refused
  NOT_FINITE,
  IMPLAUSIBLE,
  OUTLIER
};

/// Return the name of a reason, as the node publishes it; empty for NONE.
constexpr const char * name(Reason reason)
{
  switch (reason) {
    case Reason::NONE: return "";
    case Reason::ACTIVATED: return "ACTIVATED";
    case Reason::DEACTIVATED: return "DEACTIVATED";
    case Reason::FOLLOWING: return "FOLLOWING";
    case Reason::REFERENCE_TIMEOUT: return "REFERENCE_TIMEOUT";
    case Reason::REFERENCE_NOT_FINITE: return "REFERENCE_NOT_FINITE";
    case Reason::FOLLOWING_ERROR: return "FOLLOWING_ERROR";
    case Reason::HOLD_REQUESTED: return "HOLD_REQUESTED";
    case Reason::POSITION_JUMP: return "POSITION_JUMP";
    case Reason::STATE_TIMEOUT: return "STATE_TIMEOUT";
    case Reason::STATE_STUCK: return "STATE_STUCK";
    case Reason::STATE_RECOVERED: return "STATE_RECOVERED";
    case Reason::RESET: return "RESET";
    case Reason::TORQUE_NOT_FINITE: return "TORQUE_NOT_FINITE";
    case Reason::OVERSPEED: return "OVERSPEED";
    case Reason::KERNEL_STATUS: return "KERNEL_STATUS";
    case Reason::STOPPED: return "STOPPED";
    case Reason::NOT_FINITE: return "NOT_FINITE";
    case Reason::IMPLAUSIBLE: return "IMPLAUSIBLE";
    case Reason::OUTLIER: return "OUTLIER";
  }
  return "";
}

/// Return the sentence of a status: a warning about repeated joint states, or none.
constexpr const char * status_message(bool stuck)
{
  return stuck ? "The joint states repeat themselves bit for bit: a sensor may be stuck." : "";
}

/// Reason of a refused request.
enum class Refusal
{
  NONE,
  IN_FAULT,             ///< needs a reset first
  ACTIVE_ALREADY,
  NOT_ACTIVE,           ///< accepts no reference
  NO_JOINT_STATE,
  OLD_JOINT_STATE,
  NO_EFFORT_LIMIT,      ///< missing for a joint; 0 is a limit that allows no torque
  NO_REFERENCE_FOLLOWED,  ///< the law follows no reference
  STATE_TAKES_NONE,     ///< STALE or FAULT
  NOT_A_NUMBER,
  STEP_TOO_FAR,         ///< farther than the joint can move since the last target
  BEYOND_LIMITS         ///< a position or velocity limit
};

/// Return a refusal in words.
constexpr const char * words(Refusal refusal)
{
  switch (refusal) {
    case Refusal::NONE: return "";
    case Refusal::IN_FAULT: return "the controller is in FAULT; reset it first";
    case Refusal::ACTIVE_ALREADY: return "the controller is active already";
    case Refusal::NOT_ACTIVE: return "the controller takes no reference; activate it first";
    case Refusal::NO_JOINT_STATE: return "there is no joint state yet";
    case Refusal::OLD_JOINT_STATE: return "the last joint state is older than state_timeout";
    case Refusal::NO_EFFORT_LIMIT: return "effort_limits: got none for a joint; expected one each";
    case Refusal::NO_REFERENCE_FOLLOWED: return "the control law follows no reference";
    case Refusal::STATE_TAKES_NONE:
      return "the controller is in STALE or FAULT and takes no reference; reset a FAULT first";
    case Refusal::NOT_A_NUMBER: return "the reference is not finite";
    case Refusal::STEP_TOO_FAR: return "the reference is farther away than a joint may move";
    case Refusal::BEYOND_LIMITS: return "the reference is beyond a limit";
  }
  return "";
}

}  // namespace robodyn_control
