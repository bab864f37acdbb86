// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <vector>

#include "rclcpp/service.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "robodyn_control/payload.hpp"
#include "robodyn_control/snapshot.hpp"
#include "robodyn_control/supervisor.hpp"
#include "robodyn_msgs/srv/set_payload.hpp"

namespace robodyn_control
{

/// The service ~/set_payload for the frames of payloads of the emitted code.
/// It runs in the thread of the executor, and allocates there. A cycle takes over what it accepts.
class PayloadService
{
public:
  /// latest : positions, velocities, seconds and nanoseconds of the stamp, and payloads of the last
  /// cycle. active : whether there are cycles. Both outlive the service.
  PayloadService(
    rclcpp_lifecycle::LifecycleNode & node, const EmittedModel & model, const Settings & settings,
    const Snapshot & latest, const std::atomic<bool> & active);

  /// Pass payloads that were accepted since the last call on to a supervisor. Never waits.
  void hand_over(Supervisor & arm) noexcept;
  /// Return the payloads of the last cycle; without cycles those of the next one.
  std::vector<double> present() const;

private:
  using Kind = robodyn_msgs::srv::SetPayload;

  void attach(const Kind::Request & request);

  EmittedModel model_;
  Settings settings_;
  const Snapshot & latest_;
  const std::atomic<bool> & active_;
  std::vector<double> payloads_;             // accepted ones, of the thread of the executor
  Snapshot accepted_;                        // the ramp [s], and the payloads
  std::vector<double> taken_;                // of the thread of the cycles
  unsigned version_ = 0;
  rclcpp::Service<Kind>::SharedPtr service_;
};

}  // namespace robodyn_control
