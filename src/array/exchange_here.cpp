// SPDX-License-Identifier: Apache-2.0
// docs/protocols/ghosts.md, "Steps".
#include "array/exchange_here.hpp"

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/place/impl/pack_here.hpp>
#include <tactus/place/place.hpp>
#include <tactus/scheduler/impl/worker.hpp>

#include "array/exchange_set.hpp"
#include "place/frame.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace tactus::detail {

exchange_here::exchange_here(exchange_group& set, std::uint32_t which, const std::vector<int>& places,
                             exchange_cells& cells, exchange_manner manner)
    : set_(set),
      which_(which),
      here_(current_worker()->place),
      cells_(cells),
      manner_(std::move(manner)),
      neighbours_(places.size()),
      links_(neighbours_ + rounds().size()),
      tells_times_(!current_worker()->seeded) {
  for (std::size_t i = 0; i < neighbours_; ++i) {
    links_[i].to = links_[i].from = places[i];
    links_[i].next_of_place = i;
    const auto before = std::find(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(i), places[i]);
    if (const auto first = static_cast<std::size_t>(before - places.begin()); first != i) {
      links_[i].next_of_place = std::exchange(links_[first].next_of_place, i);
    }
    all_.push_back(i);
  }
  std::size_t n = neighbours_;
  for (const auto& [to, from] : rounds()) {
    links_[n].to = to;
    links_[n].from = from;
    links_[n].next_of_place = n;
    ++n;
  }
}

// Whom this place tells and whom it hears in each round in which all meet: after the last one everybody has heard of everybody.
std::vector<std::pair<int, int>> exchange_here::rounds() const {
  std::vector<std::pair<int, int>> all;
  const std::vector<int>& members = manner_.members;
  const auto me = std::find(members.begin(), members.end(), here_);
  if (!manner_.meets_all || me == members.end()) {
    return all;
  }
  const std::size_t n = members.size();
  const auto rank = static_cast<std::size_t>(me - members.begin());
  for (std::size_t far = 1; far < n; far *= 2) {
    all.emplace_back(members[(rank + far) % n], members[(rank + n - far) % n]);
  }
  return all;
}

void exchange_here::find_neighbours() {
  for (std::size_t n = 0; n < links_.size(); ++n) {
    link& l = links_[n];
    l.number_there = n;
    if (l.to == here_) {
      l.there = this;
      continue;
    }
    auto* const set = static_cast<exchange_group*>(channel_end_in_reach(set_.key, l.to));
    if (set == nullptr) {
      continue;
    }
    exchange_here& opposite = set->at(which_);
    if (n < neighbours_) {
      for (const std::size_t i : opposite.all_) {
        l.number_there = opposite.links_[i].from == here_ ? i : l.number_there;
      }
    } else {
      l.number_there = opposite.neighbours_ + (n - neighbours_);
    }
    l.there = &opposite;
  }
  is_linked_ = true;
}

// ---- sending ----

void exchange_here::send(std::uint64_t tag, ghost_source promised) {
  check_closed(manner_.send);
  if (!is_linked_) {
    find_neighbours();
  }
  tag_ = tag;
  for (const std::size_t n : all_) {
    links_[n].is_told = false;
  }
  begin(count() + 1, promised);
  note_who_begins();
}

message_head exchange_here::head_of(std::size_t n, std::uint64_t e) const noexcept {
  return {e, tag_, which_, n < neighbours_ ? 0 : static_cast<std::uint32_t>(n - neighbours_ + 1)};
}

reply_bytes exchange_here::packed(std::size_t n, std::uint64_t e) {
  reply_bytes bytes;
  if (n < neighbours_) {
    bytes = cells_.pack(n, k_head);
  } else {
    static_cast<void>(bytes.make(k_head));
  }
  write_head(bytes.block->data() + reply_bytes::k_room, head_of(n, e));
  return bytes;
}

reply_bytes exchange_here::packed_or_end(std::size_t n, std::uint64_t e) noexcept {
  try {
    const blocks_at_any_rate whatever_the_limit;
    return packed(n, e);
  } catch (const std::exception& why) {
    end_without_memory("what goes to a neighbour needs memory", why.what());
  }
}

void exchange_here::post(std::size_t n, std::uint64_t e, reply_bytes&& what, const actor& by) noexcept {
  const link& l = links_[n];
  if (l.there != nullptr) {
    const std::span<const std::byte> bytes = what.bytes().subspan(k_head);
    l.there->fill(l.number_there, head_of(n, e), order_here(), std::move(what.block), bytes, by);
  } else if (by.brings != nullptr) {
    send_on_channel(*by.brings, set_.key, l.to, std::move(what));
  } else {
    send_on_channel(set_.key, l.to, std::move(what));
  }
}

// ---- what comes ----

slot& exchange_here::empty_slot(std::size_t n, std::uint64_t e) noexcept {
  slot& s = links_[n].came[e & 1U];
  TACTUS_ALWAYS_ASSERT(
      s.state.load(memory_order_relaxed) == slot_state::empty,  // relaxed: who emptied it did so before
      "a slot is empty when it is filled (ghosts G3)");
  return s;
}

void exchange_here::place_cells(std::size_t n, std::uint64_t e, std::uint64_t tag, const actor& by) noexcept {
  slot& s = empty_slot(n, e);
  s.tag = tag;
  s.state.store(slot_state::placed, memory_order_seq_cst);  // before the look for waiters; what was placed
  wake_whom_it_is_enough_for(by);
}

