// SPDX-License-Identifier: Apache-2.0
// How messages come to a place. docs/protocols/messages.md.

#include <tactus/base/impl/assert.hpp>

#include "place/flexible_tasks.hpp"
#include "place/message_parts.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/seeded.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::size_t k_helped_at_once = 8;

}  // namespace

bool place_node::in_sight() const noexcept {
  if (!box_.looks_empty() || !chosen_from_.empty() || (flexible_ != nullptr && flexible_->in_sight())) {
    return true;
  }
  // acquire: what a stranger has counted as sent before; pairs with has_sent_trains() (messages T3)
  if (trains_in_hand_.load(memory_order_acquire) != 0) {
    return true;
  }
  // acquire: after box_, which who takes empties later than that; what it has put into arrived_
  return taking_.load(memory_order_acquire) || !arrived_.looks_empty();
}

bool place_node::poll(worker* w) noexcept {
  static_cast<void>(look_after_trains(w));
  if (net_->carries_far) {
    net_->carrier->poll(w);
    send_inquiries(w);
  }
  return poll_here(w);
}

bool place_node::poll_between_tasks(worker* w) noexcept {
  static_cast<void>(look_after_trains(w));
  if (net_->carries_far) {
    if (here_.options().progress != message_progress::thread) {  // else the thread does nothing else
      look_far_between_tasks(w);
    }
    send_inquiries(w);
  }
  return poll_here(w);
}

void place_node::look_far_between_tasks(worker* w) noexcept {
  look_pace& pace = paces_[static_cast<std::size_t>(w->id)];
  const auto now = std::chrono::steady_clock::now();
  if (pace.is_due(now, net_->carrier->looks())) {
    if (!net_->carrier->poll(w)) {
      pace.took_in_vain(std::chrono::steady_clock::now() - now);
    }
    pace.has_looked(net_->carrier->looks());
  }
  w->rounds_to_look = pace.rounds();
}

// What is in this process.
bool place_node::poll_here(worker* w) noexcept {
  bool any = take(w);
  queued_task* t = arrived_.take_all();
  any = any || t != nullptr;
  while (t != nullptr) {
    queued_task* const next = t->next;
    queue(w, t, *header_of(t).scope);
    t = next;
  }
  if (flexible_ != nullptr) {
    any = flexible_->poll(w) || any;
    if (net_->progress == nullptr) {
      come_by_at_another(w);
    }
  }
  return any;
}

// Of a seeded run one message, whoever asks: what was taken out before and not delivered comes first (remote_finish D2).
bool place_node::take(worker* w) noexcept {
  if (w != nullptr && w->seeded) {
    return take_one_of_seeded(w);
  }
  bool any = false;
  if (box_.looks_empty()) {
    return any;
  }
  do {
    if (taking_.exchange(true, memory_order_acq_rel)) {  // acq_rel: what the last one did, before box_ is emptied
      return any;
    }
    queued_task* m = box_.take_all();
    while (m != nullptr) {
      queued_task* const next = m->next;
      deliver(w, m);
      any = true;
      m = next;
    }
    taking_.store(false, memory_order_seq_cst);  // before the next look at box_: one of us sees what is sent meanwhile
  } while (!box_.looks_empty_after_store());
  return any;
}

