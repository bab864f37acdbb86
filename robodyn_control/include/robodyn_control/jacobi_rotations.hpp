// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace robodyn_control
{

/// Diagonalise a symmetric matrix by rotations of pairs of rows and columns (Jacobi).
/// a : m x m; its diagonal becomes the eigenvalues. vectors : m x m, the eigenvectors as columns.
void diagonalise(double * a, double * vectors, std::size_t m) noexcept;

}  // namespace robodyn_control
