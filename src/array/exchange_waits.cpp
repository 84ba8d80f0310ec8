// SPDX-License-Identifier: Apache-2.0
// Who waits for what has come in an exchange. docs/protocols/ghosts.md, G4 and G6.
#include <tactus/base/error.hpp>
#include <tactus/place/place.hpp>

#include "array/exchange_here.hpp"
#include "scheduler/task_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tactus::detail {

struct exchange_here::waiter : wait_point {
  exchange_here* of = nullptr;  // null: it has ended meanwhile
  std::span<const std::size_t> some;
  until what = until::all;
  std::uint64_t number = 0;          // of the exchange
  const ghosts_in* which = nullptr;  // null: all of it
  // Of one that has ended, as far as there is room: what it was of, and what has waited.
  std::array<char, 64> name{};
  const char* call = nullptr;
};

namespace {

void copy_part(std::string_view text, std::span<char> to) noexcept {
  text = text.substr(0, to.size() - 1);
  *std::copy(text.begin(), text.end(), to.begin()) = '\0';
}

}  // namespace

// ---- calls ----

void exchange_here::wait() { end(number_of_open(manner_.wait)); }

// Another task may be here for the same exchange, which is misuse: one of them closes it.
void exchange_here::end(std::uint64_t e) {
  wait_until(all_, until::may_close, e);
  meet_all(e);
  std::uint64_t before = e - 1;
  // relaxed: only who closes it matters, and what it does is seen by `finished_`
  if (has_ended(e) || !closing_.compare_exchange_strong(before, e, memory_order_relaxed, memory_order_relaxed)) {
    throw usage_error(std::string("tactus: ") + manner_.wait + ": another task has ended exchange " +
                      std::to_string(e) + " of " + manner_.of + " at " + here_text() +
                      " meanwhile; one task at a place ends it");
  }
  close(e);
}

void exchange_here::wait_for(std::span<const std::size_t> neighbours, const ghosts_in& which) {
  wait_until(neighbours, until::box, number_of_open(manner_.wait), &which);
}

bool exchange_here::is_ready(std::span<const std::size_t> neighbours) {
  const std::uint64_t e = number_of_open("ghosts_ready");
  if (!have_come(neighbours, e)) {
    return has_ended(e);
  }
  bool all = true;
  for (const std::size_t n : neighbours) {
    all = take(n, until::box, e) && all;
  }
  return all || has_ended(e);
}

std::optional<std::size_t> exchange_here::wait_for_any() {
  const std::uint64_t e = number_of_open("wait_for_any_ghosts");
  std::vector<std::size_t> left;
  for (const std::size_t n : all_) {
    if (!links_[n].is_told) {
      left.push_back(n);
    }
  }
  while (!left.empty() && !has_ended(e)) {
    for (const std::size_t n : left) {
      if (place_has_come(n, e) && take_all_of_place(n, e)) {
        std::size_t m = n;
        do {
          links_[m].is_told = true;
          m = links_[m].next_of_place;
        } while (m != n);
        return n;
      }
    }
    park(left, until::any, e);
  }
  end(e);
  return std::nullopt;
}

// In round k a token goes to the member 2^k further on, and one comes from the member 2^k before. Who comes again, after an error, tells
// nobody twice, nor do two tasks.
void exchange_here::meet_all(std::uint64_t e) {
  for (std::size_t n = neighbours_; n < links_.size() && !has_ended(e); ++n) {
    link& l = links_[n];
    std::uint64_t before = e - 1;
    // relaxed: only who tells matters
    if (l.told.compare_exchange_strong(before, e, memory_order_relaxed, memory_order_relaxed)) {
      if (l.there != nullptr) {
        l.there->place_cells(l.number_there, e, tag_, task_here());
      } else {
        post(n, e, packed_or_end(n, e), task_here());
      }
    }
    const std::size_t one[] = {n};
    wait_until(one, until::all, e);
  }
}

// Also until another task has ended it: all was here then.
void exchange_here::wait_until(std::span<const std::size_t> some, until what, std::uint64_t e, const ghosts_in* which) {
  for (;;) {
    if (!is_enough(some, what, e)) {
      park(some, what, e, which);
    }
    bool is_busy = false;
    for (const std::size_t n : some) {
      is_busy = !take(n, what, e) || is_busy;
    }
    if (!is_busy || has_ended(e)) {
      return;
    }
  }
}

// ---- what is enough ----

bool exchange_here::have_come(std::span<const std::size_t> some, std::uint64_t e) noexcept {
  return std::all_of(some.begin(), some.end(), [this, e](std::size_t n) { return has_come(n, e); });
}

bool exchange_here::place_has_come(std::size_t n, std::uint64_t e) noexcept {
  std::size_t m = n;
  do {
    if (!has_come(m, e)) {
      return false;
    }
    m = links_[m].next_of_place;
  } while (m != n);
  return true;
}

bool exchange_here::is_enough(std::span<const std::size_t> some, until what, std::uint64_t e) noexcept {
  if (has_ended(e)) {
    return true;  // (G6)
  }
  if (what == until::any) {
    return std::any_of(some.begin(), some.end(), [this, e](std::size_t n) { return place_has_come(n, e); });
  }
  return have_come(some, e) && (what != until::may_close || may_close());
}

// ---- sleep ----

