// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace robodyn_control
{

/// A library of `robodyn_ros emit --law` for one robot, loaded by its path.
class EmittedModel
{
public:
  /// Arguments are arrays of one number per joint; reference has 3 rows, gains 2, terms 6.
  using Law = int (*)(
    const double * q, const double * qd, const double * reference, const double * gains,
    double * terms);
  using SafeLaw = int (*)(
    const double * damping, const double * q, const double * qd, double * terms);
  /// The diagonal is added to the diagonal of the mass matrix.
  using DampedForwardDynamics = int (*)(
    const double * q, const double * qd, const double * tau, const double * diagonal,
    double * qdd);
  using Friction = int (*)(const double * q, const double * qd, double * tau);
  using OfPosition = int (*)(const double * q, double * result);
  using OfMotion = int (*)(const double * q, const double * qd, double * result);
  using InverseDynamics = int (*)(
    const double * q, const double * qd, const double * qdd, double * tau);

  /// Load a shared library whose names begin with a prefix, and run its known answers.
  /// Throws std::runtime_error with a sentence if it cannot be used.
  EmittedModel(const std::string & path, const std::string & prefix);

  /// Return the function of a law by its name, such as computed_torque; throws if it is missing.
  Law law(const std::string & name) const;
  SafeLaw safe_law() const;
  DampedForwardDynamics damped_forward_dynamics() const;
  Friction friction() const;
  OfPosition mass_matrix() const;
  OfPosition mass_matrix_inverse() const;
  OfPosition gravity_torque() const;
  InverseDynamics inverse_dynamics() const;
  /// Quantities of a frame in base axes, linear rows first; they throw for an unknown frame.
  OfPosition pose(const std::string & frame) const;
  OfPosition jacobian(const std::string & frame) const;
  OfMotion jacobian_bias(const std::string & frame) const;

  const std::vector<std::string> & joint_names() const noexcept {return joint_names_;}
  std::size_t size() const noexcept {return joint_names_.size();}
  /// Frames of the library.
  const std::vector<std::string> & frames() const noexcept {return frames_;}
  /// Name of the base link.
  const std::string & base() const noexcept {return base_;}
  /// SHA-256 of the description of the robot, in hexadecimal.
  const std::string & urdf_sha256() const noexcept {return urdf_sha256_;}

  /// Throw std::runtime_error unless the library is of this description and these joints.
  void check(const std::string & description, const std::vector<std::string> & joints) const;

private:
  void * symbol(const std::string & name) const;
  void * of_frame(const std::string & quantity, const std::string & frame) const;

  std::string path_, prefix_, urdf_sha256_, base_;
  std::shared_ptr<void> library_;
  std::vector<std::string> joint_names_, frames_;
};

/// Return the SHA-256 of a text, in hexadecimal (FIPS 180-4).
std::string sha256(const std::string & text);

}  // namespace robodyn_control
