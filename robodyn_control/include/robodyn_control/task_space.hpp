// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "robodyn_control/emitted_model.hpp"

namespace robodyn_control
{

/// Axes and reference point of a task; numbered as in GetOperationalSpaceInertia.srv.
enum class TaskReference {WORLD_ALIGNED, LOCAL, BASE};

/// A point on a link.
struct TaskPoint
{
  std::string link;
  std::array<double, 3> place{};  ///< in the axes of the link [m]
};

/// Lambda xdd + mu + p = F of points on links with their coupling, for tau = J^T F (Khatib 1987).
/// The rows of a point are x y z rx ry rz. Only the constructor allocates. Matrices are row-major.
class TaskSpace
{
public:
  /// kept : the rows of the task among the rows of all points, ascending; damping [1/sqrt(kg)].
  /// Throws std::runtime_error if the library lacks a link, or a function that the task needs.
  TaskSpace(
    const EmittedModel & model, const std::vector<TaskPoint> & points,
    const std::vector<std::size_t> & kept, double damping,
    TaskReference reference = TaskReference::WORLD_ALIGNED);

  /// Compute everything below at a state; return 0, or the status of the dynamics.
  /// payload : ten numbers for each of the model; null without payloads.
  int compute(const double * q, const double * qd, const double * payload = nullptr) noexcept;

  std::size_t rows() const noexcept {return kept_.size();}
  std::size_t cols() const noexcept {return n_;}
  double damping() const noexcept {return damping_;}
  const std::vector<std::string> & row_links() const noexcept {return row_links_;}
  const std::vector<std::string> & row_axes() const noexcept {return row_axes_;}
  int rank() const noexcept {return rank_;}
  const double * inertia() const noexcept {return inertia_.data();}        ///< m x m
  const double * compliance() const noexcept {return compliance_.data();}  ///< m x m, undamped
  const double * jacobian() const noexcept {return jacobian_.data();}      ///< m x n
  const double * jacobian_bias() const noexcept {return bias_.data();}     ///< m, Jdot qd
  const double * singular_values() const noexcept {return singular_values_.data();}  ///< m
  const double * consistent_inverse() const noexcept {return consistent_.data();}    ///< n x m
  const double * coriolis() const noexcept {return coriolis_.data();}      ///< n
  const double * gravity() const noexcept {return gravity_.data();}        ///< n
  const double * task_bias() const noexcept {return task_bias_.data();}    ///< m, mu
  const double * task_gravity() const noexcept {return task_gravity_.data();}  ///< m, p

private:
  struct Point
  {
    EmittedModel::OfPosition pose, jacobian;
    EmittedModel::OfMotion jacobian_bias;
    std::array<double, 3> place;
  };

  int write_point(const Point & point, const double * q, const double * qd, double * out) noexcept;
  int write_dynamics(const double * q, const double * qd, const double * payload) noexcept;
  void invert() noexcept;

  std::size_t n_;
  EmittedModel model_;  // keeps the library loaded
  EmittedModel::LoadableOfPosition mass_matrix_inverse_, gravity_torque_;
  EmittedModel::InverseDynamics inverse_dynamics_;
  std::vector<Point> points_;
  std::vector<std::size_t> kept_;
  double damping_;
  TaskReference reference_;
  std::vector<std::string> row_links_, row_axes_;
  int rank_ = 0;
  /// For all rows of all points: n columns of J, then one of Jdot qd.
  std::vector<double> whole_;
  std::vector<double> inverse_, solved_, work_, rest_, inertia_, compliance_, jacobian_, bias_,
    singular_values_, consistent_, coriolis_, gravity_, task_bias_, task_gravity_;
};

/// Name of a row of a point, 0 to 5.
const char * axis_name(std::size_t row) noexcept;

/// Return the rows of one point that a text names, such as "x y rz"; all if it is empty.
/// Throws std::runtime_error for an unknown or a repeated name.
std::vector<std::size_t> rows_of_axes(const std::string & axes);

}  // namespace robodyn_control
