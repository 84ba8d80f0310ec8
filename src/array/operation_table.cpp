// SPDX-License-Identifier: Apache-2.0
#include "array/operation_table.hpp"

#include <tactus/array/impl/operation_counts.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include "base/never_destroyed.hpp"

#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace tactus::detail {
namespace {

using array_and_operation = std::pair<std::string, array_operation>;

struct sums {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};
using operation_sums = std::map<array_and_operation, sums>;

void add_to(operation_sums& all, const std::string& array, const operation_counts& counts) {
  counts.each([&](array_operation o, std::uint64_t messages, std::uint64_t bytes) {
    sums& s = all[{array, o}];
    s.messages += messages;
    s.bytes += bytes;
  });
}

struct place_operations {
  operation_sums ended;  // of arrays that have gone
  std::map<const operation_counts*, std::string> alive;
};

// By the objects of a place, which no other place has at the same time. Never destroyed: a runtime may be static.
struct known_places {
  std::mutex mutex;  // protects what follows
  std::map<const place_objects*, place_operations> places;
};
known_places& known() {
  static never_destroyed<known_places> all;
  return all.get();
}

void array_ends(const place_objects* of, const operation_counts* counts) noexcept {
  known_places& all = known();
  const std::lock_guard lock(all.mutex);
  const auto place = all.places.find(of);
  if (place == all.places.end()) {
    return;  // it has gone before
  }
  const auto mine = place->second.alive.find(counts);
  if (mine != place->second.alive.end()) {
    try {
      add_to(place->second.ended, mine->second, *counts);
      // NOLINTNEXTLINE(bugprone-empty-catch): then what it has counted is lost
    } catch (const std::bad_alloc&) {
    }
    place->second.alive.erase(mine);
  }
}

}  // namespace

std::shared_ptr<operation_counts> register_operations(const std::string& array) {
  const place_objects* const of = any_worker()->objects;
  std::shared_ptr<operation_counts> counts(new operation_counts, [of](const operation_counts* c) {
    array_ends(of, c);
    delete c;
  });
  known_places& all = known();
  const std::lock_guard lock(all.mutex);
  all.places[of].alive.emplace(counts.get(), array);
  return counts;
}

std::vector<counted_operation> operations_of(const place_objects* of) {
  known_places& all = known();
  const std::lock_guard lock(all.mutex);
  std::vector<counted_operation> told;
  const auto place = all.places.find(of);
  if (place == all.places.end()) {
    return told;
  }
  operation_sums together = place->second.ended;
  for (const auto& [counts, array] : place->second.alive) {
    add_to(together, array, *counts);
  }
  for (const auto& [which, s] : together) {
    told.push_back({which.first, name_of(which.second), s.messages, s.bytes});
  }
  return told;
}

void forget_operations(const place_objects* of) noexcept {
  known_places& all = known();
  const std::lock_guard lock(all.mutex);
  all.places.erase(of);
}

}  // namespace tactus::detail
