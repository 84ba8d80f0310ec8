// SPDX-License-Identifier: Apache-2.0

#include <tactus/sync/lockstep.hpp>

#include <tactus/scheduler/impl/exceptions_aside.hpp>
#include <tactus/task/impl/help_first.hpp>

#include "base/poll.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/seeded.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::chrono::nanoseconds k_longest_poll{2'000};
constexpr int k_looks_per_time = 16;

}  // namespace

// A share that waits for a phase, or the leader that waits for chunks.
struct lockstep_crew::nap : wait_point {
  std::uint64_t phase = 0;
};

lockstep_crew::~lockstep_crew() = default;

void lockstep_crew::lead(void (*rounds)(lockstep_crew&)) {
  worker* const w = current_worker();
  shares_ =
      static_cast<std::size_t>(std::clamp<std::uint64_t>(elements_, 1, static_cast<std::uint64_t>(w->owner->size())));
  chunks_ = std::make_unique<chunk[]>(shares_);
  leads_only_ = !has_room_to_begin();
  chunks_[0].attended.store(!leads_only_, memory_order_relaxed);  // relaxed: a hint
  all_.open(w);
  try {
    for (std::size_t s = leads_only_ ? 0 : 1; s < shares_; ++s) {
      spawn_share("share of lockstep", [this, s] { help(s); });
    }
    rounds(*this);
  } catch (...) {
    all_.add_failure(std::current_exception());
  }
  announce(k_over);
  all_.close_and_throw();
}

void lockstep_crew::announce(std::uint64_t phase) noexcept {
  // seq_cst, both: a helper that goes to sleep enlists itself and then looks at the phase (L2)
  phase_.store(phase, memory_order_seq_cst);
  if (sleepers_.load(memory_order_seq_cst) != nullptr) {
    wake_sleepers();
  }
}

void lockstep_crew::wake_sleepers() noexcept {
  wait_point* s = sleepers_.exchange(nullptr, memory_order_acq_rel);  // each sleeper is taken off once (L2)
  while (s != nullptr) {
    auto* const next = static_cast<nap*>(s->next);  // before it is ready: then it may be gone
    make_ready(*s);
    s = next;
  }
}

void lockstep_crew::step(std::size_t which) {
  which_ = which;
  left_.store(shares_, memory_order_relaxed);                         // relaxed, as which_: published by the phase
  const std::uint64_t phase = phase_.load(memory_order_relaxed) + 1;  // relaxed: the leader's own
  announce(phase);
  if (!leads_only_) [[likely]] {
    work(0, phase);
  }
  wait_for_chunks();
  if (out_of_memory_.load(memory_order_relaxed)) [[unlikely]] {  // relaxed: ordered by the end of the chunks (L1)
    throw std::bad_alloc();
  }
}

bool lockstep_crew::try_chunk(std::size_t c, std::uint64_t phase) noexcept {
  std::uint64_t last = chunks_[c].taken.load(memory_order_relaxed);  // relaxed: checked by the exchange
  // relaxed: one of several wins; what the chunk's elements did before is ordered by the phase (L1)
  if (last >= phase ||
      !chunks_[c].taken.compare_exchange_strong(last, phase, memory_order_relaxed, memory_order_relaxed)) {
    return false;
  }
  {
    // The leader may be inside a catch block, which is not the elements' business.
    const exceptions_aside aside(current_worker());
    const restricted_scope restricted(restriction::in_step);
    run(which_, elements_ * c / shares_, elements_ * (c + 1) / shares_);
  }
  // acq_rel: hands the chunk's work to the leader (L1)
  if (left_.fetch_sub(1, memory_order_acq_rel) == 1) {
    if (wait_point* const leader = leader_.exchange(nullptr, memory_order_acq_rel); leader != nullptr) {
      make_ready(*leader);
    }
  }
  return true;
}

// Its own chunk, then those that nobody comes for. Shares that have begun get a moment.
void lockstep_crew::work(std::size_t share, std::uint64_t phase) noexcept {
  try_chunk(share, phase);
  if (shares_ == 1) {
    return;
  }
  const bool alone = current_worker()->seeded;
  for (std::size_t i = 1; i < shares_; ++i) {
    const std::size_t c = (share + i) % shares_;
    if (chunks_[c].taken.load(memory_order_relaxed) >= phase) {  // relaxed: a hint
      continue;
    }
    if (!alone && chunks_[c].attended.load(memory_order_relaxed) &&  // relaxed: a hint
        poll_for(k_longest_poll, k_looks_per_time,
                 [&] { return chunks_[c].taken.load(memory_order_relaxed) >= phase; })) {
      continue;
    }
    try_chunk(c, phase);
  }
}

