// SPDX-License-Identifier: Apache-2.0
#include "rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <system_error>

namespace tour {
namespace {

constexpr double k_short_seconds = 0.005;

double nanoseconds_of_a_unit(const contestant& c) {
  using steady = std::chrono::steady_clock;
  const auto start = steady::now();
  std::uint64_t passes = 0;
  double seconds = 0;
  do {
    c.pass();
    ++passes;
    seconds = std::chrono::duration<double>(steady::now() - start).count();
  } while (seconds < k_short_seconds);
  return seconds * 1e9 / static_cast<double>(passes * c.units);
}

// Unless the system has not the threads for it.
template <class Pass>
void try_pass(contestant& c, const std::string& ours, const Pass& pass) {
  try {
    pass();
  } catch (const std::system_error& e) {
    if (e.code() != std::errc::resource_unavailable_try_again || c.name == ours) throw;
    c.why_not = fmt::format("left out: the system has not the threads for it ({})", e.what());
  }
}

double median(std::vector<double>& all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

}  // namespace

void measure(std::vector<contestant>& all, const std::string& ours, int rounds) {
  for (contestant& c : all) {
    try_pass(c, ours, c.pass);
  }
  std::vector<std::vector<double>> times(all.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].why_not.empty()) {
        try_pass(all[i], ours, [&] { times[i].push_back(nanoseconds_of_a_unit(all[i])); });
      }
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].why_not.empty()) {
      all[i].nanoseconds = median(times[i]);
    }
  }
}

void print(const std::vector<contestant>& all, const std::string& ours, const char* unit) {
  const auto reference = std::ranges::find(all, ours, &contestant::name);
  for (const contestant& c : all) {
    if (!c.why_not.empty()) {
      fmt::print("  {:<42}  {}\n", c.name, c.why_not);
      continue;
    }
    const double times = c.nanoseconds / reference->nanoseconds;
    fmt::print("  {:<42}{:>12.{}f} ns {}{:>10}\n", c.name, c.nanoseconds, c.nanoseconds < 100 ? 1 : 0, unit,
               fmt::format("{:.{}f} x", times, times < 10 ? 1 : 0));
  }
}

}  // namespace tour
