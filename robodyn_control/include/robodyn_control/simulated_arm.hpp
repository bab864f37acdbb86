// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "robodyn_control/emitted_model.hpp"

namespace robodyn_control
{

/// Kind of the command of a joint.
enum class Mode {EFFORT, VELOCITY, POSITION};

/// Limits and servo of a joint; a missing limit is infinite.
struct SimulatedJoint
{
  double lower, upper;   ///< [rad or m] stops, at which the joint rests
  double effort;         ///< [N m or N] limit of the motor
  double stiffness;      ///< [N m/rad or N/m] of the servo, for position commands
  double damping;        ///< [N m s/rad or N s/m] of the servo, for position and velocity commands
};

/// An arm that moves by its emitted articulated-body dynamics.
/// Steps are semi-implicit: friction and servos are those at the end of a step. They are added to
/// the diagonal of the mass matrix, so that stiff ones are stable. Only the constructor allocates.
class SimulatedArm
{
public:
  SimulatedArm(const EmittedModel & model, const std::vector<SimulatedJoint> & joints);

  /// Rest at a posture.
  void place(const double * q) noexcept;
  /// Advance by dt [s] in equal steps; return 0, or stop with the status of the dynamics.
  int advance(const double * commands, const Mode * modes, double dt, int steps) noexcept;

  std::size_t size() const noexcept {return n_;}
  const double * q() const noexcept {return q_.data();}
  const double * qd() const noexcept {return qd_.data();}
  const double * effort() const noexcept {return effort_.data();}  ///< of motors in the last step

private:
  int step(const double * commands, const Mode * modes, double h) noexcept;
  /// Solve for the accelerations, with the efforts of servos at the end of the step.
  int accelerate(double h) noexcept;

  std::size_t n_;
  EmittedModel model_;  // keeps the library loaded
  EmittedModel::DampedForwardDynamics forward_dynamics_;
  EmittedModel::Friction friction_;
  std::vector<SimulatedJoint> joints_;
  std::vector<double> q_, qd_, qdd_, effort_, tau_, friction_torque_, diagonal_, speeds_;
  std::vector<double> servo_, slope_;
};

}  // namespace robodyn_control
