// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "robodyn_control/emitted_model.hpp"
#include "robodyn_control/settings.hpp"

namespace robodyn_control
{

/// Numbers of a payload: mass, first moment, and inertia about the origin of its frame.
constexpr std::size_t PAYLOAD = 10;

/// A rigid body on a frame, in the axes of the frame.
struct Payload
{
  double mass;                    ///< [kg]
  std::array<double, 3> com;      ///< [m]
  std::array<double, 6> inertia;  ///< [kg m^2] about the centre of mass: xx xy xz yy yz zz
};

/// Payloads that change linearly from one set to the next over a ramp.
/// All bodies in between are physical, since each is a mean of two. Only the constructor allocates.
class PayloadRamp
{
public:
  explicit PayloadRamp(std::size_t payloads);

  /// Begin a ramp to other numbers, PAYLOAD for each payload, of a duration [s].
  void begin(const double * goal, double duration) noexcept;
  /// Advance by a time step [s].
  void advance(double dt) noexcept;
  /// Reach the goal now.
  void finish() noexcept;
  bool moving() const noexcept {return moving_;}
  /// Return the present numbers; null without payloads.
  const double * values() const noexcept {return empty_ ? nullptr : values_.data();}
  std::size_t size() const noexcept {return values_.size();}

private:
  std::vector<double> values_, start_, goal_;
  double duration_ = 0.0, elapsed_ = 0.0;
  bool moving_ = false, empty_ = true;
};

/// Return the numbers of all payloads with another one on a frame, in place of the one there.
/// Zeros detach it. Throws std::invalid_argument for an unknown frame, an impossible or implausible
/// payload, and a ramp beyond 60 s. The words are those of the node.
std::vector<double> plan_payload(
  const EmittedModel & model, const std::vector<double> & payloads, const std::string & frame,
  const Payload & payload, double duration);

/// Return why a joint cannot hold planned payloads, although it can hold the present ones; or "".
/// q : measured posture; null: unknown, and nothing is refused. present : null without payloads.
std::string refuse_weight(
  const EmittedModel & model, const std::vector<double> & planned, const double * present,
  const double * q, const Settings & settings);

}  // namespace robodyn_control
