// SPDX-License-Identifier: Apache-2.0
// The label of a vertex: its parent, written once. The one place where searches touch shared memory.
#pragma once

#include "graph.hpp"

#include <atomic>

namespace spanning {

/// A view of one element of a parent array. All orders are relaxed: a search reads nothing through a label (the graph
/// does not change), only the winner of try_set() acts on it, and what the searchers wrote becomes visible to the
/// reader of the forest by the end of their finish. The progress line samples labels while a search runs.
class label {
public:
  explicit label(vertex& parent) noexcept : parent_(parent) {}

  [[nodiscard]] bool is_set() const noexcept { return parent_.load(std::memory_order_relaxed) != k_no_vertex; }

  /// Only while no other task writes labels.
  void set(vertex parent) noexcept { parent_.store(parent, std::memory_order_relaxed); }

  /// The atomic block of figure 3: true for exactly one caller per vertex. Looks first, because most edges lead to
  /// vertices that are labelled, and a load does not take the cache line away from the others.
  bool try_set(vertex parent) noexcept {
    vertex expected = k_no_vertex;
    return !is_set() && parent_.compare_exchange_strong(expected, parent, std::memory_order_relaxed);
  }

private:
  std::atomic_ref<vertex> parent_;
};

}  // namespace spanning
