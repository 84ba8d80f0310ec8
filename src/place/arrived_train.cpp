// SPDX-License-Identifier: Apache-2.0
#include "place/arrived_train.hpp"

#include <tactus/task/impl/task_body.hpp>

#include "place/frame.hpp"
#include "place/place_node.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace tactus::detail {
namespace {

// In the storage of a descriptor. All but its begin belongs to who runs it.
struct arrived_train {
  message_header header;
  frame_ptr calls;
  const wired_type* type;
  std::uint32_t begun;  // so many have
  std::uint32_t count;  // of so many
  std::uint32_t given;  // the room of so many has been given back
  bool is_counted;      // as so many tasks by the finish, and not as one
};
static_assert(sizeof(arrived_train) <= queued_task::k_inline_bytes);

arrived_train& train_in(queued_task* m) noexcept { return *std::launder(reinterpret_cast<arrived_train*>(m->storage)); }

void run_train(queued_task* m, worker* w);

void put_train(queued_task* m, arrived_train t) noexcept {
  ::new (static_cast<void*>(m->storage)) arrived_train(std::move(t));
  m->run = run_train;
}

void recycle_train(worker* w, queued_task* m) noexcept {
  std::destroy_at(&train_in(m));
  w->tasks.put(m);
}

// Gives half of what has not begun to thieves. Without memory for it nothing happens.
void share_train(worker* w, queued_task* m) noexcept {
  arrived_train& t = train_in(m);
  const std::uint32_t half = (t.count - t.begun) / 2;
  if (half == 0) {
    return;
  }
  const auto each = static_cast<std::size_t>(t.type->together);
  const std::uint32_t from = t.count - half;
  try {
    frame_ptr calls = make_frame_block(half * each);
    std::memcpy(calls->data(), t.calls->data() + t.calls->begin + from * each, half * each);
    queued_task* const given = w->tasks.take();
    const std::uint32_t ahead = std::max(t.given, from) - from;
    put_train(given, {t.header, std::move(calls), t.type, 0, half, ahead, true});
    given->finish = m->finish;
    t.count = from;
    t.given = std::min(t.given, from);
    w->deque.push(entry::task(given));
    w->idle->notify();
    // NOLINTNEXTLINE(bugprone-empty-catch): then they run here
  } catch (const std::bad_alloc&) {
  }
}

// As a batch (batch.md): one after the other, each with values and an end of its own. When one of them has to wait, the rest goes back into
// the deque.
class train_in_progress : loop_rest {
public:
  explicit train_in_progress(queued_task* m) noexcept : loop_rest{hand_rest_over}, train_(m), element_(this) {}

  void run(worker* w) noexcept {
    arrived_train* t = &train_in(train_);
    const wired_type& type = *t->type;
    const auto each = static_cast<std::size_t>(type.together);
    const int from = t->header.from;
    const peer_place peer = place_node::of(w).peer(from);
    frame_ptr none;  // of none of them alone
    if (!std::exchange(t->is_counted, true)) {
      *w->balance += (std::int64_t{t->count} - 1) * finish_word::k_one_task;  // as if the first had spawned the others
    }
    entry_.below = by_itself(w->task);
    element_.below = &entry_;
    w->task = &element_;
    std::uint64_t ran = 0;
    do {
      if (t->begun == t->given) {
        give_room_back(w, *t);
      }
      const std::byte* const call = t->calls->data() + t->calls->begin + t->begun++ * each;
      run_one(type, {{call, each}, from, peer.order, peer.is_alike, &none});
      end_task_frame(element_);
      element_.spawned = 0;
      ++ran;
      w = current_worker();  // the task may have gone on elsewhere
      w->count_end();
      if (train_ == nullptr) {
        break;
      }
      if (w->idle->has_sleepers()) [[unlikely]] {
        share_train(w, train_);
      }
    } while (t->begun != t->count);
    w->task = by_itself(entry_.below);
    w->counters.tasks_run += ran - 1;  // who ran the entry has counted one
    if (train_ != nullptr) {
      recycle_train(w, train_);
    }
  }

private:
  static constexpr std::uint32_t k_rooms_at_once = 16;

  // Objects are made of the call before anything runs that could wait, and have the call go.
  static void run_one(const wired_type& type, const arrived_bytes& call) noexcept {
    try {
      type.run(call, nullptr);
    } catch (...) {
      keep_failure();
    }
  }

  // Of those that are about to begin: a few more than one.
  static void give_room_back(worker* w, arrived_train& t) noexcept {
    const std::uint32_t n = std::min(k_rooms_at_once, t.count - t.given);
    t.given += n;
    place_node::of(w).give_back(w, t.header.from, t.header.bytes, n);
  }

  // By the worker that the task which has to wait runs on.
  static void hand_rest_over(loop_rest& rest, worker* w) noexcept {
    queued_task* const m = std::exchange(static_cast<train_in_progress&>(rest).train_, nullptr);
    if (m == nullptr) {
      return;
    }
    if (train_in(m).begun == train_in(m).count) {
      recycle_train(w, m);
      return;
    }
    w->deque.push(entry::task(m));
    w->idle->notify();
  }

  queued_task* train_;  // null once handed over
  task_frame entry_;    // an element of anything has a frame below it
  element_frame element_;
};

void run_train(queued_task* m, worker* w) { train_in_progress(m).run(w); }

}  // namespace

void make_runnable(queued_task* m, const message_header& header, frame_ptr calls, const wired_type& type,
                   std::uint32_t count) noexcept {
  put_train(m, {header, std::move(calls), &type, 0, count, 0, false});
}

}  // namespace tactus::detail
