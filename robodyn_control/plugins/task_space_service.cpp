// Copyright 2026 robodyn_ros maintainers
// SPDX-License-Identifier: Apache-2.0
#include "task_space_service.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <set>
#include <stdexcept>

namespace robodyn_control
{

namespace
{

using Request = robodyn_msgs::srv::GetOperationalSpaceInertia::Request;
using Response = robodyn_msgs::srv::GetOperationalSpaceInertia::Response;

constexpr std::size_t ROWS = 6;          // of a point
constexpr std::size_t MOST_POINTS = 16;  // of one request; no robot has more end effectors
constexpr double LARGEST_OFFSET = 1000.0;  // [m]; for larger ones rounding determines the rank
constexpr double LARGEST_DAMPING = 100.0;  // [1/sqrt(kg)], as for the parameter osi_damping
constexpr double LARGEST_STATE = 1e9;      // [rad or m, rad/s or m/s]; forces grow with its square
constexpr std::uint32_t EVERY_FIELD = 31;

void require(bool holds, const std::string & sentence)
{
  if (!holds) {
    throw std::invalid_argument(sentence);
  }
}

void require_bounded(const char * what, double value, double bound)
{
  require(
    std::fabs(value) <= bound,
    std::string(what) + ": got " + std::to_string(value) + "; expected a number of at most " +
    std::to_string(bound) + ".");
}

std::vector<double> copied(const double * values, std::size_t count)
{
  return {values, values + count};
}

/// Return the requested rows of all points; all rows of a point without a request.
std::vector<std::size_t> rows_of(const Request & request, std::size_t points)
{
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < points; ++k) {
    bool wanted[ROWS];
    for (std::size_t i = 0; i < ROWS; ++i) {
      wanted[i] = request.axes_of_links.empty() ?
        request.axes[i] : request.axes_of_links[ROWS * k + i];
    }
    const bool any = std::any_of(wanted, wanted + ROWS, [](bool each) {return each;});
    for (std::size_t i = 0; i < ROWS; ++i) {
      if (wanted[i] || !any) {
        kept.push_back(ROWS * k + i);
      }
    }
  }
  return kept;
}

void write(const TaskSpace & task, std::uint32_t fields, Response & response)
{
  const std::size_t m = task.rows(), n = task.cols();
  response.rows = static_cast<std::uint32_t>(m);
  response.cols = static_cast<std::uint32_t>(n);
  response.rank = static_cast<std::uint32_t>(task.rank());
  response.damping_used = task.damping();
  response.row_links = task.row_links();
  response.row_axes = task.row_axes();
  response.inertia = copied(task.inertia(), m * m);
  response.singular_values = copied(task.singular_values(), m);
  if (fields & Request::FIELD_JACOBIAN) {
    response.jacobian = copied(task.jacobian(), m * n);
  }
  if (fields & Request::FIELD_BIAS) {
    response.jacobian_dot_qdot = copied(task.jacobian_bias(), m);
    response.coriolis = copied(task.coriolis(), n);
    response.gravity = copied(task.gravity(), n);
    response.task_bias = copied(task.task_bias(), m);
    response.task_gravity = copied(task.task_gravity(), m);
  }
  if (fields & Request::FIELD_CONSISTENT_INVERSE) {
    response.consistent_inverse = copied(task.consistent_inverse(), n * m);
  }
  if (fields & Request::FIELD_INERTIA_INVERSE) {
    response.inertia_inverse = copied(task.compliance(), m * m);
  }
}

void require_finite(const Response & response)
{
  for (const auto * const values : {
      &response.inertia, &response.jacobian, &response.task_bias, &response.task_gravity,
      &response.consistent_inverse, &response.mass_matrix})
  {
    require(
      std::all_of(values->begin(), values->end(), [](double x) {return std::isfinite(x);}),
      "A result is not finite: the state or the point is out of bounds.");
  }
}

}  // namespace

struct TaskSpaceService::State
{
  std::vector<double> q, qd;
  builtin_interfaces::msg::Time stamp;
};

TaskSpaceService::TaskSpaceService(
  rclcpp_lifecycle::LifecycleNode & node, const EmittedModel & model, const Snapshot & latest,
  const PayloadService & payloads, const std::string & default_link, double default_damping)
: model_(model), latest_(latest), payloads_(payloads), default_link_(default_link),
  default_damping_(default_damping)
{
  service_ = node.create_service<Kind>(
    "~/get_operational_space_inertia",
    [this](const Kind::Request::SharedPtr request, Kind::Response::SharedPtr response) {
      try {
        answer(*request, *response);
        response->success = true;
      } catch (const std::exception & error) {
        *response = Kind::Response();
        response->message = error.what();
      }
    });
}

