// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Run cycles with an allocator that counts: `no_allocation <library> <prefix> <cycles>`.
// Each cycle computes the task dynamics of the last frame of the library, too.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "../tools/counted_calls.hpp"
#include "robodyn_control/supervisor.hpp"
#include "robodyn_control/task_space.hpp"

int main(int, char ** arguments)
{
  const robodyn_control::EmittedModel model(arguments[1], arguments[2]);
  const long cycles = std::atol(arguments[3]);
  const std::size_t n = model.size();
  robodyn_control::Settings settings;
  settings.period = 1e-3;
  settings.position_gains.assign(n, 100.0);
  settings.velocity_gains.assign(n, 20.0);
  settings.effort_limits.assign(n, 50.0);
  settings.effort_rate.assign(n, 1000.0);
  settings.velocity_limits.assign(n, 3.0);
  settings.lower.assign(n, -2.5);
  settings.upper.assign(n, 2.5);
  settings.following_error.assign(n, 0.2);
  robodyn_control::Supervisor arm(model, model.law("computed_torque"), settings);
  robodyn_control::TaskSpace task(
    model, {{model.frames().back(), {}}}, robodyn_control::rows_of_axes(""), 0.0);
  std::vector<double> q(n), qd(n), target(n), zero(n);
  std::vector<double> payload(robodyn_control::PAYLOAD * model.payload_frames().size());
  arm.measure(q.data(), qd.data(), 0.0);
  arm.activate(0.0);

  std::fflush(stdout);
  const bool counted = counted_calls::are_counted();
  const counted_calls::Counts before = counted_calls::counts;
  unsigned long faults = 0, states = 0;
  for (long k = 1; k <= cycles; ++k) {
    const double now = 1e-3 * static_cast<double>(k);
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = 0.3 * std::sin(now + static_cast<double>(i));
      qd[i] = 0.3 * std::cos(now + static_cast<double>(i));
      target[i] = q[i] + 1e-3;
    }
    if (k % 1000 == 500) {  // sometimes a sensor fails, a state is missing, or the arm is stopped
      q[0] = std::numeric_limits<double>::quiet_NaN();
    } else if (k % 1000 == 700) {
      arm.stop();
    } else if (k % 1000 == 750) {
      arm.reset(now);
    }
    if (k % 1000 < 800 || k % 1000 > 860) {
      arm.measure(q.data(), qd.data(), now);
    }
    if (!payload.empty() && k % 400 == 0) {  // picked up, and put down
      payload[0] = 2.0 - payload[0];
      arm.carry(payload.data(), 0.1);
    }
    arm.stream_target(target.data(), qd.data(), zero.data(), now);
    states |= 1UL << static_cast<int>(arm.tick(now));
    const bool lost = task.compute(arm.states().q(), arm.states().qd(), arm.payload()) != 0;
    faults += lost || !std::isfinite(arm.command()[0]) || !std::isfinite(task.inertia()[0]);
  }
  const counted_calls::Counts did = counted_calls::counts - before;
  std::printf(
    "%d %lu %lu %lu %lu %lu\n", counted, did.allocations, did.locks, did.writes, faults, states);
  return 0;
}
