// SPDX-License-Identifier: Apache-2.0
// Sending and taking. docs/protocols/messages.md.

#include "place/place_node.hpp"

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/place/impl/at_wait.hpp>

#include "scheduler/run_control.hpp"
#include "scheduler/seeded.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::int64_t k_credit_share = 4;  // room is given back by so many parts of a window
constexpr std::size_t k_helped_at_once = 8;

int home_of(std::uint64_t key) noexcept { return static_cast<int>(key >> k_serial_bits); }

// What lies behind the header of a report, and of a reply.
template <class T>
T*& pointer_in(queued_task* m) noexcept {
  return *std::launder(reinterpret_cast<T**>(m->storage + sizeof(message_header)));
}
template <class T>
void put_pointer(queued_task* m, T* p) noexcept {
  ::new (static_cast<void*>(m->storage + sizeof(message_header))) T*(p);
}
void put_header(queued_task* m, message_header h) noexcept { ::new (static_cast<void*>(m->storage)) message_header(h); }

void make_ready_all(worker* w, lane::waiter* first) noexcept {
  while (first != nullptr) {
    lane::waiter* const next = first->behind;  // before it goes on
    make_ready(w, *first);
    first = next;
  }
}

}  // namespace

std::unique_ptr<remote_side> make_remote_side(scheduler& here) {
  return here.options().places == 1 ? nullptr : std::make_unique<place_node>(here);
}

place_node::place_node(scheduler& here)
    : here_(here),
      places_(static_cast<std::size_t>(here.options().places)),
      net_(here.place() == 0 ? std::make_shared<network>(places_) : of(here.run().home()).net_),
      lanes_(std::make_unique<lane[]>(places_)),
      owed_(std::make_unique<atomic<std::uint32_t>[]>(places_)),
      sent_(std::make_unique<atomic<std::uint64_t>[]>(places_)),
      taken_from_(std::make_unique<atomic<std::uint64_t>[]>(places_)),
      last_control_(places_),
      told_sent_(places_),
      sent_since_(places_) {
  for (std::size_t to = 0; to < places_; ++to) {
    lanes_[to].open(static_cast<std::int64_t>(here.options().message_bytes));
  }
}

place_node::~place_node() = default;

place_node& place_node::at(int place) const noexcept {
  return of(*here_.run().places()[static_cast<std::size_t>(place)]);
}

// ---- sending ----

void place_node::send(int to, queued_task* m) noexcept {
  place_node& there = at(to);
  const message_header& h = header_of(m);
  messages_[static_cast<std::size_t>(h.kind)].fetch_add(1, memory_order_relaxed);  // relaxed: counts, as the next
  if (h.kind != message_kind::credit) {
    bytes_.fetch_add(std::max<std::uint64_t>(h.bytes, sizeof(queued_task)), memory_order_relaxed);
  }
  sent_[static_cast<std::size_t>(to)].fetch_add(
      1, memory_order_relaxed);  // relaxed: by who keeps this place active, which tells later
  if (net_->carrier != nullptr) [[unlikely]] {
    net_->carrier->send(number(), to, m);
  } else {
    there.receive(m);
  }
}

void place_node::receive(queued_task* m) noexcept {
  box_.send(m);
  const idle_set& idle = here_.idle();
  here_.idle().notify();
  // Who searches takes it, or says that it leaves it. If we miss each other, a worker that computes takes it now and then.
  if (net_->progress != nullptr && !idle.has_sleepers() && !idle.has_searchers()) {
    net_->progress->want();
  }
}

void place_node::leaves_messages() noexcept {
  if (net_->progress != nullptr) {
    net_->progress->want();
  }
}

std::uint64_t place_node::messages() const noexcept {
  std::uint64_t all = 0;
  for (const message_kind k :
       {message_kind::task, message_kind::at_request, message_kind::at_reply, message_kind::report}) {
    all += messages(k);
  }
  return all;
}

