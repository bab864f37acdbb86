// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Play a recorded run to a supervisor: `replay <library> <prefix> <law> < events > cycles`.
//
// Numbers are doubles in memory order, so that nothing is rounded. The settings come first, then
// the events. An event is a letter and its numbers. `t` and `e` print one line of numbers.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "robodyn_control/supervisor.hpp"

namespace
{

using robodyn_control::Reason;

std::vector<double> read(std::size_t count)
{
  std::vector<double> numbers(count);
  if (count && std::fread(numbers.data(), sizeof(double), count, stdin) != count) {
    std::fprintf(stderr, "the events end early\n");
    std::exit(2);
  }
  return numbers;
}

robodyn_control::Settings read_settings(std::size_t n)
{
  robodyn_control::Settings settings;
  for (auto * const row : {
      &settings.position_gains, &settings.velocity_gains, &settings.effort_limits,
      &settings.effort_rate, &settings.velocity_limits, &settings.lower, &settings.upper,
      &settings.turns, &settings.following_error})
  {
    *row = read(n);
  }
  const auto told = read(17);
  settings.period = told[0];
  settings.position_margin = told[1];
  settings.state_timeout = told[2];
  settings.reference_timeout = told[3];
  settings.gravity_hold = told[4] != 0.0;
  settings.stale_hold = told[5];
  settings.recovery_states = static_cast<int>(told[6]);
  settings.max_start_error = told[7];
  settings.position_jump = told[8];
  settings.stuck_time = told[9];
  settings.stuck_is_stale = told[10] != 0.0;
  settings.overspeed = told[11];
  settings.robot_compensates_gravity = told[12] != 0.0;
  settings.enabled[robodyn_control::FRICTION] = told[13] != 0.0;
  settings.stuck_at_rest = told[14] != 0.0;
  settings.stop_time_constant = told[15];
  settings.holds_behind = told[16] != 0.0;
  return settings;
}

/// Print one line of numbers.
///
/// - state, reason, joint, value, publishing
/// - message of the status, answer to the last request, counters
/// - command, unlimited torque, bits of limits
void tell(const robodyn_control::Supervisor & arm, const char * answer)
{
  const auto & counted = arm.counters();
  std::printf(
    "%d,%s,%d,%.17g,%d,%s,%s", static_cast<int>(arm.state()), name(arm.reason()), arm.joint(),
    arm.value(), arm.publishing(),
    robodyn_control::status_message(arm.stuck()), answer);
  for (const auto number : {
      counted.cycles, counted.effort_limited, counted.rate_limited, counted.position_guarded,
      counted.stale_episodes, counted.stuck_episodes, counted.behind_episodes, counted.faults,
      counted.rejected_references, arm.states().rejected()})
  {
    std::printf(",%lu", number);
  }
  for (const double * const row : {arm.command(), arm.unlimited()}) {
    for (std::size_t i = 0; i < arm.size(); ++i) {
      std::printf(",%.17g", row[i]);
    }
  }
  for (std::size_t i = 0; i < arm.size(); ++i) {
    std::printf(",%d", arm.hits()[i]);
  }
  std::printf("\n");
}

/// Attach a payload over a ramp; return the reason of a refusal, without commas, or "".
std::string attach(
  robodyn_control::Supervisor & arm, const robodyn_control::EmittedModel & model,
  std::vector<double> & payloads)
{
  const auto told = read(12);
  const auto place = static_cast<std::size_t>(told[0]);
  const auto & frames = model.payload_frames();
  robodyn_control::Payload body{told[1], {}, {}};
  std::copy_n(told.begin() + 2, 3, body.com.begin());
  std::copy_n(told.begin() + 5, 6, body.inertia.begin());
  std::string sentence;
  try {
    const auto planned = robodyn_control::plan_payload(
      model, payloads, place < frames.size() ? frames[place] : "hand", body, told[11]);
    sentence = robodyn_control::refuse_weight(
      model, planned, arm.payload(), arm.states().empty() ? nullptr : arm.states().q(),
      arm.settings());
    if (sentence.empty()) {
      payloads = planned;
      arm.carry(payloads.data(), told[11]);
    }
  } catch (const std::invalid_argument & error) {
    sentence = error.what();
  }
  std::replace(sentence.begin(), sentence.end(), ',', ';');
  return sentence;
}

}  // namespace

int main(int count, char ** arguments)
{
  if (count != 4) {
    std::fprintf(stderr, "expected a library, a prefix and a law\n");
    return 2;
  }
  const robodyn_control::EmittedModel model(arguments[1], arguments[2]);
  const std::string law = arguments[3];
  const std::size_t n = model.size();
  robodyn_control::Supervisor arm(
    model, law == "gravity_compensation" ? robodyn_control::EmittedModel::Law() : model.law(law),
    read_settings(n));
  std::vector<double> payloads(robodyn_control::PAYLOAD * model.payload_frames().size());
  std::string answer;
  for (int event = std::getchar(); event != EOF; event = std::getchar()) {
    const double now = read(1)[0];
    switch (event) {
      case 'm': {
          const auto q = read(n), qd = read(n);
          answer = name(arm.measure(q.data(), qd.data(), now));
          break;
        }
      case 'r': {
          const auto q = read(n), qd = read(n), qdd = read(n);
          answer = arm.stream_target(q.data(), qd.data(), qdd.data(), now) ==
            robodyn_control::Refusal::NONE ? "" : "refused";
          break;
        }
      case 'f': {
          const auto effort = read(n);
          arm.set_feedforward(std::isnan(effort[0]) ? nullptr : effort.data());
          break;
        }
      case 'c': arm.configure(read_settings(n)); break;
      case 'a':
        answer = arm.activate(now) == robodyn_control::Refusal::NONE ? "" : "refused"; break;
      case 'x': answer = arm.reset(now) == robodyn_control::Refusal::NONE ? "" : "refused"; break;
      case 'p': answer = attach(arm, model, payloads); break;
      case 'd': arm.deactivate(); break;
      case 'e':
        arm.release(now);
        tell(arm, answer.c_str());
        break;
      case 's': arm.stop(); break;
      case 'h': arm.hold(); break;
      case 't':
        arm.tick(now);
        tell(arm, answer.c_str());
        break;
      default:
        std::fprintf(stderr, "got the event %c\n", event);
        return 2;
    }
  }
  return 0;
}
