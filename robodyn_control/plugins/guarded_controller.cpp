// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "guarded_controller.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "hardware_interface/component_parser.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/logging.hpp"
#include "robodyn_control/guards.hpp"

namespace robodyn_control
{

namespace
{

using controller_interface::CallbackReturn;
using controller_interface::InterfaceConfiguration;
using controller_interface::interface_configuration_type;
using controller_interface::return_type;

constexpr double NOT_GIVEN = std::numeric_limits<double>::quiet_NaN();
constexpr double STATUS_PERIOD = 1.0;  // [s] after which the status is repeated
constexpr double STATUS_PAUSE = 0.01;  // [s] within which a change is published
/// Interfaces of a reference, in the order of their values for each joint.
constexpr const char * REFERENCES[] = {"position", "velocity", "acceleration", "effort"};
constexpr std::size_t EFFORT_REFERENCE = 3, REFERENCE_KINDS = 4;
constexpr std::size_t LONGEST_REASON = 32, LONGEST_MESSAGE = 160, LONGEST_REFUSAL = 120;

InterfaceConfiguration individual(
  const std::vector<std::string> & joints, std::initializer_list<const char *> kinds)
{
  InterfaceConfiguration found{interface_configuration_type::INDIVIDUAL, {}};
  for (const char * const kind : kinds) {
    for (const auto & joint : joints) {
      found.names.push_back(joint + "/" + kind);
    }
  }
  return found;
}

std::vector<double> for_all(const std::vector<double> & values, std::size_t n)
{
  return values.size() == 1 ? std::vector<double>(n, values[0]) : values;
}

/// Return the limits of a description, by joint. The controller manager passes them only if it
/// enforces command limits itself.
std::unordered_map<std::string, joint_limits::JointLimits> described_limits(
  const std::string & description)
{
  std::unordered_map<std::string, joint_limits::JointLimits> limits;
  for (const auto & hardware : hardware_interface::parse_control_resources_from_urdf(description)) {
    limits.insert(hardware.limits.begin(), hardware.limits.end());
  }
  return limits;
}

const char * state_name(State state)
{
  switch (state) {
    case State::WAIT_STATE: return "WAIT_STATE";
    case State::READY: return "READY";
    case State::ACTIVE: return "ACTIVE";
    case State::HOLD: return "HOLD";
    case State::STALE: return "STALE";
    case State::FAULT: return "FAULT";
  }
  return "";
}

}  // namespace

CallbackReturn GuardedController::on_init()
{
  try {
    listener_ = std::make_shared<controller_parameters::ParamListener>(get_node());
    parameters_ = listener_->get_params();
    joints_ = parameters_.joints;
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

InterfaceConfiguration GuardedController::command_interface_configuration() const
{
  return individual(joints_, {"effort"});
}

InterfaceConfiguration GuardedController::state_interface_configuration() const
{
  return individual(joints_, {"position", "velocity"});
}

CallbackReturn GuardedController::on_configure(const rclcpp_lifecycle::State &)
{
  try {
    parameters_ = listener_->get_params();
    if (parameters_.robot_compensates_gravity.empty()) {
      throw std::runtime_error(
              "robot_compensates_gravity: got nothing; expected yes or no: a wrong one drops or "
              "launches the arm");
    }
    const EmittedModel model(parameters_.dynamics_library, parameters_.dynamics_prefix);
    model.check(get_robot_description(), joints_);
    base_ = model.base();
    Settings wanted = settings();
    wanted.turns = model.joint_turns();
    supervisor_ = std::make_unique<Supervisor>(
      model, law().empty() ? EmittedModel::Law() : model.law(law()), wanted);
    offer_payloads(model, wanted);
    offer_task_space(model);
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_node()->get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  const std::size_t n = joints_.size();
  q_.assign(n, 0.0);
  qd_.assign(n, 0.0);
  feedforward_.assign(n, 0.0);
  reference_.assign(3 * n, 0.0);
  origin_ = get_node()->now();
  prepare_messages();
  offer_services();
  return CallbackReturn::SUCCESS;
}

void GuardedController::offer_payloads(const EmittedModel & model, const Settings & wanted)
{
  active_ = false;  // also after an error while it was active
  task_service_.reset();
  payload_service_.reset();
  latest_values_.assign(2 * model.size() + 2 + PAYLOAD * model.payload_frames().size(), 0.0);
  latest_ = std::make_unique<Snapshot>(latest_values_.size());
  payload_service_ =
    std::make_unique<PayloadService>(*get_node(), model, wanted, *latest_, active_);
}

void GuardedController::offer_task_space(const EmittedModel & model)
{
  task_publisher_.reset();
  const bool printed = !model.frames().empty();
  const std::string tip =
    parameters_.tip_link.empty() && printed ? model.frames().back() : parameters_.tip_link;
  task_service_ = std::make_unique<TaskSpaceService>(
    *get_node(), model, *latest_, *payload_service_, tip, parameters_.osi_damping);
  if (parameters_.osi_publish_rate > 0.0) {
    task_publisher_ = std::make_unique<TaskSpacePublisher>(
      *get_node(), model,
      parameters_.osi_links.empty() ? std::vector<std::string>{tip} : parameters_.osi_links,
      parameters_.osi_axes, parameters_.osi_damping, parameters_.osi_publish_rate);
  }
}

Settings GuardedController::settings() const
{
  const std::size_t n = joints_.size();
  Settings wanted;
  wanted.period = 1.0 / std::max(1u, get_update_rate());
  wanted.effort_rate = for_all(parameters_.max_effort_rate, n);
  const auto described = described_limits(get_robot_description());
  constexpr double free = std::numeric_limits<double>::infinity();
  for (const auto & joint : joints_) {
    const auto & gains = parameters_.gains.joints_map.at(joint);
    wanted.position_gains.push_back(gains.p);
    wanted.velocity_gains.push_back(gains.d);
    const auto found = described.find(joint);
    const auto limits = found == described.end() ? joint_limits::JointLimits() : found->second;
    wanted.lower.push_back(limits.has_position_limits ? limits.min_position : -free);
    wanted.upper.push_back(limits.has_position_limits ? limits.max_position : free);
    wanted.velocity_limits.push_back(limits.has_velocity_limits ? limits.max_velocity : free);
    wanted.effort_limits.push_back(limits.has_effort_limits ? limits.max_effort : NOT_GIVEN);
  }
  if (!parameters_.velocity_limits.empty()) {
    wanted.velocity_limits = parameters_.velocity_limits;
  }
  if (!parameters_.effort_limits.empty()) {
    wanted.effort_limits = parameters_.effort_limits;
  }
  wanted.enabled[GRAVITY] = parameters_.compensate.gravity;
  wanted.enabled[CORIOLIS] = parameters_.compensate.coriolis;
  wanted.enabled[INERTIA] = parameters_.compensate.inertia;
  wanted.enabled[FRICTION] = parameters_.compensate.friction;
  wanted.position_margin = parameters_.position_margin;
  wanted.state_timeout = parameters_.state_timeout;
  wanted.reference_timeout = parameters_.reference_timeout;
  wanted.gravity_hold = parameters_.stale_action == "gravity_hold";
  wanted.stale_hold = parameters_.stale_hold;
  wanted.stop_time_constant = parameters_.stop_time_constant;
  wanted.max_start_error = parameters_.max_start_error;
  wanted.following_error = for_all(parameters_.following_error, n);
  wanted.holds_behind = parameters_.following_action == "hold";
  wanted.stuck_time = parameters_.stuck_time;
  wanted.stuck_is_stale = parameters_.stuck_action == "stale";
  wanted.stuck_at_rest = parameters_.stuck_at_rest;
  wanted.overspeed = parameters_.overspeed;
  wanted.robot_compensates_gravity = parameters_.robot_compensates_gravity == "yes";
  return wanted;
}

void GuardedController::prepare_messages()
{
  const std::size_t n = joints_.size();
  state_.joint_names = status_.joint_names = joints_;
  state_.law = status_.law = law().empty() ? "gravity_compensation" : law();
  status_.robot_compensates_gravity = parameters_.robot_compensates_gravity == "yes";
  status_.kernels = "printed as C";
  for (auto * const text : {&status_.state_name, &status_.reason, &status_.joint}) {
    text->assign(LONGEST_REASON, ' ');  // reserves memory for any reason
  }
  status_.message.assign(LONGEST_MESSAGE, ' ');
  status_.last_refusal.assign(LONGEST_REFUSAL, ' ');
  state_.header.frame_id = base_;
  for (const auto & joint : joints_) {
    status_.joint.resize(std::max(status_.joint.size(), joint.size()), ' ');
  }
  for (auto * const row : {
      &state_.reference_position, &state_.reference_velocity, &state_.reference_acceleration,
      &state_.measured_position, &state_.measured_velocity, &state_.position_error,
      &state_.velocity_error, &state_.feedback, &state_.inertia, &state_.coriolis,
      &state_.gravity, &state_.friction, &state_.other, &state_.effort_unlimited,
      &state_.effort})
  {
    row->assign(n, 0.0);
  }
  for (auto * const flags : {
      &state_.rate_limited, &state_.effort_limited, &state_.position_guarded})
  {
    flags->assign(n, false);
  }
  state_publisher_.reset();
  if (parameters_.state_publish_rate > 0.0) {
    state_publisher_ = std::make_unique<PolledPublisher<ControllerState>>(
      get_node()->create_publisher<ControllerState>("~/controller_state", rclcpp::QoS(10)),
      state_, pause_at(parameters_.state_publish_rate));
  }
  status_publisher_ = std::make_unique<PolledPublisher<ControllerStatus>>(
    get_node()->create_publisher<ControllerStatus>(
      "~/status", rclcpp::QoS(1).transient_local()), status_, STATUS_PAUSE);
}

void GuardedController::offer_services()
{
  services_.clear();
  const auto offer = [this](const char * topic, std::atomic<bool> & wanted) {
      services_.push_back(
        get_node()->create_service<Trigger>(
          topic,
          [this, &wanted](
            const Trigger::Request::SharedPtr, Trigger::Response::SharedPtr response) {
            wanted = true;
            response->success = true;
            response->message = active_ ?
            "the next cycle sees to it; ~/status tells what came of it" :
            "the controller is inactive and commands nothing; the next activation sees to it";
          }));
    };
  offer("~/stop", stop_wanted_);
  offer("~/reset", reset_wanted_);
  offer("~/hold", hold_wanted_);
}

std::vector<hardware_interface::CommandInterface>
GuardedController::on_export_reference_interfaces()
{
  reference_interfaces_.assign(REFERENCE_KINDS * joints_.size(), NOT_GIVEN);
  std::vector<hardware_interface::CommandInterface> found;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    for (std::size_t k = 0; k < REFERENCE_KINDS; ++k) {
      found.emplace_back(
        get_node()->get_name(), joints_[i] + "/" + REFERENCES[k],
        &reference_interfaces_[REFERENCE_KINDS * i + k]);
    }
  }
  return found;
}

bool GuardedController::on_set_chained_mode(bool)
{
  // Otherwise the next activation would begin with old commands of the controller above.
  std::fill(reference_interfaces_.begin(), reference_interfaces_.end(), NOT_GIVEN);
  return true;
}

CallbackReturn GuardedController::on_activate(const rclcpp_lifecycle::State &)
{
  const double now = since_configured(get_node()->now());
  std::fill(reference_interfaces_.begin(), reference_interfaces_.end(), NOT_GIVEN);
  read_states(now);
  answer_requests(now);
  supervisor_->finish_ramp();  // meanwhile no cycle advanced it, and no torque was commanded
  const Refusal refusal = supervisor_->activate(now);
  if (refusal != Refusal::NONE) {
    RCLCPP_ERROR(get_node()->get_logger(), "Not activated: %s.", words(refusal));
    return CallbackReturn::ERROR;
  }
  next_state_ = next_status_ = now;
  share_state(get_node()->now(), now);
  active_ = true;
  // hardware may use these before the first cycle, which repeats a failed write
  static_cast<void>(write_efforts());
  return CallbackReturn::SUCCESS;
}

CallbackReturn GuardedController::on_deactivate(const rclcpp_lifecycle::State &)
{
  active_ = false;
  supervisor_->release(since_configured(get_node()->now()));
  return write_efforts() ? CallbackReturn::SUCCESS : CallbackReturn::ERROR;
}

return_type GuardedController::update_reference_from_subscribers(
  const rclcpp::Time &, const rclcpp::Duration &)
{
  return return_type::OK;  // without a controller above, a posture is held
}

return_type GuardedController::update_and_write_commands(
  const rclcpp::Time & time, const rclcpp::Duration &)
{
  const double now = since_configured(time);
  read_states(now);
  answer_requests(now);
  if (is_in_chained_mode()) {
    read_reference(now);
  }
  supervisor_->tick(now);
  const bool written = write_efforts();
  publish(time, now);
  share_state(time, now);
  return written ? return_type::OK : return_type::ERROR;
}

void GuardedController::read_states(double now)
{
  const std::size_t n = joints_.size();
  for (std::size_t i = 0; i < n; ++i) {
    q_[i] = state_interfaces_[i].get_optional().value_or(NOT_GIVEN);
    qd_[i] = state_interfaces_[n + i].get_optional().value_or(NOT_GIVEN);
  }
  supervisor_->measure(q_.data(), qd_.data(), now);
}

void GuardedController::read_reference(double now)
{
  const std::size_t n = joints_.size();
  const auto given = [](double value) {return std::isnan(value) ? 0.0 : value;};
  bool complete = true;
  for (std::size_t i = 0; i < n; ++i) {
    const double * const wanted = &reference_interfaces_[REFERENCE_KINDS * i];
    complete = complete && !std::isnan(wanted[0]);
    reference_[i] = wanted[0];
    reference_[n + i] = given(wanted[1]);
    reference_[2 * n + i] = given(wanted[2]);
    feedforward_[i] = given(wanted[EFFORT_REFERENCE]);
  }
  if (complete) {
    const bool taken = supervisor_->stream_target(
      reference_.data(), reference_.data() + n, reference_.data() + 2 * n, now) == Refusal::NONE;
    if (taken) {
      supervisor_->set_feedforward(feedforward_.data());
    }
  }
}

void GuardedController::answer_requests(double now)
{
  if (stop_wanted_.exchange(false)) {
    supervisor_->stop();
  }
  if (reset_wanted_.exchange(false)) {
    supervisor_->reset(now);
  }
  if (hold_wanted_.exchange(false)) {
    supervisor_->hold();
  }
  payload_service_->hand_over(*supervisor_);
}

bool GuardedController::write_efforts()
{
  bool written = true;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    written = command_interfaces_[i].set_value(supervisor_->command()[i]) && written;
  }
  return written;
}

void GuardedController::share_state(const rclcpp::Time & time, double now)
{
  constexpr std::int64_t SECOND = 1'000'000'000;
  const StateBuffer & states = supervisor_->states();
  if (states.empty()) {
    return;
  }
  std::copy_n(states.state(), 2 * joints_.size(), latest_values_.begin());
  latest_values_[2 * joints_.size()] = static_cast<double>(time.nanoseconds() / SECOND);
  latest_values_[2 * joints_.size() + 1] = static_cast<double>(time.nanoseconds() % SECOND);
  const double * const payload = supervisor_->payload();
  double * const shared = &latest_values_[0] + 2 * joints_.size() + 2;
  const std::size_t numbers = latest_values_.size() - 2 * joints_.size() - 2;
  if (payload) {
    std::copy_n(payload, numbers, shared);
  } else {
    std::fill_n(shared, numbers, 0.0);
  }
  latest_->write(latest_values_);
  if (task_publisher_) {
    task_publisher_->publish(time, now, states.q(), states.qd(), payload);
  }
}

void GuardedController::publish(const rclcpp::Time & time, double now)
{
  const Supervisor & arm = *supervisor_;
  const std::size_t n = arm.size();
  if (state_publisher_ && now >= next_state_) {
    next_state_ = std::max(next_state_ + 1.0 / parameters_.state_publish_rate, now);
    state_.header.stamp = time;
    state_.state = static_cast<std::uint8_t>(arm.state());
    std::vector<double> * const references[] = {
      &state_.reference_position, &state_.reference_velocity, &state_.reference_acceleration};
    for (std::size_t k = 0; k < 3; ++k) {
      std::copy_n(arm.reference() + k * n, n, references[k]->begin());
    }
    std::vector<double> * const terms[] = {
      &state_.feedback, &state_.inertia, &state_.coriolis, &state_.gravity, &state_.friction,
      &state_.other};
    for (std::size_t k = 0; k < TERMS; ++k) {
      std::copy_n(arm.terms() + k * n, n, terms[k]->begin());
    }
    for (std::size_t i = 0; i < n; ++i) {
      state_.measured_position[i] = q_[i];
      state_.measured_velocity[i] = qd_[i];
      state_.position_error[i] = state_.reference_position[i] - q_[i];
      state_.velocity_error[i] = state_.reference_velocity[i] - qd_[i];
      state_.effort_unlimited[i] = arm.unlimited()[i];
      state_.effort[i] = arm.command()[i];
      state_.rate_limited[i] = (arm.hits()[i] & RATE_LIMITED) != 0;
      state_.effort_limited[i] = (arm.hits()[i] & EFFORT_LIMITED) != 0;
      state_.position_guarded[i] = (arm.hits()[i] & POSITION_GUARDED) != 0;
    }
    state_publisher_->try_publish(state_);
  }
  const bool changed = arm.state() != told_state_ || arm.reason() != told_reason_ ||
    arm.stuck() != told_stuck_ || arm.behind() != told_behind_ ||
    arm.last_refusal() != told_refusal_;
  if (changed || now >= next_status_) {
    status_.header.stamp = time;
    status_.state = static_cast<std::uint8_t>(arm.state());
    status_.state_name.assign(state_name(arm.state()));
    status_.reason.assign(name(arm.reason()));
    status_.message.assign(status_message(arm.stuck()));
    status_.last_refusal.assign(words(arm.last_refusal()));
    if (arm.behind() >= 0 && !arm.stuck()) {
      const auto i = static_cast<std::size_t>(arm.behind());
      char text[LONGEST_MESSAGE];
      std::snprintf(
        text, sizeof(text), "%s is %.3g from its reference; expected at most %g (following_error).",
        joints_[i].c_str(), arm.reference()[i] - q_[i], arm.settings().following_error[i]);
      status_.message.assign(text);
    }
    if (arm.joint() >= 0) {
      status_.joint = joints_[static_cast<std::size_t>(arm.joint())];
    } else {
      status_.joint.clear();
    }
    status_.value = arm.value();
    status_.cycles = arm.counters().cycles;
    status_.rejected_messages =
      arm.states().rejected() + arm.counters().rejected_references;
    if (status_publisher_->try_publish(status_)) {
      told_state_ = arm.state();
      told_reason_ = arm.reason();
      told_stuck_ = arm.stuck();
      told_refusal_ = arm.last_refusal();
      told_behind_ = arm.behind();
      next_status_ = now + STATUS_PERIOD;
    }
  }
}

}  // namespace robodyn_control

PLUGINLIB_EXPORT_CLASS(
  robodyn_control::ComputedTorqueController, controller_interface::ChainableControllerInterface)
PLUGINLIB_EXPORT_CLASS(
  robodyn_control::GravityCompensationController,
  controller_interface::ChainableControllerInterface)
