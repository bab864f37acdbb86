// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Move an arm: `simulate <library> <mode> <dt> <steps> <cycles> <stiffness> <command>...`.
// It begins at rest at zero. Each cycle prints positions, velocities and efforts.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "robodyn_control/simulated_arm.hpp"

int main(int, char ** arguments)
{
  const robodyn_control::EmittedModel model(arguments[1], "arm");
  const std::size_t n = model.size();
  const double stiffness = std::atof(arguments[6]);
  robodyn_control::SimulatedArm arm(
    model, std::vector<robodyn_control::SimulatedJoint>(
      n, {-2.0, 2.0, 200.0, stiffness, stiffness / 20.0}));
  const std::vector<robodyn_control::Mode> modes(
    n, static_cast<robodyn_control::Mode>(std::atoi(arguments[2])));
  std::vector<double> commands;
  for (std::size_t i = 0; i < n; ++i) {
    commands.push_back(std::atof(arguments[7 + i]));
  }
  for (int k = 0; k < std::atoi(arguments[5]); ++k) {
    if (arm.advance(
        commands.data(), modes.data(), std::atof(arguments[3]), std::atoi(arguments[4])) != 0)
    {
      return 1;
    }
    for (const double * const row : {arm.q(), arm.qd(), arm.effort()}) {
      for (std::size_t i = 0; i < n; ++i) {
        std::printf("%.17g ", row[i]);
      }
    }
    std::printf("\n");
  }
  return 0;
}
