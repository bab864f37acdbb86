// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/joint_impulses.hpp"

#include <algorithm>
#include <cmath>

namespace robodyn_control
{

namespace
{

// As in robodyn_ros/simulation/joint_impulses.py.
constexpr int ROUNDS = 20;         // after them the result of the sweeps counts
constexpr int SWEEPS = 5;          // of Gauss-Seidel in a round
constexpr int TRIES = 8;           // of exact solutions in a round
constexpr double SETTLED = 1e-13;  // [rad/s or m/s] change of velocity in a converged sweep
constexpr double SLACK = 1e-11;    // [-] tolerance at the border of two cases

/// Return the velocity after friction, which changes it by at most `reach`, and stops.
double constrained(double free, double reach, double low, double high) noexcept
{
  const double after = free > 0.0 ? std::max(free - reach, 0.0) : std::min(free + reach, 0.0);
  return std::min(std::max(after, low), high);
}

}  // namespace

JointImpulses::JointImpulses(std::size_t joints)
: n_(joints), inverse_(n_ * n_), factor_(n_ * n_), impulse_(n_), free_(n_), rhs_(n_), target_(n_),
  kept_impulse_(n_), kept_(n_), case_(n_)
{
}

void JointImpulses::settle(const std::vector<JointBounds> & bounds, double * velocity) noexcept
{
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  std::copy_n(velocity, n_, free_.begin());
  bool settled = false, exact = false;
  for (int round = 0; round < ROUNDS && !settled && !exact; ++round) {
    for (int k = 0; k < SWEEPS && !settled; ++k) {
      settled = sweep(bounds, velocity) <= SETTLED;
    }
    exact = solve_exactly(bounds, velocity);
  }
  if (!exact) {
    classify(bounds, velocity);
    for (std::size_t k = 0; k < n_; ++k) {
      velocity[k] = case_[k] == Case::HELD ? 0.0 : velocity[k];
    }
  }
}

double JointImpulses::sweep(const std::vector<JointBounds> & bounds, double * velocity) noexcept
{
  double largest = 0.0;
  for (std::size_t k = 0; k < n_; ++k) {
    const auto & [friction, low, high, fixed] = bounds[k];
    const double old = impulse_[k];
    const bool within = low <= velocity[k] && velocity[k] <= high;
    if (fixed || (old == 0.0 && friction == 0.0 && within)) {
      continue;
    }
    const double compliance = inverse_[k * n_ + k], free = velocity[k] - compliance * old;
    impulse_[k] = (constrained(free, compliance * friction, low, high) - free) / compliance;
    const double change = impulse_[k] - old;
    for (std::size_t j = 0; j < n_; ++j) {
      velocity[j] += inverse_[k * n_ + j] * change;
    }
    largest = std::max(largest, std::fabs(compliance * change));
  }
  return largest;
}

void JointImpulses::classify(
  const std::vector<JointBounds> & bounds, const double * velocity) noexcept
{
  for (std::size_t k = 0; k < n_; ++k) {
    const auto & [friction, low, high, fixed] = bounds[k];
    const double compliance = inverse_[k * n_ + k];
    const double free = velocity[k] - compliance * impulse_[k], reach = compliance * friction;
    case_[k] = Case::FREE;
    target_[k] = 0.0;
    if (fixed) {
      continue;
    }
    if (free - reach > high) {
      case_[k] = Case::AT_UPPER;
      target_[k] = high;
    } else if (free + reach < low) {
      case_[k] = Case::AT_LOWER;
      target_[k] = low;
    } else if (friction > 0.0) {
      case_[k] = free > reach ? Case::SLIDES_ON : free < -reach ? Case::SLIDES_BACK : Case::HELD;
    }
  }
}

bool JointImpulses::solve_exactly(
  const std::vector<JointBounds> & bounds, double * velocity) noexcept
{
  kept_impulse_ = impulse_;
  std::copy_n(velocity, n_, kept_.begin());
  bool found = false;
  for (int k = 0; k < TRIES && !found; ++k) {
    found = solve_cases(bounds, velocity);
  }
  if (!found) {
    impulse_ = kept_impulse_;
    std::copy_n(kept_.begin(), n_, velocity);
    return false;
  }
  for (std::size_t k = 0; k < n_; ++k) {  // rounding must not reverse a joint
    if (case_[k] == Case::SLIDES_ON) {
      velocity[k] = std::max(velocity[k], 0.0);
    } else if (case_[k] == Case::SLIDES_BACK) {
      velocity[k] = std::min(velocity[k], 0.0);
    }
  }
  return true;
}

bool JointImpulses::solve_cases(
  const std::vector<JointBounds> & bounds, double * velocity) noexcept
{
  classify(bounds, velocity);
  for (std::size_t k = 0; k < n_; ++k) {
    impulse_[k] = case_[k] == Case::SLIDES_ON ? -bounds[k].friction :
      case_[k] == Case::SLIDES_BACK ? bounds[k].friction : 0.0;
  }
  add_impulses(velocity);
  for (std::size_t k = 0; k < n_; ++k) {
    rhs_[k] = target_[k] - velocity[k];
  }
  if (!solve_prescribed()) {
    return false;
  }
  for (std::size_t k = 0; k < n_; ++k) {
    impulse_[k] = prescribed(k) ? rhs_[k] : impulse_[k];
  }
  add_impulses(velocity);
  bool all = true;
  for (std::size_t k = 0; k < n_; ++k) {
    velocity[k] = prescribed(k) ? target_[k] : velocity[k];
    all = all && matches(bounds[k], velocity[k], k);
  }
  return all;
}

bool JointImpulses::solve_prescribed() noexcept
{
  factor_ = inverse_;
  for (std::size_t j = 0; j < n_; ++j) {
    if (!prescribed(j)) {
      continue;
    }
    if (!(factor_[j * n_ + j] > 0.0)) {
      return false;
    }
    const double reciprocal = 1.0 / std::sqrt(factor_[j * n_ + j]);
    factor_[j * n_ + j] = reciprocal;
    rhs_[j] *= reciprocal;
    for (std::size_t i = j + 1; i < n_; ++i) {
      factor_[i * n_ + j] *= reciprocal;
    }
    for (std::size_t i = j + 1; i < n_; ++i) {
      const double below = factor_[i * n_ + j];
      rhs_[i] -= below * rhs_[j];
      for (std::size_t m = j + 1; m <= i; ++m) {
        factor_[i * n_ + m] -= below * factor_[m * n_ + j];
      }
    }
  }
  for (std::size_t i = n_; i-- > 0; ) {
    if (!prescribed(i)) {
      continue;
    }
    rhs_[i] *= factor_[i * n_ + i];
    for (std::size_t j = 0; j < i; ++j) {
      if (prescribed(j)) {
        rhs_[j] -= factor_[i * n_ + j] * rhs_[i];
      }
    }
  }
  return true;
}

void JointImpulses::add_impulses(double * velocity) const noexcept
{
  std::copy_n(free_.begin(), n_, velocity);
  for (std::size_t j = 0; j < n_; ++j) {
    for (std::size_t k = 0; k < n_; ++k) {
      velocity[k] += inverse_[j * n_ + k] * impulse_[j];
    }
  }
}

bool JointImpulses::matches(
  const JointBounds & bound, double velocity, std::size_t k) const noexcept
{
  const double p = impulse_[k], slack = SLACK * (bound.friction + std::fabs(p));
  switch (case_[k]) {
    case Case::HELD: return std::fabs(p) <= bound.friction + slack;
    case Case::AT_UPPER: return p <= slack - bound.friction;
    case Case::AT_LOWER: return p >= bound.friction - slack;
    default: break;
  }
  if (bound.fixed) {
    return true;
  }
  const double room = SLACK * (std::fabs(velocity) + std::fabs(free_[k]));
  const double low = case_[k] == Case::SLIDES_ON ? -room : bound.low - room;
  const double high = case_[k] == Case::SLIDES_BACK ? room : bound.high + room;
  return low <= velocity && velocity <= high;
}

bool JointImpulses::prescribed(std::size_t k) const noexcept
{
  return case_[k] == Case::HELD || case_[k] == Case::AT_LOWER || case_[k] == Case::AT_UPPER;
}

}  // namespace robodyn_control
