// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/settings.hpp"

#include <algorithm>
#include <cmath>

namespace robodyn_control
{

namespace
{

constexpr double STATE_TIMEOUT_CEILING = 0.2;  // [s]
constexpr double STATE_TIMEOUT_PERIODS = 2.0, BRAKING_PERIODS = 2.0;

template<typename Valid>
std::string refused(
  const char * name, const std::vector<double> & values, std::size_t expected, Valid valid,
  const char * words)
{
  if (values.size() != expected) {
    return std::string(name) + ": got " + std::to_string(values.size()) + " numbers; expected " +
           std::to_string(expected);
  }
  for (const double value : values) {
    if (!valid(value)) {
      return std::string(name) + ": got " + std::to_string(value) + "; expected " + words;
    }
  }
  return "";
}

}  // namespace

std::string Settings::refusal() const
{
  const std::size_t n = size();
  const auto not_negative = [](double x) {return std::isfinite(x) && x >= 0.0;};
  const auto positive = [](double x) {return x > 0.0;};
  std::string found;
  const auto first = [&found](const std::string & sentence) {
      if (found.empty()) {
        found = sentence;
      }
    };
  first(n > 0 ? "" : "lower: got no joint; expected at least one");
  first(period > 0.0 && period <= 0.1 ? "" : "period: expected more than 0, at most 0.1 s");
  for (const auto & [name, values] : {
      std::pair{"position gains", &position_gains}, std::pair{"velocity gains", &velocity_gains}})
  {
    first(refused(name, *values, n, not_negative, "finite, not negative"));
  }
  if (!turns.empty()) {
    first(refused("turns", turns, n, not_negative, "finite, not negative"));
  }
  first(
    refused(
      "effort_limits", effort_limits, n, [](double x) {return !(x < 0.0);},
      "not negative (NaN: unknown)"));
  first(refused("effort_rate", effort_rate, n, positive, "greater than zero"));
  first(refused("velocity_limits", velocity_limits, n, positive, "greater than zero"));
  first(refused("following_error", following_error, n, positive, "greater than zero"));
  first(upper.size() == n ? "" : "upper: expected as many numbers as lower");
  for (std::size_t i = 0; found.empty() && i < n; ++i) {
    first(lower[i] <= upper[i] ? "" : "lower: expected at most the upper limit");
  }
  for (const auto & [name, value] : {
      std::pair{"position_margin", position_margin}, std::pair{"stale_hold", stale_hold},
      std::pair{"max_start_error", max_start_error}, std::pair{"position_jump", position_jump},
      std::pair{"reference_timeout", reference_timeout}, std::pair{"stuck_time", stuck_time}})
  {
    first(refused(name, {value}, 1, not_negative, "finite, not negative"));
  }
  first(
    refused(
      "stop_time_constant", {stop_time_constant}, 1,
      [](double x) {return std::isfinite(x) && x > 0.0;}, "finite, greater than zero"));
  first(overspeed >= 1.0 ? "" : "overspeed: expected at least 1");
  first(recovery_states >= 1 ? "" : "recovery_states: expected at least 1");
  return found;
}

double Settings::effective_state_timeout() const
{
  const double asked =
    state_timeout <= STATE_TIMEOUT_CEILING ? state_timeout : STATE_TIMEOUT_CEILING;
  return std::max(asked, STATE_TIMEOUT_PERIODS * period);
}

double Settings::effective_stop_time_constant() const
{
  return std::max(stop_time_constant, BRAKING_PERIODS * period);
}

}  // namespace robodyn_control
