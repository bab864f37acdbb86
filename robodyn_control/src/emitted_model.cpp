// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "robodyn_control/emitted_model.hpp"

#include <dlfcn.h>

#include <stdexcept>

namespace robodyn_control
{

namespace
{

template<typename Function>
Function as(void * symbol)
{
  return reinterpret_cast<Function>(symbol);
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
: path_(path), prefix_(prefix)
{
  void * const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char * const error = dlerror();
    throw std::runtime_error(
            "dynamics library " + path + " does not load: " + (error ? error : "unknown error"));
  }
  library_ = std::shared_ptr<void>(handle, [](void * each) {dlclose(each);});
  const int wrong = as<int (*)()>(symbol("self_test"))();
  if (wrong != 0) {
    throw std::runtime_error(
            "dynamics library " + path + ": its known answers fail, " + std::to_string(wrong) +
            " numbers are wrong; expected none: print and compile it again");
  }
  urdf_sha256_ = as<const char * (*)()>(symbol("urdf_sha256"))();
  const auto joint_name = as<const char * (*)(int)>(symbol("joint_name"));
  for (int k = 0; const char * const name = joint_name(k); ++k) {
    joint_names_.emplace_back(name);
  }
}

EmittedModel::Law EmittedModel::law(const std::string & name) const
{
  return as<Law>(symbol(name));
}

EmittedModel::SafeLaw EmittedModel::safe_law() const
{
  return as<SafeLaw>(symbol("gravity_compensation"));
}

EmittedModel::DampedForwardDynamics EmittedModel::damped_forward_dynamics() const
{
  return as<DampedForwardDynamics>(symbol("forward_dynamics_damped"));
}

EmittedModel::Friction EmittedModel::friction() const
{
  return as<Friction>(symbol("friction_torque"));
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
  if (found != urdf_sha256_) {
    throw std::runtime_error(
            "robot_description: its SHA-256 is " + found + ", but the dynamics library " + path_ +
            " was printed from " + urdf_sha256_ + "; print it again from this description");
  }
}

void * EmittedModel::symbol(const std::string & name) const
{
  void * const found = dlsym(library_.get(), (prefix_ + "_" + name).c_str());
  if (!found) {
    throw std::runtime_error(
            "dynamics library " + path_ + " has no " + prefix_ + "_" + name +
            "; expected one printed by robodyn_ros emit --language c --real double --law, with "
            "this prefix");
  }
  return found;
}

}  // namespace robodyn_control
