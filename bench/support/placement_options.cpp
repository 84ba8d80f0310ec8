// SPDX-License-Identifier: Apache-2.0
#include "support/placement_options.hpp"

namespace bench {

void add_placement_option(CLI::App& app, options& o) {
  o.placement = "hybrid";
  app.add_option("--placement", o.placement, "where place-flexible tasks run")
      ->check(CLI::IsMember({"none", "work_dealing", "eager_dealing", "lifeline", "hybrid", "random_stealing",
                             "sender_threshold", "proportional"}));
}

void add_uts_places_options(CLI::App& app, options& o, const std::string& competitor) {
  if (competitor == "openmpi" || competitor == "mpich") {
    o.loot = "chunk";
    app.add_option("--chunk", o.chunk, "nodes; who has twice as many gives some")->check(CLI::Range(1, 1 << 20));
    app.add_option("--poll", o.poll, "nodes between two looks for messages")->check(CLI::Range(1, 1 << 20));
    app.add_option("--loot", o.loot, "what it gives: a chunk, the oldest, or half of all")
        ->check(CLI::IsMember({"chunk", "half"}));
    return;
  }
  app.add_option("--grain", o.grain, "nodes after which a task gives half away")->check(CLI::Range(1, 1 << 30));
  if (competitor.starts_with("tactus") && competitor != "tactus_async") add_placement_option(app, o);
}

}  // namespace bench
