// SPDX-License-Identifier: Apache-2.0
// docs/protocols/ghosts.md, "Shift".
#include "array/shift_exchange.hpp"

#include <utility>

namespace tactus::detail {

shift_exchange::shift_exchange(exchange_group& set, std::uint32_t which, const std::vector<int>& places,
                               exchange_cells& cells, exchange_manner manner)
    : exchange_here(set, which, places, cells, manner),
      count_(manner.stages.size()),
      stages_(std::make_unique<stage[]>(count_)),
      packed_(places.size()) {
  for (std::size_t k = 0; k < count_; ++k) {
    stages_[k].first = stage_of_.size();
    stages_[k].count = manner.stages[k];
    stage_of_.insert(stage_of_.end(), manner.stages[k], k);
    for (auto& m : stages_[k].missing) {
      m.store(stages_[k].count + 1, memory_order_relaxed);  // relaxed: nobody reaches it yet
    }
  }
}

// All own cells are packed now, those that go in later stages too: the program may write them as soon as this returns (S1).
void shift_exchange::begin(std::uint64_t e, ghost_source /*promised*/) {
  for (const std::size_t n : neighbours()) {
    packed_[n] = packed(n, e);
  }
  opened(e);
  const actor self = task_here();
  for (std::size_t n = 0; n < stages_[0].count; ++n) {
    post(n, e, std::move(packed_[n]), self);
  }
  count_down(0, e, self);
}

// Who takes the last one completes the stage, and sends the next: a task that sends or waits, here or at a neighbour, or who brings
// messages. Nobody else does (S3).
void shift_exchange::count_down(std::size_t k, std::uint64_t e, const actor& by) noexcept {
  // seq_cst: before the look for waiters; acq_rel: what has come in this stage and those before (S2)
  if (stages_[k].missing[e & 1U].fetch_sub(1, memory_order_seq_cst) != 1) {
    return;
  }
  if (k + 1 < count_) {
    forward(k + 1, e, by);
    count_down(k + 1, e, by);
  } else {
    wake_whom_it_is_enough_for(by);
  }
}

void shift_exchange::forward(std::size_t k, std::uint64_t e, const actor& by) noexcept {
  const stage& now = stages_[k];
  for (std::size_t n = now.first; n < now.first + now.count; ++n) {
    reply_bytes message = std::move(packed_[n]);
    const std::span<std::byte> cells_in(message.block->data() + reply_bytes::k_room + k_head, message.size - k_head);
    for (std::size_t m = 0; m < now.first; ++m) {
      if (!cells().forward(n, cells_in, m, link_of(m).came[e & 1U].bytes)) {
        end_out_of_turn(name(), link_of(m).from, here(), e, e);
      }
    }
    post(n, e, std::move(message), by);
  }
}

bool shift_exchange::may_close() const noexcept {
  // After waiting_, if that was raised; acquire: nobody reads what came any more, all has been sent (S4). By a task that waits.
  return stages_[count_ - 1].missing[count() & 1U].load(memory_order_seq_cst) == 0;
}

// Neighbours send for e + 2 behind my send of e + 1 (G5).
void shift_exchange::closed(std::uint64_t e) noexcept {
  for (std::size_t k = 0; k < count_; ++k) {
    stages_[k].missing[e & 1U].store(stages_[k].count + 1, memory_order_relaxed);  // relaxed: as slots are emptied
  }
}

}  // namespace tactus::detail
