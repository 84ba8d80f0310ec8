// SPDX-License-Identifier: Apache-2.0
#include <tactus/place/impl/channel.hpp>

#include <tactus/base/impl/assert.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include "place/channel_table.hpp"
#include "place/frame.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"

#include <new>
#include <utility>

namespace tactus::detail {

// With one place there is nobody to hear from.
void channel_end::open() {
  const worker* const w = current_worker();
  if (w->owner->remote() != nullptr) {
    std::shared_ptr<channel_table> table = place_node::of(w).channels();
    table->open(*this);
    table_ = std::move(table);
  }
}

void channel_end::close() noexcept {
  if (table_ != nullptr) {
    table_->close(*this);
    table_ = nullptr;
  }
}

void send_on_channel(std::uint64_t key, int to, reply_bytes&& bytes) noexcept {
  worker* const w = current_worker();
  send_on_channel({&place_node::of(w), w}, key, to, std::move(bytes));
}

void send_on_channel(const channel_sender& at, std::uint64_t key, int to, reply_bytes&& bytes) noexcept {
  at.here->send_channel(at.by, key, to, std::move(bytes));
}

void place_node::send_channel(worker* w, std::uint64_t key, int to, reply_bytes&& bytes) noexcept {
  const frame_head head{.kind = message_kind::channel, .from = number(), .to = to, .object = key};
  try {
    finish_reply(bytes.block, bytes.size, head, order());
  } catch (const std::bad_alloc& why) {
    end_without_memory("a message to another place needs memory", why.what());
  }
  send_frame(w, head, std::move(bytes.block));
}

// Builds with assertions send bytes wherever they can, but not here: that neighbours write each other's ghosts is what tests and sanitizers
// are to see.
channel_end* channel_end_in_reach(std::uint64_t key, int to) noexcept {
  const place_node& here = place_node::of(current_worker());
  const bool reaches = here.here().options().local_copy != copying::serialize && here.peer(to).is_alike;
  place_node* const there = reaches ? here.in_reach(to) : nullptr;
  return there == nullptr ? nullptr : there->channels()->find(key);
}

void wake_in_reach(int to, wait_point& waits) noexcept {
  worker* const w = any_worker();
  queued_task* const m = w->tasks.take_or_end();
  put_header(m, message_header(message_kind::channel, w->place));
  put_pointer(m, &waits);
  place_node::of(w).send(to, m);
}

void place_node::wake_elsewhere(wait_point& point) noexcept { wake_in_reach(point.home->place(), point); }

}  // namespace tactus::detail
