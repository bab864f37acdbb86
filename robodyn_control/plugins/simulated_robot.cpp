// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "simulated_robot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "pluginlib/class_list_macros.hpp"
#include "rclcpp/logging.hpp"
#include "robodyn_control/payload.hpp"

namespace robodyn_control
{

namespace
{

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

constexpr const char * MODES[] = {"effort", "velocity", "position"};  // by Mode

}  // namespace

CallbackReturn SimulatedRobot::on_init(
  const hardware_interface::HardwareComponentInterfaceParams & params)
{
  if (SystemInterface::on_init(params) != CallbackReturn::SUCCESS) {
    return CallbackReturn::ERROR;
  }
  try {
    make_arm();
  } catch (const std::exception & error) {
    RCLCPP_ERROR(get_logger(), "%s", error.what());
    return CallbackReturn::ERROR;
  }
  return CallbackReturn::SUCCESS;
}

std::string SimulatedRobot::parameter(
  const std::string & name, const std::string & otherwise) const
{
  const auto found = info_.hardware_parameters.find(name);
  return found == info_.hardware_parameters.end() ? otherwise : found->second;
}

double SimulatedRobot::gain(const std::string & name) const
{
  const std::string text = parameter(name, "nan");  // derive_gains replaces it
  const double value = std::stod(text);
  if (value < 0.0 || std::isinf(value)) {
    throw std::invalid_argument(name + ": got " + text + "; expected a finite gain of at least 0");
  }
  return value;
}

bool SimulatedRobot::flag(const std::string & name, bool otherwise) const
{
  const std::string text = parameter(name, otherwise ? "true" : "false");
  if (text != "true" && text != "false") {
    throw std::invalid_argument(name + ": got " + text + "; expected true or false");
  }
  return text == "true";
}

std::vector<double> SimulatedRobot::numbers(const std::string & name, std::size_t count) const
{
  const std::string text = parameter(name, "");
  std::istringstream stream(text);
  std::vector<double> found{std::istream_iterator<double>(stream), {}};
  if (text.empty()) {
    found.assign(count, 0.0);
  }
  if (found.size() != count || !(text.empty() || stream.eof())) {
    throw std::invalid_argument(
            name + ": got '" + text + "'; expected " + std::to_string(count) +
            " numbers, separated by spaces");
  }
  return found;
}

std::vector<double> SimulatedRobot::payload(const EmittedModel & model) const
{
  const std::string frame = parameter("payload.frame", "");
  if (frame.empty()) {
    return {};
  }
  Payload body{numbers("payload.mass", 1)[0], {}, {}};
  std::copy_n(numbers("payload.com", 3).begin(), 3, body.com.begin());
  std::copy_n(numbers("payload.inertia", 6).begin(), 6, body.inertia.begin());
  const std::vector<double> none(PAYLOAD * model.payload_frames().size());
  return plan_payload(model, none, frame, body, 0.0);
}

void SimulatedRobot::make_arm()
{
  const EmittedModel model(parameter("dynamics_library", ""), parameter("dynamics_prefix", "arm"));
  std::vector<std::string> names;
  std::vector<SimulatedJoint> joints;
  constexpr double free = std::numeric_limits<double>::infinity();
  start_.clear();
  for (const auto & told : info_.joints) {
    names.push_back(told.name);
    const auto found = info_.limits.find(told.name);
    const auto limits = found == info_.limits.end() ? joint_limits::JointLimits() : found->second;
    joints.push_back(
      {limits.has_position_limits ? limits.min_position : -free,
        limits.has_position_limits ? limits.max_position : free,
        limits.has_effort_limits ? limits.max_effort : free, gain("drive.stiffness"),
        gain("drive.rate_gain"), gain("drive.velocity_gain"),
        limits.has_velocity_limits ? limits.max_velocity : free});
    double start = 0.0;
    for (const auto & interface : told.state_interfaces) {
      if (interface.name == "position" && !interface.initial_value.empty()) {
        start = std::stod(interface.initial_value);
      }
    }
    start_.push_back(start);
  }
  model.check(info_.original_xml, names);
  steps_ = std::stoi(parameter("steps", "4"));
  if (steps_ < 1) {
    throw std::invalid_argument(
            "steps: got " + std::to_string(steps_) + "; expected at least 1 a period");
  }
  const auto carried = payload(model);
  derive_gains(model, start_.data(), carried.empty() ? nullptr : carried.data(), joints);
  const SimulatedDrives drives{flag("drive.carries_weight", true), flag("drive.kinematic", false)};
  arm_ = std::make_unique<SimulatedArm>(model, joints, drives, carried);
  read_faults();
  commands_.assign(names.size(), 0.0);
  modes_.assign(names.size(), Mode::EFFORT);
}

void SimulatedRobot::read_faults()
{
  effort_loss_ = numbers("fault.effort_loss", info_.joints.size());
  for (const double loss : effort_loss_) {
    if (!(loss >= 0.0 && loss <= 1.0)) {
      throw std::invalid_argument(
              "fault.effort_loss: got " + std::to_string(loss) + "; expected a share from 0 to 1");
    }
  }
  stuck_.assign(info_.joints.size(), false);
  std::istringstream names(parameter("fault.stuck_joints", ""));
  for (std::string name; names >> name; ) {
    const auto found = std::find_if(
      info_.joints.begin(), info_.joints.end(),
      [&name](const auto & joint) {return joint.name == name;});
    if (found == info_.joints.end()) {
      throw std::invalid_argument(
              "fault.stuck_joints: got " + name + "; expected names of joints, separated by spaces");
    }
    stuck_[static_cast<std::size_t>(found - info_.joints.begin())] = true;
  }
  sensor_freezes_ = flag("fault.frozen_sensor", false);
  faults_begin_ = numbers("fault.begin", 1)[0];
}

void SimulatedRobot::break_joints()
{
  for (std::size_t i = 0; i < arm_->size(); ++i) {
    arm_->joint(i).stuck = broken_ && stuck_[i];
    arm_->joint(i).strength = broken_ ? 1.0 - effort_loss_[i] : 1.0;
  }
}

CallbackReturn SimulatedRobot::on_configure(const rclcpp_lifecycle::State &)
{
  arm_->place(start_.data());
  braked_ = true;
  elapsed_ = 0.0;
  broken_ = false;
  break_joints();
  claimed_.assign(arm_->size(), false);
  handles_.assign(arm_->size(), {});
  for (std::size_t i = 0; i < arm_->size(); ++i) {
    const std::string & joint = info_.joints[i].name;
    const auto state = [&](const char * kind) {
        const std::string name = joint + "/" + kind;
        return has_state(name) ? get_state_interface_handle(name) : nullptr;
      };
    handles_[i].position = state("position");
    handles_[i].velocity = state("velocity");
    handles_[i].effort = state("effort");
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string name = joint + "/" + MODES[k];
      handles_[i].commands[k] = has_command(name) ? get_command_interface_handle(name) : nullptr;
    }
  }
  return CallbackReturn::SUCCESS;
}

