// SPDX-License-Identifier: Apache-2.0
// Sending and taking. docs/protocols/messages.md.

#include "place/place_node.hpp"

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/place/place.hpp>

#include "base/job.hpp"
#include "place/flexible_tasks.hpp"
#include "place/hello.hpp"
#include "place/message_parts.hpp"
#include "place/notes.hpp"
#include "scheduler/run_control.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace tactus::detail {

std::unique_ptr<remote_side> make_remote_side(scheduler& here) {
  return here.options().places == 1 ? nullptr : std::make_unique<place_node>(here);
}

place_node::place_node(scheduler& here)
    : here_(here),
      places_(static_cast<std::size_t>(here.options().places)),
      net_(&here == &here.run().home() ? std::make_shared<network>(places_) : of(here.run().home()).net_),
      order_(plays_other_order(here.place()) ? byte_order::swapped : byte_order::same),
      peers_(places_),
      idle_times_(here.size()),
      lanes_(std::make_unique<lane[]>(places_)),
      owed_(std::make_unique<atomic<std::uint64_t>[]>(places_)),
      sent_(std::make_unique<atomic<std::uint64_t>[]>(places_)),
      taken_from_(std::make_unique<atomic<std::uint64_t>[]>(places_)),
      last_control_(places_),
      joined_(std::make_unique<atomic<std::uint32_t>[]>(places_)),
      told_sent_(places_),
      sent_since_(places_) {
  for (std::size_t to = 0; to < places_; ++to) {
    lanes_[to].open(static_cast<std::int64_t>(here.options().message_bytes));
  }
  job* const processes = here.run().processes();
  net_->carries_far = processes != nullptr;
  if (here.at(0).moves_flexible) {
    flexible_ = std::make_unique<flexible_tasks>(*this, net_->flags_for(here.options()));
  }
  if (processes != nullptr) {
    paces_.resize(static_cast<std::size_t>(here.size()));
    meet_all(*processes);
    if (flexible_ != nullptr) {
      flexible_->live_in_groups_of(processes->near_group());  // all have a policy, or none: they have compared
    }
  } else if (here.at(0).copies_as_bytes) {  // else nobody sends bytes, and with many places there are many to meet
    for (int other = 0; other < number(); ++other) {
      meet(at(other));
      at(other).meet(*this);
    }
    meet(*this);
  }
  if (processes != nullptr && here.options().seed == 0 && !traces() && order_ == byte_order::same) {
    trains_ = std::make_unique<open_trains[]>(static_cast<std::size_t>(here.size()));
  }
}

// What nobody waited for may still lie here: credits, and what idle places have told. Descriptors are the depot's.
place_node::~place_node() {
  drop_box();
  std::for_each(chosen_from_.begin(), chosen_from_.end(), drop_message);
}

void place_node::drop_box() noexcept {
  for (queued_task* m = box_.take_all(); m != nullptr; m = m->next) {
    drop_message(m);
  }
}

void drop_message(queued_task* m) noexcept {
  if (header_of(m).framed) {
    static_cast<void>(take_frame(m));
  } else if (header_of(m).kind == message_kind::note) {
    delete pointer_in<note_object>(m);
  }
}

place_node& place_node::at(int place) const noexcept {
  const auto& here = here_.run().places();
  return of(*here[static_cast<std::size_t>(place - here.front()->place())]);
}

bool place_node::is_first_here() const noexcept { return &here_ == &here_.run().home(); }

// ---- sending ----

