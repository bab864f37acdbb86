// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
// Measure the time of update() of a plug-in on this machine. Beside it are an empty controller,
// and two loops that only wait as long. They show the delays of the machine. The second one waits
// longer in a few cycles, and checks the measurement. Then each cycle begins with caches that other
// data fill, as after another program:
//
//   ros2 run robodyn_control cycle_cost <description.urdf> <parameters.yaml> <controller> <cycles>
//     [<file>]
//
// The order of the four changes with each cycle. The file gets all their times [s] as doubles.
// The controller follows references of a controller above. The calls of the thread within
// update() are counted, see counted_calls.hpp.

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "controller_interface/chainable_controller_interface.hpp"
#include "hardware_interface/loaned_command_interface.hpp"
#include "hardware_interface/loaned_state_interface.hpp"
#include "pluginlib/class_loader.hpp"
#include "rclcpp/rclcpp.hpp"

#include "counted_calls.hpp"

namespace
{

using controller_interface::CallbackReturn;
using controller_interface::ChainableControllerInterface;
using controller_interface::InterfaceConfiguration;
using controller_interface::return_type;
using counted_calls::Counts;
using counted_calls::counts;
using hardware_interface::CommandInterface;
using hardware_interface::StateInterface;

constexpr double PERIOD = 1e-3, SWING = 0.2;  // [s], [rad or m]
constexpr std::size_t FIRST = 1000;  // cycles of a run that do not count: they load the caches
constexpr std::size_t CACHES = std::size_t{4} << 20;  // [bytes] that displace those of a core
constexpr std::size_t COLD_SHARE = 100;  // one cycle with cold caches for so many with warm ones
constexpr double MARK = 5e-6;  // [s] that the second loop waits longer
constexpr std::size_t MARKED = 100'000;  // in one of so many cycles

/// What is measured in each cycle.
enum Row {UPDATE, EMPTY, WAITING, MARKED_WAITING, ROWS};
/// Times [s] of the cycles of a run.
using Times = std::array<std::vector<double>, ROWS>;

/// A controller that does nothing.
class Empty : public ChainableControllerInterface
{
public:
  CallbackReturn on_init() override {return CallbackReturn::SUCCESS;}
  InterfaceConfiguration command_interface_configuration() const override {return {};}
  InterfaceConfiguration state_interface_configuration() const override {return {};}

protected:
  return_type update_reference_from_subscribers(
    const rclcpp::Time &, const rclcpp::Duration &) override {return return_type::OK;}
  return_type update_and_write_commands(
    const rclcpp::Time &, const rclcpp::Duration &) override {return return_type::OK;}
};

template<typename Interface>
std::vector<std::shared_ptr<Interface>> interfaces(const InterfaceConfiguration & wanted)
{
  std::vector<std::shared_ptr<Interface>> made;
  for (const auto & name : wanted.names) {
    const auto at = name.rfind('/');
    hardware_interface::InterfaceInfo info;
    info.name = name.substr(at + 1);
    info.data_type = "double";
    made.push_back(
      std::make_shared<Interface>(
        hardware_interface::InterfaceDescription(name.substr(0, at), info)));
  }
  return made;
}

/// A controller manager with one controller.
class Managed
{
public:
  Managed(
    ChainableControllerInterface & controller, const std::string & name,
    const std::string & description, const std::vector<std::string> & arguments)
  : controller_(controller)
  {
    controller_interface::ControllerInterfaceParams params;
    params.controller_name = name;
    params.robot_description = description;
    params.update_rate = params.controller_manager_update_rate =
      static_cast<unsigned>(1.0 / PERIOD);
    params.node_options = controller.define_custom_node_options().arguments(arguments);
    if (controller.init(params) != return_type::OK) {
      throw std::runtime_error(name + ": not initialised");
    }
    controller.configure();
    states_ = interfaces<StateInterface>(controller.state_interface_configuration());
    commands_ = interfaces<CommandInterface>(controller.command_interface_configuration());
    references_ = controller.export_reference_interfaces();
    std::vector<hardware_interface::LoanedStateInterface> states;
    for (const auto & each : states_) {
      states.emplace_back(each);
    }
    std::vector<hardware_interface::LoanedCommandInterface> commands;
    for (const auto & each : commands_) {
      commands.emplace_back(each, [] {});
    }
    controller.assign_interfaces(std::move(commands), std::move(states));
    move(0.0);
    controller.set_chained_mode(!references_.empty());
    if (controller.get_node()->activate().label() != "active") {
      throw std::runtime_error(name + ": not activated");
    }
    start_ = controller.get_node()->now();
  }

  ~Managed() {controller_.release_interfaces();}

  /// Call update(); return its time [s], and add its calls to some counts.
  double cycle(long k, Counts & did)
  {
    const double elapsed = PERIOD * static_cast<double>(k);
    move(elapsed);
    refer(elapsed + PERIOD);
    const rclcpp::Duration period = rclcpp::Duration::from_seconds(PERIOD);
    const rclcpp::Time now = start_ + period * static_cast<double>(k);
    const Counts before = counts;
    const auto begin = std::chrono::steady_clock::now();
    failures_ += controller_.update(now, period) != return_type::OK;
    const auto end = std::chrono::steady_clock::now();
    did += counts - before;
    return std::chrono::duration<double>(end - begin).count();
  }

