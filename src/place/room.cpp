// SPDX-License-Identifier: Apache-2.0
// Room at other places, and how it comes back. docs/protocols/messages.md.

#include <tactus/base/impl/assert.hpp>

#include "place/frame.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"

#include <new>

namespace tactus::detail {
namespace {

constexpr std::int64_t k_credit_share = 4;  // room is given back by so many parts of a window

void make_ready_all(worker* w, lane::waiter* first) noexcept {
  while (first != nullptr) {
    lane::waiter* const next = first->behind;  // before it goes on
    make_ready(w, *first);
    first = next;
  }
}

}  // namespace

void place_node::return_room(int to, std::uint32_t bytes) noexcept {
  make_ready_all(current_worker(), lane_to(to).give(room_taken_by(bytes)));
}

void place_node::send_credit(worker* w, int to, std::uint64_t bytes) noexcept {
  queued_task* const m = descriptor(w);
  if (here_.at(0).copies_as_bytes) {
    try {
      put_frame(m, message_kind::credit, number(),
                make_credit({frame_head{.kind = message_kind::credit, .from = number(), .to = to}, bytes}, order()));
    } catch (const std::bad_alloc& why) {
      end_without_memory("a message to another place needs memory", why.what());
    }
  } else {
    put_header(m, message_header(message_kind::credit, number(), bytes));
  }
  send(to, m);
}

void place_node::give_back(worker* w, int from, std::uint32_t bytes, std::uint32_t messages) noexcept {
  atomic<std::uint64_t>& owed = owed_[static_cast<std::size_t>(from)];
  // relaxed: a count; what it stands for is told by the message
  const std::uint64_t room = std::uint64_t{room_taken_by(bytes)} * messages;
  const std::uint64_t all = owed.fetch_add(room, memory_order_relaxed) + room;
  if (all >= static_cast<std::uint64_t>(lane_to(from).window() / k_credit_share)) {
    if (const std::uint64_t free_again = owed.exchange(0, memory_order_relaxed);
        free_again != 0) {  // relaxed: as above
      send_credit(w, from, free_again);
    }
  }  // what is held back keeps nobody waiting: three quarters of the window are free then (messages M5)
}

// Seeded, between runs: nothing that takes room is under way, so lanes are then as at first, and credits come when they came in the first run.
void place_node::give_all_back(worker* w) noexcept {
  for (const auto& place : here_.run().places()) {
    place_node& other = of(*place);
    // relaxed: one thread
    const std::uint64_t owed = owed_[static_cast<std::size_t>(other.number())].exchange(0, memory_order_relaxed);
    make_ready_all(w, other.lane_to(number()).give(static_cast<std::int64_t>(owed)));
  }
}

void place_node::take_credit(worker* w, int from, std::uint64_t bytes) noexcept {
  make_ready_all(w, lane_to(from).give(static_cast<std::int64_t>(bytes)));
}

}  // namespace tactus::detail
