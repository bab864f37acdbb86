// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace robodyn_control
{

namespace
{

constexpr double MAX_PERIODS = 3.0;  // largest advance of a tick; the rest is dropped
constexpr double SHARE = 0.8;  // of an effort limit, for a stop; the rest is for the feedback
constexpr double SHORTEST = 1e-4;  // [s] of a stop; a shorter one is at once
constexpr double LONGEST = 1.0;  // [s] of a stop
constexpr double NEVER = std::numeric_limits<double>::infinity();

}  // namespace

void stopping_times(
  const double * q, const double * qd, const double * momentum, const double * weight,
  const StopLimits & limits, std::size_t n, double * times) noexcept
{
  double needed = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double size = std::fabs(momentum[i]), held = weight ? weight[i] : 0.0;
    if (limits.effort[i] > 0.0 && size > 0.0) {
      const double room = SHARE * limits.effort[i] + (momentum[i] < 0.0 ? held : -held);
      needed = std::max(
        {needed, 1.5 * size / std::max(room, 0.0), std::sqrt(6.0 * size / limits.effort_rate[i])});
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double way = std::max(qd[i] > 0.0 ? limits.upper[i] - q[i] : q[i] - limits.lower[i], 0.0);
    const double time = std::min({needed, LONGEST, 2.0 * way / std::fabs(qd[i])});
    times[i] = qd[i] == 0.0 || time < SHORTEST ? 0.0 : time;
  }
}

double ReferenceClock::tick(double now, double period) noexcept
{
  const double last = last_;
  const bool first = !started_;
  last_ = now;
  started_ = true;
  if (first) {
    return 0.0;
  }
  double dt = now - last;
  if (!(dt > 0.0)) {
    ++clamps_;
    return 0.0;
  }
  if (!(dt <= MAX_PERIODS * period)) {
    ++clamps_;
    dt = MAX_PERIODS * period;
  }
  time_ += dt;
  return dt;
}

double ReferenceClock::at(double now, double period) const noexcept
{
  const double since = started_ ? now - last_ : 0.0;
  return time_ + (since > 0.0 && since <= MAX_PERIODS * period ? since : 0.0);
}

Reference::Reference(std::size_t joints)
: n_(joints), rows_(3 * joints), target_(3 * joints), from_(3 * joints), ahead_(3 * joints),
  expires_(NEVER), streamed_at_(-NEVER)
{
}

void Reference::hold(const double * q) noexcept
{
  std::copy_n(q, n_, rows_.begin());
  std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(n_), rows_.end(), 0.0);
  follows_ = stops_ = false;
  streamed_at_ = -NEVER;
}

void Reference::stop(
  const double * q, const double * qd, const double * times, double clock) noexcept
{
  hold(q);
  std::copy_n(q, n_, from_.data());
  std::copy_n(qd, n_, from_.data() + n_);
  std::copy_n(times, n_, from_.data() + 2 * n_);
  stopped_at_ = clock;
  rests_after_ = *std::max_element(times, times + n_);
  stops_ = rests_after_ > 0.0;
  sample_stop(clock, rows_.data());
}

void Reference::sample_stop(double clock, double * rows) const noexcept
{
  for (std::size_t i = 0; i < n_; ++i) {
    const double qd = from_[n_ + i], T = from_[2 * n_ + i];
    const double t = std::max(clock - stopped_at_, 0.0);
    const double x = t / T;
    const bool rests = !(t < T);
    rows[i] = from_[i] + (rests ? 0.5 * qd * T : qd * t * (1.0 - x * x * (1.0 - 0.5 * x)));
    rows[n_ + i] = rests ? 0.0 : qd * (1.0 - x * x * (3.0 - 2.0 * x));
    rows[2 * n_ + i] = rests ? 0.0 : 6.0 * qd / T * x * (x - 1.0);
  }
}

void Reference::stream(
  const double * q, const double * qd, const double * qdd, double clock, double timeout) noexcept
{
  std::copy_n(q, n_, target_.data());
  std::copy_n(qd, n_, target_.data() + n_);
  std::copy_n(qdd, n_, target_.data() + 2 * n_);
  follows_ = true;
  stops_ = false;
  streamed_at_ = clock;
  expires_ = clock + timeout;
}

void Reference::advance(double clock) noexcept
{
  if (stops_) {
    sample_stop(clock, rows_.data());
    stops_ = clock - stopped_at_ < rests_after_;
  } else {
    std::copy(target_.begin(), target_.end(), rows_.begin());
  }
}

const double * Reference::current(double clock) noexcept
{
  if (stops_) {
    sample_stop(clock, ahead_.data());
    return ahead_.data();
  }
  return follows_ ? target_.data() : rows_.data();
}

}  // namespace robodyn_control