void place_node::take_out_of_box() noexcept {
  try {
    for (queued_task* m = box_.take_all(); m != nullptr;) {
      queued_task* const next = m->next;
      chosen_from_.push_back(m);
      m = next;
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("messages from other places need memory", why.what());
  }
}

// The seed chooses which message comes next; control messages of one place keep their order.
bool place_node::take_one_of_seeded(worker* w) noexcept {
  take_out_of_box();
  if (chosen_from_.empty()) {
    return false;
  }
  auto chosen = chosen_from_.begin() + static_cast<std::ptrdiff_t>(here_.seeded()->choose(chosen_from_.size()));
  if (const message_header& h = header_of(*chosen); is_control(h.kind)) {
    chosen = std::find_if(chosen_from_.begin(), chosen_from_.end(), [from = h.from](queued_task* m) {
      return header_of(m).from == from && is_control(header_of(m).kind);
    });
  }
  queued_task* const m = *chosen;
  chosen_from_.erase(chosen);
  deliver(w, m);
  return true;
}

// Seeded, when all workers but w sleep, and the seed has chosen nothing yet: what came too late for the last run, or says that who had
// never run before the first one sleeps now, takes no turn in this one and no choice of the seed.
void place_node::begin_anew(worker* w) noexcept {
  take_out_of_box();
  for (queued_task* const m : std::exchange(chosen_from_, {})) {
    deliver(w, m);
  }
  give_all_back(w);
  helped_.store(0, memory_order_relaxed);   // relaxed: one thread
  come_by_.store(0, memory_order_relaxed);  // relaxed: as above
  if (flexible_ != nullptr) {
    flexible_->begin_anew();
  }
}

void place_node::deliver(worker* w, queued_task* m) noexcept {
  const message_header h = header_of(m);
  if (counts_as_work(h.kind)) {
    const std::uint64_t messages = messages_in(h);
    // relaxed: written by who holds the mailbox; release: that somebody takes; pairs with taken()
    taken_.store(taken_.load(memory_order_relaxed) + messages, memory_order_release);
    atomic<std::uint64_t>& from_there = taken_from_[h.from];
    from_there.store(from_there.load(memory_order_relaxed) + messages,
                     memory_order_relaxed);  // relaxed: a count, as above
  }
  if (net_->carrier != nullptr && is_control(h.kind)) [[unlikely]] {
    look_at_order(m);
  }
  try {
    if (h.framed) {
      deliver_frame(w, m);
      return;
    }
    switch (h.kind) {
      case message_kind::task:
        if (h.flexible) {
          flexible_->bring_task(w, m);
        } else {
          queue(w, m, arrive(w, h.key, 1));
        }
        break;
      case message_kind::loot: flexible_->bring_loot(w, m); break;
      case message_kind::placement: flexible_->bring_note(w, m); break;
      case message_kind::at_request: queue(w, m, arrive(w, h.key, 0)); break;
      case message_kind::report: apply_report(w, m); break;
      case message_kind::at_reply: {
        at_wait* const caller = pointer_in<at_wait>(m);
        recycle(w, m);
        end_at(w, caller, h.from, h.entered);
        break;
      }
      case message_kind::credit:
        recycle(w, m);
        take_credit(w, h.from, h.key);
        break;
      case message_kind::note: bring_note(w, m); break;
      case message_kind::channel: {
        auto* const waits = pointer_in<wait_point>(m);
        recycle(w, m);
        make_ready(w, *waits);
        break;
      }
      case message_kind::quiet:
      case message_kind::stuck:
      case message_kind::end:
      case message_kind::inquiry:
      case message_kind::join: break;  // always bytes
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("a message from another place needs memory", why.what());
  }
}

void place_node::bring_note(worker* w, queued_task* m) {
  const note_table::brought b = notes_.bring(m);
  TACTUS_ALWAYS_ASSERT(!b.is_second, "a note of a team comes once (teams N1)");
  if (b.waits != nullptr) {
    make_ready(w, *b.waits);
  }
}

// Of a finish.
bool place_node::has_home(std::uint64_t key) const noexcept { return static_cast<std::size_t>(home_of(key)) < places_; }

// Tasks, or none where it is the body of an at(); together they are one until they begin.
finish_scope& place_node::arrive(worker* w, std::uint64_t key, std::uint64_t tasks) {
  if (home_of(key) == number()) {
    ledger& l = ledger_of(key);
    finish_scope& home = l.scope();
    home.count_from_outside();  // before the ledger may give its token back
    if (tasks != 0) {
      l.count_arrived(w, tasks);
    }
    return home;
  }
  auto& shard = parts_.of(key);
  const std::lock_guard lock(shard.mutex);
  part* p = shard.find(key);
  if (p == nullptr) {
    p = part_memory_.take(key);
    shard.insert(p);
  }
  p->arrived += tasks;
  p->count_from_outside();
  return *p;
}

// A stranger leaves it to the place's own workers.
void place_node::queue(worker* w, queued_task* m, finish_scope& under) noexcept {
  if (w != nullptr && w->owner == &here_) {
    m->finish = &under;
    w->deque.push(entry::task(m));
  } else {
    header_of(m).scope = &under;
    arrived_.send(m);
  }
  here_.idle().notify();
}

queued_task* place_node::descriptor(worker* w) noexcept {
  return w != nullptr ? w->tasks.take_or_end() : net_->progress->descriptor();
}

void place_node::recycle(worker* w, queued_task* m) noexcept {
  if (w != nullptr) {
    w->tasks.put(m);
  } else {
    net_->progress->recycle(m);
  }
}

// ---- places that compute ----

bool place_node::help_others(worker* w) noexcept {
  if (flexible_ != nullptr) {
    flexible_->has_looked_in_vain(w);
  }
  bool any = false;
  const auto& places_here = here_.run().places();
  const std::size_t looks = std::min(places_here.size() - 1, k_helped_at_once);
  if (looks == 0) {
    return any;
  }
  const std::size_t first = helped_.fetch_add(1, memory_order_relaxed) * looks;  // relaxed: a hint
  for (std::size_t i = 0; i < looks; ++i) {
    place_node& other = of(*places_here[(first + i) % places_here.size()]);
    any = (&other != this && other.take_for_busy(w)) || any;
  }
  return any;
}

// Tasks that it gives away are in its hand meanwhile, so it keeps the place awake as who takes the mailbox does. Unlike that one it comes
// without a message, whose sender has woken somebody: so a worker that saw the place awake, and slept without telling, is woken here.
bool place_node::come_by_for_placement(worker* w) noexcept {
  if (flexible_ == nullptr) {
    return false;
  }
  if (flexible_->is_due() && !taking_.exchange(true, memory_order_acq_rel)) {  // acq_rel: as in take()
    flexible_->come_by(w);
    taking_.store(false, memory_order_seq_cst);  // as in take()
    here_.idle().notify();
  }
  return flexible_->names_a_moment();
}

// At one each time: where there is no thread of progress, nobody else does while its workers sleep.
void place_node::come_by_at_another(worker* w) noexcept {
  const auto& places_here = here_.run().places();
  const std::size_t next = come_by_.fetch_add(1, memory_order_relaxed) % places_here.size();  // relaxed: any will do
  if (place_node& other = of(*places_here[next]); &other != this) {
    other.flexible_->let_time_pass(*flexible_);
    static_cast<void>(other.come_by_for_placement(w));
  }
}

bool place_node::take_for_busy(worker* w) noexcept {
  return (!box_.looks_empty() || !chosen_from_.empty()) && !here_.idle().has_sleepers() && take(w);
}

}  // namespace tactus::detail
