// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/emitted_model.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

namespace robodyn_control
{

namespace
{

/// Version of the interface, as in robodyn_ros/codegen/c_package.py.
constexpr int INTERFACE = 4;

template<typename Function>
Function as(void * symbol)
{
  return reinterpret_cast<Function>(symbol);
}

/// Return a name as an identifier of C: other characters become underscores.
std::string identifier(const std::string & name)
{
  std::string text;
  for (const char each : name) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x80) {
      text += byte >= 0xC0 ? "_" : "";  // one underscore per character of UTF-8
    } else {
      text += std::isalnum(byte) ? each : '_';
    }
  }
  return text;
}

std::vector<std::string> names_of(const char * (*name)(int))
{
  std::vector<std::string> names;
  for (int k = 0; const char * const each = name(k); ++k) {
    names.emplace_back(each);
  }
  return names;
}

std::string listed(const std::vector<std::string> & names)
{
  std::string text;
  for (const auto & name : names) {
    text += (text.empty() ? "" : ", ") + name;
  }
  return text;
}

}  // namespace

EmittedModel::EmittedModel(const std::string & path, const std::string & prefix)
: path_(path.empty() ? "that is linked" : path), prefix_(prefix)
{
  if (!path.empty()) {
    void * const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char * const error = dlerror();
      throw std::runtime_error(
              "dynamics library " + path + " does not load: " + (error ? error : "unknown error"));
    }
    library_ = std::shared_ptr<void>(handle, [](void * each) {dlclose(each);});
  } else if (!find("self_test")) {
    throw std::runtime_error(
            "dynamics_library: got nothing, and no " + prefix + "_self_test is linked; expected a "
            "path, or a build of robodyn_control with -DROBODYN_DYNAMICS=" + prefix + "_dynamics");
  }
  const int wrong = as<int (*)()>(symbol("self_test"))();
  if (wrong != 0) {
    throw std::runtime_error(
            "dynamics library " + path_ + ": its known answers fail, " + std::to_string(wrong) +
            " numbers are wrong; expected none: print and compile it again");
  }
  const int version = as<int (*)()>(symbol("interface_version"))();
  if (version != INTERFACE) {
    throw std::runtime_error(
            "dynamics library " + path_ + " has version " + std::to_string(version) +
            " of its interface; expected " + std::to_string(INTERFACE) +
            ": print it by the robodyn_ros that robodyn_control is of");
  }
  urdf_sha256_ = as<const char * (*)()>(symbol("urdf_sha256"))();
  base_ = as<const char * (*)()>(symbol("base_name"))();
  joint_names_ = names_of(as<const char * (*)(int)>(symbol("joint_name")));
  frames_ = names_of(as<const char * (*)(int)>(symbol("frame_name")));
  payload_frames_ = names_of(as<const char * (*)(int)>(symbol("payload_frame")));
  robot_ = as<const char * (*)()>(symbol("robot_name"))();
}

template<typename ... Inputs>
void EmittedModel::assign(const std::string & name, Loadable<Inputs...> & function) const
{
  function = Loadable<Inputs...>(
    as<int (*)(Inputs..., double *)>(symbol(name)),
    as<int (*)(Inputs..., const double *, double *)>(find(name + "_loaded")));
}

EmittedModel::Law EmittedModel::law(const std::string & name) const
{
  Law function;
  assign(name, function);
  return function;
}

EmittedModel::OfState EmittedModel::gravity_compensation() const
{
  OfState function;
  assign("gravity_compensation", function);
  return function;
}

EmittedModel::OfState EmittedModel::braking() const
{
  OfState function;
  assign("braking", function);
  return function;
}

EmittedModel::OfState EmittedModel::friction_torque() const
{
  OfState function;
  assign("friction_torque", function);
  return function;
}

EmittedModel::DampedForwardDynamics EmittedModel::damped_forward_dynamics() const
{
  DampedForwardDynamics function;
  assign("forward_dynamics_damped", function);
  return function;
}

EmittedModel::DampedInverse EmittedModel::damped_inverse() const
{
  DampedInverse function;
  assign("mass_matrix_inverse_damped", function);
  return function;
}

std::vector<JointFriction> EmittedModel::joint_friction() const
{
  const auto numbers = as<const double * (*)(int)>(symbol("joint_friction"));
  std::vector<JointFriction> joints;
  for (std::size_t k = 0; k < size(); ++k) {
    const double * const x = numbers(static_cast<int>(k));
    joints.push_back({x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]});
  }
  return joints;
}

std::vector<double> EmittedModel::joint_turns() const
{
  const auto turn = as<double (*)(int)>(symbol("joint_turn"));
  std::vector<double> turns;
  for (std::size_t k = 0; k < size(); ++k) {
    turns.push_back(turn(static_cast<int>(k)));
  }
  return turns;
}

EmittedModel::LoadableOfPosition EmittedModel::mass_matrix() const
{
  LoadableOfPosition function;
  assign("mass_matrix", function);
  return function;
}

EmittedModel::LoadableOfPosition EmittedModel::mass_matrix_inverse() const
{
  LoadableOfPosition function;
  assign("mass_matrix_inverse", function);
  return function;
}

EmittedModel::LoadableOfPosition EmittedModel::gravity_torque() const
{
  LoadableOfPosition function;
  assign("gravity_torque", function);
  return function;
}

EmittedModel::InverseDynamics EmittedModel::inverse_dynamics() const
{
  InverseDynamics function;
  assign("inverse_dynamics", function);
  return function;
}

EmittedModel::OfPosition EmittedModel::pose(const std::string & frame) const
{
  return as<OfPosition>(of_frame("pose", frame));
}

EmittedModel::OfPosition EmittedModel::jacobian(const std::string & frame) const
{
  return as<OfPosition>(of_frame("jacobian", frame));
}

EmittedModel::OfMotion EmittedModel::jacobian_bias(const std::string & frame) const
{
  return as<OfMotion>(of_frame("jacobian_bias", frame));
}

void EmittedModel::check(
  const std::string & description, const std::vector<std::string> & joints) const
{
  if (joints != joint_names_) {
    throw std::runtime_error(
            "joints: got " + listed(joints) + "; the dynamics library " + path_ +
            " was printed for " + listed(joint_names_));
  }
  const std::string found = sha256(description);
  // "$(cat arm.urdf)" of a shell drops the last newline of the file
  if (found != urdf_sha256_ && sha256(description + "\n") != urdf_sha256_) {
    throw std::runtime_error(
            "robot_description: its SHA-256 is " + found + ", but the dynamics library " + path_ +
            " was printed from " + urdf_sha256_ + "; print it again from this description");
  }
}

void * EmittedModel::of_frame(const std::string & quantity, const std::string & frame) const
{
  if (std::find(frames_.begin(), frames_.end(), frame) == frames_.end()) {
    throw std::runtime_error(
            "There is no link " + frame + " in the dynamics library; expected one of " +
            (frames_.empty() ? "those that --frames prints" : listed(frames_)) + ".");
  }
  return symbol(quantity + "_" + identifier(frame));
}

void * EmittedModel::find(const std::string & name) const
{
  return dlsym(library_ ? library_.get() : RTLD_DEFAULT, (prefix_ + "_" + name).c_str());
}

void * EmittedModel::symbol(const std::string & name) const
{
  void * const found = find(name);
  if (!found) {
    throw std::runtime_error(
            "dynamics library " + path_ + " has no " + prefix_ + "_" + name +
            "; expected one printed by robodyn_ros emit --language c --real double --laws, with "
            "this prefix");
  }
  return found;
}

}  // namespace robodyn_control
