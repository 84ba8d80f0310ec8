// SPDX-License-Identifier: Apache-2.0
// What `tactus simulate` runs: arguments NAME=VALUE that it has looked at, one line of JSON, status 2 and a line on stderr for input that is none.
#include "simulator/machine.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace {

using simulator::bad_input;

constexpr std::array<std::string_view, 8> k_policies{"none",   "work_dealing",    "eager_dealing",    "lifeline",
                                                     "hybrid", "random_stealing", "sender_threshold", "proportional"};

template <class Number>
Number number_in(std::string_view name, std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw bad_input("--" + std::string(name) + " '" + std::string(text) + "' is not a number that fits");
  }
  return value;
}

tactus::placement_policy policy_named(std::string_view name) {
  for (std::size_t i = 0; i < k_policies.size(); ++i) {
    if (k_policies[i] == name) return static_cast<tactus::placement_policy>(i);
  }
  throw bad_input("--policy '" + std::string(name) + "' is not known");
}

simulator::costs costs_of(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw bad_input("--costs '" + file + "' cannot be read");
  return simulator::costs_in(in, file);
}

struct request {
  simulator::machine on;
  std::string workload = "T1";
  std::int64_t grain_ns = 1000;
  std::optional<std::int64_t> latency_ns;  // else as the file of costs says
  std::optional<std::int64_t> near_latency_ns;

  void set(std::string_view name, std::string_view value) {
    if (name == "places") {
      on.places = number_in<int>(name, value);
    } else if (name == "workers") {
      on.workers = number_in<int>(name, value);
    } else if (name == "policy") {
      on.policy = policy_named(value);
    } else if (name == "workload") {
      workload = value;
    } else if (name == "grain_ns") {
      grain_ns = number_in<std::int64_t>(name, value);
    } else if (name == "latency_ns") {
      latency_ns = number_in<std::int64_t>(name, value);
    } else if (name == "near_latency_ns") {
      near_latency_ns = number_in<std::int64_t>(name, value);
    } else if (name == "group") {
      on.group = number_in<int>(name, value);
    } else if (name == "random_steals") {
      on.tuning.random_steals = number_in<int>(name, value);
    } else if (name == "lifeline_base") {
      on.tuning.lifeline_base = number_in<int>(name, value);
    } else if (name == "costs") {
      on.cost = costs_of(std::string(value));
    } else if (name == "seed") {
      on.seed = number_in<std::uint64_t>(name, value);
    } else {
      throw bad_input("--" + std::string(name) + " is not known");
    }
  }
};

request request_of(int n, char** arguments) {
  request made;
  for (int i = 1; i < n; ++i) {
    const std::string_view both = arguments[i];
    const std::size_t sign = both.find('=');
    if (sign == std::string_view::npos) throw bad_input("'" + std::string(both) + "' is not NAME=VALUE");
    made.set(both.substr(0, sign), both.substr(sign + 1));
  }
  made.on.latency_ns = made.latency_ns.value_or(made.on.cost.latency.value_or(made.on.latency_ns));
  made.on.near_latency_ns = made.near_latency_ns.value_or(made.on.latency_ns);
  return made;
}

void print(const simulator::outcome& seen) {
  std::printf(
      "{\"efficiency\": %.6f, \"makespan_us\": %.3f, \"utilisation_sigma\": %.4f, \"tasks\": %llu, \"busy_us\": %.3f, "
      "\"moves\": %llu, \"messages\": %llu}\n",
      seen.efficiency, static_cast<double>(seen.makespan_ns) / 1000, seen.utilisation_sigma,
      static_cast<unsigned long long>(seen.tasks), static_cast<double>(seen.busy_ns) / 1000,
      static_cast<unsigned long long>(seen.moves), static_cast<unsigned long long>(seen.messages));
}

}  // namespace

int main(int n, char** arguments) {
  try {
    const request asked = request_of(n, arguments);
    print(simulator::simulate(simulator::workload_named(asked.workload, asked.grain_ns), asked.on));
    return 0;
  } catch (const bad_input& error) {
    std::fprintf(stderr, "tactus: %s\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "tactus: simulate: there is not enough memory for so many tasks or places\n");
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tactus: %s\n", error.what());
    return 1;
  }
}
