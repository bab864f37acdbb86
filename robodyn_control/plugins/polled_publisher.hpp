// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "rclcpp/publisher.hpp"

namespace robodyn_control
{

/// Publishes messages of a real-time thread from a thread of its own, which looks for them.
/// The real-time thread makes no call of the system: to wake another thread takes it longer than a
/// cycle. Only the constructor allocates, if no message is larger than the first one.
template<typename Message>
class PolledPublisher
{
public:
  using Publisher = typename rclcpp::Publisher<Message>::SharedPtr;

  /// The thread looks every `pause` [s], and the destructor waits for it that long.
  PolledPublisher(Publisher publisher, const Message & largest, double pause)
  : publisher_(publisher), message_(largest), pause_(pause), thread_([this] {run();}) {}

  ~PolledPublisher()
  {
    ending_.store(true);
    thread_.join();
  }

  PolledPublisher(const PolledPublisher &) = delete;
  PolledPublisher & operator=(const PolledPublisher &) = delete;

  /// Hand a message over; return false if the last one has not been published yet.
  bool try_publish(const Message & message)
  {
    if (full_.load(std::memory_order_acquire)) {
      return false;
    }
    message_ = message;
    full_.store(true, std::memory_order_release);
    return true;
  }

private:
  void run()
  {
    while (!ending_.load()) {
      if (full_.load(std::memory_order_acquire)) {
        publisher_->publish(message_);
        full_.store(false, std::memory_order_release);
      }
      std::this_thread::sleep_for(pause_);
    }
  }

  Publisher publisher_;
  Message message_;
  std::chrono::duration<double> pause_;
  std::atomic<bool> full_{false}, ending_{false};
  std::thread thread_;  // last, since it uses the others
};

/// Return the pause [s] of a publisher whose messages come at a rate [Hz].
/// It is half their period, so that none finds the one before it.
inline double pause_at(double rate)
{
  return 0.5 / rate;
}

}  // namespace robodyn_control
