// SPDX-License-Identifier: Apache-2.0
// The X10 model as the command line asks for it, and what it counts in a result line.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "support/program.hpp"
#include "x10/xrx/xrx.hpp"

namespace bench {

class xrx_pool {
public:
  explicit xrx_pool(const options& o) : cap_seconds_(o.cap_seconds), pool_(o.threads, xrx::scheme_named(o.scheme)) {}

  /// A run beyond the cap, or without the threads that it needs, becomes capped or refused.
  template <class Body>
  void run(const Body& body) {
    pool_.reset_counts();
    try {
      pool_.run(body, cap_seconds_);
    } catch (const xrx::over_cap& e) {
      throw capped(e.what(), cap_seconds_);
    } catch (const xrx::stopped& e) {
      throw refused(e.what());
    }
  }

  [[nodiscard]] xrx::pool& model() { return pool_; }

  /// What the last run counted.
  void report(nlohmann::json& line) const {
    const xrx::counts c = pool_.counted();
    line["scheme"] = xrx::name(pool_.kind());
    line["activities"] = c.activities;
    line["advances_made"] = c.advances;
    line["clock_waits"] = c.clock_waits;
    line["clock_wakeups"] = c.clock_wakeups;
    line["clock_wakeups_by_atomic"] = c.clock_wakeups_by_atomic;
    line["clock_vain"] = c.clock_vain;
    line["when_wakeups"] = c.when_wakeups;
    line["when_wakeups_by_clock"] = c.when_wakeups_by_clock;
    line["when_vain"] = c.when_vain;
    line["threads_made"] = c.threads;
    line["most_running"] = c.most_running;
  }

private:
  double cap_seconds_;
  xrx::pool pool_;
};

}  // namespace bench
