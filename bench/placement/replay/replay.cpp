// SPDX-License-Identifier: Apache-2.0
#include "placement/replay/replay.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>

namespace bench {
namespace {

constexpr double k_median_ns = 2e6;
constexpr std::uint32_t k_ring_waves = 4;

std::uint32_t waves_of(const options& o) {
  if (!o.table.empty() || o.shape != "turing_ring") return 1;
  return o.phases == 0 ? k_ring_waves : static_cast<std::uint32_t>(o.phases);
}

}  // namespace

replay_run replay_run::named(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {text, "as_written"};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

replay_problem::replay_problem(const options& o)
    : name_(o.table.empty() ? o.shape : o.table),
      median_ns_(o.body_ns == 0 ? k_median_ns : o.body_ns),
      waves_(waves_of(o)),
      places_(o.places == 0 ? o.threads : o.places),
      workers_(o.threads),
      is_simulated_(o.form == "simulated"),
      runs_(o.runs.empty() ? std::vector<std::string>{"none", "hybrid"} : o.runs) {
  for (const std::string& run : runs_) {
    if (is_simulated_ && replay_run::named(run).labels != "as_written") {
      throw std::invalid_argument("replay: --form simulated knows labels as they are written only, not " + run);
    }
  }
}

void replay_problem::set(task_table table) {
  table_ = std::move(table);
  if (table_.roots % waves_ != 0) {
    throw std::runtime_error("replay: " + std::to_string(table_.roots) + " tasks without a parent are not " +
                             std::to_string(waves_) + " waves");
  }
  if (is_simulated_ && table_.roots != 1) {
    throw std::invalid_argument("replay: --form simulated needs a table with one task without a parent, not " +
                                std::to_string(table_.roots));
  }
  table_.stretch_to_median(median_ns_);
  ran_ = marks(table_.tasks.size());
}

void replay_problem::done(const std::string& run, const placement_figures& figures, duration took) {
  ran_.verify();
  timed_.seconds += took.seconds;
  timed_.processor_seconds += took.processor_seconds;
  const double slept = 1e-9 * static_cast<double>(table_.total_ns());
  const double ran = 1e-9 * static_cast<double>(std::accumulate(took_ns_.begin(), took_ns_.end(), std::uint64_t{0}));
  const double processors = std::max(1U, std::thread::hardware_concurrency());
  nlohmann::json& line = done_[run];
  line["seconds"] = took.seconds;
  line["efficiency"] = slept / (workers_ * took.seconds);
  line["late"] = (ran - slept) / slept;
  line["processors_used"] = took.processor_seconds / (processors * took.seconds);
  figures.add_to(line);
}

void replay_problem::simulated(const std::string& run, double seconds) {
  nlohmann::json& line = done_.at(run);
  line["simulated_seconds"] = seconds;
  line["simulated_over_real"] = seconds / line["seconds"].get<double>();
}

void replay_problem::verify() const {
  for (const std::string& run : runs_) {
    if (!done_.contains(run)) throw wrong_answer("replay: there was no run " + run);
    if (is_simulated_ && !done_.at(run).contains("simulated_seconds")) {
      throw wrong_answer("replay: the run " + run + " was not simulated");
    }
  }
}

void replay_problem::report(nlohmann::json& line) const {
  line["replay_of"] = name_;
  line["sites"] = nlohmann::json::array();
  for (const table_site& site : table_.sites) line["sites"].push_back(site.name);
  line["slept_seconds"] = 1e-9 * static_cast<double>(table_.total_ns());
  line["longest_path_seconds"] = 1e-9 * static_cast<double>(table_.longest_path_ns(roots_of_wave()));
  line["runs"] = done_;
}

}  // namespace bench
