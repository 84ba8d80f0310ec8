// SPDX-License-Identifier: Apache-2.0
// What places tell each other of finishes and bodies of at(). docs/protocols/remote_finish.md.

#include <tactus/base/impl/assert.hpp>
#include <tactus/place/impl/at_wait.hpp>

#include "place/at_callers.hpp"
#include "place/frame.hpp"
#include "place/message_parts.hpp"
#include "place/packed_failure.hpp"
#include "place/place_node.hpp"
#include "place/wired_wait.hpp"

#include <memory>
#include <mutex>
#include <new>
#include <utility>

namespace tactus::detail {

// ---- finishes ----

namespace {

frame_ptr frame_of_report(part& p, int from, byte_order order) {
  report_frame report{.head = {.kind = message_kind::report, .from = from, .to = home_of(p.key), .object = p.key},
                      .arrived = p.arrived,
                      .sent = std::move(p.sent),
                      .failures = {}};
  for (failure* f = p.take_oldest_first(); f != nullptr;) {
    const std::unique_ptr<packed_failure> packed(static_cast<packed_failure*>(f));  // all that a part keeps are
    f = f->next;
    report.failures.push_back({packed->sent_by.id(), std::move(packed->from), std::move(packed->bytes)});
  }
  return make_report(report, order);
}

}  // namespace

void place_node::cut(worker* w, key_table<part>::shard& s, part* p) noexcept {
  const int home = home_of(p->key);
  queued_task* m = &p->report;
  s.erase(p);
  if (here_.at(0).copies_as_bytes) {
    m = descriptor(w);
    try {
      put_frame(m, message_kind::report, number(), frame_of_report(*p, number(), order()));
    } catch (const std::bad_alloc& why) {
      end_without_memory("a message to another place needs memory", why.what());
    }
    part_memory_.give(p);
  } else {
    put_header(m, {message_kind::report, number(), p->key});
    put_pointer(m, p);
  }
  send(home, m);  // with the lock held: reports come in the order of the cuts (remote_finish D2)
}

void place_node::part_is_idle(worker* w, std::uint64_t key) noexcept {
  take(w);  // what is for this part keeps it from being cut
  auto& shard = parts_.of(key);
  const std::lock_guard lock(shard.mutex);
  if (part* const p = shard.find(key); p != nullptr && p->is_idle()) {
    cut(w, shard, p);
  }
}

// Spawns and an end. At home the entry comes first: what it counts keeps the finish open, whatever the end completes.
std::uint64_t place_node::count_move(worker* w, finish_scope& f, int to, std::uint64_t tasks) {
  const std::uint64_t key = key_of(f);
  if (!f.is_part()) {
    static_cast<ledger*>(f.ledger())->count_sent(to, tasks);
    f.uncount_from_outside(w);
    return key;
  }
  auto& shard = parts_.of(key);
  const std::lock_guard lock(shard.mutex);
  auto& here = static_cast<part&>(f);
  here.count_sent(to, tasks);
  if (here.uncount_of_part()) {
    cut(w, shard, &here);
  }
  return key;
}

ledger& place_node::ledger_of(std::uint64_t key) noexcept {
  auto& shard = ledgers_.of(key);
  std::unique_lock lock(shard.mutex);
  ledger* const l = shard.find(key);
  lock.unlock();
  TACTUS_ALWAYS_ASSERT(l != nullptr,
                       "a finish is not closed while anything of it is elsewhere or under way (remote_finish D4)");
  return *l;
}

void place_node::apply_report(worker* w, queued_task* m) {
  const message_header h = header_of(m);
  part* const reported = pointer_in<part>(m);  // which has the message in it
  ledger& l = ledger_of(h.key);
  for (failure* f = reported->take_oldest_first(); f != nullptr;) {
    failure* const next = f->next;
    l.scope().add_failure(f);
    f = next;
  }
  const std::uint64_t arrived = reported->arrived;
  const sent_counts sent = std::move(reported->sent);
  at(h.from).part_memory_.give(reported);
  l.apply(w, h.from, arrived, sent);
}

void place_node::apply_report(worker* w, report_frame& report) {
  ledger& l = ledger_of(report.head.object);
  for (travelling_failure& f : report.failures) {
    l.scope().add_failure(new packed_failure(std::move(f.bytes), place(place::unchecked{f.from}), std::move(f.text)));
  }
  l.apply(w, report.head.from, report.arrived, report.sent);
}

// ---- at ----

bool place_node::leave_body(worker* w, finish_scope& scope) noexcept {
  if (!scope.is_part()) {  // what it has left counts here at once
    w->count_end();
    return false;
  }
  auto& under = static_cast<part&>(scope);
  w->flush_all();  // then its word says whether anything else is here (remote_finish D6)
  auto& shard = parts_.of(under.key);
  const std::lock_guard lock(shard.mutex);
  if (under.has_one_task_only() && under.is_blank()) {
    shard.erase(&under);
    part_memory_.give(&under);
    return false;
  }
  ++under.arrived;
  if (under.uncount_of_part()) {
    cut(w, shard, &under);
  }
  return true;
}

void place_node::end_at_body(worker* w, queued_task* m, at_wait* caller) noexcept {
  const int from = caller->from;  // it waits until this reply has come
  message_header reply(message_kind::at_reply, number());
  reply.entered = leave_body(w, *m->finish);
  put_header(m, reply);
  put_pointer(m, caller);
  send(from, m);
}

void place_node::end_at(worker* w, at_wait* caller, int from, bool entered) {
  if (entered) {
    count_sent(*caller->under, from);  // before its task goes on
  }
  make_ready(w, *caller);  // its stack may be gone from here on
}

}  // namespace tactus::detail
