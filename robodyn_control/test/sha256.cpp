// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Print the SHA-256 of the standard input: `sha256 < text`.

#include <iostream>
#include <iterator>
#include <string>

#include "robodyn_control/emitted_model.hpp"

int main()
{
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  std::cout << robodyn_control::sha256(text) << '\n';
  return 0;
}
