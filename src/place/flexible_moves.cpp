// SPDX-License-Identifier: Apache-2.0
// What the policy of a place decides is done here: tasks leave, and places tell each other about it.
// docs/protocols/placement.md.
#include "base/probe.hpp"
#include "place/flexible_frames.hpp"
#include "place/flexible_tasks.hpp"
#include "place/framed_call.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

constexpr std::size_t k_most_loot_bytes = 64 * 1024;
constexpr std::size_t k_much = std::size_t{1} << 40U;  // more tasks than wait anywhere

// As it lies in a message, behind the header.
template <class T>
void say_in(queued_task* m, const T& what) noexcept {
  ::new (static_cast<void*>(m->storage + sizeof(message_header))) T(what);
}

}  // namespace

// ---- decisions ----

// Who is in no run says nothing: it would be of no run, and nobody would hear it, nor answer.
void flexible_tasks::decide(worker* w, const placement_event& event) noexcept {
  if (run_ == 0) {
    return;
  }
  try {
    events_.push_back(event);
    if (!decides_) {
      decides_ = true;
      decide_all(w);
      decides_ = false;
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("a policy of placement needs memory", why.what());
  }
}

void flexible_tasks::decide_all(worker* w) {
  for (std::size_t i = 0; i < events_.size(); ++i) {  // NOLINT(modernize-loop-convert): what is done may add some
    const placement_event event = events_[i];
    place_view seen = view(event.what);
    seen.flexible += spawned_ != nullptr && event.designated == node_.number() ? 1U : 0U;  // as good as queued
    actions_.clear();
    policy_->decide(event, seen, actions_);
    for (const placement_action& action : actions_) {
      carry_out(w, action);
    }
    look_at_interest(seen);
  }
  events_.clear();
}

// Who queues a task looks at what is wanted after it, and who wants to hear of it looks for tasks after saying so: one sees the other.
void flexible_tasks::look_at_interest(const place_view& seen) {
  const placement_interest interest = policy_->interest(view(placement_event::polled));
  wants_spawns_.store(interest.spawns, memory_order_relaxed);      // relaxed: each spawn that sees it late stays
  wants_any_work_.store(interest.any_work, memory_order_relaxed);  // relaxed: see has_found_work()
  wants_below_.store(interest.low, memory_order_relaxed);          // relaxed: a hint
  if (wants_at_.exchange(interest.poll_at, memory_order_relaxed) == k_never && interest.poll_at != k_never) {
    node_.want_progress();  // relaxed: who is woken by this looks later
  }
  const bool wanted_before = wants_everything_.exchange(interest.everything, memory_order_seq_cst);  // see above
  if (interest.everything && !wanted_before && count_.load(memory_order_seq_cst) > seen.flexible) {  // see above
    events_.push_back({.what = placement_event::polled});
  }
}

void flexible_tasks::carry_out(worker* w, const placement_action& action) {
  switch (action.what) {
    case placement_action::hold: hold(w, action); break;
    case placement_action::keep: settle_held(w, action); break;
    case placement_action::deal:
      if (action.nonce == 0) {
        fate_ = action;
      } else {
        settle_held(w, action);
      }
      break;
    case placement_action::give: give(w, action); break;
    case placement_action::ask: ask(w, action); break;
    case placement_action::lifeline:
      ++counts_.lifeline_requests;
      if (idle_.load(memory_order_relaxed) == 0) {  // relaxed: see view()
        ++counts_.relays;
      }
      tell(w, placement_event::wanted, action);
      break;
    case placement_action::refuse: tell(w, placement_event::refused, action); break;
    case placement_action::ask_load:
      ++counts_.loads_asked;
      tell(w, placement_event::load_asked, action);
      break;
    case placement_action::tell_load: tell(w, placement_event::load_told, action); break;
    case placement_action::flag: tell(w, placement_event::flagged, action); break;
    case placement_action::unflag: tell(w, placement_event::unflagged, action); break;
  }
}

void flexible_tasks::tell(worker* w, placement_event::kind what, const placement_action& action) {
  const bool is_full = what == placement_event::load_told && lacks_memory();
  const placement_note note{.run = run_,
                            .nonce = action.nonce,
                            .speed = action.load.speed,
                            .surplus = is_full ? k_much : action.load.surplus,
                            .idle = action.load.idle,
                            .what = what,
                            .why = action.why};
  queued_task* const m = node_.descriptor(w);
  if (scheduler_.at(0).copies_as_bytes) {
    const frame_head head{.kind = message_kind::placement, .from = node_.number(), .to = action.to};
    put_frame(m, message_kind::placement, node_.number(), make_placement(head, note, node_.order()));
  } else {
    put_header(m, {message_kind::placement, node_.number()});
    say_in(m, note);
  }
  node_.send(action.to, m);
}

// Short of memory it answers itself.
void flexible_tasks::ask(worker* w, const placement_action& action) {
  if (lacks_memory()) {
    events_.push_back({.what = placement_event::refused, .why = action.why, .from = action.to, .nonce = action.nonce});
    return;
  }
  ++counts_.steals_tried;
  asked_.emplace_back(action.nonce, now());
  tell(w, placement_event::asked, action);
}

// How long that took says how far places are from each other.
void flexible_tasks::answered(std::uint32_t nonce) noexcept {
  const auto question = std::ranges::find(asked_, nonce, &std::pair<std::uint32_t, std::int64_t>::first);
  if (question != asked_.end()) {
    learn(rtt_, now() - question->second);
    asked_.erase(question);
  }
}

// ---- tasks that leave ----

bool flexible_tasks::may_go(const flexible_call& call, int to) const noexcept {
  return !call.is_framed || static_cast<const framed_call&>(call).may_go(node_, to);
}

// What it was told to be: a spawn there and an end here, in one cut, before it is sent (placement M1).
bool flexible_tasks::depart(worker* w, queued_task* t, int to) noexcept {
  const message_header came = header_of(t);
  if (!may_go(*entry_of(t).call, to)) {
    return false;
  }
  std::uint64_t key = 0;
  try {
    key = node_.count_move(w, *t->finish, to);
  } catch (const std::bad_alloc&) {
    return false;  // it stays
  }
  if (came.bytes != 0) {
    node_.give_back(w, came.from, came.bytes);
  }
  message_header leaves(message_kind::task, node_.number(), key);
  leaves.flexible = true;
  put_header(t, leaves);
  return true;
}

// One that has departed, by itself.
void flexible_tasks::send_departed(queued_task* t, int to) noexcept {
  if (flexible_call* const call = entry_of(t).call; call->is_framed) {
    frame_ptr frame = static_cast<framed_call*>(call)->leave(node_, to, header_of(t).key, k_takes_no_room);
    delete call;
    put_frame(t, message_kind::task, node_.number(), std::move(frame));
  }
  node_.send(to, t);
}

// Several that have. Where one is bytes, all are.
void flexible_tasks::send_loot(worker* w, queued_task* first, const loot_reason& why, int to) noexcept {
  queued_task* const m = node_.descriptor(w);
  if (!entry_of(first).call->is_framed) {
    put_header(m, {message_kind::loot, node_.number()});
    say_in(m, placement_loot{first, why});
    node_.send(to, m);
    return;
  }
  try {
    std::vector<frame_ptr> frames;
    for (queued_task* t = first; t != nullptr;) {
      queued_task* const next = entry_of(t).newer;
      auto* const call = static_cast<framed_call*>(entry_of(t).call);
      frames.push_back(call->leave(node_, to, header_of(t).key, k_takes_no_room));
      delete call;
      node_.recycle(w, t);
      t = next;
    }
    const frame_head head{.kind = message_kind::loot, .from = node_.number(), .to = to};
    put_frame(m, message_kind::loot, node_.number(), make_loot(head, why, frames, node_.order()));
  } catch (const std::bad_alloc& failed) {
    end_without_memory("a message to another place needs memory", failed.what());
  }
  node_.send(to, m);
}

void flexible_tasks::note_departure(flexible_call& call, int to) noexcept {
  counts_.migrated_bytes += call.bytes;
  if (!call.has_moved) {
    ++counts_.migrations;
  }
  ++call.moves;
  if (worker* const here = &scheduler_.at(0); here->timeline != nullptr) [[unlikely]] {
    trace_departure(here, call, to);
  }
}

// Those that place `to` cannot read count in may_not_go.
queued_task* flexible_tasks::pick_from(seat& s, int to, std::size_t& n, std::size_t& bytes, std::size_t step,
                                       queued_task* list, std::size_t& may_not_go) noexcept {
  const std::lock_guard lock(s.ring.mutex);
  std::size_t place = 0;
  for (queued_task* t = s.ring.oldest(); t != nullptr && n > 0;) {
    queued_task* const next = entry_of(t).newer;
    if (!may_go(*entry_of(t).call, to)) {
      ++may_not_go;
    } else if (place++ % step == 0) {
      const std::size_t with_it = bytes + entry_of(t).call->bytes;
      if (bytes != 0 && with_it > k_most_loot_bytes) {
        break;
      }
      s.ring.erase(t);
      count_.fetch_sub(1, memory_order_release);  // release: after held_count_; pairs with in_sight()
      entry_of(t).newer = nullptr;
      entry_of(t).older = list;
      list = t;
      bytes = with_it;
      --n;
    }
    t = next;
  }
  return list;
}

// Returns them as a list by flexible_entry::newer, the oldest first.
queued_task* flexible_tasks::pick(const placement_action& give, std::size_t& may_not_go) noexcept {
  queued_task* newest = nullptr;
  std::size_t n = give.n;
  std::size_t bytes = 0;
  for (std::size_t step = give.pick == placement_action::interleaved ? 2 : 1; step > 0; --step) {
    for (std::size_t i = 0; i < seats() && n > 0; ++i) {
      newest = pick_from(seats_[i], give.to, n, bytes, step, newest, may_not_go);
    }
  }
  queued_task* first = nullptr;
  for (queued_task* t = newest; t != nullptr;) {
    queued_task* const older = entry_of(t).older;
    entry_of(t).newer = first;
    first = t;
    t = older;
  }
  return first;
}

// What is in no ring and in no mailbox meanwhile is in sight all the same: all workers of the place may have announced themselves.
void flexible_tasks::give(worker* w, const placement_action& action) {
  held_count_.fetch_add(1, memory_order_seq_cst);  // before the rings; pairs with in_sight()
  give_now(w, action);
  held_count_.fetch_sub(1, memory_order_release);  // release: what was sent is counted; as above
}

void flexible_tasks::give_now(worker* w, const placement_action& action) {
  queued_task* first = nullptr;
  queued_task** last = &first;
  std::size_t n = 0;
  std::size_t may_not_go = 0;
  for (queued_task* t = pick(action, may_not_go); t != nullptr;) {
    queued_task* const next = entry_of(t).newer;
    if (depart(w, t, action.to)) {
      note_departure(*entry_of(t).call, action.to);
      entry_of(t).newer = nullptr;
      *last = t;
      last = &entry_of(t).newer;
      ++n;
    } else {
      put_anywhere(t);
      scheduler_.idle().notify();  // who searched meanwhile may have found something else
    }
    t = next;
  }
  if (n == 0) {
    events_.push_back({.what = placement_event::gave_nothing,
                       .why = action.why,
                       .from = action.to,
                       .nonce = action.nonce,
                       .n = may_not_go});
    return;
  }
  counts_.given += n;
  send_loot(w, first, {.run = run_, .nonce = action.nonce, .why = action.why}, action.to);
}

}  // namespace tactus::detail
