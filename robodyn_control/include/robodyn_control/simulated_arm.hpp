// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "robodyn_control/emitted_model.hpp"
#include "robodyn_control/joint_impulses.hpp"

namespace robodyn_control
{

/// Kind of the command of a joint.
enum class Mode {EFFORT, VELOCITY, POSITION};

/// Limits, drive and defects of a joint; a missing limit is infinite.
struct SimulatedJoint
{
  double lower, upper;    ///< [rad or m] stops, at which the joint rests
  double effort;          ///< [N m or N] limit of the motor
  double stiffness;       ///< [N m/rad or N/m] Kp of position commands
  double rate_gain;       ///< [N m s/rad or N s/m] Kd of position commands
  double velocity_gain;   ///< [N m s/rad or N s/m] Kv of velocity commands
  double velocity = std::numeric_limits<double>::infinity();  ///< [rad/s or m/s] if kinematic
  double strength = 1.0;  ///< [-] share of its effort that the motor gives
  bool stuck = false;     ///< whether it cannot move
};

/// What all drives have in common.
struct SimulatedDrives
{
  bool carries_weight = true;  ///< position and velocity commands add the gravity torque
  bool kinematic = false;      ///< they move the joint as commanded, whatever effort that takes
};

/// Replace gains that are NaN by those of critical damping at 50 rad/s.
/// The inertia of each joint is that at a posture of all joints, with payloads (null: none).
void derive_gains(
  const EmittedModel & model, const double * q, const double * payload,
  std::vector<SimulatedJoint> & joints);

/// An arm that moves by its emitted articulated-body dynamics, as the simulator node does.
/// The steps are those of robodyn_ros/simulation/integrators/euler.py, with the drives of servo.py.
/// These give w + Kp (q_d - q) - Kd qd or w + Kv (v_d - qd), within the limit of the motor. w is the
/// gravity torque at the start of `advance`. Viscous friction and drives are those at the end of a step.
/// They are added to the diagonal of the mass matrix, so that stiff ones are stable. Dry friction
/// sticks, and stops are inelastic, see JointImpulses. Only the constructor allocates.
class SimulatedArm
{
public:
  /// payload : ten numbers for each of the model; empty without payloads.
  SimulatedArm(
    const EmittedModel & model, const std::vector<SimulatedJoint> & joints,
    SimulatedDrives drives = {}, const std::vector<double> & payload = {});

  /// Rest at a posture.
  void place(const double * q) noexcept;
  /// Advance by dt [s] in equal steps; return 0, or stop with the status of the dynamics.
  int advance(const double * commands, const Mode * modes, double dt, int steps) noexcept;
  /// A joint, to break or to repair it.
  SimulatedJoint & joint(std::size_t i) noexcept {return joints_[i];}

  std::size_t size() const noexcept {return n_;}
  const double * q() const noexcept {return q_.data();}
  const double * qd() const noexcept {return qd_.data();}
  const double * effort() const noexcept {return effort_.data();}  ///< of motors in the last step

private:
  enum class Side {NONE, LOW, HIGH};
  enum class Grip {NONE, SLIDES_BACK, SLIDES_ON, STICKS};  ///< of dry friction

  /// Write the velocities of joints that are moved kinematically, and of stuck ones.
  void prescribe(const double * commands, const Mode * modes, double dt) noexcept;
  int step(const double * commands, const Mode * modes, double h) noexcept;
  /// Write friction, and the effort of each drive at zero velocity with its gain.
  void linearise(const double * commands, const Mode * modes, double h) noexcept;
  /// Solve for the velocities at the end of the step, with these saturated drives.
  int solve(double h) noexcept;
  /// The same with the present grips, without stops.
  int accelerate(double h) noexcept;
  /// Assume that moving joints slide and joints at rest stick; return whether any has friction.
  bool assume_friction() noexcept;
  /// Return whether the joints slide or stick as assumed, and reach no stop.
  bool assumed_well(double h) noexcept;
  /// Find drives that reach their limit or return from it; return whether there are any.
  bool correct_saturation() noexcept;
  /// Write the efforts that kinematic joints needed.
  int write_kinematic_efforts(double h) noexcept;
  const double * payload() const noexcept {return payload_.empty() ? nullptr : payload_.data();}
  double damping(std::size_t joint) const noexcept;
  double limit(std::size_t joint) const noexcept;
  double effort_at_the_end(std::size_t joint) const noexcept;
  double slowest(std::size_t joint, double h) const noexcept;
  double fastest(std::size_t joint, double h) const noexcept;

  std::size_t n_;
  EmittedModel model_;  // keeps the library loaded
  EmittedModel::DampedForwardDynamics forward_dynamics_;
  EmittedModel::DampedInverse inverse_;
  EmittedModel::InverseDynamics inverse_dynamics_;
  std::vector<JointFriction> friction_;
  std::vector<SimulatedJoint> joints_;
  SimulatedDrives drives_;
  std::vector<double> payload_, q_, qd_, qdd_, effort_, tau_, level_, diagonal_, zero_, weight_;
  std::vector<double> at_rest_, gain_, next_, needed_, prescribed_, before_;
  std::vector<bool> braked_, kinematic_;
  std::vector<Side> saturated_;
  std::vector<Grip> grip_;
  std::vector<JointBounds> bounds_;
  JointImpulses impulses_;
};

}  // namespace robodyn_control
