// SPDX-License-Identifier: Apache-2.0
#include "support/placement_options.hpp"

namespace bench {
namespace {

void add_places_option(CLI::App& app, options& o) {
  app.add_option("--places", o.places, "that share the workers; 0: as many as workers")->check(CLI::Range(0, 1024));
}

void add_quicksort_option(CLI::App& app, options& o) {
  o.grain = 0;
  app.add_option("--grain", o.grain, "quicksort: parts of more numbers may move; 0: 4096, and 1 where all are fewer")
      ->check(CLI::Range(0, 1 << 30));
}

}  // namespace

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

void add_moving_options(CLI::App& app, options& o, const std::string& problem, const std::string& competitor) {
  if (problem == "quicksort") add_quicksort_option(app, o);
  if (!competitor.starts_with("tactus")) return;
  add_places_option(app, o);
  add_placement_option(app, o);
  o.labels = "as_written";
  app.add_option("--labels", o.labels, "which tasks may move: as_written, none, all or what a file says");
}

void add_replay_options(CLI::App& app, options& o) {
  add_quicksort_option(app, o);
  add_places_option(app, o);
  app.add_option("--form", o.form, "simulated: each run also by the simulator")->check(CLI::IsMember({"simulated"}));
  app.add_option("--table", o.table, "the profile of a run; else one is recorded");
  app.add_option("--runs", o.runs, "POLICY or POLICY/LABELS: as_written, none, all, a file, found (by tactus labels)")
      ->delimiter(',');
}

}  // namespace bench
