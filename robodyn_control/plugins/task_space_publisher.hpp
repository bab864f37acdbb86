// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "polled_publisher.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "robodyn_control/task_space.hpp"
#include "robodyn_msgs/msg/operational_space_inertia.hpp"

namespace robodyn_control
{

/// Publishes ~/operational_space_inertia of links within a cycle. Only the constructor allocates.
class TaskSpacePublisher
{
public:
  /// rate [Hz]; axes as in the parameter osi_axes. Throws std::runtime_error for an unknown link.
  TaskSpacePublisher(
    rclcpp_lifecycle::LifecycleNode & node, const EmittedModel & model,
    const std::vector<std::string> & links, const std::string & axes, double damping, double rate);

  /// Publish at a state with payloads (null: none), if the period of the rate is over.
  void publish(const rclcpp::Time & time, double now, const double * q, const double * qd,
    const double * payload);

private:
  using Message = robodyn_msgs::msg::OperationalSpaceInertia;

  void fill(const double * q, const double * qd);

  TaskSpace task_;
  double period_, next_ = 0.0;
  Message message_;
  std::unique_ptr<PolledPublisher<Message>> publisher_;
};

}  // namespace robodyn_control
