// SPDX-License-Identifier: Apache-2.0
#include "place/ranges.hpp"

#include <tactus/base/impl/assert.hpp>
#include <tactus/place/impl/wired_call.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include "place/message_parts.hpp"
#include "place/place_node.hpp"

#include <new>
#include <numeric>
#include <string>

namespace tactus::detail {
namespace {

void describe_range(const wait_point& p, std::string& text) {
  const auto& wait = static_cast<const range_wait&>(p);
  text += std::to_string(wait.bytes) + " bytes from place " + std::to_string(wait.from);
}

// While it waits a message from its place to itself is under way: no verdict finds it (ranges R2).
constinit const wait_kind k_range{describe_range, "a long range from another place", wait_kind::k_none,
                                  wait_kind::k_none, [](const wait_point&) { return true; }};

bool wait_for_range(wait_point& p) {
  place_node::of(*p.home).receive_range(static_cast<range_wait&>(p));
  return true;
}

}  // namespace

std::size_t coming_ranges::bytes() const noexcept {
  return std::accumulate(lengths_.begin(), lengths_.end(), std::size_t{0});
}

void coming_ranges::take(std::byte* into) noexcept {
  range_wait wait;
  wait.commit = wait_for_range;
  wait.kind = &k_range;
  wait.object = this;
  wait.from = from_;
  wait.tag = tag_;
  wait.into = into;
  wait.bytes = next();
  ++taken_;
  wait.finish = current_worker()->held;
  suspend_for_finish(
      wait);  // it ends by itself, and the range would be lost: also after a verdict, and where stacks are refused
}

coming_ranges::~coming_ranges() {
  if (next() == 0) {
    return;
  }
  try {
    carrier_.drop_ranges({from_, tag_, {lengths_.begin() + static_cast<std::ptrdiff_t>(taken_), lengths_.end()}});
  } catch (const std::bad_alloc& why) {
    end_without_memory("a message from another place needs memory, also where it is not wanted any more", why.what());
  }
}

bool ranges_go_apart(int to) noexcept {
  const worker* const w = current_worker();
  return to != w->place && w->sites == nullptr && place_node::of(w).sends_ranges_to(to);
}

bool place_node::sends_ranges_to(int to) const noexcept {
  return net_->carrier != nullptr && net_->carrier->carries_ranges() && peer(to).is_alike;
}

void place_node::receive_range(range_wait& wait) noexcept {
  messages_[static_cast<std::size_t>(message_kind::channel)].fetch_add(1, memory_order_relaxed);  // relaxed: as send()
  sent_[static_cast<std::size_t>(number())].fetch_add(1, memory_order_relaxed);                   // relaxed: as send()
  net_->carrier->receive_range(wait);
}

void place_node::bring_range(worker* w, range_wait& wait) noexcept {
  queued_task* const m = descriptor(w);
  put_header(m, message_header(message_kind::channel, number()));
  put_pointer(m, static_cast<wait_point*>(&wait));
  receive(m);
}

}  // namespace tactus::detail
