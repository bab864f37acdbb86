// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "robodyn_control/controller_states.hpp"

namespace robodyn_control
{

/// Reason of a refused joint state.
struct Rejection
{
  Reason reason = Reason::NONE;
  int joint = -1;
  double value = 0.0;
};

/// Limits for the check of joint states.
struct StateLimits
{
  const double * guards;  ///< GUARDS rows
  double position_jump;   ///< [rad or m]
  double overspeed;
};

/// The last valid joint state. Each state is checked, and kept or refused as a whole.
class StateBuffer
{
public:
  explicit StateBuffer(std::size_t joints);

  /// Accept a joint state received at `time` [s], or return the reason of its refusal.
  /// A position that the joint cannot have reached is a jump. It is refused, unless the next
  /// state confirms it. That state is accepted, and counted in `jumps`.
  Reason accept(
    const double * q, const double * qd, double time, const StateLimits & limits) noexcept;

  bool empty() const noexcept {return empty_;}
  const double * state() const noexcept {return state_.data();}  ///< positions, velocities
  const double * q() const noexcept {return state_.data();}
  const double * qd() const noexcept {return state_.data() + n_;}
  double time() const noexcept {return time_;}    ///< [s] of receipt
  double since() const noexcept {return since_;}  ///< [s] of the first with the same bits
  int jumps() const noexcept {return jumps_;}
  unsigned long accepted() const noexcept {return accepted_;}
  unsigned long rejected() const noexcept {return rejected_;}
  const Rejection & rejection() const noexcept {return rejection_;}
  /// Whether a joint is too fast in several consecutive states.
  bool overspeeding() const noexcept;
  /// Return whether the state is fresh. A time far in the future, or NaN, is not.
  bool is_fresh(double now, double timeout) const noexcept;

private:
  bool confirmed(double * state, double time, const StateLimits & limits) noexcept;
  Reason reject(Reason reason, int joint, double value) noexcept;

  std::size_t n_;
  bool empty_ = true, has_outlier_ = false;
  std::vector<double> state_, arrived_, outlier_;
  double time_ = 0.0, earliest_ = 0.0, since_ = 0.0, outlier_time_ = 0.0;
  int jumps_ = 0, fast_ = 0;
  unsigned long accepted_ = 0, rejected_ = 0;
  Rejection rejection_;
};

}  // namespace robodyn_control
