// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace robodyn_control
{

/// Rows of the limits of the guards, each of one number per joint.
enum Guard {LOWER, UPPER, SPEED, EFFORT, RATE, TURN, GUARDS};

/// Measurements beyond these are not those of a robot.
constexpr double LARGEST_POSITION = 1e5;  // [rad or m]
constexpr double LARGEST_VELOCITY = 1e4;  // [rad/s or m/s]
/// Largest velocity of joints without a velocity limit.
constexpr double FASTEST = 20.0;  // [rad/s or m/s]

/// Results of `judge` for accepted states.
enum Verdict {FINE = 0, JUMPED = -1, TOO_FAST = -2};

/// Bits that `limit_torque` returns.
enum Hit {POSITION_GUARDED = 1, RATE_LIMITED = 2, EFFORT_LIMITED = 4};

/// Return the index of the first entry that is NaN or infinite, or -1.
int first_not_finite(const double * x, std::size_t size) noexcept;

/// Return 1 + i if the state of joint i is impossible, else JUMPED, TOO_FAST or FINE.
/// state, previous : n positions, n velocities; guards : GUARDS rows of n; elapsed [s].
int judge(
  double * state, const double * previous, const double * guards, std::size_t n,
  double elapsed, double allowance, double overspeed) noexcept;

/// A joint that repeats its reading is stuck if it moves. The reading says so, or the effort
/// changed while a reference moved. At rest any sensor may repeat itself.
constexpr double STUCK_TRAVEL = 0.005;  // [rad or m]
constexpr double STUCK_SPEED = 0.01;    // of the velocity limit
constexpr double STUCK_EFFORT = 0.5;    // of the effort limit, beyond the friction of the model

/// Readings that a joint repeats, NaN before the first one.
struct Repeated
{
  double * state;    ///< positions, velocities
  double * earlier;  ///< [N m or N] published when the reading of each joint was new
  double * since;    ///< [s] of that time
};

/// Return the first joint that repeats its reading although it moves, or -1.
/// last : the last result; a joint stays stuck until its reading changes.
int first_stuck(
  const double * state, const Repeated & repeated, const double * command,
  const double * friction, const double * guards, std::size_t n, double time, double timeout,
  double share, int last) noexcept;

/// Return the joint that is farthest from its reference by its tolerance, or -1 if all are within
/// it. NOT_FINITE means that one of the three rows of the reference is not finite.
int first_behind(
  const double * reference, const double * q, const double * tolerance, std::size_t n) noexcept;
constexpr int NOT_FINITE = -2;

/// Clear the rows that are not commanded, sum the others; return the first bad joint or -1.
int add_terms(double * terms, const bool * commanded, std::size_t n, double * total) noexcept;

/// Turn the negative momentum, the feedback term, into the torque of a stop, -rate M qd.
/// What opposes the motion of its joint is limited to the room that the weight leaves. What drives
/// its joint on gets the smallest of the remaining shares, so the power stays negative.
void brake(
  double * terms, const bool * commanded, const double * qd, const double * guards, std::size_t n,
  double rate) noexcept;

/// Change the last published torque towards the wanted one, as far as the limits allow.
/// The limits apply in this order. Beyond a position limit torque acts inwards only. Above the
/// velocity limit torque only brakes. Torque changes by at most rate * dt, and stays within the
/// effort limit. A lowered effort limit is approached at that rate. The result is finite for any
/// input.
/// torque : the last published one on entry, the next one on return. Returns bits of Hit; those
/// of joint i are in hits[i].
int limit_torque(
  const double * wanted, const double * state, const double * guards, std::size_t n, double dt,
  double * torque, int * hits) noexcept;

}  // namespace robodyn_control
