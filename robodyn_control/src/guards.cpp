// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/guards.hpp"

#include <cmath>
#include <limits>

#include "robodyn_control/settings.hpp"

// Comparisons are written so that NaN fails them: !(low <= x && x <= high).

namespace robodyn_control
{

namespace
{

// Both return the first argument if the second is NaN.
double larger(double a, double b) {return b > a ? b : a;}
double smaller(double a, double b) {return b < a ? b : a;}

}  // namespace

int first_not_finite(const double * x, std::size_t size) noexcept
{
  for (std::size_t i = 0; i < size; ++i) {
    if (!std::isfinite(x[i])) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

int judge(
  double * state, const double * previous, const double * guards, std::size_t n,
  double elapsed, double allowance, double overspeed) noexcept
{
  const double * const speed = guards + SPEED * n;
  for (std::size_t i = 0; i < n; ++i) {
    if (!(std::fabs(state[i]) <= LARGEST_POSITION && std::fabs(state[n + i]) <= LARGEST_VELOCITY)) {
      return 1 + static_cast<int>(i);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double turn = guards[TURN * n + i];
    if (turn > 0.0) {
      state[i] += turn * std::floor((previous[i] - state[i]) / turn + 0.5);
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double reach = smaller(speed[i], FASTEST) * larger(elapsed, 0.0) + allowance;
    if (!(std::fabs(state[i] - previous[i]) <= reach)) {
      return JUMPED;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!(std::fabs(state[n + i]) <= overspeed * speed[i])) {
      return TOO_FAST;
    }
  }
  return FINE;
}

int first_stuck(
  const double * state, const Repeated & repeated, const double * command,
  const double * friction, const double * guards, std::size_t n, double time, double timeout,
  double share, int last) noexcept
{
  int stuck = -1;
  for (std::size_t i = 0; i < n; ++i) {
    const double speed = std::fabs(state[n + i]), held = time - repeated.since[i];
    if (state[i] != repeated.state[i] || state[n + i] != repeated.state[n + i]) {
      repeated.state[i] = state[i];
      repeated.state[n + i] = state[n + i];
      repeated.since[i] = time;
      repeated.earlier[i] = command[i];
    } else if (stuck < 0 && held > timeout) {
      const bool moves = speed * held > STUCK_TRAVEL &&
        speed > STUCK_SPEED * smaller(guards[SPEED * n + i], FASTEST);
      const double change = std::fabs(command[i] - repeated.earlier[i]);
      const int joint = static_cast<int>(i);
      if (moves || change > share * guards[EFFORT * n + i] + friction[i] || joint == last) {
        stuck = joint;
      }
    }
  }
  return stuck;
}

int first_behind(
  const double * reference, const double * q, const double * tolerance, std::size_t n) noexcept
{
  if (first_not_finite(reference, 3 * n) >= 0) {
    return NOT_FINITE;
  }
  int behind = -1;
  double most = 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double share = std::fabs(reference[i] - q[i]) / tolerance[i];
    if (share > most) {
      behind = static_cast<int>(i);
      most = share;
    }
  }
  return behind;
}

int add_terms(double * terms, const bool * commanded, std::size_t n, double * total) noexcept
{
  int worst = -1;
  for (std::size_t i = 0; i < n; ++i) {
    total[i] = 0.0;
    for (std::size_t k = 0; k < TERMS; ++k) {
      if (commanded[k]) {
        total[i] += terms[k * n + i];
      } else {
        terms[k * n + i] = 0.0;
      }
    }
    if (worst < 0 && !std::isfinite(total[i])) {
      worst = static_cast<int>(i);
    }
  }
  return worst;
}

void brake(
  double * terms, const bool * commanded, const double * qd, const double * guards, std::size_t n,
  double rate) noexcept
{
  double * const torque = terms + FEEDBACK * n;
  double smallest_share = 1.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double weight = commanded[GRAVITY] ? terms[GRAVITY * n + i] : 0.0;
    double wanted = rate * torque[i];
    if (!std::isfinite(torque[i])) {
      wanted = 0.0;
    }
    const double room = larger(guards[EFFORT * n + i] + (wanted < 0.0 ? weight : -weight), 0.0);
    if (std::fabs(wanted) > room) {
      smallest_share = smaller(smallest_share, room / std::fabs(wanted));
    }
    torque[i] = wanted * qd[i] <= 0.0 ? smaller(larger(wanted, -room), room) : wanted;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (torque[i] * qd[i] > 0.0) {
      torque[i] *= smallest_share;
    }
  }
}

int limit_torque(
  const double * wanted, const double * state, const double * guards, std::size_t n, double dt,
  double * torque, int * hits) noexcept
{
  constexpr double infinite = std::numeric_limits<double>::infinity();
  int hit = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double asked = wanted[i], q = state[i], qd = state[n + i], last = torque[i];
    const double speed = guards[SPEED * n + i];
    const double highest = q <= guards[UPPER * n + i] && qd <= speed ? infinite : 0.0;
    const double lowest = q >= guards[LOWER * n + i] && qd >= -speed ? -infinite : 0.0;
    double inward = smaller(larger(asked, lowest), highest);
    if (!std::isfinite(inward)) {
      inward = 0.0;
    }
    double step = guards[RATE * n + i] * dt;
    if (!(step >= 0.0)) {  // NaN: an infinite rate times zero
      step = 0.0;
    }
    double near = inward;
    if (!(near - last <= step)) {
      near = last + step;
    }
    if (!(near - last >= -step)) {
      near = last - step;
    }
    double largest = guards[EFFORT * n + i];
    if (!(largest >= 0.0)) {
      largest = 0.0;
    }
    double allowed = largest;
    if (std::isfinite(last)) {  // a lowered limit is approached at the rate
      allowed = larger(largest, std::fabs(last) - step);
    }
    torque[i] = smaller(larger(near, -allowed), allowed);
    hits[i] = (inward != asked ? POSITION_GUARDED : 0) |
      (torque[i] != smaller(larger(inward, -largest), largest) ? RATE_LIMITED : 0) |
      (torque[i] != near ? EFFORT_LIMITED : 0);
    hit |= hits[i];
  }
  return hit;
}

}  // namespace robodyn_control
