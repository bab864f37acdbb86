// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/payload.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "robodyn_control/jacobi_rotations.hpp"

namespace robodyn_control
{

namespace
{

using Three = std::array<double, 3>;

// As in robodyn_ros/model/validate.py and lint.py.
constexpr double LONGEST = 60.0;             // [s] longest ramp
constexpr double SMALLEST_MASS = 1e-12;      // [kg]
constexpr double LARGEST_MASS = 1e9;         // [kg]
constexpr double LARGEST_LENGTH = 1e6;       // [m]
constexpr double LARGEST_INERTIA = 1e12;     // [kg m^2]
constexpr double NO_INERTIA = 1e-15;         // [kg m^2] rounding of a zero inertia
constexpr double PRINTED = 1e-5;             // rounding of five printed digits
constexpr double HEAVY = 1000.0;             // [kg]
constexpr double FAR = 5.0;                  // [m]

/// Return a number with so many significant digits.
std::string printed(double value, int digits = 6)
{
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return std::isnan(value) ? "nan" : text;  // C prints its sign, too
}

std::string quoted(const std::string & name) {return "'" + name + "'";}

void require(bool holds, const std::string & sentence)
{
  if (!holds) {
    throw std::invalid_argument(sentence);
  }
}

template<typename Numbers>
void require_finite(const std::string & robot, const char * what, const Numbers & values)
{
  for (const double value : values) {
    require(
      std::isfinite(value), robot + what + " has the entry " + printed(value) +
      "; expected finite numbers");
  }
}

/// Return the principal moments of an inertia, the smallest first.
Three principal_moments(const std::array<double, 6> & inertia)
{
  const auto [xx, xy, xz, yy, yz, zz] = inertia;
  double matrix[] = {xx, xy, xz, xy, yy, yz, xz, yz, zz}, axes[9];
  diagonalise(matrix, axes, 3);
  Three moments{matrix[0], matrix[4], matrix[8]};
  std::sort(moments.begin(), moments.end());
  return moments;
}

/// Refuse what no rigid body is.
void require_possible(const std::string & where, const Payload & body, const Three & moments)
{
  require(
    body.mass >= SMALLEST_MASS && body.mass <= LARGEST_MASS,
    where + "mass is " + printed(body.mass) + " kg; expected 0 or a mass between " +
    printed(SMALLEST_MASS) + " and " + printed(LARGEST_MASS) + " kg");
  const auto [x, y, z] = body.com;
  require(
    std::max({std::fabs(x), std::fabs(y), std::fabs(z)}) <= LARGEST_LENGTH,
    where + "centre of mass is [" + printed(x) + " " + printed(y) + " " + printed(z) +
    "] m; expected at most " + printed(LARGEST_LENGTH));
  double size = 0.0;
  for (const double entry : body.inertia) {
    size = std::max(size, std::fabs(entry));
  }
  require(
    size <= LARGEST_INERTIA, where + "inertia has entries up to " + printed(size) +
    " kg m2; expected at most " + printed(LARGEST_INERTIA));
  require(
    !(moments[0] < -std::max(PRINTED * size, NO_INERTIA)),
    where + "principal moments of inertia are " + printed(moments[0]) + ", " +
    printed(moments[1]) + ", " + printed(moments[2]) + " kg m2; expected none below zero");
}

/// Refuse what is most probably a mistake.
void require_plausible(const std::string & where, const Payload & body, const Three & moments)
{
  require(
    !(moments[0] + moments[1] < (1.0 - PRINTED) * moments[2] - NO_INERTIA),
    where + "principal moments " + printed(moments[0]) + ", " + printed(moments[1]) + ", " +
    printed(moments[2]) +
    " kg m2 break the triangle inequality: no mass distribution has them");
  require(
    !(body.mass > HEAVY),
    where + "has a mass of " + printed(body.mass) + " kg; is its number in kg?");
  const double distance = std::hypot(body.com[0], body.com[1], body.com[2]);
  require(
    !(distance > FAR), where + "centre of mass is " + printed(distance, 3) +
    " m from the link origin; are its numbers in metres?");
  const double gyration = std::sqrt(std::max(moments[2], 0.0) / body.mass);
  require(
    !(gyration > FAR), where + "radius of gyration is " + printed(gyration, 3) +
    " m; are its numbers in kg and kg m2?");
}

/// Write the numbers of a body: I + m (c . c 1 - c c^T) about the origin (parallel axes).
void write(const Payload & body, double * row)
{
  const double m = body.mass;
  const auto [x, y, z] = body.com;
  const auto [xx, xy, xz, yy, yz, zz] = body.inertia;
  const double numbers[PAYLOAD] = {
    m, m * x, m * y, m * z,
    xx + m * (y * y + z * z), xy - m * x * y, xz - m * x * z,
    yy + m * (x * x + z * z), yz - m * y * z, zz + m * (x * x + y * y)};
  std::copy_n(numbers, PAYLOAD, row);
}

/// Return the largest torque that each joint needs at rest.
std::vector<double> weight(const EmittedModel & model, const double * q, const double * payload)
{
  const std::size_t n = model.size();
  const std::vector<double> zero(n);
  std::vector<double> terms(TERMS * n);
  model.gravity_compensation()(q, zero.data(), payload, terms.data());
  std::vector<double> needed(n);
  for (std::size_t i = 0; i < n; ++i) {
    needed[i] = std::fabs(terms[GRAVITY * n + i]);
  }
  return needed;
}

}  // namespace

PayloadRamp::PayloadRamp(std::size_t payloads)
: values_(PAYLOAD * payloads), start_(values_), goal_(values_)
{
}

void PayloadRamp::begin(const double * goal, double duration) noexcept
{
  start_ = values_;
  std::copy_n(goal, goal_.size(), goal_.begin());
  duration_ = duration;
  elapsed_ = 0.0;
  moving_ = true;
  empty_ = false;
}

void PayloadRamp::advance(double dt) noexcept
{
  elapsed_ += dt;
  if (!(duration_ > 0.0 && elapsed_ < duration_)) {
    finish();
    return;
  }
  for (std::size_t k = 0; k < values_.size(); ++k) {
    values_[k] = start_[k] + (elapsed_ / duration_) * (goal_[k] - start_[k]);
  }
}

void PayloadRamp::finish() noexcept
{
  values_ = goal_;
  moving_ = false;
  empty_ = std::all_of(values_.begin(), values_.end(), [](double x) {return x == 0.0;});
}

std::vector<double> plan_payload(
  const EmittedModel & model, const std::vector<double> & payloads, const std::string & frame,
  const Payload & payload, double duration)
{
  const std::string robot = "robot " + quoted(model.robot());
  require(
    duration >= 0.0 && duration <= LONGEST,
    "a payload ramp of " + printed(duration) + " s; expected 0 to " + printed(LONGEST) + " s");
  const auto & frames = model.payload_frames();
  const auto found = std::find(frames.begin(), frames.end(), frame);
  if (found == frames.end()) {
    std::string valid;
    for (const auto & name : frames) {
      valid += (valid.empty() ? "" : ", ") + name;
    }
    throw std::invalid_argument(
            robot + " has no frame " + quoted(frame) + "; valid: " +
            (valid.empty() ? "those that emit --payload prints" : valid));
  }
  std::vector<double> planned = payloads;
  double * const row = &planned[PAYLOAD * static_cast<std::size_t>(found - frames.begin())];
  const auto zero = [](double x) {return x == 0.0;};
  if (payload.mass == 0.0) {
    require(
      std::all_of(payload.com.begin(), payload.com.end(), zero) &&
      std::all_of(payload.inertia.begin(), payload.inertia.end(), zero),
      robot + ": the payload on " + quoted(frame) +
      " has mass 0 and other values; expected a positive mass [kg], or zeros to detach it");
    std::fill_n(row, PAYLOAD, 0.0);
    return planned;
  }
  require_finite(robot + ": ", "mass", std::array<double, 1>{payload.mass});
  require_finite(robot + ": ", "com", payload.com);
  require_finite(robot + ": ", "inertia", payload.inertia);
  const std::string where = robot + ": body added to " + quoted(frame) + ": ";
  const Three moments = principal_moments(payload.inertia);
  require_possible(where, payload, moments);
  require_plausible(where, payload, moments);
  write(payload, row);
  return planned;
}

std::string refuse_weight(
  const EmittedModel & model, const std::vector<double> & planned, const double * present,
  const double * q, const Settings & settings)
{
  if (!q || settings.robot_compensates_gravity) {
    return "";
  }
  const auto needed = weight(model, q, planned.data()), carried = weight(model, q, present);
  const auto & limits = settings.effort_limits;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (needed[i] > limits[i] && !(carried[i] > limits[i])) {
      return "the payload: joint " + model.joint_names()[i] + " needs " + printed(needed[i]) +
             " to hold it in the measured posture; expected at most its effort limit, " +
             printed(limits[i]) + " (masses are in kg)";
    }
  }
  return "";
}

}  // namespace robodyn_control
