// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Move an arm from rest: `simulate <library> <carries_weight> <kinematic> <dt> <steps> <cycles>`.
// It reads a row for each joint: the members of SimulatedJoint, then position, mode and command.
// Ten numbers of each payload follow. Each cycle prints positions, velocities and efforts.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "robodyn_control/payload.hpp"
#include "robodyn_control/simulated_arm.hpp"

namespace
{

double read()
{
  std::string text;  // the stream itself reads neither inf nor nan
  std::cin >> text;
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace

int main(int, char ** arguments)
{
  const robodyn_control::EmittedModel model(arguments[1], "arm");
  const std::size_t n = model.size();
  std::vector<robodyn_control::SimulatedJoint> joints;
  std::vector<double> start, commands;
  std::vector<robodyn_control::Mode> modes;
  for (std::size_t i = 0; i < n; ++i) {
    std::array<double, 12> row{};
    for (double & each : row) {
      each = read();
    }
    joints.push_back(
      {row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7], row[8] != 0.0});
    start.push_back(row[9]);
    modes.push_back(static_cast<robodyn_control::Mode>(static_cast<int>(row[10])));
    commands.push_back(row[11]);
  }
  std::vector<double> payload(robodyn_control::PAYLOAD * model.payload_frames().size());
  for (double & each : payload) {
    each = read();
  }
  robodyn_control::derive_gains(model, start.data(), payload.data(), joints);
  robodyn_control::SimulatedArm arm(
    model, joints, {std::atoi(arguments[2]) != 0, std::atoi(arguments[3]) != 0}, payload);
  arm.place(start.data());
  for (int k = 0; k < std::atoi(arguments[6]); ++k) {
    if (arm.advance(
        commands.data(), modes.data(), std::atof(arguments[4]), std::atoi(arguments[5])) != 0)
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