void TaskSpaceService::answer(const Kind::Request & request, Kind::Response & response) const
{
  require(
    request.reference <= Request::REFERENCE_BASE,
    "reference: got " + std::to_string(request.reference) + "; expected 0, 1 or 2.");
  require(
    request.fields <= EVERY_FIELD,
    "fields: got " + std::to_string(request.fields) +
    "; expected at most 31, the sum of what there is, or 0.");
  require_bounded("damping", request.damping, LARGEST_DAMPING);
  const auto points = points_of(request);
  const auto fields = request.fields ? request.fields : Request::FIELD_JACOBIAN;
  const State state = state_of(request, response.message);
  const auto begin = std::chrono::steady_clock::now();
  TaskSpace task(
    model_, points, rows_of(request, points.size()),
    request.damping < 0.0 ? default_damping_ : request.damping,
    static_cast<TaskReference>(request.reference));
  const auto payloads = payloads_.present();
  const double * const carried = payloads.empty() ? nullptr : payloads.data();
  require(
    task.compute(state.q.data(), state.qd.data(), carried) == 0,
    "The state is not finite, or the mass matrix is singular there.");
  write(task, fields, response);
  if (fields & Request::FIELD_MASS_MATRIX) {
    response.mass_matrix.resize(task.cols() * task.cols());
    model_.mass_matrix()(state.q.data(), carried, response.mass_matrix.data());
  }
  require_finite(response);
  if (response.rank < response.rows) {
    response.message += (response.message.empty() ? "" : " ") + std::string("Singular: rank ") +
      std::to_string(response.rank) + " of " + std::to_string(response.rows) + ".";
  }
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
  response.compute_time.nanosec = static_cast<std::uint32_t>(took.count() % 1'000'000'000);
  response.compute_time.sec = static_cast<std::int32_t>(took.count() / 1'000'000'000);
  response.header.stamp = state.stamp;
  const std::set<std::string> links(task.row_links().begin(), task.row_links().end());
  response.header.frame_id = request.reference != Request::REFERENCE_LOCAL ? model_.base() :
    links.size() == 1 ? *links.begin() : "";
  response.link = points.front().link;
  response.joint_names = model_.joint_names();
  response.position = state.q;
  response.velocity = state.qd;
}

std::vector<TaskPoint> TaskSpaceService::points_of(const Kind::Request & request) const
{
  std::vector<std::string> links = request.links;
  auto places = request.points;
  if (links.empty()) {
    require(
      places.empty() && request.axes_of_links.empty(),
      "points and axes_of_links: got some, but no links; expected `point` and `axes` for one "
      "link.");
    links = {request.link.empty() ? default_link_ : request.link};
    places = {request.point};
  } else {
    require(
      links.size() <= MOST_POINTS,
      "links: got " + std::to_string(links.size()) + "; at most 16 are accepted.");
    require(request.link.empty(), "link and links: got both; expected either.");
    require(
      request.point == geometry_msgs::msg::Point(),
      "point and links: got both; expected points, one for each link, or none.");
    require(
      places.empty() || places.size() == links.size(),
      "points: got " + std::to_string(places.size()) + "; expected " +
      std::to_string(links.size()) + ", one for each link, or none.");
    require(
      request.axes_of_links.empty() || request.axes_of_links.size() == ROWS * links.size(),
      "axes_of_links: got " + std::to_string(request.axes_of_links.size()) +
      " entries; expected " + std::to_string(ROWS * links.size()) + ", six for each link, or none.");
    places.resize(links.size());
  }
  std::vector<TaskPoint> points;
  for (std::size_t k = 0; k < links.size(); ++k) {
    const auto & place = places[k];
    for (const double offset : {place.x, place.y, place.z}) {
      require_bounded("point", offset, LARGEST_OFFSET);
    }
    points.push_back({links[k], {place.x, place.y, place.z}});
  }
  return points;
}

/// Return the latest joint state with the values of the request. A joint that it names without a
/// velocity rests.
TaskSpaceService::State TaskSpaceService::state_of(
  const Kind::Request & request, std::string & note) const
{
  const auto & given = request.state;
  const std::size_t n = model_.size(), count = given.name.size();
  const auto latest = latest_.read();
  require(
    count > 0 || !latest.empty(),
    "There is no joint state yet; name the joints in the request to ask about a given state.");
  require(
    given.position.size() == count && (given.velocity.empty() || given.velocity.size() == count),
    "The state has " + std::to_string(count) + " names, " +
    std::to_string(given.position.size()) + " positions and " +
    std::to_string(given.velocity.size()) +
    " velocities; expected as many of each, or no velocities.");
  State state{std::vector<double>(n), std::vector<double>(n), given.header.stamp};
  if (!latest.empty()) {
    state.q.assign(latest.begin(), latest.begin() + static_cast<std::ptrdiff_t>(n));
    state.qd.assign(
      latest.begin() + static_cast<std::ptrdiff_t>(n),
      latest.begin() + static_cast<std::ptrdiff_t>(2 * n));
  }
  std::vector<bool> named(n);
  for (std::size_t k = 0; k < count; ++k) {
    const auto & names = model_.joint_names();
    const auto found = std::find(names.begin(), names.end(), given.name[k]);
    const auto i = static_cast<std::size_t>(found - names.begin());
    require(
      i < n && !named[i],
      "The state names the joint " + given.name[k] +
      "; expected each joint of the robot at most once.");
    named[i] = true;
    state.q[i] = given.position[k];
    state.qd[i] = given.velocity.empty() ? 0.0 : given.velocity[k];
    require_bounded("state", state.q[i], LARGEST_STATE);
    require_bounded("state", state.qd[i], LARGEST_STATE);
  }
  const bool whole = std::find(named.begin(), named.end(), false) == named.end();
  if (!latest.empty() && !whole) {
    state.stamp.sec = static_cast<std::int32_t>(latest[2 * n]);
    state.stamp.nanosec = static_cast<std::uint32_t>(latest[2 * n + 1]);
  }
  if (count > 0 && !whole) {
    note = latest.empty() ? "Joints without a name are at zero, as there is no joint state." :
      "Joints without a name are from the joint state.";
  }
  return state;
}

}  // namespace robodyn_control
