// SPDX-License-Identifier: Apache-2.0
// Figure 1 with tasks that may move: each has a copy of its part, and what it makes of that comes home.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tactus/tactus.hpp>
#include <utility>

#include "placement/placed_runtime.hpp"
#include "placement/quicksort/quicksort.hpp"

namespace bench {

using numbers_at_home = tactus::global_ref<numbers>;

/// Sizes of parts: above `moves` a task that may move, above `alone` one that stays.
struct quicksort_grains {
  std::size_t moves;
  std::size_t alone;

  static quicksort_grains of(std::size_t grain) { return {grain, std::max<std::size_t>(grain / 8, 1)}; }
};

inline void sort_range(numbers& data, quicksort_grains grains);

inline void sort_whole(numbers& data, quicksort_grains grains) {
  tactus::finish([&data, grains] { sort_range(data, grains); });
}

inline numbers sorted(numbers part, quicksort_grains grains) {
  sort_whole(part, grains);
  return part;
}

/// Of numbers that stand in `home` from `first` on.
inline void sort_elsewhere(std::span<const std::int32_t> some, numbers_at_home home, std::size_t first,
                           quicksort_grains grains) {
  numbers part(some.begin(), some.end());
  const auto write_back = [home, first](const numbers& result) {
    std::ranges::copy(result, home->begin() + static_cast<std::ptrdiff_t>(first));
  };
  if (some.size() > grains.moves) {
    tactus::async_at(tactus::place_flexible.named("part").then(write_back), sorted, std::move(part), grains);
  } else {
    tactus::async_at(tactus::place_flexible.named("small").sensitive().then(write_back), sorted, std::move(part),
                     grains);
  }
}

/// Returns before the tasks that it has spawned are over.
inline void sort_range(numbers& data, quicksort_grains grains) {
  const numbers_at_home home(data);
  std::span<std::int32_t> rest(data);
  while (rest.size() > grains.alone) {
    const std::size_t middle = partition(rest);
    const auto left = rest.first(middle);
    if (left.size() > grains.alone) {
      sort_elsewhere(left, home, data.size() - rest.size(), grains);
    } else {
      sort_sequentially(left);
    }
    rest = rest.subspan(middle);
  }
  sort_sequentially(rest);
}

/// By the root task, of which a profile does not tell what it does itself.
inline void sort_with_tasks(numbers& data, std::size_t grain) {
  const numbers_at_home home(data);
  const quicksort_grains grains = quicksort_grains::of(grain);
  tactus::finish([home, grains] {
    tactus::async_at(tactus::place_flexible.named("whole").sensitive().carrying(home), sort_whole, grains);
  });
}

class tactus_quicksort {
public:
  tactus_quicksort(const options& o, quicksort_problem& p) : problem_(p), runtime_(placed_config(o)) {}

  void pass() {
    runtime_.run([this] { sort_with_tasks(problem_.data(), problem_.grain()); });
    problem_.ran(runtime_.figures());
  }

private:
  quicksort_problem& problem_;
  placed_runtime runtime_;
};

}  // namespace bench