  bool moved() const
  {
    return failures_ == 0 && std::all_of(
      commands_.begin(), commands_.end(), [](const auto & command) {
        return std::isfinite(command->get_optional().value_or(NAN));
      });
  }

private:
  static double position(double t) {return SWING * (1.0 - std::cos(t));}

  void move(double t)
  {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      static_cast<void>(
        states_[i]->set_value(i < states_.size() / 2 ? position(t) : SWING * std::sin(t), true));
    }
  }

  void refer(double t)
  {
    const double wanted[] = {position(t), SWING * std::sin(t), SWING * std::cos(t), 0.0};
    for (std::size_t i = 0; i < references_.size(); ++i) {
      static_cast<void>(references_[i]->set_value(wanted[i % 4], true));
    }
  }

  ChainableControllerInterface & controller_;
  std::vector<StateInterface::SharedPtr> states_;
  std::vector<CommandInterface::SharedPtr> commands_, references_;
  rclcpp::Time start_;
  long failures_ = 0;
};

/// Return how many pages this thread has touched that had no memory.
long page_faults()
{
  rusage used{};
  getrusage(RUSAGE_THREAD, &used);
  return used.ru_minflt + used.ru_majflt;
}

void tell(const std::string & name, std::vector<double> took, const Counts & did)
{
  std::sort(took.begin(), took.end());
  const auto at = [&](double share) {
      return 1e6 * took[static_cast<std::size_t>(share * static_cast<double>(took.size() - 1))];
    };
  std::printf(
    "%s: %lu allocations, %lu locks, %lu writes; "
    "median %.3f, 99 %% %.3f, 99.99 %% %.3f, maximum %.3f us\n",
    name.c_str(), did.allocations, did.locks, did.writes, at(0.5), at(0.99), at(0.9999), at(1.0));
}

/// Wait for some time [s] without sleeping; return the elapsed time.
double wait(double length)
{
  const auto begin = std::chrono::steady_clock::now();
  double took = 0.0;
  while (took < length) {
    took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  return took;
}

std::string text_of(const char * path)
{
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

int main(int count, char ** arguments)
{
  if (count != 5 && count != 6) {
    std::fprintf(stderr, "cycle_cost: description.urdf parameters.yaml controller cycles [file]\n");
    return 2;
  }
  rclcpp::init(1, arguments);
  pluginlib::ClassLoader<ChainableControllerInterface> loader(
    "controller_interface", "controller_interface::ChainableControllerInterface");
  const std::string name = arguments[3];
  const auto plugin = loader.createUniqueInstance(
    name == "gravity_compensation" ? "robodyn_control/GravityCompensationController" :
    "robodyn_control/ComputedTorqueController");
  Empty empty;
  Managed arm(
    *plugin, name, text_of(arguments[1]), {"--ros-args", "--params-file", arguments[2]});
  Managed nothing(empty, "empty", "", {});
  const auto cycles = static_cast<std::size_t>(std::atol(arguments[4]));
  const bool watched = counted_calls::are_counted();
  Counts did, nothing_done;
  long cycle = 1, faults = 0;
  double shortest = arm.cycle(cycle, did);
  const auto measured = [&](int row, bool marked, auto prepare) {
      switch (row) {
        case UPDATE:
          prepare();
          return arm.cycle(cycle, did);
        case EMPTY:
          prepare();
          return nothing.cycle(cycle, nothing_done);
        case MARKED_WAITING:
          return wait(shortest + (marked ? MARK : 0.0));
        default:
          return wait(shortest);
      }
    };
  const auto run = [&](std::size_t number, auto prepare) {
      Times times;
      times.fill(std::vector<double>(number));
      long faults_before = 0;
      for (std::size_t k = 0; k < FIRST + number; ++k) {
        ++cycle;
        faults_before = k == FIRST ? page_faults() : faults_before;
        for (std::size_t j = 0; j < ROWS; ++j) {
          const std::size_t row = (k + j) % ROWS;
          const bool marked = k % MARKED == MARKED / 2;
          times[row][k < FIRST ? 0 : k - FIRST] = measured(static_cast<int>(row), marked, prepare);
        }
        shortest = std::min(shortest, times[UPDATE][k < FIRST ? 0 : k - FIRST]);
      }
      faults = page_faults() - faults_before;
      return times;
    };
  const Times warm = run(cycles, [] {});
  std::printf("%ld page faults in %zu cycles\n", faults, cycles);
  tell(name, warm[UPDATE], did);
  tell("empty", warm[EMPTY], nothing_done);
  tell("waiting", warm[WAITING], {});
  tell("waiting, marked", warm[MARKED_WAITING], {});
  if (count == 6) {
    std::ofstream file(arguments[5], std::ios::binary);
    for (const auto & row : warm) {
      file.write(
        reinterpret_cast<const char *>(row.data()),
        static_cast<std::streamsize>(row.size() * sizeof(double)));
    }
  }
  std::vector<unsigned char> others(CACHES);
  const Times cold = run(
    cycles / COLD_SHARE + 1, [&] {
      for (std::size_t i = 0; i < others.size(); i += 64) {
        ++others[i];
      }
    });
  tell(name + " with cold caches", cold[UPDATE], did);
  tell("empty with cold caches", cold[EMPTY], nothing_done);
  const bool quiet = watched && arm.moved() && did.all() == 0;
  rclcpp::shutdown();
  return quiet ? 0 : 1;
}
