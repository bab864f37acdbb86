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

constexpr double BRAKE = 1e20;  // diagonal beside which rounding hides any inertia
constexpr double SLACK = 1e-12;  // [-] share of its limit within which an effort stays there
constexpr double NATURAL_FREQUENCY = 50.0;  // [rad/s] of drives whose gains are not given
constexpr double ARRIVED = 1e-15;  // [-] relative error at which a kinematic joint has arrived
constexpr double FRICTION_SPEED = 1e-3;  // [rad/s or m/s] of Stribeck curves without one

/// Return the magnitude of dry friction, as robodyn_ros/simulation/dry_friction.py does.
double friction_level(const JointFriction & joint, double q, double rate) noexcept
{
  const double speed =
    joint.stribeck_velocity > 0.0 ? joint.stribeck_velocity : FRICTION_SPEED;
  const double ratio = std::fabs(rate) / speed;
  double curve = 1.0 / (1.0 + ratio * ratio);
  if (joint.exponent > 0.0) {
    curve = std::exp(joint.exponent > 1.0 ? -ratio * ratio : -ratio);
  }
  double kinetic = joint.coulomb;
  if (joint.wavenumber > 0.0) {
    const double angle = joint.wavenumber * q;
    kinetic += joint.cosine * std::cos(angle) + joint.sine * std::sin(angle);
  }
  return kinetic + joint.stiction * curve;
}

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
  const EmittedModel & model, const std::vector<SimulatedJoint> & joints, SimulatedDrives drives,
  const std::vector<double> & payload)
: n_(model.size()), model_(model), forward_dynamics_(model.damped_forward_dynamics()),
  inverse_(model.damped_inverse()), inverse_dynamics_(model.inverse_dynamics()),
  friction_(model.joint_friction()), joints_(joints), drives_(drives), payload_(payload), q_(n_),
  qd_(n_), qdd_(n_), effort_(n_), tau_(n_), level_(n_), diagonal_(n_), zero_(n_), weight_(n_),
  at_rest_(n_), gain_(n_), next_(n_), needed_(n_), prescribed_(n_), before_(n_), braked_(n_),
  kinematic_(n_), saturated_(n_), grip_(n_), bounds_(n_), impulses_(n_)
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
  if (drives_.carries_weight) {
    status = inverse_dynamics_(
      q_.data(), zero_.data(), zero_.data(), payload(), weight_.data());
  }
  prescribe(commands, modes, dt);
  for (int k = 0; k < steps && status == 0; ++k) {
    before_ = qd_;
    status = step(commands, modes, dt / steps);
  }
  status = status ? status : write_kinematic_efforts(dt / steps);
  if (status != 0) {
    std::fill(qd_.begin(), qd_.end(), 0.0);
  }
  return status;
}

void SimulatedArm::prescribe(const double * commands, const Mode * modes, double dt) noexcept
{
  for (std::size_t i = 0; i < n_; ++i) {
    const SimulatedJoint & joint = joints_[i];
    kinematic_[i] = drives_.kinematic && modes[i] != Mode::EFFORT && !joint.stuck;
    braked_[i] = kinematic_[i] || joint.stuck;
    prescribed_[i] = 0.0;
    if (kinematic_[i] && std::isfinite(commands[i])) {
      double speed = commands[i];
      if (modes[i] == Mode::POSITION) {
        const double error = commands[i] - q_[i];
        speed = std::fabs(error) > ARRIVED * std::fabs(commands[i]) ? error / dt : 0.0;
      }
      speed = std::clamp(speed, -joint.velocity, joint.velocity);
      prescribed_[i] = std::clamp(speed, slowest(i, dt), fastest(i, dt));
    }
  }
}

int SimulatedArm::step(const double * commands, const Mode * modes, double h) noexcept
{
  linearise(commands, modes, h);
  int status = solve(h);
  for (std::size_t k = 0; k < 2 * n_ && status == 0 && correct_saturation(); ++k) {
    status = solve(h);
  }
  if (status != 0) {
    return status;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    const SimulatedJoint & joint = joints_[i];
    const double lowest = std::min(joint.lower, q_[i]), highest = std::max(joint.upper, q_[i]);
    effort_[i] = braked_[i] ? 0.0 : std::clamp(effort_at_the_end(i), -limit(i), limit(i));
    qd_[i] = next_[i];
    q_[i] = std::clamp(q_[i] + h * qd_[i], lowest, highest);  // undoes rounding at a stop
  }
  return 0;
}

void SimulatedArm::linearise(const double * commands, const Mode * modes, double h) noexcept
{
  for (std::size_t i = 0; i < n_; ++i) {
    const SimulatedJoint & joint = joints_[i];
    const double command = std::isfinite(commands[i]) ? commands[i] : 0.0;
    level_[i] = friction_level(friction_[i], q_[i], qd_[i]);
    saturated_[i] = Side::NONE;
    gain_[i] = 0.0;
    if (modes[i] == Mode::VELOCITY) {
      gain_[i] = joint.velocity_gain;
      at_rest_[i] = weight_[i] + joint.velocity_gain * command;
    } else if (modes[i] == Mode::POSITION) {
      gain_[i] = joint.rate_gain + h * joint.stiffness;
      at_rest_[i] = weight_[i] + joint.stiffness * (command - q_[i]);
    } else {
      at_rest_[i] = std::clamp(command, -joint.effort, joint.effort);
    }
    gain_[i] *= joint.strength;
    at_rest_[i] *= joint.strength;
  }
}

