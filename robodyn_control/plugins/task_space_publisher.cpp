// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "task_space_publisher.hpp"

#include <algorithm>

namespace robodyn_control
{

namespace
{

std::vector<TaskPoint> origins(const std::vector<std::string> & links)
{
  std::vector<TaskPoint> points;
  for (const auto & link : links) {
    points.push_back({link, {}});
  }
  return points;
}

std::vector<std::size_t> rows_of(std::size_t links, const std::string & axes)
{
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < links; ++k) {
    for (const std::size_t row : rows_of_axes(axes)) {
      kept.push_back(6 * k + row);
    }
  }
  return kept;
}

}  // namespace

TaskSpacePublisher::TaskSpacePublisher(
  rclcpp_lifecycle::LifecycleNode & node, const EmittedModel & model,
  const std::vector<std::string> & links, const std::string & axes, double damping, double rate)
: task_(model, origins(links), rows_of(links.size(), axes), damping), period_(1.0 / rate)
{
  const std::size_t m = task_.rows(), n = task_.cols();
  message_.header.frame_id = model.base();
  message_.joint_names = model.joint_names();
  message_.row_links = task_.row_links();
  message_.row_axes = task_.row_axes();
  message_.rows = static_cast<std::uint32_t>(m);
  message_.cols = static_cast<std::uint32_t>(n);
  message_.damping_used = damping;
  message_.position.resize(n);
  message_.velocity.resize(n);
  message_.inertia.resize(m * m);
  message_.inertia_inverse.resize(m * m);
  message_.jacobian.resize(m * n);
  message_.task_bias.resize(m);
  message_.task_gravity.resize(m);
  message_.consistent_inverse.resize(n * m);
  message_.singular_values.resize(m);
  publisher_ = std::make_unique<PolledPublisher<Message>>(
    node.create_publisher<Message>("~/operational_space_inertia", rclcpp::QoS(1)), message_,
    pause_at(rate));
}

void TaskSpacePublisher::publish(
  const rclcpp::Time & time, double now, const double * q, const double * qd,
  const double * payload)
{
  if (now >= next_ && task_.compute(q, qd, payload) == 0) {
    next_ = std::max(next_ + period_, now);
    message_.header.stamp = time;
    fill(q, qd);
    publisher_->try_publish(message_);
  }
}

void TaskSpacePublisher::fill(const double * q, const double * qd)
{
  const auto copy = [](const double * values, std::vector<double> & row) {
      std::copy_n(values, row.size(), row.begin());
    };
  copy(q, message_.position);
  copy(qd, message_.velocity);
  copy(task_.inertia(), message_.inertia);
  copy(task_.compliance(), message_.inertia_inverse);
  copy(task_.jacobian(), message_.jacobian);
  copy(task_.task_bias(), message_.task_bias);
  copy(task_.task_gravity(), message_.task_gravity);
  copy(task_.consistent_inverse(), message_.consistent_inverse);
  copy(task_.singular_values(), message_.singular_values);
  message_.rank = static_cast<std::uint8_t>(task_.rank());
}

}  // namespace robodyn_control
