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

/// Limits of a stop, in joint order.
struct StopLimits
{
  const double * effort;       ///< [N m or N]
  const double * effort_rate;  ///< [N m/s or N/s]
  const double * lower;        ///< [rad or m]
  const double * upper;        ///< [rad or m]
};

/// Write the times [s] in which n joints come to rest within limits.
/// `momentum` is the negative momentum M qd, and `weight` the torque that holds the robot, or null.
/// See robodyn_ros/control/reference/stopping.py.
void stopping_times(
  const double * q, const double * qd, const double * momentum, const double * weight,
  const StopLimits & limits, std::size_t n, double * times) noexcept;

/// The current reference: a posture to hold, a stop, or a streamed target.
class Reference
{
public:
  explicit Reference(std::size_t joints);

  /// Positions, velocities and accelerations that the law tracks.
  const double * rows() const noexcept {return rows_.data();}
  std::size_t size() const noexcept {return rows_.size();}
  bool follows() const noexcept {return follows_;}
  /// Return whether a target is followed, or a stop is under way.
  bool moves() const noexcept {return follows_ || stops_;}
  /// Rest at a posture.
  void hold(const double * q) noexcept;
  /// Come to rest from a state, each joint in its time [s], and hold the posture then.
  void stop(const double * q, const double * qd, const double * times, double clock) noexcept;
  /// Follow a target from now on, until `timeout` [s] later.
  void stream(
    const double * q, const double * qd, const double * qdd, double clock, double timeout) noexcept;
  /// Advance to a time.
  void advance(double clock) noexcept;
  /// Return whether the target has timed out without a successor.
  bool expired(double clock) const noexcept {return clock > expires_;}
  /// Return the time since the last target [s]; infinite if there is none.
  double since_streamed(double clock) const noexcept {return clock - streamed_at_;}
  /// Return the 3 rows at a time: of the target if there is one, else of the stop or the posture.
  const double * current(double clock) noexcept;

private:
  void sample_stop(double clock, double * rows) const noexcept;

  std::size_t n_;
  std::vector<double> rows_, target_, from_, ahead_;
  bool follows_ = false, stops_ = false;
  double expires_, streamed_at_, stopped_at_ = 0.0, rests_after_ = 0.0;
};

}  // namespace robodyn_control
