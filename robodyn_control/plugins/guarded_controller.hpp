// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "controller_interface/chainable_controller_interface.hpp"
#include "payload_service.hpp"
#include "polled_publisher.hpp"
#include "rclcpp/service.hpp"
#include "robodyn_control/controller_parameters.hpp"
#include "robodyn_control/supervisor.hpp"
#include "robodyn_msgs/msg/controller_state.hpp"
#include "robodyn_msgs/msg/controller_status.hpp"
#include "std_srvs/srv/trigger.hpp"
#include "task_space_publisher.hpp"
#include "task_space_service.hpp"

namespace robodyn_control
{

/// A law of an emitted library with a Supervisor, as a chainable controller of ros2_control.
class GuardedController : public controller_interface::ChainableControllerInterface
{
public:
  controller_interface::CallbackReturn on_init() override;
  controller_interface::InterfaceConfiguration command_interface_configuration() const override;
  controller_interface::InterfaceConfiguration state_interface_configuration() const override;
  controller_interface::CallbackReturn on_configure(const rclcpp_lifecycle::State &) override;
  controller_interface::CallbackReturn on_activate(const rclcpp_lifecycle::State &) override;
  controller_interface::CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) override;

protected:
  /// Name of the law in the emitted library; empty for gravity compensation.
  virtual std::string law() const = 0;

  std::vector<hardware_interface::CommandInterface> on_export_reference_interfaces() override;
  bool on_set_chained_mode(bool chained) override;
  controller_interface::return_type update_reference_from_subscribers(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;
  controller_interface::return_type update_and_write_commands(
    const rclcpp::Time & time, const rclcpp::Duration & period) override;

private:
  using ControllerState = robodyn_msgs::msg::ControllerState;
  using ControllerStatus = robodyn_msgs::msg::ControllerStatus;
  using Trigger = std_srvs::srv::Trigger;

  Settings settings() const;
  void prepare_messages();
  void offer_services();
  void offer_task_space(const EmittedModel & model);
  void offer_payloads(const EmittedModel & model, const Settings & wanted);
  void read_states(double now);
  void read_reference(double now);
  void answer_requests(double now);
  bool write_efforts();
  void publish(const rclcpp::Time & time, double now);
  void share_state(const rclcpp::Time & time, double now);
  double since_configured(const rclcpp::Time & time) const {return (time - origin_).seconds();}

  std::shared_ptr<controller_parameters::ParamListener> listener_;
  controller_parameters::Params parameters_;
  std::vector<std::string> joints_;
  std::string base_;
  std::unique_ptr<Supervisor> supervisor_;
  rclcpp::Time origin_;
  std::vector<double> q_, qd_, reference_, feedforward_;
  std::atomic<bool> stop_wanted_{false}, reset_wanted_{false}, hold_wanted_{false};
  std::vector<rclcpp::Service<Trigger>::SharedPtr> services_;
  ControllerState state_;
  ControllerStatus status_;
  std::unique_ptr<PolledPublisher<ControllerState>> state_publisher_;
  std::unique_ptr<PolledPublisher<ControllerStatus>> status_publisher_;
  std::atomic<bool> active_{false};
  std::unique_ptr<Snapshot> latest_;  // for the services, which read it in another thread
  std::vector<double> latest_values_;
  std::unique_ptr<PayloadService> payload_service_;
  std::unique_ptr<TaskSpaceService> task_service_;
  std::unique_ptr<TaskSpacePublisher> task_publisher_;
  double next_state_ = 0.0, next_status_ = 0.0;
  State told_state_ = State::WAIT_STATE;
  Reason told_reason_ = Reason::NONE;
  Refusal told_refusal_ = Refusal::NONE;
  bool told_stuck_ = false;
  int told_behind_ = -1;
};

/// tau = M(q) (qdd_r + Kd ed + Kp e) + C(q, qd) qd + g(q) + friction(qd_r).
class ComputedTorqueController : public GuardedController
{
protected:
  std::string law() const override {return "computed_torque";}
};

/// tau = g(q).
class GravityCompensationController : public GuardedController
{
protected:
  std::string law() const override {return "";}
};

}  // namespace robodyn_control
