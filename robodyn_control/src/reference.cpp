// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/reference.hpp"

#include <algorithm>
#include <limits>

namespace robodyn_control
{

namespace
{

constexpr double MAX_PERIODS = 3.0;  // largest advance of a tick; the rest is dropped
constexpr double NEVER = std::numeric_limits<double>::infinity();

}  // namespace

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
: n_(joints), rows_(3 * joints), target_(3 * joints), expires_(NEVER), streamed_at_(-NEVER)
{
}

void Reference::hold(const double * q) noexcept
{
  std::copy_n(q, n_, rows_.begin());
  std::fill(rows_.begin() + static_cast<std::ptrdiff_t>(n_), rows_.end(), 0.0);
  follows_ = false;
  streamed_at_ = -NEVER;
}

void Reference::stream(
  const double * q, const double * qd, const double * qdd, double clock, double timeout) noexcept
{
  std::copy_n(q, n_, target_.data());
  std::copy_n(qd, n_, target_.data() + n_);
  std::copy_n(qdd, n_, target_.data() + 2 * n_);
  follows_ = true;
  streamed_at_ = clock;
  expires_ = clock + timeout;
}

void Reference::advance() noexcept {std::copy(target_.begin(), target_.end(), rows_.begin());}

}  // namespace robodyn_control
