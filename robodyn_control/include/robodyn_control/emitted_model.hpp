// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace robodyn_control
{

/// A function of the dynamics that payloads may change.
template<typename ... Inputs>
class Loadable
{
public:
  Loadable() = default;
  /// loaded : the same function with payloads; null if they do not change it.
  Loadable(
    int (* bare)(Inputs..., double *), int (* loaded)(Inputs..., const double *, double *))
  : bare_(bare), loaded_(loaded) {}

  explicit operator bool() const noexcept {return bare_;}

  /// Write the result, with ten numbers for each payload; null: without payloads.
  int operator()(Inputs... inputs, const double * payload, double * result) const noexcept
  {
    return payload && loaded_ ? loaded_(inputs ..., payload, result) : bare_(inputs ..., result);
  }

private:
  int (* bare_)(Inputs..., double *) = nullptr;
  int (* loaded_)(Inputs..., const double *, double *) = nullptr;
};

/// Friction of a joint; its dry part is that of robodyn_ros/simulation/dry_friction.py.
struct JointFriction
{
  double viscous;            ///< [N m s/rad or N s/m]
  double coulomb;            ///< [N m or N]
  double stiction;           ///< [N m or N] static friction beyond Coulomb friction
  double stribeck_velocity;  ///< [rad/s or m/s] 0 without
  double exponent;           ///< of the Stribeck curve, 1 or 2; 0 for the rational one
  double cosine, sine;       ///< [N m or N] amplitudes over the position
  double wavenumber;         ///< [rad/rad or rad/m]
};

/// A library of `robodyn_ros emit --law` for one robot, loaded by its path or linked.
class EmittedModel
{
public:
  using Input = const double *;  ///< an array of one number per joint, or of rows of these
  /// q, qd, 3 rows of the reference, 2 of gains, payload, 6 of terms.
  using Law = Loadable<Input, Input, Input, Input>;
  /// q, qd, payload, 6 rows of terms, or friction.
  using OfState = Loadable<Input, Input>;
  /// q, qd, tau, what is added to the diagonal of the mass matrix, payload, qdd.
  using DampedForwardDynamics = Loadable<Input, Input, Input, Input>;
  /// q, qd, qdd, payload, tau.
  using InverseDynamics = Loadable<Input, Input, Input>;
  /// q, payload, result.
  using LoadableOfPosition = Loadable<Input>;
  /// q, what is added to the diagonal of the mass matrix, payload, the inverse.
  using DampedInverse = Loadable<Input, Input>;
  using OfPosition = int (*)(const double * q, double * result);
  using OfMotion = int (*)(const double * q, const double * qd, double * result);

  /// Load a shared library whose names begin with a prefix, and run its known answers.
  /// Without a path it is the one that is linked. Throws std::runtime_error with a sentence if it
  /// cannot be used.
  EmittedModel(const std::string & path, const std::string & prefix);

  /// Return the function of a law by its name, such as computed_torque; throws if it is missing.
  Law law(const std::string & name) const;
  /// Weight of the robot, as the law of gravity compensation.
  OfState gravity_compensation() const;
  /// Its weight, and its negative momentum in place of the feedback.
  OfState braking() const;
  OfState friction_torque() const;
  DampedForwardDynamics damped_forward_dynamics() const;
  DampedInverse damped_inverse() const;
  std::vector<JointFriction> joint_friction() const;
  LoadableOfPosition mass_matrix() const;
  LoadableOfPosition mass_matrix_inverse() const;
  LoadableOfPosition gravity_torque() const;
  InverseDynamics inverse_dynamics() const;
  /// Quantities of a frame in base axes, linear rows first; they throw for an unknown frame.
  OfPosition pose(const std::string & frame) const;
  OfPosition jacobian(const std::string & frame) const;
  OfMotion jacobian_bias(const std::string & frame) const;

  const std::vector<std::string> & joint_names() const noexcept {return joint_names_;}
  std::size_t size() const noexcept {return joint_names_.size();}
  /// Frames of the library.
  const std::vector<std::string> & frames() const noexcept {return frames_;}
  /// Frames of payloads, in the order of their rows of ten numbers.
  const std::vector<std::string> & payload_frames() const noexcept {return payload_frames_;}
  /// A whole turn of each joint that turns without end [rad], 0 of the others.
  std::vector<double> joint_turns() const;
  /// Name of the robot.
  const std::string & robot() const noexcept {return robot_;}
  /// Name of the base link.
  const std::string & base() const noexcept {return base_;}
  /// SHA-256 of the description of the robot, in hexadecimal.
  const std::string & urdf_sha256() const noexcept {return urdf_sha256_;}

  /// Throw std::runtime_error unless the library is of this description and these joints.
  void check(const std::string & description, const std::vector<std::string> & joints) const;

private:
  void * symbol(const std::string & name) const;
  void * find(const std::string & name) const;
  void * of_frame(const std::string & quantity, const std::string & frame) const;
  template<typename ... Inputs>
  void assign(const std::string & name, Loadable<Inputs...> & function) const;

  std::string path_, prefix_, urdf_sha256_, base_, robot_;
  std::shared_ptr<void> library_;
  std::vector<std::string> joint_names_, frames_, payload_frames_;
};

/// Return the SHA-256 of a text, in hexadecimal (FIPS 180-4).
std::string sha256(const std::string & text);

}  // namespace robodyn_control
