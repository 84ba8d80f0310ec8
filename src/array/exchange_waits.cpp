// SPDX-License-Identifier: Apache-2.0
// Who waits for what has come in an exchange. docs/protocols/ghosts.md, G4.
#include <tactus/place/place.hpp>

#include "array/exchange_here.hpp"

#include <algorithm>
#include <utility>

namespace tactus::detail {

struct exchange_here::waiter : wait_point {
  exchange_here* of = nullptr;
  std::span<const std::size_t> some;
  until what = until::all;
};

// ---- calls ----

void exchange_here::wait() {
  check_begun(manner_.wait);
  wait_until(all_, until::may_close);
  meet_all();
  close();
}

void exchange_here::wait_for(std::span<const std::size_t> neighbours) {
  check_begun(manner_.wait);
  wait_until(neighbours, until::all);
}

bool exchange_here::is_ready(std::span<const std::size_t> neighbours) {
  check_begun("ghosts_ready");
  if (!have_come(neighbours)) {
    return false;
  }
  bool all = true;
  for (const std::size_t n : neighbours) {
    all = take(n) && all;
  }
  return all;
}

std::optional<std::size_t> exchange_here::wait_for_any() {
  check_begun("wait_for_any_ghosts");
  std::vector<std::size_t> left;
  for (const std::size_t n : all_) {
    if (!links_[n].is_told) {
      left.push_back(n);
    }
  }
  while (!left.empty()) {
    for (const std::size_t n : left) {
      if (place_has_come(n) && take_all_of_place(n)) {
        std::size_t m = n;
        do {
          links_[m].is_told = true;
          m = links_[m].next_of_place;
        } while (m != n);
        return n;
      }
    }
    park(left, until::any);
  }
  wait();
  return std::nullopt;
}

// In round k a token goes to the member 2^k further on, and one comes from the member 2^k before.
void exchange_here::meet_all() {
  const std::uint64_t e = count();
  for (std::size_t n = neighbours_; n < links_.size(); ++n) {
    const link& l = links_[n];
    if (l.there != nullptr) {
      l.there->place_cells(l.number_there, e, tag_, task_here());
    } else {
      post(n, e, packed_or_end(n, e), task_here());
    }
    const std::size_t one[] = {n};
    wait_until(one, until::all);
  }
}

void exchange_here::wait_until(std::span<const std::size_t> some, until what) {
  for (;;) {
    if (!is_enough(some, what)) {
      park(some, what);
    }
    bool is_busy = false;
    for (const std::size_t n : some) {
      is_busy = !take(n) || is_busy;
    }
    if (!is_busy) {
      return;
    }
  }
}

// ---- what is enough ----

bool exchange_here::have_come(std::span<const std::size_t> some) noexcept {
  return std::all_of(some.begin(), some.end(), [this](std::size_t n) { return has_come(n); });
}

bool exchange_here::place_has_come(std::size_t n) noexcept {
  std::size_t m = n;
  do {
    if (!has_come(m)) {
      return false;
    }
    m = links_[m].next_of_place;
  } while (m != n);
  return true;
}

bool exchange_here::is_enough(std::span<const std::size_t> some, until what) noexcept {
  if (what == until::any) {
    return std::any_of(some.begin(), some.end(), [this](std::size_t n) { return place_has_come(n); });
  }
  return have_come(some) && (what == until::all || may_close());
}

// ---- sleep ----

void exchange_here::park(std::span<const std::size_t> some, until what) {
  waiter w;
  w.of = this;
  w.some = some;
  w.what = what;
  w.commit = begin_to_wait;
  w.cancel = give_up;
  w.kind = &k_wait;
  w.object = this;
  suspend(w);
}

bool exchange_here::begin_to_wait(wait_point& p) {
  auto& w = static_cast<waiter&>(p);
  exchange_here& self = *w.of;
  const std::lock_guard lock(self.mutex_);
  self.waiting_.fetch_add(1, memory_order_seq_cst);  // before the look at slots: who fills one sees this, or we that
  if (self.is_enough(w.some, w.what)) {
    self.waiting_.fetch_sub(1, memory_order_relaxed);  // relaxed: under the lock
    return false;
  }
  w.next = self.waiters_;
  self.waiters_ = &w;
  return true;
}

void exchange_here::give_up(wait_point& p) {
  auto& w = static_cast<waiter&>(p);
  exchange_here& self = *w.of;
  const std::lock_guard lock(self.mutex_);
  self.waiting_.store(0, memory_order_relaxed);  // relaxed: under the lock
  self.waiters_ = nullptr;
}

void exchange_here::wake_whom_it_is_enough_for(const actor& by) noexcept {
  if (waiting_.load(memory_order_seq_cst) == 0) {  // after what was done; pairs with begin_to_wait()
    return;
  }
  waiter* ready = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (waiter* w = std::exchange(waiters_, nullptr); w != nullptr;) {
      auto* const behind = static_cast<waiter*>(w->next);
      const bool goes = is_enough(w->some, w->what);
      waiter*& list = goes ? ready : waiters_;
      w->next = list;
      list = w;
      if (goes) {
        waiting_.fetch_sub(1, memory_order_relaxed);  // relaxed: under the lock
      }
      w = behind;
    }
  }
  while (ready != nullptr) {
    auto* const behind = static_cast<waiter*>(ready->next);  // before it goes on
    if (by.place != here_) {
      wake_in_reach(here_, *ready);
    } else {
      make_ready(*ready);
    }
    ready = behind;
  }
}

void exchange_here::describe(const wait_point& p, std::string& text) {
  const auto& w = static_cast<const waiter&>(p);
  exchange_here& self = *w.of;
  text += "exchange " + std::to_string(self.count()) + " of " + self.manner_.of + " with";
  bool first = true;
  for (const std::size_t n : w.some) {
    const link& l = self.links_[n];
    if (self.state(n) == slot_state::empty) {
      text += (first ? " " : ", ") + to_string(place(place::unchecked{l.from}));
      if (l.there != nullptr && n < self.neighbours_) {
        text += " (which has begun " + std::to_string(l.there->count()) + ")";
      }
      first = false;
    }
  }
}
constinit const wait_kind exchange_here::k_wait{exchange_here::describe, "an exchange with neighbours"};

}  // namespace tactus::detail
