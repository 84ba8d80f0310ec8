// SPDX-License-Identifier: Apache-2.0
// Objects that place-flexible tasks carry. One table for the process: what is at home in it has one address.

#include <tactus/place/impl/loan.hpp>

#include <tactus/base/error.hpp>
#include <tactus/base/impl/assert.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include "base/never_destroyed.hpp"
#include "base/probe.hpp"
#include "scheduler/run_control.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/seeded.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace tactus::detail {

constinit atomic<std::size_t> lent_objects{0};

namespace {

// What a loan is of: an object, and the runtime whose tasks carry it. Tasks of another one may too, and are none of its line.
using loan_key = std::pair<const void*, std::uint64_t>;

loan_key loan_key_of(const worker* w, const void* object) noexcept { return {object, w->home_number >> k_place_bits}; }

// On the stack of a task that waits for an object.
struct borrower : wait_point {
  loan_key key;
  int to = 0;
  borrower* behind = nullptr;
};

struct loan {
  std::uint32_t run;  // the number of it: a stuck one leaves loans that nobody ends
  int to;             // where it is carried
  int home;           // the place that it is of
  borrower* first = nullptr;
  borrower* last = nullptr;

  [[nodiscard]] bool is_away() const noexcept { return to != home; }
};

struct all_loans {
  std::mutex mutex;  // protects the table, and what is in it
  std::map<loan_key, loan> by_key;
};

all_loans& loans() {
  static never_destroyed<all_loans> all;
  return all.get();
}

void count(const loan& one, bool begins) noexcept {
  if (!one.is_away()) {
    return;
  }
  if (begins) {
    lent_objects.fetch_add(1, memory_order_relaxed);  // relaxed: see look_for_loan()
  } else {
    lent_objects.fetch_sub(1, memory_order_relaxed);  // relaxed: as above
  }
}

void describe_loan(const wait_point& p, std::string& text) {
  all_loans& all = loans();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_key.find(static_cast<const borrower&>(p).key);
  text += "an object that another task carries";
  if (found != all.by_key.end()) {
    text += found->second.is_away() ? ", lent to place " + std::to_string(found->second.to)
                                    : ", at place " + std::to_string(found->second.home);
  }
}

constinit const wait_kind k_loan{describe_loan, "an object that another task carries"};

// The loan that there is already; null: it is a new one now, to place `to`. With the lock held; std::bad_alloc.
loan* find_or_begin(all_loans& all, const void* object, int to) {
  const worker* const w = current_worker();
  const loan fresh{w->owner->run().number(), to, w->place};
  const auto [at, is_new] = all.by_key.try_emplace(loan_key_of(w, object), fresh);
  if (!is_new && at->second.run == fresh.run) {
    return &at->second;
  }
  if (!is_new) {
    count(at->second, false);
    at->second = fresh;
  }
  count(at->second, true);
  return nullptr;
}

// False: it is the caller's now.
bool join_line(wait_point& p) {
  auto& b = static_cast<borrower&>(p);
  all_loans& all = loans();
  try {
    const std::lock_guard lock(all.mutex);
    loan* const there = find_or_begin(all, p.object, b.to);
    if (there == nullptr) {
      return false;
    }
    loan& one = *there;
    (one.first == nullptr ? one.first : one.last->behind) = &b;
    one.last = &b;
    return true;
  } catch (const std::bad_alloc& why) {
    end_without_memory("a task that carries an object needs memory", why.what());
  }
}

void leave_line(wait_point& p) {
  all_loans& all = loans();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_key.find(static_cast<borrower&>(p).key);
  TACTUS_ASSERT(found != all.by_key.end(), "who waits for an object waits for one that is carried");
  loan& one = found->second;
  borrower* before = nullptr;
  for (borrower* b = one.first; b != &p; b = b->behind) {
    before = b;
  }
  borrower* const behind = static_cast<borrower&>(p).behind;
  (before == nullptr ? one.first : before->behind) = behind;
  if (one.last == &p) {
    one.last = before;
  }
}

}  // namespace

void lend(const void* object, int to) {
  if (worker* const w = current_worker(); w->timeline != nullptr && to != w->place) {
    profile_access(w, -1);  // by which the object is fetched: the policy's doing, not the program's
  }
  seeded_point(current_worker());
  {
    all_loans& all = loans();
    const std::lock_guard lock(all.mutex);
    if (find_or_begin(all, object, to) == nullptr) {
      return;
    }
  }
  borrower b;
  b.commit = join_line;
  b.cancel = leave_line;
  b.kind = &k_loan;
  b.object = const_cast<void*>(object);
  b.key = loan_key_of(current_worker(), object);
  b.to = to;
  suspend(b);
}

void take_home(const void* object) noexcept {
  all_loans& all = loans();
  bool was_away = false;
  borrower* next = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_key.find(loan_key_of(current_worker(), object));
    TACTUS_ASSERT(found != all.by_key.end(), "what comes home was carried");
    loan& one = found->second;
    was_away = one.is_away();
    count(one, false);
    next = one.first;
    if (next == nullptr) {
      all.by_key.erase(found);
    } else {
      one.first = next->behind;
      one.to = next->to;
      count(one, true);
    }
  }
  if (worker* const w = current_worker(); was_away && w->timeline != nullptr) {
    profile_access(w, -1);  // as in lend()
  }
  if (next != nullptr) {
    make_ready(*next);
  }
}

void refuse_lent(const void* object) {
  worker* const w = any_worker();
  if (w == nullptr) {
    return;
  }
  if (w->timeline != nullptr) {
    profile_use(w);
  }
  int to = 0;
  {
    all_loans& all = loans();
    const std::lock_guard lock(all.mutex);
    const auto found = all.by_key.find(loan_key_of(w, object));
    if (found == all.by_key.end() || !found->second.is_away() || found->second.run != w->owner->run().number()) {
      return;
    }
    to = found->second.to;
  }
  throw place_error("tactus: the object is lent to place " + std::to_string(to) +
                    ", where a place-flexible task carries it, and was used at its own place " +
                    std::to_string(w->place) + "; wait for that task first, by a finish or by then()");
}

}  // namespace tactus::detail
