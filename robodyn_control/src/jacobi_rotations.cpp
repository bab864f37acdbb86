// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/jacobi_rotations.hpp"

#include <cmath>

namespace robodyn_control
{

namespace
{

constexpr int SWEEPS = 12;  // six or seven diagonalise a 6 x 6 matrix to the last bit
constexpr double NEGLIGIBLE = 1e-34;  // square of an entry over its diagonal entries

/// Rotate the entries of two rows or columns, which have a `stride`.
void turn(double * x, double * y, std::size_t m, std::size_t stride, double c, double s) noexcept
{
  for (std::size_t k = 0; k < m; ++k) {
    const double first = x[k * stride], second = y[k * stride];
    x[k * stride] = c * first - s * second;
    y[k * stride] = s * first + c * second;
  }
}

/// Rotate entry (i, j) of a symmetric matrix to zero; return whether it was not negligible.
bool rotate(double * a, double * vectors, std::size_t m, std::size_t i, std::size_t j) noexcept
{
  const double off = a[i * m + j], first = a[i * m + i], second = a[j * m + j];
  if (off * off <= NEGLIGIBLE * std::fabs(first * second)) {  // a NaN is rotated, and spreads
    return false;
  }
  const double theta = (second - first) / (off + off);
  const double root = std::sqrt(theta * theta + 1.0);
  const double t = 1.0 / (theta >= 0.0 ? theta + root : theta - root);
  const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
  turn(a + i, a + j, m, m, c, s);
  turn(a + i * m, a + j * m, m, 1, c, s);
  a[i * m + j] = a[j * m + i] = 0.0;
  turn(vectors + i, vectors + j, m, m, c, s);
  return true;
}

}  // namespace

void diagonalise(double * a, double * vectors, std::size_t m) noexcept
{
  for (std::size_t k = 0; k < m * m; ++k) {
    vectors[k] = k % (m + 1) == 0 ? 1.0 : 0.0;
  }
  bool rotated = true;
  for (int sweep = 0; sweep < SWEEPS && rotated; ++sweep) {
    rotated = false;
    for (std::size_t i = 0; i + 1 < m; ++i) {
      for (std::size_t j = i + 1; j < m; ++j) {
        rotated = rotate(a, vectors, m, i, j) || rotated;
      }
    }
  }
}

}  // namespace robodyn_control