std::uint64_t place_node::key_of(finish_scope& f) {
  if (f.is_part()) {
    return f.part_key();
  }
  remote_ledger* l = f.ledger();
  if (l == nullptr) {
    const std::uint64_t serial = serial_.fetch_add(1, memory_order_relaxed);  // relaxed: only uniqueness matters
    auto made =
        std::make_unique<ledger>(*this, f, static_cast<std::uint64_t>(number()) << k_serial_bits | (serial + 1));
    {
      auto& shard = ledgers_.of(made->key);
      const std::lock_guard lock(shard.mutex);
      shard.insert(made.get());
    }
    l = f.attach(made.get());
    if (l == made.get()) {
      static_cast<void>(made.release());  // it is the finish's
    } else {
      auto& shard = ledgers_.of(made->key);
      const std::lock_guard lock(shard.mutex);
      shard.erase(made.get());
    }
  }
  return static_cast<ledger*>(l)->key;
}

std::uint64_t place_node::count_sent(finish_scope& f, int to) {
  const std::uint64_t key = key_of(f);
  if (f.is_part()) {
    const std::lock_guard lock(parts_.of(key).mutex);
    static_cast<part&>(f).count_sent(to);
  } else {
    static_cast<ledger*>(f.ledger())->count_sent(to);
  }
  return key;
}

void place_node::take_back_sent(finish_scope& f, int to) noexcept {
  if (f.is_part()) {
    auto& p = static_cast<part&>(f);
    const std::lock_guard lock(parts_.of(p.key).mutex);
    p.uncount_sent(to);
  } else {
    static_cast<ledger*>(f.ledger())->uncount_sent(to);
  }
}

void place_node::return_room(int to, std::uint32_t bytes) noexcept {
  make_ready_all(current_worker(), lane_to(to).give(bytes));
}

void place_node::close_ledger(ledger* l) noexcept {
  {
    auto& shard = ledgers_.of(l->key);
    const std::lock_guard lock(shard.mutex);
    shard.erase(l);
  }
  delete l;
}

// ---- taking ----

bool place_node::in_sight() const noexcept {
  if (!box_.looks_empty() || !chosen_from_.empty()) {
    return true;
  }
  // acquire: after box_, which who takes empties later than that; what it has put into arrived_
  return taking_.load(memory_order_acquire) || !arrived_.looks_empty();
}

bool place_node::poll(worker* w) noexcept {
  bool any = w->seeded ? take_one_of_seeded(w) : take(w);
  queued_task* t = arrived_.take_all();
  any = any || t != nullptr;
  while (t != nullptr) {
    queued_task* const next = t->next;
    queue(w, t, *header_of(t).scope);
    t = next;
  }
  return any;
}

