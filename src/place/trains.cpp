// SPDX-License-Identifier: Apache-2.0
#include "place/trains.hpp"

#include "place/call_table.hpp"
#include "place/frame.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"

#include <algorithm>
#include <cstring>

namespace tactus::detail {
namespace {

constexpr std::size_t k_longest_train = 4096;  // bytes, as what goes together with others between processes
constexpr std::int64_t k_share_of_window = 8;  // of which it takes one at most
constexpr std::uint32_t k_few = 4;  // tasks: a train that another one displaces before it has so many was not worth it
constexpr std::uint32_t k_alone = 32;         // and then so many go alone before the next one is tried
constexpr std::int64_t k_shortest_train = 2;  // for one task more is no gain

// Tasks, in a train of calls of so many bytes.
std::uint32_t most_of(std::size_t bytes) noexcept {
  static_assert((k_longest_train - k_calls_at) / k_frame_word <= k_most_in_train);
  return static_cast<std::uint32_t>((k_longest_train - k_calls_at) / std::max(bytes, k_frame_word));
}

void put_call(departing_train& t, const std::byte* call) noexcept {
  const auto bytes = static_cast<std::size_t>(t.type->together);
  std::byte* const at = t.block->data() + k_calls_at + t.count * bytes;
  if (bytes == sizeof(std::uint64_t)) {  // a number: as many instructions as the other one's call has
    std::memcpy(at, call, sizeof(std::uint64_t));
  } else {
    std::memcpy(at, call, bytes);
  }
  ++t.count;
}

}  // namespace

bool open_trains::add(place_node& here, worker* w, int to, const wired_type& type, const std::byte* call) {
  {
    std::unique_lock lock(lock_, std::try_to_lock);
    if (!lock.owns_lock()) {
      return false;  // somebody has them leave just now
    }
    const auto at = static_cast<std::size_t>(to);
    if (at < to_.size() && to_[at].type == &type && to_[at].under == w->held) [[likely]] {
      train& t = to_[at];
      put_call(t, call);
      added_.store(added_.load(memory_order_relaxed) + 1, memory_order_relaxed);  // relaxed: a hint
      ++w->counters.spawned_remote;
      if (t.count == t.most) [[unlikely]] {
        t.next_most = std::max(t.next_most, std::min(2 * t.most, most_of(static_cast<std::size_t>(type.together))));
        departing_train full = detach(to);
        lock.unlock();
        here.send_train(w, to, std::move(full));
      }
      return true;
    }
  }
  return open(here, w, to, type, call);
}

// All that may fail comes first: what has been added cannot be taken back.
bool open_trains::open(place_node& here, worker* w, int to, const wired_type& type, const std::byte* call) {
  const auto at = static_cast<std::size_t>(to);
  const auto bytes = static_cast<std::size_t>(type.together);
  const peer_place& there = here.peer(to);
  lane& way = here.lane_to(to);
  const std::int64_t room = here.room_taken_by(bytes_of_one(bytes));
  const std::int64_t share = way.window() / k_share_of_window / room;
  if (!there.is_alike || there.order != byte_order::same || share < k_shortest_train) {
    return false;
  }
  std::uint32_t wanted = 0;
  {
    std::unique_lock lock(lock_);
    to_.resize(std::max(to_.size(), here.places()));
    open_.reserve(to_.size());
    train& before = to_[at];
    if (before.type != nullptr) {
      const std::uint32_t alone = before.count < k_few ? k_alone : 0;
      departing_train other = detach(to);
      lock.unlock();
      here.send_train(w, to, std::move(other));
      lock.lock();
      before.most = alone;
    }
    if (before.most != 0) {  // there is none, and so many more go alone
      --before.most;
      return false;
    }
    wanted = std::min(before.next_most, most_of(bytes));
  }
  const std::int64_t got = way.try_take_for(std::min<std::int64_t>(wanted, share), room);
  departing_train t;
  try {
    if (got >= k_shortest_train) {
      t.block = make_frame_block(k_calls_at + whole_words(static_cast<std::size_t>(got) * bytes));
      t.token = token_of(type, token_kind::of_build);
      t.message = w->tasks.take();
      t.key = here.count_sent(*w->held, to);  // the first one, so that there is an entry for the others
    }
  } catch (...) {
    if (t.message != nullptr) {
      w->tasks.put(t.message);
    }
    here.return_room_for(w, to, room * got);
    throw;
  }
  if (got < k_shortest_train) {
    here.return_room_for(w, to, room * got);
    return false;
  }
  t.type = &type;
  t.under = w->held;
  t.most = static_cast<std::uint32_t>(got);
  t.under->count_from_outside();
  here.train_opens();
  put_call(t, call);
  ++w->counters.spawned_remote;
  const std::lock_guard lock(lock_);
  static_cast<departing_train&>(to_[at]) = std::move(t);
  open_.push_back(to);
  added_.store(added_.load(memory_order_relaxed) + 1, memory_order_relaxed);  // relaxed: a hint
  return true;
}

departing_train open_trains::detach(int to) noexcept {
  train& t = to_[static_cast<std::size_t>(to)];
  if (t.count < t.most / 4) {
    t.next_most = std::max(k_first, t.most / 2);
  }
  departing_train leaves = std::move(t);
  t.type = nullptr;
  t.most = 0;
  std::erase(open_, to);
  return leaves;
}

void open_trains::let_go(place_node& here, worker* w, std::unique_lock<few_lines>& lock) noexcept {
  while (!open_.empty()) {
    const int to = open_.back();
    departing_train t = detach(to);
    lock.unlock();
    here.send_train(w, to, std::move(t));
    lock.lock();
  }
}

void open_trains::let_all_go(place_node& here, worker* w) noexcept {
  std::unique_lock lock(lock_);
  let_go(here, w, lock);
}

open_trains::look open_trains::let_idle_go(place_node& here, worker* w) noexcept {
  std::unique_lock lock(lock_, std::try_to_lock);
  if (!lock.owns_lock()) {
    return look::stay;
  }
  if (open_.empty()) {
    return look::none_is_open;
  }
  const std::uint64_t added = added_.load(memory_order_relaxed);  // relaxed: a hint
  if (std::exchange(seen_, added) != added) {
    return look::stay;
  }
  here.takes_trains();
  let_go(here, w, lock);
  here.has_sent_trains();
  return look::have_left;
}

// ---- at their place ----

// Of its finish it is one task here, which spawns the others and ends (remote_finish.md); the first has been counted.
void place_node::send_train(worker* w, int to, departing_train t) noexcept {
  const auto bytes = static_cast<std::size_t>(t.type->together);
  const std::uint64_t count = t.count;
  finish_train(*t.block, bytes * t.count,
               {.head = {.kind = message_kind::task, .number = t.count, .from = number(), .to = to, .object = t.key},
                .token = t.token},
               order_);
  if (t.count < t.most) {
    return_room_for(w, to, std::int64_t{room_taken_by(bytes_of_one(bytes))} * (t.most - t.count));
  }
  count_move(w, *t.under, to, count - 1);
  put_frame(t.message, message_kind::task, number(), std::move(t.block));
  mark_as_train(t.message, count);
  send(to, t.message);
  trains_open_.fetch_sub(1, memory_order_release);  // release: it is counted as sent; pairs with look_after_trains()
}

bool place_node::look_after_trains(worker* w) noexcept {
  bool any = false;
  bool have_left = false;
  // acquire: what others have sent of those of w was counted (messages T3); for those of others it is a hint
  if (trains_open_.load(memory_order_acquire) == 0) {
    return any;
  }
  for (int i = 0; i < here_.size(); ++i) {
    open_trains& these = trains_[static_cast<std::size_t>(i)];
    if (w != nullptr && i == w->id) {
      these.let_all_go(*this, w);
      continue;
    }
    const open_trains::look found = these.let_idle_go(*this, w);
    any = any || found != open_trains::look::none_is_open;
    have_left = have_left || found == open_trains::look::have_left;
  }
  if (w == nullptr && have_left) {  // else who looks sends them, too
    net_->carrier->poll(w);
  }
  return any;
}

}  // namespace tactus::detail
