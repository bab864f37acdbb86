// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/supervisor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "robodyn_control/guards.hpp"

namespace robodyn_control
{

namespace
{

constexpr double NEVER = std::numeric_limits<double>::infinity();
constexpr double SPEED_TOLERANCE = 1.001;  // allows for rounding of the limit itself
constexpr double SWING = 1.2;  // of a velocity limit, between the points of a trajectory
constexpr double BLIND_BRAKING = 10.0;  // time constants for which a predicted velocity is braked
constexpr double FOLLOWING_HOLD = 2.0;  // times following_error, from where it is held
constexpr double LONGEST_AGE = 0.2;  // [s] of a state that is predicted
constexpr double LAST_BRAKING = 0.8;  // [s] for which an arm is braked before its torque ends
constexpr double RESTING = 0.03;  // [rad/s or m/s]; a slower joint is braked enough
constexpr double SLOWEST = 1e-3;  // [rad/s or m/s] at which the secant of friction is taken

}  // namespace

Supervisor::Supervisor(
  const EmittedModel & model, EmittedModel::Law law, const Settings & settings)
: n_(model.size()), model_(model), law_(law), gravity_(model.gravity_compensation()),
  braking_(model.braking()), friction_(model.friction_torque()),
  forward_dynamics_(model.damped_forward_dynamics()), guards_(GUARDS * n_), gains_(2 * n_),
  payload_(model.payload_frames().size()),
  states_(n_), reference_(n_), q_(n_), accepted_q_(n_), terms_(TERMS * n_),
  unlimited_(n_), command_(n_), earlier_(n_), feedforward_(n_), predicted_(2 * n_), torque_(n_),
  diagonal_(n_), qdd_(n_), times_(n_), repeated_(2 * n_), since_(n_), tolerance_(n_, NEVER),
  hits_(n_)
{
  for (const JointFriction & joint : model.joint_friction()) {
    dry_friction_.push_back(joint.coulomb + joint.stiction);
  }
  configure(settings);
}

void Supervisor::configure(const Settings & settings)
{
  std::string sentence = settings.refusal();
  if (sentence.empty() && settings.size() != n_) {
    sentence = "settings: got " + std::to_string(settings.size()) + " joints; expected " +
      std::to_string(n_);
  }
  if (!sentence.empty()) {
    throw std::invalid_argument(sentence);
  }
  settings_ = settings;
  if (active_ && refuse_effort_limits() != Refusal::NONE) {
    throw std::invalid_argument(words(Refusal::NO_EFFORT_LIMIT));
  }
  for (std::size_t i = 0; i < n_; ++i) {
    guards_[LOWER * n_ + i] = settings.lower[i] - settings.position_margin;
    guards_[UPPER * n_ + i] = settings.upper[i] + settings.position_margin;
    guards_[SPEED * n_ + i] = settings.velocity_limits[i];
    guards_[EFFORT * n_ + i] = settings.effort_limits[i];
    guards_[RATE * n_ + i] = settings.effort_rate[i];
    guards_[TURN * n_ + i] = settings.turns.empty() ? 0.0 : settings.turns[i];
    gains_[i] = settings.position_gains[i];
    tolerance_[i] = law_ ? settings.following_error[i] : NEVER;
    gains_[n_ + i] = settings.velocity_gains[i];
  }
  safe_.fill(true);
  safe_[GRAVITY] = !settings.robot_compensates_gravity;
  for (std::size_t k = 0; k < TERMS; ++k) {
    commanded_[k] = settings.enabled[k] && safe_[k];
  }
  state_timeout_ = settings.effective_state_timeout();
  gravity_held_for_ = settings.gravity_hold ? NEVER : settings.stale_hold;
  time_constant_ = settings.effective_stop_time_constant();
}

Reason Supervisor::measure(const double * q, const double * qd, double time) noexcept
{
  return states_.accept(
    q, qd, time, {guards_.data(), settings_.position_jump, settings_.overspeed});
}

Refusal Supervisor::activate(double now) noexcept
{
  if (state_ == State::FAULT) {
    return Refusal::IN_FAULT;
  }
  if (active_) {
    return Refusal::ACTIVE_ALREADY;
  }
  Refusal refusal = refuse_age(now);
  if (refusal == Refusal::NONE) {
    refusal = refuse_effort_limits();
  }
  if (refusal != Refusal::NONE) {
    return refusal;
  }
  hold_measured(Reason::ACTIVATED);
  if (!publishing_) {  // otherwise the torque continues from the last published one
    write_safe_torque(now, true, true, 0.0, false);
    limit_torque(
      unlimited_.data(), states_.state(), guards_.data(), n_, NEVER, command_.data(),
      hits_.data());
    clock_.restart();
  }
  forget_readings();
  active_ = true;
  releasing_ = false;
  last_refusal_ = Refusal::NONE;
  return Refusal::NONE;
}

void Supervisor::deactivate() noexcept
{
  if (active_) {
    active_ = false;
    releasing_ = publishing_;
    behind_ = -1;
    forget_readings();
    braked_for_ = LAST_BRAKING;
    reference_.hold(q_.data());
    if (state_ != State::FAULT) {
      enter(State::READY, Reason::DEACTIVATED);
    }
  }
}

void Supervisor::forget_readings() noexcept
{
  std::fill(repeated_.begin(), repeated_.end(), std::numeric_limits<double>::quiet_NaN());
  stuck_ = false;
  stuck_joint_ = -1;
}

void Supervisor::release(double now) noexcept
{
  if (publishing_ || active_) {
    deactivate();
    const bool fresh = states_.is_fresh(now, state_timeout_);
    write_safe_torque(now, fresh, fresh, 0.0, false);
    limit_torque(
      unlimited_.data(), states_.state(), guards_.data(), n_, NEVER, command_.data(),
      hits_.data());
    publishing_ = releasing_ = false;
  }
}

void Supervisor::stop() noexcept {trip(Reason::STOPPED);}

Refusal Supervisor::reset(double now) noexcept
{
  if (state_ != State::FAULT) {
    return Refusal::NONE;
  }
  const Refusal refusal = refuse_age(now);
  if (refusal == Refusal::NONE) {
    last_refusal_ = Refusal::NONE;
    if (active_) {
      hold_measured(Reason::RESET);
    } else {
      enter(State::READY, Reason::RESET);
    }
  }
  return refusal;
}

void Supervisor::hold() noexcept
{
  if (state_ == State::ACTIVE && reference_.follows()) {
    hold_measured(Reason::HOLD_REQUESTED);
  }
}

Refusal Supervisor::stream_target(
  const double * q, const double * qd, const double * qdd, double now) noexcept
{
  const double clock = clock_.at(now, settings_.period);
  const Refusal refusal = refuse_target(q, qd, qdd, clock);
  if (refusal != Refusal::NONE) {
    ++counters_.rejected_references;
    last_refusal_ = refusal;
    return refusal;
  }
  reference_.stream(q, qd, qdd, clock, settings_.reference_timeout);
  enter(State::ACTIVE, Reason::FOLLOWING);
  return Refusal::NONE;
}

Refusal Supervisor::refuse_target(
  const double * q, const double * qd, const double * qdd, double clock) noexcept
{
  for (const double * const row : {q, qd, qdd}) {
    if (first_not_finite(row, n_) >= 0) {
      return Refusal::NOT_A_NUMBER;
    }
  }
  if (!law_) {
    return Refusal::NO_REFERENCE_FOLLOWED;
  }
  if (state_ == State::FAULT || state_ == State::STALE) {
    return Refusal::STATE_TAKES_NONE;
  }
  if (!active_) {
    return Refusal::NOT_ACTIVE;
  }
  const double * const start = reference_.current(clock);
  const double since = reference_.since_streamed(clock);
  const double elapsed = std::max(since, settings_.period);
  for (std::size_t i = 0; i < n_; ++i) {
    double reach =
      SWING * settings_.velocity_limits[i] * std::min(elapsed, settings_.reference_timeout);
    if (elapsed == NEVER) {
      reach = std::min(reach, settings_.max_start_error);
    }
    if (!(std::fabs(q[i] - start[i]) <= reach)) {
      return Refusal::STEP_TOO_FAR;
    }
  }
  for (std::size_t i = 0; i < n_; ++i) {
    // a motion that starts beyond a limit may return
    const double low = std::min(guards_[LOWER * n_ + i], start[i]);
    const double high = std::max(guards_[UPPER * n_ + i], start[i]);
    const double speed =
      std::max(guards_[SPEED * n_ + i], std::fabs(start[n_ + i])) * SWING;
    if (!(low <= q[i] && q[i] <= high && std::fabs(qd[i]) <= speed)) {
      return Refusal::BEYOND_LIMITS;
    }
  }
  return Refusal::NONE;
}

void Supervisor::set_feedforward(const double * effort) noexcept
{
  if (effort) {
    std::copy_n(effort, n_, feedforward_.begin());
  } else {
    std::fill(feedforward_.begin(), feedforward_.end(), 0.0);
  }
}

State Supervisor::tick(double now) noexcept
{
  const double dt = clock_.tick(now, settings_.period);
  if (payload_.moving()) {
    payload_.advance(dt);
  }
  bool fresh = states_.is_fresh(now, state_timeout_), known = fresh;
  if (fresh && active_ && sticks()) {
    fresh = !settings_.stuck_is_stale;
    known = !contradicts();
  }
  if (fresh) {
    std::copy_n(states_.q(), n_, q_.begin());
  }
  publishing_ = active_ || releasing_;
  if (publishing_) {
    bool brakes = active_;
    if (!(active_ && law_acts(fresh, now))) {
      brakes = brakes || releases(dt);
      write_safe_torque(now, fresh, known, dt, brakes);
    }
    limit(dt, brakes);
  }
  if (!active_ && state_ != State::FAULT) {
    wait(fresh);
  }
  return state_;
}

bool Supervisor::law_acts(bool fresh, double now) noexcept
{
  update(fresh, now);
  return (state_ == State::ACTIVE || state_ == State::HOLD) && write_law_torque();
}

void Supervisor::update(bool fresh, double now) noexcept
{
  const int behind = behind_;
  behind_ = -1;
  if (state_ == State::FAULT) {
    return;
  }
  if (!fresh) {
    if (state_ != State::STALE) {
      ++counters_.stale_episodes;
      reference_.hold(states_.q());
      const bool stuck = stuck_ && states_.is_fresh(now, state_timeout_);
      const int joint = stuck ? stuck_joint_ : -1;
      const double since = joint >= 0 ? since_[static_cast<std::size_t>(joint)] :
        stuck ? states_.since() : states_.time();
      enter(
        State::STALE, stuck ? Reason::STATE_STUCK : Reason::STATE_TIMEOUT, joint, now - since);
    }
    recovering_ = 0;
    seen_ = states_.accepted();
  } else if (state_ == State::STALE) {
    if (states_.accepted() != seen_) {
      ++recovering_;
      seen_ = states_.accepted();
    }
    if (recovering_ >= settings_.recovery_states) {
      hold_measured(Reason::STATE_RECOVERED);
    }
  } else if (states_.overspeeding()) {
    trip_overspeed();
  } else if (states_.jumps() != jumps_) {
    hold_measured(Reason::POSITION_JUMP);
  } else {
    if (reference_.moves()) {
      advance_reference();
    }
    judge_reference(behind);
  }
}

void Supervisor::judge_reference(int before) noexcept
{
  const int joint = first_behind(reference_.rows(), states_.q(), tolerance_.data(), n_);
  if (joint == NOT_FINITE) {
    hold_measured(Reason::REFERENCE_NOT_FINITE);
  } else if (joint >= 0) {
    const auto i = static_cast<std::size_t>(joint);
    const double error = reference_.rows()[i] - states_.q()[i];
    behind_ = joint;
    counters_.behind_episodes += before < 0;
    if (std::fabs(error) > FOLLOWING_HOLD * tolerance_[i] && reference_.follows() &&
      settings_.holds_behind)
    {
      hold_measured(Reason::FOLLOWING_ERROR, joint, error);
    }
  }
}

bool Supervisor::contradicts() const noexcept
{
  if (stuck_joint_ < 0) {
    return false;
  }
  const auto i = static_cast<std::size_t>(stuck_joint_);
  const double limit = std::min(guards_[SPEED * n_ + i], FASTEST);
  return std::fabs(states_.qd()[i]) > STUCK_SPEED * limit;  // not to be trusted by a brake
}

bool Supervisor::sticks() noexcept
{
  stuck_joint_ = first_stuck(
    states_.state(), {repeated_.data(), earlier_.data(), since_.data()}, command_.data(),
    dry_friction_.data(), guards_.data(), n_, states_.time(), state_timeout_,
    reference_.follows() ? STUCK_EFFORT : NEVER, stuck_joint_);
  const bool stuck = stuck_joint_ >= 0 ||
    (settings_.stuck_at_rest && states_.time() - states_.since() > settings_.stuck_time);
  counters_.stuck_episodes += stuck && !stuck_;
  stuck_ = stuck;
  return stuck_;
}

void Supervisor::advance_reference() noexcept
{
  if (reference_.follows() && reference_.expired(clock_.time())) {
    hold_measured(Reason::REFERENCE_TIMEOUT);
  } else {
    reference_.advance(clock_.time());
  }
}

bool Supervisor::write_law_torque() noexcept
{
  std::fill(terms_.begin(), terms_.end(), 0.0);
  lost_for_ = blind_for_ = 0.0;
  const int status = law_ ?
    law_(q_.data(), states_.qd(), reference_.rows(), gains_.data(), payload(), terms_.data()) :
    gravity_(q_.data(), states_.qd(), payload(), terms_.data());
  if (state_ == State::ACTIVE) {
    std::copy_n(feedforward_.data(), n_, terms_.data() + OTHER * n_);
  }
  const int joint = add_terms(terms_.data(), commanded_.data(), n_, unlimited_.data());
  if (status != 0) {
    trip(Reason::KERNEL_STATUS, -1, static_cast<double>(status));
  } else if (joint >= 0) {
    trip(Reason::TORQUE_NOT_FINITE, joint, unlimited_[static_cast<std::size_t>(joint)]);
  } else {
    std::copy_n(q_.begin(), n_, accepted_q_.begin());
  }
  return status == 0 && joint < 0;
}

void Supervisor::write_safe_torque(
  double now, bool fresh, bool known, double dt, bool brakes) noexcept
{
  const double * state = states_.state();
  double rate = brakes ? 1.0 / time_constant_ : 0.0;
  lost_for_ = fresh ? 0.0 : lost_for_ + dt;
  if (known) {
    blind_for_ = 0.0;
  } else {
    predict(now, dt);
    state = predicted_.data();
    if (!(blind_for_ <= BLIND_BRAKING * time_constant_)) {
      rate = 0.0;
    }
  }
  std::fill(terms_.begin(), terms_.end(), 0.0);
  if (lost_for_ <= gravity_held_for_) {
    if (braking_(state, state + n_, payload(), terms_.data()) != 0) {
      // closed loops outside the box of their code: the weight of the last posture inside
      braking_(accepted_q_.data(), state + n_, payload(), terms_.data());
    }
    brake(terms_.data(), safe_.data(), state + n_, guards_.data(), n_, rate);
  }
  add_terms(terms_.data(), safe_.data(), n_, unlimited_.data());
}

bool Supervisor::releases(double dt) noexcept
{
  const double * const qd = (blind_for_ > 0.0 ? predicted_.data() : states_.state()) + n_;
  bool rests = true;
  for (std::size_t i = 0; i < n_; ++i) {
    rests = rests && std::fabs(qd[i]) <= RESTING;
  }
  braked_for_ = rests ? 0.0 : std::max(braked_for_ - dt, 0.0);
  return braked_for_ > 0.0;
}

void Supervisor::predict(double now, double dt) noexcept
{
  double * const q = predicted_.data(), * const qd = q + n_;
  double elapsed = dt;
  const bool first = blind_for_ == 0.0;
  if (first) {
    std::copy_n(states_.state(), 2 * n_, q);
    const double age = now - states_.since();
    elapsed = 0.0 <= age && age <= LONGEST_AGE ? age : 0.0;
  }
  blind_for_ += dt;
  if (!(blind_for_ <= BLIND_BRAKING * time_constant_)) {
    return;
  }
  if (settings_.robot_compensates_gravity) {
    std::fill(terms_.begin(), terms_.end(), 0.0);
    gravity_(q, qd, payload(), terms_.data());
  }
  friction_(q, qd, nullptr, torque_.data());
  for (std::size_t i = 0; i < n_; ++i) {
    const double commanded =
      first && elapsed != dt ? 0.5 * (earlier_[i] + command_[i]) : command_[i];
    const double weight = settings_.robot_compensates_gravity ? terms_[GRAVITY * n_ + i] : 0.0;
    diagonal_[i] = elapsed * std::fabs(torque_[i]) / std::max(std::fabs(qd[i]), SLOWEST);
    torque_[i] = commanded + weight - torque_[i];
  }
  const int status =
    forward_dynamics_(q, qd, torque_.data(), diagonal_.data(), payload(), qdd_.data());
  for (std::size_t i = 0; i < n_; ++i) {
    if (status != 0 || !std::isfinite(qdd_[i])) {
      return;
    }
  }
  for (std::size_t i = 0; i < n_; ++i) {
    qd[i] += elapsed * qdd_[i];
    q[i] += elapsed * qd[i];
  }
}

void Supervisor::limit(double dt, bool brakes) noexcept
{
  const double * const state = blind_for_ > 0.0 ? predicted_.data() : states_.state();
  const int hit = limit_torque(
    unlimited_.data(), state, guards_.data(), n_, dt, command_.data(), hits_.data());
  ++counters_.cycles;
  counters_.position_guarded += (hit & POSITION_GUARDED) != 0;
  counters_.effort_limited += (hit & EFFORT_LIMITED) != 0;
  if (hit & RATE_LIMITED) {
    ++counters_.rate_limited;
  } else if (!brakes) {
    releasing_ = false;  // this torque is the last published one
  }
}

void Supervisor::hold_measured(Reason reason, int joint, double value) noexcept
{
  jumps_ = states_.jumps();
  std::fill(terms_.begin(), terms_.end(), 0.0);
  if (braking_(states_.q(), states_.qd(), payload(), terms_.data()) == 0) {
    stopping_times(
      states_.q(), states_.qd(), terms_.data() + FEEDBACK * n_,
      safe_[GRAVITY] ? terms_.data() + GRAVITY * n_ : nullptr,
      {settings_.effort_limits.data(), settings_.effort_rate.data(), settings_.lower.data(),
        settings_.upper.data()}, n_, times_.data());
  } else {  // closed loops outside the box of their code
    std::fill(times_.begin(), times_.end(), 0.0);
  }
  reference_.stop(states_.q(), states_.qd(), times_.data(), clock_.time());
  enter(law_ ? State::HOLD : State::ACTIVE, reason, joint, value);
}

void Supervisor::wait(bool fresh) noexcept
{
  if (fresh && state_ != State::READY) {
    enter(State::READY, Reason::NONE);
  } else if (!fresh && state_ != State::WAIT_STATE) {
    enter(State::WAIT_STATE, Reason::STATE_TIMEOUT);
  }
}

void Supervisor::trip_overspeed() noexcept
{
  std::size_t fastest = 0;
  double most = -1.0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double share = std::fabs(states_.qd()[i]) / settings_.velocity_limits[i];
    if (share > most) {
      most = share;
      fastest = i;
    }
  }
  trip(Reason::OVERSPEED, static_cast<int>(fastest), states_.qd()[fastest]);
}

void Supervisor::trip(Reason reason, int joint, double value) noexcept
{
  if (state_ != State::FAULT) {  // the first cause is kept
    ++counters_.faults;
    reference_.hold(q_.data());
    enter(State::FAULT, reason, joint, value);
  }
}

void Supervisor::enter(State state, Reason reason, int joint, double value) noexcept
{
  state_ = state;
  reason_ = reason;
  joint_ = joint;
  value_ = value;
}

Refusal Supervisor::refuse_age(double now) const noexcept
{
  if (states_.empty()) {
    return Refusal::NO_JOINT_STATE;
  }
  return states_.is_fresh(now, state_timeout_) ? Refusal::NONE : Refusal::OLD_JOINT_STATE;
}

Refusal Supervisor::refuse_effort_limits() const noexcept
{
  for (const double limit : settings_.effort_limits) {
    if (std::isnan(limit)) {
      return Refusal::NO_EFFORT_LIMIT;
    }
  }
  return Refusal::NONE;
}

}  // namespace robodyn_control
