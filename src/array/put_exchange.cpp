// SPDX-License-Identifier: Apache-2.0
// docs/protocols/ghosts.md, "Put" and "Kept".
#include "array/put_exchange.hpp"

#include <tactus/base/impl/atomic.hpp>
#include <tactus/scheduler/impl/worker.hpp>

#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace tactus::detail {

void put_exchange::begin(std::uint64_t e, ghost_source promised) {
  if (cells().packs_first()) {
    send_packed(e);
  } else {
    send_directly(e, promised);
  }
  for (const std::size_t n : neighbours()) {
    claim(n, e, task_here());  // after opened(): who offers something later sees that (K2)
  }
}

void put_exchange::send_packed(std::uint64_t e) {
  std::vector<reply_bytes> all;
  for (const std::size_t n : neighbours()) {
    all.push_back(packed(n, e));
  }
  cells().leave_packed();
  opened(e);
  for (const std::size_t n : neighbours()) {
    post(n, e, std::move(all[n]), task_here());
  }
}

void put_exchange::send_directly(std::uint64_t e, ghost_source promised) noexcept {
  opened(e);
  for (const std::size_t n : neighbours()) {
    link& l = link_of(n);
    l.is_served = put_if_begun(n, e);
    if (l.there == nullptr) {
      post(n, e, packed_or_end(n, e), task_here());
      l.is_served = true;
    }
  }
  for (const std::size_t n : neighbours()) {
    if (link_of(n).is_served) {
      continue;
    }
    if (promised == ghost_source::kept) {
      offer(n, e);
    } else if (!begins_soon(n, e) || !put_if_begun(n, e)) {
      post(n, e, packed_or_end(n, e), task_here());
    }
  }
}

bool put_exchange::put_if_begun(std::size_t n, std::uint64_t e) noexcept {
  const link& l = link_of(n);
  if (l.there == nullptr || !l.there->is_at(e)) {
    return false;
  }
  cells().put(n, l.there->cells());
  l.there->place_cells(l.number_there, e, tag(), task_here());
  return true;
}

// To pack means to copy twice. Neighbours that compute alike begin at about the same time: so it waits for one as long as a copy takes,
// where that one does not need this processor for it.
bool put_exchange::begins_soon(std::size_t n, std::uint64_t e) noexcept {
  constexpr std::size_t k_bytes_in_ns = 8;
  constexpr std::chrono::nanoseconds k_least{500};
  constexpr std::chrono::nanoseconds k_most{20'000};
  constexpr int k_looks = 8;  // to each of the clock
  const worker* const w = current_worker();
  if (w->owner->oversubscribed() || w->seeded || !w->deque.looks_empty()) {
    return false;
  }
  const auto patience = std::clamp(
      std::chrono::nanoseconds(static_cast<std::int64_t>(cells().bytes_to(n) / k_bytes_in_ns)), k_least, k_most);
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < k_looks; ++i) {
      if (link_of(n).there->is_at(e)) {
        return true;
      }
      cpu_relax();
    }
  } while (std::chrono::steady_clock::now() - begin < patience);
  return false;
}

// The neighbour has not begun e: who comes second copies.
void put_exchange::offer(std::size_t n, std::uint64_t e) noexcept {
  link& l = link_of(n);
  auto& there = static_cast<put_exchange&>(*l.there);
  leaving_.fetch_add(1, memory_order_relaxed);  // relaxed: who takes from it has seen what is stored next
  slot& s = there.empty_slot(l.number_there, e);
  s.tag = tag();
  s.state.store(slot_state::offered, memory_order_seq_cst);  // before the second look (K2); the cells
  if (there.is_at(e)) {
    there.claim(l.number_there, e, task_here());
  }
}

// Copies what neighbour n offers here, if it does and nobody else does so. By a task here, or of that neighbour.
void put_exchange::claim(std::size_t n, std::uint64_t e, const actor& by) noexcept {
  link& l = link_of(n);
  slot& s = l.came[e & 1U];
  slot_state was = slot_state::offered;
  // seq_cst: after opened() (K2); acquire: the cells, and this place's reads of the last ghosts; relaxed: nothing is done
  if (!s.state.compare_exchange_strong(was, slot_state::busy, memory_order_seq_cst, memory_order_relaxed)) {
    return;
  }
  auto& source = static_cast<put_exchange&>(*l.there);
  source.cells().put(l.number_there, cells());
  s.state.store(slot_state::placed, memory_order_seq_cst);  // before the look for waiters; what was copied
  source.has_left(by);
  wake_whom_it_is_enough_for(by);
}

void put_exchange::has_left(const actor& by) noexcept {
  leaving_.fetch_sub(1, memory_order_seq_cst);  // before the look for waiters; release: the reads of the cells (K1)
  wake_whom_it_is_enough_for(by);
}

}  // namespace tactus::detail
