// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace robodyn_control
{

/// Share of the largest singular value, below which a direction is singular.
constexpr double RANK_TOLERANCE = 1e-12;

/// Lambda = (J M^-1 J^T + damping^2 1)^-1 of a compliance J M^-1 J^T; return its rank.
/// Without damping it is the pseudo-inverse: singular directions are left out. It is computed by
/// cyclic Jacobi rotations (Golub and Van Loan, section 8.5), in at most 12 sweeps.
/// compliance, inertia : m x m; singular_values : m, descending; work : 2 m x m, overwritten.
int task_inertia(
  const double * compliance, std::size_t m, double damping, double * work, double * inertia,
  double * singular_values) noexcept;

}  // namespace robodyn_control
