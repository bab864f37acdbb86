// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace robodyn_control
{

/// Below this share of the largest singular value a direction is lost.
constexpr double RANK_TOLERANCE = 1e-12;

/// Lambda = (J M^-1 J^T + damping^2 1)^-1 of a compliance J M^-1 J^T; return its rank.
/// Undamped it is the pseudo-inverse: lost directions are left out. Cyclic Jacobi rotations
/// (Golub and Van Loan, section 8.5), at most 12 sweeps.
/// compliance, inertia : m x m; singular_values : m, descending; work : 2 m x m, overwritten.
int task_inertia(
  const double * compliance, std::size_t m, double damping, double * work, double * inertia,
  double * singular_values) noexcept;

}  // namespace robodyn_control
