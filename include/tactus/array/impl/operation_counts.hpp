// SPDX-License-Identifier: Apache-2.0
// What operations of distributed arrays send from place to place, for stats().
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace tactus::detail {

enum class array_operation : std::uint8_t {
  get,
  set,
  accumulate,
  fill,
  for_each,
  map,
  reduce,
  scan,
  sort,
  sequence,
  copy,
  send_ghosts,
  send_contributions,
  transfer,
  save,
  load
};
inline constexpr std::size_t k_array_operations = 16;

/// As programs call it.
[[nodiscard]] constexpr const char* name_of(array_operation o) noexcept {
  constexpr std::array<const char*, k_array_operations> k_names = {
      "get",  "set",      "accumulate", "fill",        "for_each",           "map",      "reduce", "scan",
      "sort", "sequence", "copy",       "send_ghosts", "send_contributions", "transfer", "save",   "load"};
  return k_names[static_cast<std::size_t>(o)];
}

/// Of one array at one place. Any task there.
class operation_counts {
public:
  /// It has been carried out, whether or not anything goes.
  void use(array_operation o) noexcept {
    cell& c = cells_[static_cast<std::size_t>(o)];
    if (!c.is_used.load(memory_order_relaxed)) {  // relaxed, as all here: counts publish nothing else
      c.is_used.store(true, memory_order_relaxed);
    }
  }
  /// It sends so many messages with elements to other places, or with what they come to.
  void add(array_operation o, std::uint64_t messages, std::uint64_t bytes) noexcept {
    use(o);
    cell& c = cells_[static_cast<std::size_t>(o)];
    c.messages.fetch_add(messages, memory_order_relaxed);
    c.bytes.fetch_add(bytes, memory_order_relaxed);
  }

  /// f(operation, messages, bytes) for each that has been used.
  template <class F>
  void each(F&& f) const {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const cell& c = cells_[i];
      if (c.is_used.load(memory_order_relaxed)) {
        f(static_cast<array_operation>(i), c.messages.load(memory_order_relaxed), c.bytes.load(memory_order_relaxed));
      }
    }
  }

private:
  struct cell {
    atomic<std::uint64_t> messages{0};
    atomic<std::uint64_t> bytes{0};
    atomic<bool> is_used{false};
  };
  std::array<cell, k_array_operations> cells_{};
};

/// Those of an array of that name at the calling task's place, which stats() sees from now on, and after they have gone too.
/// std::bad_alloc.
[[nodiscard]] TACTUS_API std::shared_ptr<operation_counts> register_operations(const std::string& array);

}  // namespace tactus::detail
