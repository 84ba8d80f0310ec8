// SPDX-License-Identifier: Apache-2.0
// A Tactus runtime of several places as the command line asks for it, and what a run of it did with tasks that may move.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tactus/tactus.hpp>
#include <utility>

#include "placement/placement_figures.hpp"
#include "support/tactus_pool.hpp"

namespace bench {

inline int places_of(const options& o) { return o.places == 0 ? o.threads : o.places; }

/// `--threads` workers over `--places` places.
inline tactus::config placed_config(const options& o) {
  const int places = places_of(o);
  if (o.threads % places != 0) {
    throw std::invalid_argument(std::to_string(o.threads) + " workers cannot be divided over " +
                                std::to_string(places) + " places");
  }
  tactus::config c = config_of_places(o, places);
  c.threads = o.threads / places;
  if (o.labels != "as_written") c.labels = o.labels;
  return c;
}

class placed_runtime {
public:
  explicit placed_runtime(const tactus::config& c) : runtime_(c) {
    runtime_.run([] {});  // the workers exist before the clock starts
  }

  template <class Body>
  void run(Body&& body) {
    before_ = runtime_.stats();
    runtime_.run(std::forward<Body>(body));
  }

  /// Of the last run, of all places.
  [[nodiscard]] placement_figures figures() const {
    const tactus::runtime_stats after = runtime_.stats();
    placement_figures made;
    made.moves = after.moves - before_.moves;
    made.migrations = after.migrations - before_.migrations;
    made.spawned = spawned(after) - spawned(before_);
    const double wall = std::chrono::duration<double>(after.wall - before_.wall).count();
    double squares = 0;
    const auto places_here = static_cast<double>(after.places.size());
    for (std::size_t p = 0; p < after.places.size(); ++p) {
      const auto& [was, is] = std::pair(before_.places[p], after.places[p]);
      made.messages += is.messages - was.messages;
      made.migrated_bytes += is.migrated_bytes - was.migrated_bytes;
      const double busy = is.busy_seconds - was.busy_seconds;
      const double share = 100 * busy / (static_cast<double>(is.workers.size()) * wall);
      made.utilisation_mean += share / places_here;
      squares += share * share / places_here;
    }
    made.utilisation_sigma = std::sqrt(std::max(0.0, squares - made.utilisation_mean * made.utilisation_mean));
    return made;
  }

private:
  static std::uint64_t spawned(const tactus::runtime_stats& s) {
    const tactus::worker_counters& all = s.totals;
    return all.spawned_work_first + all.spawned_help_first + all.spawned_shared + all.spawned_invited +
           all.spawned_remote;
  }

  tactus::runtime runtime_;
  tactus::runtime_stats before_;
};

}  // namespace bench
