// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace robodyn_control
{

/// The time of references. It follows the clock of the loop, but never jumps or runs back.
class ReferenceClock
{
public:
  /// Start again: the next tick is the first.
  void restart() noexcept {started_ = false;}
  /// Advance to now [s]; return the elapsed time, at most three periods.
  double tick(double now, double period) noexcept;
  /// Return the time between two ticks.
  double at(double now, double period) const noexcept;
  double time() const noexcept {return time_;}
  unsigned long clamps() const noexcept {return clamps_;}

private:
  double time_ = 0.0, last_ = 0.0;
  bool started_ = false;
  unsigned long clamps_ = 0;
};

/// The current reference: a posture to hold, or a streamed target.
class Reference
{
public:
  explicit Reference(std::size_t joints);

  /// Positions, velocities and accelerations that the law tracks.
  const double * rows() const noexcept {return rows_.data();}
  std::size_t size() const noexcept {return rows_.size();}
  bool follows() const noexcept {return follows_;}
  /// Rest at a posture.
  void hold(const double * q) noexcept;
  /// Follow a target from now on, until `timeout` [s] later.
  void stream(
    const double * q, const double * qd, const double * qdd, double clock, double timeout) noexcept;
  /// Advance along the target.
  void advance() noexcept;
  /// Return whether the target has timed out without a successor.
  bool expired(double clock) const noexcept {return clock > expires_;}
  /// Return the time since the last target [s]; infinite if there is none.
  double since_streamed(double clock) const noexcept {return clock - streamed_at_;}
  /// Return the 3 rows of the target if there is one, else those of the posture.
  const double * current() const noexcept {return follows_ ? target_.data() : rows_.data();}

private:
  std::size_t n_;
  std::vector<double> rows_, target_;
  bool follows_ = false;
  double expires_, streamed_at_;
};

}  // namespace robodyn_control
