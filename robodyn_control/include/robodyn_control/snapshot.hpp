// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

namespace robodyn_control
{

/// Numbers that one thread writes and others read consistently (a sequence lock).
/// The writer never waits. A reader repeats if the writer has changed the numbers meanwhile.
class Snapshot
{
public:
  explicit Snapshot(std::size_t size)
  : values_(size) {}

  void write(const std::vector<double> & values) noexcept
  {
    const unsigned version = version_.load(std::memory_order_relaxed);
    version_.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i].store(values[i], std::memory_order_relaxed);
    }
    version_.store(version + 2, std::memory_order_release);
  }

  /// Return the numbers last written; no numbers before the first write.
  std::vector<double> read() const
  {
    std::vector<double> values(values_.size());
    for (;;) {
      const unsigned version = version_.load(std::memory_order_acquire);
      if (version == 0) {
        return {};
      }
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = values_[i].load(std::memory_order_relaxed);
      }
      std::atomic_thread_fence(std::memory_order_acquire);
      if (version % 2 == 0 && version_.load(std::memory_order_relaxed) == version) {
        return values;
      }
    }
  }

  /// Read numbers that were written after a version, and return whether there are any.
  /// Never waits, and does not allocate: while they are written, it returns false.
  bool read_newer(std::vector<double> & values, unsigned & version) const noexcept
  {
    const unsigned found = version_.load(std::memory_order_acquire);
    if (found == version || found % 2 == 1) {
      return false;
    }
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values[i] = values_[i].load(std::memory_order_relaxed);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (version_.load(std::memory_order_relaxed) != found) {
      return false;
    }
    version = found;
    return true;
  }

private:
  std::vector<std::atomic<double>> values_;
  std::atomic<unsigned> version_{0};
};

}  // namespace robodyn_control
