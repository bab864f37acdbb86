// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hardware_interface/system_interface.hpp"
#include "robodyn_control/simulated_arm.hpp"

namespace robodyn_control
{

/// Simulated hardware with real dynamics: `write` advances a SimulatedArm by one period.
/// Parameters in the description are dynamics_library, dynamics_prefix, steps, initial_value of
/// the position interfaces, and those of the simulator node. These are drive.stiffness,
/// drive.rate_gain, drive.velocity_gain, drive.carries_weight, drive.kinematic, payload.frame,
/// payload.mass, payload.com, payload.inertia, fault.stuck_joints, fault.effort_loss and
/// fault.frozen_sensor. Numbers and names are separated by spaces. Faults begin at fault.begin [s].
class SimulatedRobot : public hardware_interface::SystemInterface
{
public:
  hardware_interface::CallbackReturn on_init(
    const hardware_interface::HardwareComponentInterfaceParams & params) override;
  hardware_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State &) override;
  hardware_interface::return_type perform_command_mode_switch(
    const std::vector<std::string> & start_interfaces,
    const std::vector<std::string> & stop_interfaces) override;
  hardware_interface::return_type read(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;
  hardware_interface::return_type write(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  std::string parameter(const std::string & name, const std::string & otherwise) const;
  /// Return a gain of the drives, NaN if it is not given.
  double gain(const std::string & name) const;
  /// Return a parameter that is true or false.
  bool flag(const std::string & name, bool otherwise) const;
  /// Return so many numbers of a parameter, zeros if it is not given.
  std::vector<double> numbers(const std::string & name, std::size_t count) const;
  /// Return the numbers of all payloads; none without payload.frame.
  std::vector<double> payload(const EmittedModel & model) const;
  void make_arm();
  void read_faults();
  void break_joints();
  /// Return the command of a joint after a switch: it stays, stops, or keeps its effort.
  double until_commanded(std::size_t joint) const;

  std::unique_ptr<SimulatedArm> arm_;
  std::vector<double> start_, commands_;
  std::vector<Mode> modes_;
  int steps_ = 4;
  bool braked_ = true;  ///< until every claimed joint has a command
  std::vector<bool> claimed_;
  std::vector<double> effort_loss_;  ///< [-] share, by joint
  std::vector<bool> stuck_;
  bool sensor_freezes_ = false, broken_ = false;
  double faults_begin_ = 0.0, elapsed_ = 0.0;  ///< [s] of simulated time
  struct Handles
  {
    hardware_interface::StateInterface::SharedPtr position, velocity, effort;
    hardware_interface::CommandInterface::SharedPtr commands[3];  ///< by Mode
  };
  std::vector<Handles> handles_;
};

}  // namespace robodyn_control
