// SPDX-License-Identifier: Apache-2.0

#include <tactus/scheduler/impl/queued_task.hpp>

#include <tactus/base/impl/assert.hpp>

#include <new>

namespace tactus::detail {

task_depot::~task_depot() {
  for (queued_task* chunk : chunks_) {
    ::operator delete(chunk, std::align_val_t{alignof(queued_task)});
  }
}

queued_task* task_depot::take_batch() noexcept {
  const std::lock_guard lock(mutex_);
  if (batches_.empty()) {
    return nullptr;
  }
  queued_task* const batch = batches_.back();
  batches_.pop_back();
  return batch;
}

void task_depot::put_batch(queued_task* batch) noexcept {
  const std::lock_guard lock(mutex_);
  batches_.push_back(batch);  // cannot throw: make_chunk reserved room for every batch there can be
}

queued_task* task_depot::make_chunk() {
  auto* const chunk =
      static_cast<queued_task*>(::operator new(k_chunk * sizeof(queued_task), std::align_val_t{alignof(queued_task)}));
  const std::lock_guard lock(mutex_);
  try {
    const std::size_t batches = (chunks_.size() + 1) * (k_chunk / k_batch);
    if (batches_.capacity() < batches) {
      batches_.reserve(2 * batches);
    }
    chunks_.push_back(chunk);
  } catch (...) {
    ::operator delete(chunk, std::align_val_t{alignof(queued_task)});
    throw;
  }
  return chunk;
}

queued_task* task_cache::refill() {
  if (fresh_ != fresh_end_) {
    return fresh_++;
  }
  if (queued_task* const batch = depot_->take_batch(); batch != nullptr) {
    free_ = batch->next;
    room_ = k_most - (std::ptrdiff_t{task_depot::k_batch} - 1);
    return batch;
  }
  fresh_ = depot_->make_chunk();
  fresh_end_ = fresh_ + task_depot::k_chunk;
  counters_->descriptor_bytes += task_depot::k_chunk * sizeof(queued_task);
  return fresh_++;
}

queued_task* task_cache::take_or_end() noexcept {
  try {
    return take();
  } catch (const std::bad_alloc& why) {
    end_without_memory("the rest of a parallel loop needs memory to be queued", why.what());
  }
}

void task_cache::spill() noexcept {
  // The older half goes: the recent one is warm.
  queued_task* last = free_;
  for (std::size_t i = 1; i <= task_depot::k_batch; ++i) {
    last = last->next;
  }
  queued_task* const batch = last->next;
  last->next = nullptr;
  room_ = k_most - 1 - std::ptrdiff_t{task_depot::k_batch};
  depot_->put_batch(batch);
}

}  // namespace tactus::detail