void exchange_here::park(std::span<const std::size_t> some, until what, std::uint64_t e, const ghosts_in* which) {
  waiter w;
  w.of = this;
  w.some = some;
  w.what = what;
  w.number = e;
  w.which = which;
  w.commit = begin_to_wait;
  w.cancel = give_up;
  w.kind = &k_wait;
  w.object = this;
  const int here = here_;
  suspend(w);
  if (w.of == nullptr) {  // so is all that `this` leads to
    throw usage_error(std::string("tactus: ") + w.call + ": " + w.name.data() + " has ended at " +
                      to_string(place(place::unchecked{here})) + " while a task waited for its exchange " +
                      std::to_string(e) + "; it has to outlive the finish of the tasks that use it");
  }
}

// No more is going on here than that somebody waits for what will not come: neighbours have been told that they have no such thing any more.
exchange_here::~exchange_here() {
  waiter* left;
  {
    const std::lock_guard lock(mutex_);
    left = std::exchange(waiters_, nullptr);
  }
  while (left != nullptr) {
    auto* const behind = static_cast<waiter*>(left->next);  // before it goes on
    left->of = nullptr;
    left->call = manner_.wait;
    copy_part(manner_.of, left->name);
    make_ready_anywhere(*left);
    left = behind;
  }
}

bool exchange_here::begin_to_wait(wait_point& p) {
  auto& w = static_cast<waiter&>(p);
  exchange_here& self = *w.of;
  const std::lock_guard lock(self.mutex_);
  self.waiting_.fetch_add(1, memory_order_seq_cst);  // before the look at slots: who fills one sees this, or we that
  if (self.is_enough(w.some, w.what, w.number)) {
    self.waiting_.fetch_sub(1, memory_order_relaxed);  // relaxed: under the lock
    return false;
  }
  w.next = self.waiters_;
  self.waiters_ = &w;
  return true;
}

void exchange_here::give_up(wait_point& p) {
  auto& w = static_cast<waiter&>(p);
  if (w.of == nullptr) {
    return;
  }
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
      const bool goes = is_enough(w->some, w->what, w->number);
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

// ---- what is told of who waits ----

namespace {

std::string how_long_ago(std::int64_t then) {
  const std::int64_t ms = std::max<std::int64_t>(time_of_report() - then, 0);
  return ms < 1000 ? std::to_string(ms) + " ms ago"
                   : std::to_string(ms / 1000) + '.' + std::to_string(ms % 1000 / 100) + " s ago";
}

}  // namespace

// The name is copied where it is another one than before: a task that sends again and again writes nothing but the time.
void exchange_here::note_who_begins() noexcept {
  const task_frame* const task = any_worker()->task;
  const char* const known = task != nullptr ? task->name() : nullptr;
  const std::string_view name = std::string_view(known != nullptr ? known : "").substr(0, began_by_.size() - 1);
  if (name != began_by_.data()) {
    const std::lock_guard lock(mutex_);
    copy_part(name, began_by_);
  }
  if (tells_times_) {
    began_at_.store(time_of_report(), memory_order_relaxed);  // relaxed: only told of
  }
}

void exchange_here::describe_last(std::string& text) {
  const std::uint64_t begun = count();
  text += ", which has begun " + std::to_string(begun);
  if (begun == 0) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    text += began_by_[0] != '\0' ? " (last: task '" + std::string(began_by_.data()) + "'" : " (last: an unnamed task";
  }
  text += (tells_times_ ? ' ' + how_long_ago(began_at_.load(memory_order_relaxed)) : "") + ')';  // relaxed: as above
}

// Neighbour n, of which nothing has come for exchange e, which is open here: what it had for the one before has (G5).
void exchange_here::describe_missing(std::size_t n, std::uint64_t e, std::string& text) {
  const link& l = links_[n];
  text += to_string(place(place::unchecked{l.from}));
  if (n >= neighbours_) {
    return;  // of a round: who is told is not who is heard
  }
  if (l.there != nullptr) {
    l.there->describe_last(text);
  } else if (e == 1) {
    text += ", from which nothing has come";
  } else {
    text += ", from which " + std::to_string(e - 1) + (e == 2 ? " has" : " have") + " come";
    text += tells_times_ ? " (the last " + how_long_ago(l.came_at.load(memory_order_relaxed)) + ')' : "";  // as above
  }
}

void exchange_here::describe(const wait_point& p, std::string& text) {
  const auto& w = static_cast<const waiter&>(p);
  if (w.of == nullptr) {
    text += "an exchange that has ended";
    return;
  }
  exchange_here& self = *w.of;
  if (tells_kinds_only()) {
    text += "an exchange of " + self.manner_.of;
    return;
  }
  text += "exchange " + std::to_string(w.number) + " of " + self.manner_.of;
  text += w.which != nullptr ? ", ghosts in " + w.which->text(w.which->cells) + ',' : "";
  text += " for";
  bool first = true;
  for (const std::size_t n : w.some) {
    if (self.state(n, w.number) == slot_state::empty) {
      text += first ? " " : ", ";
      self.describe_missing(n, w.number, text);
      first = false;
    }
  }
  text += first ? " what is on its way" : "";
}
constinit const wait_kind exchange_here::k_wait{exchange_here::describe, "an exchange with neighbours"};

}  // namespace tactus::detail
