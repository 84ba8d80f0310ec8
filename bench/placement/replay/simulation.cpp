// SPDX-License-Identifier: Apache-2.0
#include "placement/replay/simulation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bench {
namespace {

constexpr int k_seeds = 5;

[[noreturn]] void fail(const std::string& command) { throw std::runtime_error("replay: " + command + " failed"); }

std::string said_by(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) fail(command);
  std::string all;
  std::array<char, 512> some{};
  for (std::size_t n = 0; (n = std::fread(some.data(), 1, some.size(), pipe)) > 0;) all.append(some.data(), n);
  if (::pclose(pipe) != 0) fail(command);
  return all;
}

}  // namespace

simulation::simulation(int places, int workers, int root_place)
    : places_(places), workers_(workers), root_place_(root_place) {
  const std::string command = "'" BENCH_CALIBRATE "' sleepers '" + costs_.name() + "'";
  if (std::system(command.c_str()) != 0) fail(command);
}

double simulation::seconds(const task_table& table, const std::vector<std::uint64_t>& took_ns,
                           const std::string& policy) const {
  const passing_file tasks(".tasks");
  std::ofstream out(tasks.name());
  write_table(out, table, took_ns, root_place_);
  out.close();
  if (!out) throw std::runtime_error("replay: " + tasks.name() + " cannot be written");
  std::array<double, k_seeds> makespans{};
  for (int seed = 0; seed < k_seeds; ++seed) {
    const std::string said = said_by("'" BENCH_SIMULATE "' workload='" + tasks.name() + "' costs='" + costs_.name() +
                                     "' policy='" + policy + "' places=" + std::to_string(places_) +
                                     " workers=" + std::to_string(workers_) + " seed=" + std::to_string(seed + 1));
    makespans[static_cast<std::size_t>(seed)] = 1e-6 * nlohmann::json::parse(said).at("makespan_us").get<double>();
  }
  std::ranges::sort(makespans);
  return makespans[k_seeds / 2];
}

}  // namespace bench