int SimulatedArm::solve(double h) noexcept
{
  const bool has_friction = assume_friction();
  int status = accelerate(h);
  if (status != 0 || assumed_well(h)) {
    return status;
  }
  if (has_friction) {
    std::fill(grip_.begin(), grip_.end(), Grip::NONE);
    status = accelerate(h);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    bounds_[i] = {h * level_[i], slowest(i, h), fastest(i, h), braked_[i]};
    diagonal_[i] = h * damping(i) + (braked_[i] ? BRAKE : 0.0);
  }
  status = status ? status :
    inverse_(q_.data(), diagonal_.data(), payload(), impulses_.inverse());
  if (status == 0) {
    impulses_.settle(bounds_, next_.data());
    for (std::size_t i = 0; i < n_; ++i) {
      next_[i] = braked_[i] ? prescribed_[i] : next_[i];
    }
  }
  return status;
}

int SimulatedArm::accelerate(double h) noexcept
{
  for (std::size_t i = 0; i < n_; ++i) {
    const double brake = braked_[i] ? BRAKE : 0.0;
    const double friction = grip_[i] == Grip::SLIDES_ON ? level_[i] :
      grip_[i] == Grip::SLIDES_BACK ? -level_[i] : 0.0;
    const double given = braked_[i] ? 0.0 :
      saturated_[i] == Side::NONE ? at_rest_[i] : effort_at_the_end(i);
    tau_[i] = given - friction - (damping(i) + brake / h) * qd_[i];
    if (prescribed_[i] != 0.0) {
      tau_[i] += brake / h * prescribed_[i];
    }
    diagonal_[i] = h * damping(i) + brake + (grip_[i] == Grip::STICKS ? BRAKE : 0.0);
  }
  const int status = forward_dynamics_(
    q_.data(), qd_.data(), tau_.data(), diagonal_.data(), payload(), qdd_.data());
  for (std::size_t i = 0; i < n_; ++i) {
    next_[i] = braked_[i] ? prescribed_[i] :
      grip_[i] == Grip::STICKS ? 0.0 : qd_[i] + h * qdd_[i];
  }
  return status;
}

bool SimulatedArm::assume_friction() noexcept
{
  bool found = false;
  for (std::size_t i = 0; i < n_; ++i) {
    grip_[i] = Grip::NONE;
    if (friction_[i].coulomb + friction_[i].stiction > 0.0 && !braked_[i]) {
      found = true;
      grip_[i] = qd_[i] == 0.0 ? Grip::STICKS : qd_[i] > 0.0 ? Grip::SLIDES_ON : Grip::SLIDES_BACK;
    }
  }
  return found;
}

bool SimulatedArm::assumed_well(double h) noexcept
{
  bool sticks = false;
  for (std::size_t i = 0; i < n_; ++i) {
    const double x = q_[i] + h * next_[i];
    if (x < joints_[i].lower || x > joints_[i].upper ||
      (grip_[i] == Grip::SLIDES_ON && !(next_[i] >= 0.0)) ||
      (grip_[i] == Grip::SLIDES_BACK && !(next_[i] <= 0.0)))
    {
      return false;
    }
    if (grip_[i] == Grip::STICKS) {
      sticks = true;
      qdd_[i] = 0.0;
    }
  }
  if (sticks) {
    inverse_dynamics_(q_.data(), qd_.data(), qdd_.data(), payload(), needed_.data());
  }
  for (std::size_t i = 0; i < n_; ++i) {
    if (grip_[i] == Grip::STICKS && !(std::fabs(needed_[i] - tau_[i]) <= level_[i])) {
      return false;
    }
  }
  return true;
}

bool SimulatedArm::correct_saturation() noexcept
{
  bool found = false;
  for (std::size_t i = 0; i < n_; ++i) {
    const double wanted = at_rest_[i] - gain_[i] * next_[i];
    const Side before = saturated_[i];
    if (braked_[i]) {
      continue;
    }
    if (before == Side::NONE && !(std::fabs(wanted) <= limit(i))) {
      saturated_[i] = wanted > 0.0 ? Side::HIGH : Side::LOW;
    } else if (before != Side::NONE) {
      if ((before == Side::HIGH ? wanted : -wanted) < (1.0 - SLACK) * limit(i)) {
        saturated_[i] = Side::NONE;
      }
    }
    found = found || saturated_[i] != before;
  }
  return found;
}

int SimulatedArm::write_kinematic_efforts(double h) noexcept
{
  if (std::find(kinematic_.begin(), kinematic_.end(), true) == kinematic_.end()) {
    return 0;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    qdd_[i] = (qd_[i] - before_[i]) / h;
  }
  const int status =
    inverse_dynamics_(q_.data(), qd_.data(), qdd_.data(), payload(), needed_.data());
  for (std::size_t i = 0; i < n_; ++i) {
    if (kinematic_[i]) {
      const double dry = qd_[i] > 0.0 ? level_[i] : qd_[i] < 0.0 ? -level_[i] : 0.0;
      effort_[i] = needed_[i] + friction_[i].viscous * qd_[i] + dry;
    }
  }
  return status;
}

double SimulatedArm::damping(std::size_t i) const noexcept
{
  const bool follows = saturated_[i] == Side::NONE && !braked_[i];
  return friction_[i].viscous + (follows ? gain_[i] : 0.0);
}

double SimulatedArm::limit(std::size_t i) const noexcept
{
  return joints_[i].strength > 0.0 ? joints_[i].strength * joints_[i].effort : 0.0;
}

double SimulatedArm::effort_at_the_end(std::size_t i) const noexcept
{
  switch (saturated_[i]) {
    case Side::LOW: return -limit(i);
    case Side::HIGH: return limit(i);
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