return_type SimulatedRobot::perform_command_mode_switch(
  const std::vector<std::string> & start_interfaces,
  const std::vector<std::string> & stop_interfaces)
{
  const auto has = [](const std::vector<std::string> & names, const std::string & name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
  for (std::size_t i = 0; i < arm_->size(); ++i) {
    bool changes = false;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string name = info_.joints[i].name + "/" + MODES[k];
      if (has(start_interfaces, name)) {
        modes_[i] = static_cast<Mode>(k);
        claimed_[i] = changes = true;
      } else {
        changes = changes || (has(stop_interfaces, name) && modes_[i] == static_cast<Mode>(k));
      }
    }
    if (!changes) {
      continue;
    }
    const double command = until_commanded(i);
    commands_[i] = std::isfinite(command) ? command : commands_[i];
    const auto & handle = handles_[i].commands[static_cast<std::size_t>(modes_[i])];
    if (handle && !set_command(handle, command, true)) {
      return return_type::ERROR;
    }
  }
  return return_type::OK;
}

double SimulatedRobot::until_commanded(std::size_t joint) const
{
  if (braked_) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  switch (modes_[joint]) {
    case Mode::POSITION: return arm_->q()[joint];
    case Mode::VELOCITY: return 0.0;
    default: return arm_->effort()[joint];
  }
}

return_type SimulatedRobot::read(const rclcpp::Time &, const rclcpp::Duration &)
{
  if (broken_ && sensor_freezes_) {
    return return_type::OK;
  }
  bool written = true;
  for (std::size_t i = 0; i < arm_->size(); ++i) {
    const Handles & joint = handles_[i];
    written = (!joint.position || set_state(joint.position, arm_->q()[i], false)) && written;
    written = (!joint.velocity || set_state(joint.velocity, arm_->qd()[i], false)) && written;
    written = (!joint.effort || set_state(joint.effort, arm_->effort()[i], false)) && written;
  }
  return written ? return_type::OK : return_type::ERROR;
}

return_type SimulatedRobot::write(const rclcpp::Time &, const rclcpp::Duration & period)
{
  bool claimed = false, commanded = true;
  for (std::size_t i = 0; i < arm_->size(); ++i) {
    const auto & handle = handles_[i].commands[static_cast<std::size_t>(modes_[i])];
    double command = 0.0;
    const bool given = handle && get_command(handle, command, false) && std::isfinite(command);
    if (given) {
      commands_[i] = command;
    }
    claimed = claimed || claimed_[i];
    commanded = commanded && (given || !claimed_[i]);
  }
  braked_ = braked_ && !(claimed && commanded);
  if (braked_) {
    return return_type::OK;
  }
  if (!broken_ && elapsed_ >= faults_begin_) {
    broken_ = true;
    break_joints();
  }
  elapsed_ += period.seconds();
  const int status = arm_->advance(commands_.data(), modes_.data(), period.seconds(), steps_);
  return status == 0 ? return_type::OK : return_type::ERROR;
}

}  // namespace robodyn_control

PLUGINLIB_EXPORT_CLASS(robodyn_control::SimulatedRobot, hardware_interface::SystemInterface)
