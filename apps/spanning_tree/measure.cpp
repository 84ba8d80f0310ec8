// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include "escaping_search.hpp"
#include "label.hpp"
#include "memory.hpp"
#include "random.hpp"
#include "serial_search.hpp"
#include "verify.hpp"

#include <fmt/format.h>
#include <tactus/tactus.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>

namespace ts = tactus;

namespace spanning {
namespace {

// A search does not count what it has labelled: a counter would cost more than the label. The progress line asks some
// vertices instead, which is right to a few per cent.
double share_labelled(std::vector<vertex>& parent, random_source& random) {
  constexpr int k_samples = 1024;
  int labelled = 0;
  for (int i = 0; i < k_samples; ++i) {
    const vertex v = random.below(static_cast<std::uint32_t>(parent.size()));
    labelled += static_cast<int>(label(parent[v]).is_set());
  }
  return static_cast<double>(labelled) / k_samples;
}

// The repetitions of a version; `search` fills `parent` once.
void repeat(measurement& m, const graph& g, std::uint64_t num_components, const measure_settings& settings,
            std::vector<vertex>& parent, const std::function<void()>& search) {
  using steady = std::chrono::steady_clock;
  for (int rep = 0; rep < settings.reps; ++rep) {
    std::ranges::fill(parent, k_no_vertex);
    {
      random_source samples(static_cast<std::uint64_t>(rep));
      const apps::progress_stage stage(settings.progress,
                                       fmt::format("searching, {}, {} of {}", name_of(m.what), rep + 1, settings.reps),
                                       [&] { return parent.empty() ? 1.0 : share_labelled(parent, samples); });
      const auto start = steady::now();
      search();
      m.seconds.push_back(std::chrono::duration<double>(steady::now() - start).count());
    }
    const verdict v = verify_forest(g, parent, num_components, settings.progress);
    m.num_trees = v.num_trees;
    if (!v.ok()) {
      m.result = outcome::wrong;
      m.message = v.problem;
      return;
    }
  }
}

ts::spawn_policy policy_of(version v) {
  switch (v) {
    case version::work_first: return ts::spawn_policy::work_first;
    case version::help_first: return ts::spawn_policy::help_first;
    default: return ts::spawn_policy::adaptive;
  }
}

// The text of the one kind of exception that is a result and not a fault: every leaf is a resource_error.
std::optional<std::string> limit_in(const ts::multiple_exceptions& collected) {
  const auto leaves = collected.flattened();
  std::string first;
  for (const std::exception_ptr& leaf : leaves) {
    try {
      std::rethrow_exception(leaf);
    } catch (const ts::resource_error& e) {
      if (first.empty()) {
        first = e.what();
      }
    } catch (...) {
      return std::nullopt;
    }
  }
  return leaves.size() == 1 ? first : fmt::format("{} (and {} tasks more)", first, leaves.size() - 1);
}

}  // namespace

std::string_view name_of(version v) noexcept {
  switch (v) {
    case version::serial: return "serial";
    case version::work_first: return "work_first";
    case version::help_first: return "help_first";
    case version::adaptive: return "adaptive";
    case version::batched: return "batched";
  }
  return "?";
}

double measurement::median_seconds() const {
  if (seconds.empty()) {
    return 0;
  }
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

measurement measure(version what, const graph& g, std::uint64_t num_components, const measure_settings& settings,
                    std::vector<vertex>& parent) {
  measurement m;
  m.what = what;
  parent.assign(g.num_vertices(), k_no_vertex);  // resident before the peak is marked
  const peak_memory peak;
  if (what == version::serial) {
    repeat(m, g, num_components, settings, parent, [&] { search_serial(g, parent); });
  } else {
    try {
      // Every row of the table has the policy that it names (batched: adaptive): the environment has no say here.
      ts::runtime runtime(ts::config{.threads = settings.threads,
                                     .policy = policy_of(what),
                                     .stats = settings.stats,
                                     .env = false,
                                     .memory_bytes = settings.memory_bytes});
      m.workers = runtime.run([] { return ts::num_workers(); });
      const auto search = what == version::batched ? search_batched : search_escaping;
      repeat(m, g, num_components, settings, parent, [&] { runtime.run([&] { search(g, parent); }); });
    } catch (const ts::resource_error& e) {
      m.result = outcome::limit;
      m.message = e.what();
    } catch (const ts::multiple_exceptions& e) {
      const auto limit = limit_in(e);
      if (!limit) {
        throw;
      }
      m.result = outcome::limit;
      m.message = *limit;
    }
  }
  m.peak_bytes = peak.bytes();
  return m;
}

}  // namespace spanning
