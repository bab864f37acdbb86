// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "realtime_tools/realtime_publisher.hpp"

namespace robodyn_control
{

/// Allocate a publisher's own copy of a message, so that no cycle allocates it.
template<typename Message>
void prepare(realtime_tools::RealtimePublisher<Message> & publisher, const Message & message)
{
  publisher.lock();
  publisher.msg_ = message;
  publisher.unlock();
}

}  // namespace robodyn_control
