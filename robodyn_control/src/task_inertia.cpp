// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/task_inertia.hpp"

#include <algorithm>
#include <functional>

#include "robodyn_control/jacobi_rotations.hpp"

namespace robodyn_control
{

int task_inertia(
  const double * compliance, std::size_t m, double damping, double * work, double * inertia,
  double * singular_values) noexcept
{
  double * const vectors = work + m * m;
  std::copy_n(compliance, m * m, work);
  diagonalise(work, vectors, m);
  double largest = 0.0;
  for (std::size_t k = 0; k < m; ++k) {
    largest = std::max(largest, work[k * (m + 1)]);
  }
  std::fill_n(inertia, m * m, 0.0);
  int rank = 0;
  for (std::size_t k = 0; k < m; ++k) {
    const double found = work[k * (m + 1)];
    const double value = found < 0.0 ? 0.0 : found;
    const bool kept = !(value <= RANK_TOLERANCE * largest);  // a NaN is kept, so that it shows
    rank += kept;
    singular_values[k] = value;
    if (kept || damping > 0.0) {
      const double stiffness = 1.0 / (value + damping * damping);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          inertia[i * m + j] += stiffness * vectors[i * m + k] * vectors[j * m + k];
        }
      }
    }
  }
  std::sort(singular_values, singular_values + m, std::greater<double>());
  return rank;
}

}  // namespace robodyn_control