bool place_node::take(worker* w) noexcept {
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

// The seed chooses which message comes next; control messages of one place keep their order.
bool place_node::take_one_of_seeded(worker* w) noexcept {
  try {
    for (queued_task* m = box_.take_all(); m != nullptr;) {
      queued_task* const next = m->next;
      chosen_from_.push_back(m);
      m = next;
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("messages from other places need memory", why.what());
  }
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

void place_node::deliver(worker* w, queued_task* m) noexcept {
  taken_.fetch_add(1, memory_order_release);  // release: that somebody takes; pairs with taken()
  const message_header h = header_of(m);
  if (net_->carrier != nullptr && is_control(h.kind)) [[unlikely]] {
    look_at_order(m);
  }
  taken_from_[h.from].fetch_add(1, memory_order_relaxed);  // relaxed: a count
  try {
    switch (h.kind) {
      case message_kind::task: queue(w, m, arrive(w, h.key, true)); break;
      case message_kind::at_request: queue(w, m, arrive(w, h.key, false)); break;
      case message_kind::report: apply_report(w, m); break;
      case message_kind::at_reply: end_at(w, m); break;
      case message_kind::credit: take_credit(w, m); break;
    }
  } catch (const std::bad_alloc& why) {
    end_without_memory("a message from another place needs memory", why.what());
  }
}

finish_scope& place_node::arrive(worker* w, std::uint64_t key, bool counted) {
  if (home_of(key) == number()) {
    auto& shard = ledgers_.of(key);
    std::unique_lock lock(shard.mutex);
    ledger* const l = shard.find(key);
    lock.unlock();
    TACTUS_ALWAYS_ASSERT(l != nullptr, "a finish is not closed while a task of it is under way (remote_finish D4)");
    finish_scope& home = l->scope();
    home.count_from_outside();  // before the ledger may give its token back
    if (counted) {
      l->count_arrived(w);
    }
    return home;
  }
  auto& shard = parts_.of(key);
  const std::lock_guard lock(shard.mutex);
  part* p = shard.find(key);
  if (p == nullptr) {
    auto made = std::make_unique<part>(key);
    shard.insert(made.get());
    p = made.release();
  }
  p->arrived += counted ? 1U : 0U;
  p->count_from_outside();
  return *p;
}

// A stranger leaves it to the place's own workers.
void place_node::queue(worker* w, queued_task* m, finish_scope& under) noexcept {
  if (w != nullptr && w->owner == &here_) {
    w->join_run();
    m->finish = &under;
    w->deque.push(entry::task(m));
  } else {
    header_of(m).scope = &under;
    arrived_.send(m);
  }
  here_.idle().notify();
}

// ---- finishes ----

void place_node::cut(key_table<part>::shard& s, part* p) noexcept {
  s.erase(p);
  put_header(&p->report, {message_kind::report, number(), p->key});
  put_pointer(&p->report, p);
  send(home_of(p->key), &p->report);  // with the lock held: reports come in the order of the cuts (remote_finish D2)
}

void place_node::part_is_idle(worker* w, std::uint64_t key) noexcept {
  take(w);  // what is for this part keeps it from being cut
  auto& shard = parts_.of(key);
  const std::lock_guard lock(shard.mutex);
  if (part* const p = shard.find(key); p != nullptr && p->is_idle()) {
    cut(shard, p);
  }
}

void place_node::apply_report(worker* w, queued_task* m) {
  const message_header h = header_of(m);
  const std::unique_ptr<part> reported(pointer_in<part>(m));
  auto& shard = ledgers_.of(h.key);
  std::unique_lock lock(shard.mutex);
  ledger* const l = shard.find(h.key);
  lock.unlock();
  TACTUS_ALWAYS_ASSERT(l != nullptr,
                       "a finish is not closed before all that happened elsewhere is home (remote_finish D4)");
  for (failure* f = reported->take_oldest_first(); f != nullptr;) {
    failure* const next = f->next;
    l->scope().add_failure(f);
    f = next;
  }
  l->apply(w, h.from, *reported);
}

// ---- at ----

void place_node::end_at_body(worker* w, queued_task* m) noexcept {
  const int from = pointer_in<at_wait>(m)->from;
  const message_header reply(message_kind::at_reply, number());
  if (!m->finish->is_part()) {  // what it has left counts here at once
    w->count_end();
    put_header(m, reply);
    send(from, m);
    return;
  }
  auto& under = static_cast<part&>(*m->finish);
  bool entered = false;
  w->flush_all();  // then its word says whether anything else is here (remote_finish D6)
  {
    auto& shard = parts_.of(under.key);
    const std::lock_guard lock(shard.mutex);
    if (under.has_one_task_only() && under.is_blank()) {
      shard.erase(&under);
      delete &under;
    } else {
      entered = true;
      ++under.arrived;
      if (under.uncount_of_part()) {
        cut(shard, &under);
      }
    }
  }
  put_header(m, reply);
  header_of(m).entered = entered;
  send(from, m);
}

void place_node::end_at(worker* w, queued_task* m) {
  const message_header h = header_of(m);
  at_wait* const caller = pointer_in<at_wait>(m);
  if (h.entered) {
    count_sent(*caller->under, h.from);  // before its task goes on
  }
  recycle(w, m);
  make_ready(w, *caller);  // its stack may be gone from here on
}

// ---- room ----

void place_node::send_credit(worker* w, int to, std::uint32_t bytes) noexcept {
  queued_task* const m = w->tasks.take_or_end();
  message_header h(message_kind::credit, number());
  h.bytes = bytes;
  put_header(m, h);
  send(to, m);
}

void place_node::give_back(worker* w, int from, std::uint32_t bytes) noexcept {
  atomic<std::uint32_t>& owed = owed_[static_cast<std::size_t>(from)];
  // relaxed: a count; what it stands for is told by the message
  const std::uint32_t all = owed.fetch_add(bytes, memory_order_relaxed) + bytes;
  if (all >= lanes_[static_cast<std::size_t>(from)].window() / k_credit_share) {
    if (const std::uint32_t free_again = owed.exchange(0, memory_order_relaxed);
        free_again != 0) {  // relaxed: as above
      send_credit(w, from, free_again);
    }
  }  // what is held back keeps nobody waiting: three quarters of the window are free then (messages M5)
}

void place_node::recycle(worker* w, queued_task* m) noexcept {
  if (w != nullptr) {
    w->tasks.put(m);
  } else {
    net_->progress->recycle(m);
  }
}

void place_node::take_credit(worker* w, queued_task* m) noexcept {
  const message_header h = header_of(m);
  recycle(w, m);
  make_ready_all(w, lanes_[h.from].give(h.bytes));
}

// ---- places that compute ----

bool place_node::help_others(worker* w) noexcept {
  bool any = false;
  const std::size_t looks = std::min(places_ - 1, k_helped_at_once);
  const std::size_t first = helped_.fetch_add(1, memory_order_relaxed) * looks;  // relaxed: a hint
  for (std::size_t i = 0; i < looks; ++i) {
    place_node& other = at(static_cast<int>((first + i) % places_));
    any = (&other != this && other.take_for_busy(w)) || any;
  }
  return any;
}

bool place_node::take_for_busy(worker* w) noexcept {
  return !box_.looks_empty() && !here_.idle().has_sleepers() && take(w);
}

void place_node::start_threads() {
  constexpr std::chrono::microseconds k_pause{50};
  const config& options = here_.options();
  if (number() != 0) {
    return;
  }
  net_->carrier = make_engine(here_.run());
  const bool has_thread = options.seed == 0 && options.progress != message_progress::worker;
  const auto pause = options.progress == message_progress::thread ? std::chrono::microseconds{1} : k_pause;
  if (has_thread) {
    net_->progress = std::make_unique<progress_thread>(here_.run(), pause);
  }
  try {
    if (net_->carrier != nullptr) {
      net_->carrier->start();
    }
    if (has_thread) {
      net_->progress->start();
    }
  } catch (const std::system_error& e) {
    throw resource_error("tactus: could not start the thread for messages (" + std::string(e.what()) +
                         "); lower threads (TACTUS_THREADS), or do without it (TACTUS_PROGRESS=worker)");
  }
}

void place_node::stop_threads() noexcept {
  if (number() != 0) {
    return;
  }
  if (net_->carrier != nullptr) {
    net_->carrier->stop();
  }
  if (net_->progress != nullptr) {
    net_->progress->stop();
  }
}

std::string place_node::messages_text() const {
  std::string text;
  for (int to = 0; to < static_cast<int>(places_); ++to) {
    const std::uint64_t taken = at(to).taken_from(number());  // first: what is taken was sent
    const std::uint64_t sent = sent_to(to);
    if (sent != taken) {
      text += "tactus: of " + std::to_string(sent) + " messages from place " + std::to_string(number()) + " to place " +
              std::to_string(to) + ", " + std::to_string(sent - taken) + " have not arrived\n";
    }
  }
  return text;
}

std::size_t place_node::parts() {
  std::size_t all = 0;
  parts_.for_each([&all](const part&) { ++all; });
  return all;
}

}  // namespace tactus::detail
