// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "payload_service.hpp"

#include <stdexcept>
#include <string>

namespace robodyn_control
{

namespace
{

constexpr std::size_t LONGEST_NAME = 200;  // of a frame, in an answer

}  // namespace

PayloadService::PayloadService(
  rclcpp_lifecycle::LifecycleNode & node, const EmittedModel & model, const Settings & settings,
  const Snapshot & latest, const std::atomic<bool> & active)
: model_(model), settings_(settings), latest_(latest), active_(active),
  payloads_(PAYLOAD * model.payload_frames().size()), accepted_(1 + payloads_.size()),
  taken_(1 + payloads_.size())
{
  service_ = node.create_service<Kind>(
    "~/set_payload",
    [this](const Kind::Request::SharedPtr request, Kind::Response::SharedPtr response) {
      try {
        attach(*request);
        response->success = true;
      } catch (const std::exception & error) {
        response->message = error.what();
      }
    });
}

void PayloadService::attach(const Kind::Request & request)
{
  const auto & body = request.payload.inertia;
  const Payload payload{
    body.m, {body.com.x, body.com.y, body.com.z},
    {body.ixx, body.ixy, body.ixz, body.iyy, body.iyz, body.izz}};
  const std::string frame = request.payload.header.frame_id.substr(0, LONGEST_NAME);
  const double ramp = request.ramp.sec + 1e-9 * request.ramp.nanosec;
  const auto planned =
    plan_payload(model_, payloads_, frame, payload, ramp);
  if (active_) {  // else the posture is not known
    const auto state = latest_.read();
    const auto carried = present();
    const std::string refusal = refuse_weight(
      model_, planned, carried.data(), state.empty() ? nullptr : state.data(), settings_);
    if (!refusal.empty()) {
      throw std::invalid_argument(refusal);
    }
  }
  payloads_ = planned;
  std::vector<double> accepted{ramp};
  accepted.insert(accepted.end(), payloads_.begin(), payloads_.end());
  accepted_.write(accepted);
}

void PayloadService::hand_over(Supervisor & arm) noexcept
{
  if (accepted_.read_newer(taken_, version_)) {
    arm.carry(taken_.data() + 1, taken_[0]);
  }
}

std::vector<double> PayloadService::present() const
{
  const auto state = active_ ? latest_.read() : std::vector<double>();
  if (state.empty()) {
    return payloads_;
  }
  return {state.end() - static_cast<std::ptrdiff_t>(payloads_.size()), state.end()};
}

}  // namespace robodyn_control