void place_node::send(int to, queued_task* m) noexcept {
  const message_header& h = header_of(m);
  if (h.kind != message_kind::task) {
    messages_[static_cast<std::size_t>(h.kind)].fetch_add(1, memory_order_relaxed);  // relaxed: counts, as the next
  }
  if (h.bytes > sizeof(queued_task) && h.kind != message_kind::credit && !h.several) {
    bytes_beyond_.fetch_add(h.bytes - sizeof(queued_task), memory_order_relaxed);
  }
  if (counts_as_work(h.kind)) {
    sent_[static_cast<std::size_t>(to)].fetch_add(
        messages_in(h), memory_order_relaxed);  // relaxed: by who keeps this place active, which tells later
  }
  if (net_->carrier != nullptr) [[unlikely]] {
    net_->carrier->send(number(), to, m);
  } else {
    at(to).receive(m);
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

void place_node::leaves_messages() noexcept { want_progress(); }

void place_node::want_progress() noexcept {
  if (net_->progress != nullptr) {
    net_->progress->want();
  }
}

std::uint64_t place_node::messages() const noexcept {
  const std::uint64_t credits = messages(message_kind::credit);
  return sent_but_for(credits) + messages(message_kind::placement);
}

// Of what has been counted by now. Inside of a run a message may have been counted by its kind, and not yet by where it goes.
std::uint64_t place_node::sent_but_for(std::uint64_t others) const noexcept {
  std::uint64_t all = 0;
  for (std::size_t to = 0; to < places_; ++to) {
    all += sent_to(static_cast<int>(to));
  }
  return all - std::min(all, others);
}

std::uint64_t place_node::messages(message_kind kind) const noexcept {
  if (kind != message_kind::task) {
    return messages_[static_cast<std::size_t>(kind)].load(memory_order_relaxed);  // relaxed: a count
  }
  std::uint64_t others = 0;
  for (const message_kind k : {message_kind::at_request, message_kind::at_reply, message_kind::report,
                               message_kind::credit, message_kind::note, message_kind::channel, message_kind::loot}) {
    others += messages(k);
  }
  return sent_but_for(others);
}

std::uint64_t place_node::bytes() const noexcept {
  return messages() * sizeof(queued_task) + bytes_beyond_.load(memory_order_relaxed);  // relaxed: a count
}

std::uint64_t place_node::taken_in_all() const noexcept {
  std::uint64_t all = 0;
  for (std::size_t from = 0; from < places_; ++from) {
    all += taken_from(static_cast<int>(from));
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

void place_node::close_ledger(ledger* l) noexcept {
  {
    auto& shard = ledgers_.of(l->key);
    const std::lock_guard lock(shard.mutex);
    shard.erase(l);
  }
  delete l;
}

hello_bytes place_node::says_hello() const { return write_hello(hello_of(here_.options(), number(), 1), order_); }

// What the other one says of itself goes through bytes, as all that it sends.
void place_node::meet(const place_node& other) {
  if (const std::string why = meets(other.number(), other.says_hello()); !why.empty()) {
    throw config_error(why);
  }
}

// Empty, or why the two cannot run one program.
std::string place_node::meets(int other, std::span<const std::byte> said) {
  const std::string both = "tactus: " + to_string(place(place::unchecked{other})) +
                           " cannot run this program together with " + to_string(place(place::unchecked{number()})) +
                           ": ";
  peer_place& known = peers_[static_cast<std::size_t>(other)];
  const hello mine = hello_of(here_.options(), number(), 1);
  hello theirs;
  if (const char* const wrong = read_hello(said, theirs, known.order); wrong != nullptr) {
    return both + wrong;
  }
  known.is_alike = are_alike(mine, order_, theirs, known.order);
  const std::string why = what_parts(mine, theirs, known.is_alike);
  return why.empty() ? why : both + why;
}

void place_node::start_threads() {
  constexpr std::chrono::microseconds k_pause{50};
  const config& options = here_.options();
  if (!is_first_here()) {
    return;
  }
  job* const processes = here_.run().processes();
  net_->carrier = processes != nullptr ? processes->make_engine(here_.run()) : make_engine(here_.run());
  const bool may_have_one = options.seed == 0 && options.progress != message_progress::worker;
  net_->has_thread = may_have_one && (net_->carrier == nullptr || !net_->carrier->is_of_one_thread());
  const auto pause = options.progress == message_progress::thread ? std::chrono::microseconds{1} : k_pause;
  if (net_->has_thread || net_->carries_far) {  // at the end what is left is taken as that thread does it
    net_->progress = std::make_unique<progress_thread>(here_.run(), pause);
    if (net_->carries_far) {
      net_->progress->looks_far(*net_->carrier);
    }
  }
  try {
    if (net_->carrier != nullptr) {
      net_->carrier->start();
    }
    if (net_->has_thread) {
      net_->progress->start();
    }
  } catch (const std::system_error& e) {
    throw resource_error("tactus: could not start the thread for messages (" + std::string(e.what()) +
                         "); lower threads (TACTUS_THREADS), or do without it (TACTUS_PROGRESS=worker)");
  }
}

void place_node::stop_threads() noexcept {
  if (!is_first_here()) {
    return;
  }
  if (net_->progress != nullptr) {
    net_->progress->stop();  // first: what is stopped next uses its cache
  }
  if (net_->carrier != nullptr) {
    if (net_->carries_far) {  // what nobody has waited for may have ranges on their way
      drop_box();
      notes_.forget_all();
    }
    net_->carrier->stop();
  }
}

std::string place_node::messages_text() const {
  std::string text = flexible_ != nullptr ? flexible_->text() : std::string();
  const std::string self = "place " + std::to_string(number());
  for (int to = 0; to < static_cast<int>(places_); ++to) {
    if (net_->carries_far) {  // what has arrived there is known there; to itself it sends what ends its waits for ranges
      if (to == number()) {
        continue;
      }
      const std::uint64_t taken = taken_from(to);
      if (const std::uint64_t sent = sent_to(to); sent != 0 || taken != 0) {
        text += "tactus: " + self + " has sent " + std::to_string(sent) + " messages to place " + std::to_string(to) +
                " and taken " + std::to_string(taken) + " from there\n";
      }
      continue;
    }
    const std::uint64_t taken = at(to).taken_from(number());  // first: what is taken was sent
    const std::uint64_t sent = sent_to(to);
    if (sent != taken) {
      text += "tactus: of " + std::to_string(sent) + " messages from " + self + " to place " + std::to_string(to) +
              ", " + std::to_string(sent - taken) + " have not arrived\n";
    }
  }
  return net_->carrier != nullptr ? text + net_->carrier->text() : text;
}

std::size_t place_node::parts() {
  std::size_t all = 0;
  parts_.for_each([&all](const part&) { ++all; });
  return all;
}

}  // namespace tactus::detail
