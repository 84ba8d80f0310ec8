// SPDX-License-Identifier: Apache-2.0
#include "placement/replay/replay.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace bench {
namespace {

constexpr double k_mean_ns = 4e6;
constexpr std::uint32_t k_ring_waves = 4;

std::uint32_t waves_of(const options& o) {
  if (!o.table.empty() || o.shape != "turing_ring") return 1;
  return o.phases == 0 ? k_ring_waves : static_cast<std::uint32_t>(o.phases);
}

}  // namespace

replay_problem::replay_problem(const options& o)
    : name_(o.table.empty() ? o.shape : o.table),
      mean_ns_(o.body_ns == 0 ? k_mean_ns : o.body_ns),
      waves_(waves_of(o)),
      workers_(o.threads),
      labels_(o.labels),
      placement_(o.placement) {}

void replay_problem::read(const std::string& file) {
  table_ = read_table(file);
  if (table_.roots % waves_ != 0) {
    throw std::runtime_error("replay: " + std::to_string(table_.roots) + " tasks without a parent are not " +
                             std::to_string(waves_) + " waves");
  }
  table_.stretch_to_mean(mean_ns_);
  ran_ = marks(table_.tasks.size());
}

void replay_problem::report(nlohmann::json& line) const {
  const double slept = 1e-9 * static_cast<double>(table_.total_ns());
  const double processors = std::max(1U, std::thread::hardware_concurrency());
  line["replay_of"] = name_;
  line["labels"] = labels_;
  line["placement"] = placement_;
  line["median_sleep_ms"] = 1e-6 * static_cast<double>(table_.median_ns());
  line["efficiency"] = slept / (workers_ * took_.seconds);
  line["processors_used"] = took_.processor_seconds / (processors * took_.seconds);
  figures_.add_to(line);
}

}  // namespace bench