void lockstep_crew::help(std::size_t share) {
  chunks_[share].attended.store(true, memory_order_relaxed);  // relaxed: a hint
  std::uint64_t phase = 0;
  for (;;) {
    // acquire: what all elements did in earlier phases; pairs with announce() (L1)
    const std::uint64_t now = phase_.load(memory_order_acquire);
    if (now == k_over) {
      return;
    }
    if (now != phase) {
      phase = now;
      work(share, phase);
    }
    wait_for_phase_after(phase);
  }
}

void lockstep_crew::wait_for_phase_after(std::uint64_t phase) {
  const auto has_come = [&] { return phase_.load(memory_order_acquire) != phase; };  // as in help()
  if (has_come() || (!current_worker()->seeded && poll_for(k_longest_poll, k_looks_per_time, has_come))) {
    return;
  }
  nap p;
  p.object = this;
  p.phase = phase;
  p.commit = sleep_until_phase;
  p.finish = current_worker()->held;
  suspend_for_finish(p);
}

bool lockstep_crew::sleep_until_phase(wait_point& p) {
  auto* const self = static_cast<lockstep_crew*>(p.object);
  const std::uint64_t phase = static_cast<nap&>(p).phase;
  wait_point* head = self->sleepers_.load(memory_order_relaxed);  // relaxed: checked by the exchange
  do {
    p.next = head;
    // seq_cst: before the look at the phase, as the leader's phase is before its look at the list (L2)
  } while (!self->sleepers_.compare_exchange_weak(head, &p, memory_order_seq_cst, memory_order_relaxed));
  if (self->phase_.load(memory_order_seq_cst) != phase) {
    self->wake_sleepers();  // p among them, unless the leader has been faster
  }
  return true;
}

void lockstep_crew::wait_for_chunks() {
  const auto are_done = [this] {
    return left_.load(memory_order_acquire) == 0;
  };  // acquire: pairs with try_chunk() (L1)
  if (!current_worker()->seeded && poll_for(k_longest_poll, k_looks_per_time, are_done)) {
    return;
  }
  // A loop: who ended the last chunk of an earlier phase may take the name only now (L3).
  while (!are_done()) {
    nap p;
    p.object = this;
    p.commit = sleep_until_done;
    p.finish = current_worker()->held;
    suspend_for_finish(p);
  }
}

bool lockstep_crew::sleep_until_done(wait_point& p) {
  auto* const self = static_cast<lockstep_crew*>(p.object);
  // seq_cst, all: either the last chunk's end finds the leader here, or the leader sees that end (L3)
  self->leader_.store(&p, memory_order_seq_cst);
  return self->left_.load(memory_order_seq_cst) != 0 ||
         self->leader_.exchange(nullptr, memory_order_seq_cst) == nullptr;
}

void lockstep_crew::fail(std::uint64_t element) noexcept {
  std::string from;
  try {
    from = "step " + std::to_string(which_ + 1) + " of lockstep, i = " + index_text(element);
    // NOLINTNEXTLINE(bugprone-empty-catch): the exception matters more than whose it was
  } catch (const std::bad_alloc&) {
  }
  all_.add_failure(std::current_exception(), std::move(from));
  try {
    note_failed(element);
  } catch (const std::bad_alloc&) {
    making_failed_.store(false, memory_order_release);  // whoever waits for the array, or comes later, may try
    out_of_memory_.store(true, memory_order_relaxed);   // relaxed: read by the leader after this phase (L1)
  }
}

void lockstep_crew::note_failed(std::uint64_t element) {
  while (!any_failed()) {
    if (!making_failed_.exchange(true, memory_order_acquire)) {  // acquire: one at a time makes it; pairs with fail()
      failed_ = std::make_unique<atomic<bool>[]>(elements_);
      any_failed_.store(true, memory_order_release);  // publishes the array; pairs with any_failed()
      break;
    }
    cpu_relax();  // another share makes it right now
  }
  failed_[element].store(true, memory_order_relaxed);  // relaxed: the next look is in a later phase, or this thread's
  failures_.fetch_add(1, memory_order_relaxed);        // relaxed: read by the leader after this phase (L1)
}

}  // namespace tactus::detail