void exchange_here::fill(std::size_t n, const message_head& h, byte_order order, frame_ptr block,
                         std::span<const std::byte> bytes, const actor& by) noexcept {
  slot& s = empty_slot(n, h.number);
  s.number = h.number;
  s.tag = h.tag;
  s.order = order;
  s.block = std::move(block);
  s.bytes = bytes;
  s.state.store(slot_state::full, memory_order_seq_cst);  // before the look for waiters; the bytes
  if (n < neighbours_) {
    has_come(n, h.number, by);
  }
  wake_whom_it_is_enough_for(by);
}

void exchange_here::arrive(const message_head& h, channel_message&& m) noexcept {
  std::size_t n = links_.size();
  if (h.round != 0) {
    n = neighbours_ + h.round - 1;
  } else {
    for (const std::size_t i : all_) {
      n = links_[i].from == m.from ? i : n;
    }
  }
  const std::uint64_t begun = started_.load(memory_order_relaxed);  // relaxed: neighbours are one apart (ghosts G5)
  if (n >= links_.size() || links_[n].from != m.from || (h.number != begun && h.number != begun + 1) ||
      links_[n].came[h.number & 1U].state.load(memory_order_relaxed) !=
          slot_state::empty) {  // relaxed: as empty_slot()
    end_out_of_turn(manner_.of, m.from, here_, h.number, begun);
  }
  if (tells_times_) {
    links_[n].came_at.store(time_of_report(), memory_order_relaxed);  // relaxed: only told of
  }
  const actor by{here_, &m.at};
  fill(n, h, m.order, std::move(m.block), m.bytes.subspan(k_head), by);
}

// False: it is not there, or another task is at it. Who waits for a box may come when another task has ended the exchange: the slot is
// empty then, or another exchange's.
bool exchange_here::take(std::size_t n, until what, std::uint64_t e) {
  slot& s = slot_for(n, e);
  slot_state was = slot_state::full;
  // acquire: what has come, as it was packed or placed
  if (!s.state.compare_exchange_strong(was, slot_state::busy, memory_order_acquire, memory_order_acquire)) {
    if (was == slot_state::placed && what != until::box) {
      check_tag(n, s);
    }
    return was == slot_state::placed;
  }
  if (s.number != e) {
    s.state.store(slot_state::full, memory_order_seq_cst);  // before the look for waiters
    wake_whom_it_is_enough_for(task_here());
    return false;
  }
  try {
    if (what != until::box) {
      check_tag(n, s);
    }
    if (n < neighbours_) {
      cells_.unpack(n, s.bytes, s.order);
    }
  } catch (...) {
    s.state.store(slot_state::full, memory_order_seq_cst);  // before the look for waiters
    wake_whom_it_is_enough_for(task_here());
    throw;
  }
  if (!keeps_what_came()) {
    s.block = nullptr;
  }
  s.state.store(slot_state::placed, memory_order_seq_cst);  // before the look for waiters
  wake_whom_it_is_enough_for(task_here());
  return true;
}

bool exchange_here::take_all_of_place(std::size_t n, std::uint64_t e) {
  bool all = true;
  std::size_t m = n;
  do {
    all = take(m, until::any, e) && all;
    m = links_[m].next_of_place;
  } while (m != n);
  return all;
}

void exchange_here::check_tag(std::size_t n, const slot& s) const {
  if (s.tag != tag_) {
    throw usage_error("tactus: exchange " + std::to_string(count()) + " of " + manner_.of +
                      " has another operation at " + to_string(place(place::unchecked{links_[n].from})) + " than at " +
                      here_text() + "; all places give the same");
  }
}

// Slots first: what neighbours send for the exchange after the next comes behind my send of the next (ghosts G5).
void exchange_here::close(std::uint64_t e) noexcept {
  for (link& l : links_) {
    slot& s = l.came[e & 1U];
    s.block = nullptr;
    s.state.store(slot_state::empty, memory_order_relaxed);  // relaxed: neighbours hear of it by the next send
  }
  closed(e);
  finished_.store(e, memory_order_seq_cst);  // before the look for waiters (G6); release: what has been placed
  wake_whom_it_is_enough_for(task_here());
}

// ---- misuse ----

void exchange_here::check_closed(const char* call) const {
  if (const exchange_here* const group = open_group()) {
    throw usage_error(std::string("tactus: ") + call + " of " + manner_.of + " at " + here_text() + ": " +
                      group->manner_.of + " is being exchanged there; wait for that first");
  }
  if (is_open()) {
    throw usage_error(std::string("tactus: ") + call + ": exchange " + std::to_string(count()) + " of " + manner_.of +
                      " is open at " + here_text() + ": " + manner_.wait + " first");
  }
}

// The group may have ended with its exchange open, which is so no more then.
const exchange_here* exchange_here::open_group() const noexcept {
  const bool is_there = of_group_ != nullptr && any_worker()->objects->find(group_) != nullptr;
  return is_there && of_group_->is_open() ? of_group_ : nullptr;
}

std::uint64_t exchange_here::number_of_open(const char* call) const {
  const std::uint64_t e = count();
  if (has_ended(e)) {
    throw usage_error(std::string("tactus: ") + call + ": no exchange of " + manner_.of + " is open at " + here_text() +
                      ": " + manner_.send + " first");
  }
  return e;
}

std::string exchange_here::here_text() const { return to_string(place(place::unchecked{here_})); }

}  // namespace tactus::detail
