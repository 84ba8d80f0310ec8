// SPDX-License-Identifier: Apache-2.0
// The tree over places of Tactus, of one process and of several: a task that may run elsewhere has nodes to begin with, and gives half of
// what it knows to another such task now and then. What it has found stays at its place until the end.
#pragma once

#include <cstdint>
#include <utility>

#include "placement/uts_places/uts_places.hpp"
#include "support/tactus_pool.hpp"

namespace bench {

class tactus_search {
public:
  tactus_search(const options& o, uts_places_problem& p) : runtime_(config_of_places(o, o.threads)) {
    g_problem = &p;
    runtime_.run([] {});
  }

  /// The whole tree.
  void pass() {
    const std::uint64_t before = messages();
    g_problem->with_tree(
        [this](const auto& tree) { g_problem->add(runtime_.run([&tree] { return search_from_root(tree); })); });
    g_problem->sent(messages() - before);
  }

private:
  template <class Tree>
  static uts_size search_from_root(const Tree& tree) {
    namespace ts = tactus;
    const ts::place_local<uts_size> found;
    ts::finish([&] { search<Tree>({tree.root()}, found.ref()); });
    uts_size all;
    for (const ts::place p : ts::places()) all.add(found.at(p, [](const uts_size& there) { return there; }));
    return all;
  }

  template <class Tree>
  static void search(uts_nodes<Tree> known, tactus::place_local_ref<uts_size> found) {
    namespace ts = tactus;
    const auto spawn = [found](uts_nodes<Tree> half) {
      ts::async_at(ts::place_flexible, search<Tree>, std::move(half), found);
    };
    const uts_size part = search_and_share(g_problem->tree<Tree>(), std::move(known), g_problem->grain(), spawn);
    ts::atomic([&] { found->add(part); });
  }

  // Of all places, whatever process they are of: between runs.
  std::uint64_t messages() const {
    std::uint64_t all = 0;
    for (const tactus::place_stats& p : runtime_.stats().places) all += p.messages;
    return all;
  }

  static inline uts_places_problem* g_problem = nullptr;  // what every place of this process knows of the tree

  tactus::runtime runtime_;
};

}  // namespace bench
