// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/simulated_arm.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace robodyn_control
{

namespace
{

constexpr double CREEP = 1e-9;  // [rad/s or m/s] divisor for a joint at rest

}  // namespace

SimulatedArm::SimulatedArm(const EmittedModel & model, const std::vector<SimulatedJoint> & joints)
: n_(model.size()), model_(model), forward_dynamics_(model.damped_forward_dynamics()),
  friction_(model.friction()), joints_(joints), q_(n_), qd_(n_), qdd_(n_), effort_(n_), tau_(n_),
  friction_torque_(n_), diagonal_(n_), speeds_(n_),
  servo_(n_), slope_(n_)
{
  if (joints.size() != n_) {
    throw std::invalid_argument(
            "simulated arm: got " + std::to_string(joints.size()) + " joints; expected " +
            std::to_string(n_));
  }
}

void SimulatedArm::place(const double * q) noexcept
{
  std::copy_n(q, n_, q_.begin());
  std::fill(qd_.begin(), qd_.end(), 0.0);
}

int SimulatedArm::advance(
  const double * commands, const Mode * modes, double dt, int steps) noexcept
{
  for (int k = 0; k < steps; ++k) {
    const int status = step(commands, modes, dt / steps);
    if (status != 0) {
      std::fill(qd_.begin(), qd_.end(), 0.0);
      return status;
    }
  }
  return 0;
}

int SimulatedArm::accelerate(double h) noexcept
{
  bool settled = false;
  while (!settled) {  // each iteration fixes at least one servo at its limit
    for (std::size_t i = 0; i < n_; ++i) {
      diagonal_[i] = h * slope_[i] + servo_[i];
      tau_[i] = effort_[i] - slope_[i] * qd_[i];
    }
    const int status = forward_dynamics_(
      q_.data(), qd_.data(), tau_.data(), diagonal_.data(), qdd_.data());
    if (status != 0) {
      return status;
    }
    settled = true;
    for (std::size_t i = 0; i < n_; ++i) {
      const double at_the_end = effort_[i] - servo_[i] * qdd_[i];
      if (servo_[i] > 0.0 && !(std::fabs(at_the_end) <= joints_[i].effort)) {
        effort_[i] = std::copysign(joints_[i].effort, at_the_end);
        servo_[i] = 0.0;
        settled = false;
      }
    }
  }
  for (std::size_t i = 0; i < n_; ++i) {
    effort_[i] -= servo_[i] * qdd_[i];
  }
  return 0;
}

int SimulatedArm::step(const double * commands, const Mode * modes, double h) noexcept
{
  for (std::size_t i = 0; i < n_; ++i) {
    speeds_[i] = std::fabs(qd_[i]) > CREEP ? qd_[i] : CREEP;
  }
  int status = friction_(q_.data(), speeds_.data(), friction_torque_.data());
  if (status != 0) {
    return status;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const SimulatedJoint & joint = joints_[i];
    slope_[i] = friction_torque_[i] / speeds_[i];  // slope of the secant, which is never negative
    const double command = std::isfinite(commands[i]) ? commands[i] : 0.0;
    servo_[i] = 0.0;
    effort_[i] = std::clamp(command, -joint.effort, joint.effort);
    if (modes[i] == Mode::VELOCITY) {
      servo_[i] = h * joint.damping;
      effort_[i] = joint.damping * (command - qd_[i]);
    } else if (modes[i] == Mode::POSITION) {
      servo_[i] = h * (joint.damping + h * joint.stiffness);
      effort_[i] = joint.stiffness * (command - q_[i] - h * qd_[i]) - joint.damping * qd_[i];
    }
  }
  status = accelerate(h);
  if (status != 0) {
    return status;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const SimulatedJoint & joint = joints_[i];
    qd_[i] += h * qdd_[i];
    q_[i] += h * qd_[i];
    if (q_[i] < joint.lower || q_[i] > joint.upper) {
      q_[i] = std::clamp(q_[i], joint.lower, joint.upper);
      qd_[i] = q_[i] == joint.lower ? std::max(qd_[i], 0.0) : std::min(qd_[i], 0.0);
    }
  }
  return 0;
}

}  // namespace robodyn_control
