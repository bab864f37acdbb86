// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "payload_service.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "robodyn_control/snapshot.hpp"
#include "robodyn_control/task_space.hpp"
#include "robodyn_msgs/srv/get_operational_space_inertia.hpp"

namespace robodyn_control
{

/// The service ~/get_operational_space_inertia, at the latest joint state or a given one.
/// Links must be those of the emitted code, with any points on them. It runs in the thread of the
/// executor, and allocates there.
class TaskSpaceService
{
public:
  /// latest : positions, velocities, seconds and nanoseconds of the stamp, and more.
  /// payloads : has those of the arm. Both outlive the service.
  TaskSpaceService(
    rclcpp_lifecycle::LifecycleNode & node, const EmittedModel & model, const Snapshot & latest,
    const PayloadService & payloads, const std::string & default_link, double default_damping);

private:
  using Kind = robodyn_msgs::srv::GetOperationalSpaceInertia;
  struct State;

  void answer(const Kind::Request & request, Kind::Response & response) const;
  State state_of(const Kind::Request & request, std::string & note) const;
  std::vector<TaskPoint> points_of(const Kind::Request & request) const;

  EmittedModel model_;
  const Snapshot & latest_;
  const PayloadService & payloads_;
  std::string default_link_;
  double default_damping_;
  rclcpp::Service<Kind>::SharedPtr service_;
};

}  // namespace robodyn_control
