// SPDX-License-Identifier: Apache-2.0
// Place-flexible tasks that wait with one worker: the newest for that one, the oldest for all others, any for who gives some away.
#pragma once

#include <tactus/place/impl/flexible_spawn.hpp>
#include <tactus/place/impl/message.hpp>

#include "place/message_parts.hpp"

#include <mutex>
#include <new>

namespace tactus::detail {

/// Behind the header, in the storage of a task that may move.
struct flexible_entry {
  flexible_call* call;  // the task's
  queued_task* newer;
  queued_task* older;
};
static_assert(sizeof(message_header) + sizeof(flexible_entry) <= queued_task::k_inline_bytes);

[[nodiscard]] inline flexible_entry& entry_of(queued_task* t) noexcept {
  return *std::launder(reinterpret_cast<flexible_entry*>(t->storage + sizeof(message_header)));
}

/// A list through the tasks themselves, so that nothing is allocated. With its lock held, but for the making.
class flexible_ring {
public:
  flexible_ring() = default;
  flexible_ring(const flexible_ring&) = delete;
  flexible_ring& operator=(const flexible_ring&) = delete;

  std::mutex mutex;

  [[nodiscard]] queued_task* oldest() const noexcept { return oldest_; }
  [[nodiscard]] queued_task* newest() const noexcept { return newest_; }

  void push(queued_task* t) noexcept {
    flexible_entry& e = entry_of(t);
    e.newer = nullptr;
    e.older = newest_;
    (newest_ == nullptr ? oldest_ : entry_of(newest_).newer) = t;
    newest_ = t;
  }

  void erase(queued_task* t) noexcept {
    const flexible_entry e = entry_of(t);
    (e.newer == nullptr ? newest_ : entry_of(e.newer).older) = e.older;
    (e.older == nullptr ? oldest_ : entry_of(e.older).newer) = e.newer;
  }

private:
  queued_task* newest_ = nullptr;
  queued_task* oldest_ = nullptr;
};

}  // namespace tactus::detail
