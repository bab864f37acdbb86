// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/state_buffer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "robodyn_control/guards.hpp"

namespace robodyn_control
{

namespace
{

constexpr int FAST_STATES = 3;  // so many consecutive fast states are no outliers of a sensor

}  // namespace

StateBuffer::StateBuffer(std::size_t joints)
: n_(joints), state_(2 * joints), arrived_(2 * joints), outlier_(2 * joints)
{
}

bool StateBuffer::overspeeding() const noexcept {return fast_ >= FAST_STATES;}

bool StateBuffer::is_fresh(double now, double timeout) const noexcept
{
  return !empty_ && std::fabs(now - time_) <= timeout;
}

Reason StateBuffer::accept(
  const double * q, const double * qd, double time, const StateLimits & limits) noexcept
{
  std::copy_n(q, n_, arrived_.begin());
  std::copy_n(qd, n_, arrived_.begin() + static_cast<std::ptrdiff_t>(n_));
  double * const state = arrived_.data();
  const double * const before = empty_ ? state : state_.data();
  const double elapsed = empty_ ? 0.0 : time - earliest_;
  const int verdict =
    judge(state, before, limits.guards, n_, elapsed, limits.position_jump, limits.overspeed);
  if (verdict > 0) {
    const auto joint = static_cast<std::size_t>(verdict - 1);
    const bool by_velocity = std::fabs(state[joint]) <= LARGEST_POSITION;
    const double value = state[by_velocity ? n_ + joint : joint];
    return reject(
      std::isfinite(value) ? Reason::IMPLAUSIBLE : Reason::NOT_FINITE, verdict - 1, value);
  }
  if (verdict == JUMPED && !confirmed(state, time, limits)) {
    std::size_t farthest = 0;
    for (std::size_t i = 1; i < n_; ++i) {
      if (std::fabs(state[i] - before[i]) > std::fabs(state[farthest] - before[farthest])) {
        farthest = i;
      }
    }
    return reject(Reason::OUTLIER, static_cast<int>(farthest), state[farthest]);
  }
  has_outlier_ = false;
  const bool same = !empty_ &&
    std::memcmp(state, state_.data(), 2 * n_ * sizeof(double)) == 0;
  // after a stall the newest state follows a stale one, so count from the state before both
  earliest_ = empty_ ? time : time_;
  since_ = same ? since_ : time;
  jumps_ += verdict == JUMPED;
  fast_ = verdict == TOO_FAST ? fast_ + 1 : 0;
  time_ = time;
  empty_ = false;
  ++accepted_;
  state_.swap(arrived_);
  return Reason::NONE;
}

bool StateBuffer::confirmed(
  double * state, double time, const StateLimits & limits) noexcept
{
  const bool had = has_outlier_;
  const double elapsed = time - outlier_time_;
  const bool agrees = had && judge(
    state, outlier_.data(), limits.guards, n_, elapsed, limits.position_jump,
    limits.overspeed) != JUMPED;
  std::copy_n(state, 2 * n_, outlier_.begin());
  outlier_time_ = time;
  has_outlier_ = true;
  return agrees;
}

Reason StateBuffer::reject(Reason reason, int joint, double value) noexcept
{
  ++rejected_;
  rejection_ = {reason, joint, value};
  return reason;
}

}  // namespace robodyn_control
