// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace robodyn_control
{

/// What acts on a joint over one step.
struct JointBounds
{
  double friction;   ///< [N m s or N s] largest impulse of dry friction
  double low, high;  ///< [rad/s or m/s] velocities at which the joint reaches a stop
  bool fixed;        ///< whether its velocity is prescribed
};

/// Impulses of dry friction and position stops over one step, solved together.
/// As in robodyn_ros/simulation/joint_impulses.py: the velocities are those of the maximal
/// dissipation (Stewart 2000, section 3). Sweeps of Gauss-Seidel find which joints slide, stick or
/// touch a stop, and a Cholesky factorisation gives the exact impulses. Only the constructor
/// allocates.
class JointImpulses
{
public:
  explicit JointImpulses(std::size_t joints);

  /// The inverse of the mass matrix of the step, n x n, to be written before `settle`.
  double * inverse() noexcept {return inverse_.data();}
  /// Replace the velocities without impulses by those with them.
  void settle(const std::vector<JointBounds> & bounds, double * velocity) noexcept;

private:
  /// SLIDES_BACK and SLIDES_ON are joints with friction, FREE are those without.
  enum class Case {FREE, SLIDES_BACK, SLIDES_ON, HELD, AT_LOWER, AT_UPPER};

  double sweep(const std::vector<JointBounds> & bounds, double * velocity) noexcept;
  void classify(const std::vector<JointBounds> & bounds, const double * velocity) noexcept;
  bool solve_exactly(const std::vector<JointBounds> & bounds, double * velocity) noexcept;
  bool solve_cases(const std::vector<JointBounds> & bounds, double * velocity) noexcept;
  bool solve_prescribed() noexcept;
  void add_impulses(double * velocity) const noexcept;
  bool matches(const JointBounds & bound, double velocity, std::size_t k) const noexcept;
  bool prescribed(std::size_t k) const noexcept;

  std::size_t n_;
  std::vector<double> inverse_, factor_, impulse_, free_, rhs_, target_, kept_impulse_, kept_;
  std::vector<Case> case_;
};

}  // namespace robodyn_control
