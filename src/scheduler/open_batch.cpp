// SPDX-License-Identifier: Apache-2.0

#include <tactus/scheduler/impl/open_batch.hpp>

#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

namespace tactus::detail {
namespace {

// A free batch is linked by its head, which lies at its begin.
task_batch* after(const task_batch* b) noexcept { return reinterpret_cast<task_batch*>(b->head.next); }
void link(task_batch* b, task_batch* to) noexcept { b->head.next = reinterpret_cast<queued_task*>(to); }

void delete_chain(task_batch* b) noexcept {
  while (b != nullptr) {
    delete std::exchange(b, after(b));
  }
}

}  // namespace

void task_batch::begin(void (*run)(queued_task*, worker*), finish_scope* under, std::uint32_t slot_bytes) noexcept {
  head.run = run;
  head.finish = under;
  begun = 0;
  count = 0;
  room = std::min(k_most, static_cast<std::uint32_t>(k_bytes / slot_bytes));
  bytes = slot_bytes;
}

batch_depot::~batch_depot() {
  for (task_batch* const chain : chains_) {
    delete_chain(chain);
  }
}

task_batch* batch_depot::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (chains_.empty()) {
    return nullptr;
  }
  task_batch* const chain = chains_.back();
  chains_.pop_back();
  return chain;
}

bool batch_depot::put(task_batch* chain) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    chains_.push_back(chain);
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

open_batch::~open_batch() { delete_chain(spare_); }

task_batch* open_batch::make() noexcept {
  if (spare_ == nullptr) {
    spare_ = depot_->take();
    if (spare_ == nullptr) {
      auto* const fresh = new (std::nothrow) task_batch;
      counters_->descriptor_bytes += fresh != nullptr ? sizeof(task_batch) : 0;
      return fresh;
    }
    spares_ = batch_depot::k_chain;
  }
  --spares_;
  return std::exchange(spare_, after(spare_));
}

// Keeps up to two chains: a worker that only runs what another one puts together gives whole ones back.
void open_batch::free(task_batch* b) noexcept {
  if (spares_ == 2 * batch_depot::k_chain) {
    task_batch* last = spare_;
    for (std::uint32_t i = 1; i < batch_depot::k_chain; ++i) {
      last = after(last);
    }
    task_batch* const rest = after(last);
    link(last, nullptr);
    if (!depot_->put(spare_)) {
      delete_chain(spare_);
    }
    spare_ = rest;
    spares_ -= batch_depot::k_chain;
  }
  link(b, spare_);
  spare_ = b;
  ++spares_;
}

task_batch* open_batch::take() noexcept {
  // relaxed: only whether it is worth a fence. acq_rel: after the thief before us, as after a lock
  if (batch_.load(memory_order_relaxed) == nullptr || wanted_.exchange(true, memory_order_acq_rel)) {
    return nullptr;
  }
  // From here on the owner, which adds without a fence, either is seen to add or sees that we want it (batch B1).
  fence_all_processors();
  task_batch* b = nullptr;
  if (!busy_.load(memory_order_acquire)) {  // acquire: what was added; pairs with end()
    b = close();
  }
  wanted_.store(false, memory_order_release);  // pairs with begin()
  return b;
}

void publish_open(worker* w) noexcept {
  if (task_batch* const b = w->open.close(); b != nullptr) {
    w->deque.push(entry::task(&b->head));
    w->idle->notify();
  }
}

task_batch* begin_batch(worker* w, void (*run)(queued_task*, worker*), std::size_t slot_bytes) noexcept {
  if (w->with_care) {
    return nullptr;
  }
  publish_open(w);
  if (w->idle->has_sleepers()) {
    return nullptr;
  }
  task_batch* const b = w->open.make();
  if (b != nullptr) {
    // Who ran it last may have been another worker, whose caches have it: all lines at once, not one after the other.
    for (std::size_t at = 0; at < sizeof(task_batch); at += k_cache_line) {
      __builtin_prefetch(reinterpret_cast<std::byte*>(b) + at, 1);
    }
    b->begin(run, w->held, static_cast<std::uint32_t>(slot_bytes));
  }
  return b;
}

void open_batch_with(worker* w, task_batch* b) noexcept {
  w->open.open(b);
  atomic_signal_fence(memory_order_seq_cst);  // before the look at who sleeps (parking P1)
  if (w->idle->has_sleepers()) {
    publish_open(w);
  }
}

void share_batch(worker* w, task_batch* b) noexcept {
  const std::uint32_t left = b->count - b->begun;
  task_batch* const given = left != 0 ? w->open.make() : nullptr;
  if (given == nullptr) {
    return;
  }
  const std::uint32_t from = b->begun + left / 2;
  given->begin(b->head.run, b->head.finish, b->bytes);
  given->count = b->count - from;
  std::memcpy(given->slots, b->at(from), std::size_t{given->count} * b->bytes);
  b->count = from;
  w->deque.push(entry::task(&given->head));
  w->idle->notify();
}

bool scheduler::open_batch_in_sight(const worker* w) const noexcept {
  return std::any_of(workers_.begin(), workers_.end(),
                     [w](const auto& other) { return other.get() != w && other->open.is_open(); });
}

bool scheduler::bring_open_batch(worker* w) noexcept {
  for (const auto& victim : workers_) {
    if (task_batch* const b = victim.get() != w ? victim->open.take() : nullptr; b != nullptr) {
      ++w->counters.tasks_stolen;
      w->deque.push(entry::task(&b->head));
      return true;
    }
  }
  return false;
}

}  // namespace tactus::detail
