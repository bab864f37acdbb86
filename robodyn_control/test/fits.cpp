// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Check that a library fits a robot: `fits <library> <prefix> <joints...> < description`.

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "robodyn_control/emitted_model.hpp"

int main(int count, char ** arguments)
{
  const std::string description{std::istreambuf_iterator<char>(std::cin), {}};
  try {
    const robodyn_control::EmittedModel model(arguments[1], arguments[2]);
    model.check(description, std::vector<std::string>(arguments + 3, arguments + count));
  } catch (const std::exception & error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
