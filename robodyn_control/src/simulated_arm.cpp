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
constexpr double BRAKE = 1e20;  // diagonal beside which rounding hides any inertia
constexpr double SLACK = 1e-12;  // [-] share of its limit within which an effort stays there
constexpr double NATURAL_FREQUENCY = 50.0;  // [rad/s] of drives whose gains are not given

}  // namespace

void derive_gains(
  const EmittedModel & model, const double * q, const double * payload,
  std::vector<SimulatedJoint> & joints)
{
  const std::size_t n = model.size();
  std::vector<double> zero(n), unit(n), weight(n), tau(n);
  const auto inverse_dynamics = model.inverse_dynamics();
  inverse_dynamics(q, zero.data(), zero.data(), payload, weight.data());
  for (std::size_t i = 0; i < n; ++i) {
    std::fill(unit.begin(), unit.end(), 0.0);
    unit[i] = 1.0;
    inverse_dynamics(q, zero.data(), unit.data(), payload, tau.data());
    const double inertia = tau[i] - weight[i];  // entry of the mass matrix
    const auto derive = [](double & gain, double own) {gain = std::isnan(gain) ? own : gain;};
    derive(joints[i].stiffness, NATURAL_FREQUENCY * NATURAL_FREQUENCY * inertia);
    derive(joints[i].rate_gain, 2.0 * NATURAL_FREQUENCY * inertia);
    derive(joints[i].velocity_gain, 2.0 * NATURAL_FREQUENCY * inertia);
  }
}

SimulatedArm::SimulatedArm(
  const EmittedModel & model, const std::vector<SimulatedJoint> & joints, bool carries_weight,
  const std::vector<double> & payload)
: n_(model.size()), model_(model), forward_dynamics_(model.damped_forward_dynamics()),
  inverse_dynamics_(model.inverse_dynamics()), friction_(model.friction()), joints_(joints),
  carries_weight_(carries_weight), payload_(payload), q_(n_), qd_(n_), qdd_(n_), effort_(n_), tau_(n_),
  friction_torque_(n_), diagonal_(n_), speeds_(n_), zero_(n_), weight_(n_), at_rest_(n_),
  gain_(n_), slope_(n_), next_(n_), needed_(n_), saturated_(n_), stopped_(n_)
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
  int status = 0;
  if (carries_weight_) {
    status = inverse_dynamics_(
      q_.data(), zero_.data(), zero_.data(), payload(), weight_.data());
  }
  for (int k = 0; k < steps && status == 0; ++k) {
    status = step(commands, modes, dt / steps);
  }
  if (status != 0) {
    std::fill(qd_.begin(), qd_.end(), 0.0);
  }
  return status;
}

int SimulatedArm::step(const double * commands, const Mode * modes, double h) noexcept
{
  int status = linearise(commands, modes, h);
  bool settled = status != 0;
  for (std::size_t k = 0; k < 2 * n_ + 1 && !settled; ++k) {
    status = solve_within_stops(h);
    settled = status != 0 || !correct_saturation();
  }
  if (status != 0) {
    return status;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const SimulatedJoint & joint = joints_[i];
    const double lowest = std::min(joint.lower, q_[i]), highest = std::max(joint.upper, q_[i]);
    effort_[i] = std::clamp(effort_at_the_end(i), -joint.effort, joint.effort);
    qd_[i] = next_[i];
    q_[i] = std::clamp(q_[i] + h * qd_[i], lowest, highest);  // undoes rounding at a stop
  }
  return 0;
}

int SimulatedArm::linearise(const double * commands, const Mode * modes, double h) noexcept
{
  for (std::size_t i = 0; i < n_; ++i) {
    speeds_[i] = std::fabs(qd_[i]) > CREEP ? qd_[i] : CREEP;
  }
  const int status = friction_(q_.data(), speeds_.data(), friction_torque_.data());
  if (status != 0) {
    return status;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const SimulatedJoint & joint = joints_[i];
    const double command = std::isfinite(commands[i]) ? commands[i] : 0.0;
    slope_[i] = friction_torque_[i] / speeds_[i];  // slope of the secant, which is never negative
    saturated_[i] = stopped_[i] = Side::NONE;
    if (modes[i] == Mode::VELOCITY) {
      gain_[i] = joint.velocity_gain;
      at_rest_[i] = weight_[i] + joint.velocity_gain * command;
    } else if (modes[i] == Mode::POSITION) {
      gain_[i] = joint.rate_gain + h * joint.stiffness;
      at_rest_[i] = weight_[i] + joint.stiffness * (command - q_[i]);
    } else {
      gain_[i] = 0.0;
      at_rest_[i] = std::clamp(command, -joint.effort, joint.effort);
    }
  }
  return 0;
}

