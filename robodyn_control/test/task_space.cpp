// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Print the dynamics of a task:
// `task_space <library> <reference> <damping> <rows> (<link> <x> <y> <z>)... < states`.
// `rows` are numbers separated by commas. Doubles are read in memory order: first those of the
// payloads, then each state. The answer is a line with all results.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "robodyn_control/task_space.hpp"

namespace
{

void print(const double * values, std::size_t count)
{
  for (std::size_t i = 0; i < count; ++i) {
    std::printf("%.17g ", values[i]);
  }
}

void run(int count, char ** arguments)
{
  const robodyn_control::EmittedModel model(arguments[1], "arm");
  std::vector<std::size_t> kept;
  std::istringstream rows(arguments[4]);
  for (std::string row; std::getline(rows, row, ','); ) {
    kept.push_back(std::stoul(row));
  }
  std::vector<robodyn_control::TaskPoint> points;
  for (int k = 5; k + 3 < count; k += 4) {
    points.push_back(
      {arguments[k],
        {std::atof(arguments[k + 1]), std::atof(arguments[k + 2]), std::atof(arguments[k + 3])}});
  }
  robodyn_control::TaskSpace task(
    model, points, kept, std::atof(arguments[3]),
    static_cast<robodyn_control::TaskReference>(std::atoi(arguments[2])));
  const std::size_t n = model.size(), m = task.rows();
  std::vector<double> state(2 * n), payload(10 * model.payload_frames().size());
  if (std::fread(payload.data(), sizeof(double), payload.size(), stdin) != payload.size()) {
    throw std::runtime_error("the payloads end early");
  }
  const auto zero = [](double x) {return x == 0.0;};
  const bool empty = std::all_of(payload.begin(), payload.end(), zero);
  while (std::fread(state.data(), sizeof(double), 2 * n, stdin) == 2 * n) {
    const int status = task.compute(
      state.data(), state.data() + n, empty ? nullptr : payload.data());
    std::printf("%d %d ", status, task.rank());
    print(task.inertia(), m * m);
    print(task.compliance(), m * m);
    print(task.jacobian(), m * n);
    print(task.consistent_inverse(), n * m);
    print(task.singular_values(), m);
    print(task.jacobian_bias(), m);
    print(task.coriolis(), n);
    print(task.gravity(), n);
    print(task.task_bias(), m);
    print(task.task_gravity(), m);
    std::printf("\n");
  }
}

}  // namespace

int main(int count, char ** arguments)
{
  try {
    run(count, arguments);
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
