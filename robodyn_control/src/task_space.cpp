// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/task_space.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "robodyn_control/task_inertia.hpp"

namespace robodyn_control
{

namespace
{

using Vector = std::array<double, 3>;

constexpr std::size_t ROWS = 6;  // of a point
constexpr const char * AXES[ROWS] = {"x", "y", "z", "rx", "ry", "rz"};

Vector cross(const Vector & a, const Vector & b) noexcept
{
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vector sum(const Vector & a, const Vector & b) noexcept
{
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

/// Linear and angular part of a motion.
struct Twist
{
  Vector linear, angular;
};

/// A pose as the emitted function writes it, 4 x 4.
struct Pose
{
  double rows[16];

  Vector place() const noexcept {return {rows[3], rows[7], rows[11]};}

  Vector rotated(const Vector & x) const noexcept
  {
    Vector y;
    for (std::size_t i = 0; i < 3; ++i) {
      y[i] = rows[4 * i] * x[0] + rows[4 * i + 1] * x[1] + rows[4 * i + 2] * x[2];
    }
    return y;
  }

  Vector rotated_back(const Vector & x) const noexcept
  {
    Vector y;
    for (std::size_t i = 0; i < 3; ++i) {
      y[i] = rows[i] * x[0] + rows[4 + i] * x[1] + rows[8 + i] * x[2];
    }
    return y;
  }
};

/// Return a column of a matrix of six rows.
Twist column(const double * x, std::size_t width) noexcept
{
  return {{x[0], x[width], x[2 * width]}, {x[3 * width], x[4 * width], x[5 * width]}};
}

void write(const Twist & twist, double * x, std::size_t width) noexcept
{
  for (std::size_t i = 0; i < 3; ++i) {
    x[i * width] = twist.linear[i];
    x[(i + 3) * width] = twist.angular[i];
  }
}

/// Return the motion of a point on a link from that of its origin, in the axes of a reference.
///
///     v' = v + omega x r
///     a' = a + alpha x r + omega x (omega x r)
class Moved
{
public:
  Moved(const Pose & pose, const Vector & place, TaskReference reference, const Twist & origin)
  : pose_(pose), reference_(reference), lever_(pose.rotated(place)),
    base_(sum(pose.place(), lever_)), omega_(origin.angular),
    speed_(sum(origin.linear, cross(omega_, lever_))) {}

  Twist velocity(const Twist & x) const noexcept
  {
    const Vector linear = sum(x.linear, cross(x.angular, lever_));
    switch (reference_) {
      case TaskReference::LOCAL:
        return {pose_.rotated_back(linear), pose_.rotated_back(x.angular)};
      case TaskReference::BASE:
        return {sum(linear, cross(base_, x.angular)), x.angular};
      case TaskReference::WORLD_ALIGNED:
        break;
    }
    return {linear, x.angular};
  }

  Twist acceleration(const Twist & x) const noexcept
  {
    Vector linear = sum(x.linear, cross(omega_, cross(omega_, lever_)));
    if (reference_ != TaskReference::WORLD_ALIGNED) {  // the axes rotate, or the point moves
      linear = sum(linear, cross(speed_, omega_));
    }
    return velocity({linear, x.angular});
  }

private:
  const Pose & pose_;
  TaskReference reference_;
  Vector lever_, base_, omega_, speed_;
};

/// y = A x, or A^T x, of a matrix with so many rows and columns.
void multiply(
  const double * a, std::size_t rows, std::size_t columns, bool transposed, const double * x,
  double * y) noexcept
{
  const std::size_t size = transposed ? columns : rows, count = transposed ? rows : columns;
  for (std::size_t i = 0; i < size; ++i) {
    y[i] = 0.0;
    for (std::size_t j = 0; j < count; ++j) {
      y[i] += (transposed ? a[j * columns + i] : a[i * columns + j]) * x[j];
    }
  }
}

}  // namespace

const char * axis_name(std::size_t row) noexcept {return AXES[row % ROWS];}

std::vector<std::size_t> rows_of_axes(const std::string & axes)
{
  std::vector<std::size_t> kept;
  std::istringstream words(axes.empty() ? "x y z rx ry rz" : axes);
  for (std::string word; words >> word; ) {
    const auto found = std::find(AXES, AXES + ROWS, word);
    const auto row = static_cast<std::size_t>(found - AXES);
    if (row == ROWS || std::find(kept.begin(), kept.end(), row) != kept.end()) {
      kept.clear();
      break;
    }
    kept.push_back(row);
  }
  if (kept.empty()) {
    throw std::runtime_error(
            "axes of a task: got '" + axes + "'; expected some of x y z rx ry rz, each once");
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

TaskSpace::TaskSpace(
  const EmittedModel & model, const std::vector<TaskPoint> & points,
  const std::vector<std::size_t> & kept, double damping, TaskReference reference)
: n_(model.size()), model_(model), mass_matrix_inverse_(model.mass_matrix_inverse()),
  gravity_torque_(model.gravity_torque()), inverse_dynamics_(model.inverse_dynamics()),
  kept_(kept), damping_(damping), reference_(reference),
  whole_(ROWS * points.size() * (n_ + 1)), inverse_(n_ * n_), solved_(n_ * kept.size()),
  work_(2 * kept.size() * kept.size()), rest_(n_), inertia_(kept.size() * kept.size()),
  compliance_(inertia_.size()), jacobian_(kept.size() * n_), bias_(kept.size()),
  singular_values_(kept.size()), consistent_(n_ * kept.size()), coriolis_(n_), gravity_(n_),
  task_bias_(kept.size()), task_gravity_(kept.size())
{
  for (const auto & point : points) {
    points_.push_back(
      {model.pose(point.link), model.jacobian(point.link), model.jacobian_bias(point.link),
        point.place});
  }
  for (const std::size_t row : kept) {
    row_links_.push_back(points.at(row / ROWS).link);
    row_axes_.push_back(axis_name(row));
  }
}

int TaskSpace::compute(const double * q, const double * qd, const double * payload) noexcept
{
  int status = write_dynamics(q, qd, payload);
  for (std::size_t k = 0; k < points_.size() && status == 0; ++k) {
    status = write_point(points_[k], q, qd, &whole_[k * ROWS * (n_ + 1)]);
  }
  if (status == 0) {
    invert();
  }
  return status;
}

int TaskSpace::write_dynamics(
  const double * q, const double * qd, const double * payload) noexcept
{
  int status = mass_matrix_inverse_(q, payload, inverse_.data());
  status = status ? status : gravity_torque_(q, payload, gravity_.data());
  status = status ? status : inverse_dynamics_(q, qd, rest_.data(), payload, coriolis_.data());
  for (std::size_t i = 0; i < n_; ++i) {
    coriolis_[i] -= gravity_[i];
  }
  return status;
}

int TaskSpace::write_point(
  const Point & point, const double * q, const double * qd, double * out) noexcept
{
  Pose pose;
  double bias[ROWS], speeds[ROWS];
  int status = point.pose(q, pose.rows);
  status = status ? status : point.jacobian(q, out);
  status = status ? status : point.jacobian_bias(q, qd, bias);
  if (status) {
    return status;
  }
  multiply(out, ROWS, n_, false, qd, speeds);
  const Moved moved(pose, point.place, reference_, column(speeds, 1));
  const std::size_t width = n_ + 1;
  for (std::size_t i = ROWS - 1; i > 0; --i) {  // from the last row, since rows grow by a column
    std::copy_backward(out + i * n_, out + (i + 1) * n_, out + i * width + n_);
  }
  for (std::size_t j = 0; j < n_; ++j) {
    write(moved.velocity(column(out + j, width)), out + j, width);
  }
  write(moved.acceleration(column(bias, 1)), out + n_, width);
  return 0;
}

void TaskSpace::invert() noexcept
{
  const std::size_t m = kept_.size(), width = n_ + 1;
  for (std::size_t i = 0; i < m; ++i) {
    const double * const row = &whole_[kept_[i] * width];
    std::copy_n(row, n_, &jacobian_[i * n_]);
    bias_[i] = row[n_];
    for (std::size_t k = 0; k < n_; ++k) {  // M^-1 J^T
      double & entry = solved_[k * m + i] = 0.0;
      for (std::size_t j = 0; j < n_; ++j) {
        entry += inverse_[k * n_ + j] * row[j];
      }
    }
  }
  for (std::size_t i = 0; i < m; ++i) {
    multiply(solved_.data(), n_, m, true, &jacobian_[i * n_], &compliance_[i * m]);
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < i; ++j) {  // exactly symmetric in spite of rounding
      compliance_[i * m + j] = compliance_[j * m + i] =
        0.5 * (compliance_[i * m + j] + compliance_[j * m + i]);
    }
  }
  rank_ = task_inertia(
    compliance_.data(), m, damping_, work_.data(), inertia_.data(), singular_values_.data());
  for (std::size_t k = 0; k < n_; ++k) {
    multiply(inertia_.data(), m, m, true, &solved_[k * m], &consistent_[k * m]);
  }
  multiply(consistent_.data(), n_, m, true, coriolis_.data(), task_bias_.data());
  multiply(consistent_.data(), n_, m, true, gravity_.data(), task_gravity_.data());
  multiply(inertia_.data(), m, m, false, bias_.data(), work_.data());
  for (std::size_t i = 0; i < m; ++i) {
    task_bias_[i] -= work_[i];
  }
}

}  // namespace robodyn_control
