// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "robodyn_control/controller_states.hpp"
#include "robodyn_control/emitted_model.hpp"
#include "robodyn_control/payload.hpp"
#include "robodyn_control/reference.hpp"
#include "robodyn_control/settings.hpp"
#include "robodyn_control/state_buffer.hpp"

namespace robodyn_control
{

/// Numbers of events since the construction of the supervisor.
struct Counters
{
  unsigned long cycles = 0;            ///< ticks in which torque was published
  unsigned long effort_limited = 0;
  unsigned long rate_limited = 0;
  unsigned long position_guarded = 0;
  unsigned long stale_episodes = 0;
  unsigned long stuck_episodes = 0;    ///< times that joint states had equal bits for too long
  unsigned long behind_episodes = 0;   ///< times that a joint was too far from its reference
  unsigned long faults = 0;
  unsigned long rejected_references = 0;
};

/// Guards between a control law and the joints: every published torque comes from here.
/// The states, guards and limits are those of robodyn_ros.control.Supervisor. After every tick
/// `command` has a finite torque for every joint, within the limits of torque and of its rate.
/// One thread calls everything; only the constructor and `configure` allocate. Times are seconds
/// of one monotonic clock, passed in.
class Supervisor
{
public:
  /// Guard a law of an emitted model. Without a law it compensates gravity, and follows no
  /// reference. Throws std::invalid_argument for invalid settings.
  Supervisor(const EmittedModel & model, EmittedModel::Law law, const Settings & settings);

  /// Change the settings between two ticks. Throws std::invalid_argument for invalid ones.
  void configure(const Settings & settings);

  /// Accept a joint state; return the reason of a refusal, or NONE.
  Reason measure(const double * q, const double * qd, double time) noexcept;
  /// Begin to publish torque: hold the measured posture, starting from its safe torque.
  Refusal activate(double now) noexcept;
  /// Deactivate: brake the arm, let the torque become its weight at its rate, then publishing ends.
  void deactivate() noexcept;
  /// Deactivate at once, if there is no further cycle: `command` is the safe torque.
  void release(double now) noexcept;
  /// Emergency stop: safe torque, latched until `reset`.
  void stop() noexcept;
  /// Leave FAULT; if active, hold the measured posture.
  Refusal reset(double now) noexcept;
  /// Drop the reference, if any, and hold the measured posture.
  void hold() noexcept;
  /// Follow a target. Without a successor within `reference_timeout` the posture is held.
  Refusal stream_target(
    const double * q, const double * qd, const double * qdd, double now) noexcept;
  /// Change the payloads over a ramp [s]; PAYLOAD numbers for each of the model, see plan_payload.
  void carry(const double * payloads, double ramp) noexcept {payload_.begin(payloads, ramp);}
  /// End a ramp at once. No torque may jump then, so this is for a supervisor without cycles.
  void finish_ramp() noexcept {payload_.finish();}
  /// Set a torque to be added in ACTIVE, as the term OTHER [N m or N]; null for none.
  void set_feedforward(const double * effort) noexcept;

  /// Advance to the time now [s] and write `command`; return the state.
  State tick(double now) noexcept;

  std::size_t size() const noexcept {return n_;}
  State state() const noexcept {return state_;}
  Reason reason() const noexcept {return reason_;}
  int joint() const noexcept {return joint_;}      ///< to which the reason refers, or -1
  double value() const noexcept {return value_;}
  /// Reason of the last refused target; NONE after an activation or a reset.
  Refusal last_refusal() const noexcept {return last_refusal_;}
  bool active() const noexcept {return active_;}
  bool publishing() const noexcept {return publishing_;}
  bool stuck() const noexcept {return stuck_;}
  int behind() const noexcept {return behind_;}    ///< joint far from its reference, or -1
  int stuck_joint() const noexcept {return stuck_joint_;}  ///< or -1 if all stick at rest
  const double * payload() const noexcept {return payload_.values();}    ///< null without any
  const double * command() const noexcept {return command_.data();}      ///< [N m or N]
  const double * unlimited() const noexcept {return unlimited_.data();}  ///< before limits
  const double * terms() const noexcept {return terms_.data();}          ///< TERMS rows
  const double * reference() const noexcept {return reference_.rows();}  ///< 3 rows
  const int * hits() const noexcept {return hits_.data();}               ///< bits of Hit, by joint
  const StateBuffer & states() const noexcept {return states_;}
  const Settings & settings() const noexcept {return settings_;}
  const Counters & counters() const noexcept {return counters_;}

private:
  bool law_acts(bool fresh, double now) noexcept;
  void update(bool fresh, double now) noexcept;
  bool sticks() noexcept;
  bool contradicts() const noexcept;
  void advance_reference() noexcept;
  bool write_law_torque() noexcept;
  void write_safe_torque(
    double now, bool fresh, bool known, double dt, bool brakes) noexcept;
  bool releases(double dt) noexcept;
  void forget_readings() noexcept;
  void predict(double now, double dt) noexcept;
  void limit(double dt, bool brakes) noexcept;
  void judge_reference(int before) noexcept;
  void hold_measured(Reason reason, int joint = -1, double value = 0.0) noexcept;
  void wait(bool fresh) noexcept;
  void trip(Reason reason, int joint = -1, double value = 0.0) noexcept;
  void enter(State state, Reason reason, int joint = -1, double value = 0.0) noexcept;
  Refusal refuse_age(double now) const noexcept;
  Refusal refuse_effort_limits() const noexcept;
  Refusal refuse_target(
    const double * q, const double * qd, const double * qdd, double clock) noexcept;
  void trip_overspeed() noexcept;

  std::size_t n_;
  EmittedModel model_;  // keeps the library loaded
  EmittedModel::Law law_;
  EmittedModel::OfState gravity_, braking_, friction_;
  EmittedModel::DampedForwardDynamics forward_dynamics_;
  Settings settings_;
  double state_timeout_ = 0.0, gravity_held_for_ = 0.0, time_constant_ = 0.0;
  std::array<bool, TERMS> commanded_{}, safe_{};
  std::vector<double> guards_, gains_;
  PayloadRamp payload_;
  StateBuffer states_;
  Reference reference_;
  ReferenceClock clock_;
  Counters counters_;
  State state_ = State::WAIT_STATE;
  Reason reason_ = Reason::NONE;
  Refusal last_refusal_ = Refusal::NONE;
  int joint_ = -1, jumps_ = 0, recovering_ = 0, stuck_joint_ = -1;
  int behind_ = -1;
  double value_ = 0.0, lost_for_ = 0.0, blind_for_ = 0.0, braked_for_ = 0.0;
  unsigned long seen_ = 0;
  bool active_ = false, publishing_ = false, releasing_ = false, stuck_ = false;
  std::vector<double> q_, accepted_q_, terms_, unlimited_, command_, earlier_, feedforward_;
  std::vector<double> predicted_, torque_, diagonal_, qdd_, times_;
  std::vector<double> repeated_, since_, dry_friction_, tolerance_;
  std::vector<int> hits_;
};

}  // namespace robodyn_control