int SimulatedArm::solve_within_stops(double h) noexcept
{
  int status = solve(h);
  for (std::size_t k = 0; k < 2 * n_ && status == 0 && correct_stops(h); ++k) {
    status = solve(h);
  }
  return status;
}

int SimulatedArm::solve(double h) noexcept
{
  for (std::size_t i = 0; i < n_; ++i) {
    const bool free = saturated_[i] == Side::NONE;
    const double damping = slope_[i] + (free ? gain_[i] : 0.0);
    diagonal_[i] = h * damping;
    tau_[i] = (free ? at_rest_[i] : effort_at_the_end(i)) - damping * qd_[i];
    if (stopped_[i] != Side::NONE) {
      next_[i] = stopped_[i] == Side::LOW ? slowest(i, h) : fastest(i, h);
      diagonal_[i] += BRAKE;
      tau_[i] += BRAKE * ((next_[i] - qd_[i]) / h);
    }
  }
  const int status = forward_dynamics_(
    q_.data(), qd_.data(), tau_.data(), diagonal_.data(), payload(), qdd_.data());
  for (std::size_t i = 0; i < n_; ++i) {
    if (stopped_[i] == Side::NONE) {
      next_[i] = qd_[i] + h * qdd_[i];
    }
  }
  return status;
}

bool SimulatedArm::correct_stops(double h) noexcept
{
  bool found = false;
  const auto stops = [](Side side) {return side != Side::NONE;};
  if (std::any_of(stopped_.begin(), stopped_.end(), stops)) {
    inverse_dynamics_(q_.data(), qd_.data(), qdd_.data(), payload(), needed_.data());
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const Side before = stopped_[i];
    if (before == Side::NONE) {
      stopped_[i] = next_[i] < slowest(i, h) ? Side::LOW :
        next_[i] > fastest(i, h) ? Side::HIGH : Side::NONE;
    } else {
      const double push = needed_[i] + slope_[i] * next_[i] - effort_at_the_end(i);
      const double slack = SLACK * (std::fabs(needed_[i]) + std::fabs(needed_[i] - push));
      if (before == Side::LOW ? push < -slack : push > slack) {
        stopped_[i] = Side::NONE;
      }
    }
    found = found || stopped_[i] != before;
  }
  return found;
}

bool SimulatedArm::correct_saturation() noexcept
{
  bool found = false;
  for (std::size_t i = 0; i < n_; ++i) {
    const double wanted = at_rest_[i] - gain_[i] * next_[i], limit = joints_[i].effort;
    const Side before = saturated_[i];
    if (before == Side::NONE && !(std::fabs(wanted) <= limit)) {
      saturated_[i] = wanted > 0.0 ? Side::HIGH : Side::LOW;
    } else if (before != Side::NONE) {
      if ((before == Side::HIGH ? wanted : -wanted) < (1.0 - SLACK) * limit) {
        saturated_[i] = Side::NONE;
      }
    }
    found = found || saturated_[i] != before;
  }
  return found;
}

double SimulatedArm::effort_at_the_end(std::size_t i) const noexcept
{
  switch (saturated_[i]) {
    case Side::LOW: return -joints_[i].effort;
    case Side::HIGH: return joints_[i].effort;
    default: return at_rest_[i] - gain_[i] * next_[i];
  }
}

double SimulatedArm::slowest(std::size_t i, double h) const noexcept
{
  return std::min(0.0, (joints_[i].lower - q_[i]) / h);
}

double SimulatedArm::fastest(std::size_t i, double h) const noexcept
{
  return std::max(0.0, (joints_[i].upper - q_[i]) / h);
}

}  // namespace robodyn_control
