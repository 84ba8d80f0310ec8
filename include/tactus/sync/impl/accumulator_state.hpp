// SPDX-License-Identifier: Apache-2.0
// One accumulator: the results of its phases, and the store in which values wait for the end of theirs.
// phaser-accumulators.txt, sections 3 and 4; docs/protocols/phaser.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/scheduler/impl/suspend.hpp>
#include <tactus/sync/impl/accumulator_base.hpp>
#include <tactus/sync/impl/accumulator_store.hpp>
#include <tactus/sync/impl/accumulator_values.hpp>
#include <tactus/sync/impl/cell_store.hpp>
#include <tactus/sync/impl/eager_store.hpp>
#include <tactus/sync/impl/early_sends.hpp>
#include <tactus/sync/impl/phaser_core.hpp>
#include <tactus/sync/impl/share_store.hpp>
#include <tactus/sync/strategy.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace tactus::detail {

/// C combines; if `of_user` it is code that the library does not know.
template <class T, class C>
class accumulator_state final : public accumulator_base {
public:
  accumulator_state(const std::shared_ptr<phaser_core>& core, std::size_t workers, T identity, C combine, bool of_user,
                    strategy how)
      : core_(*core), by_{std::move(identity), std::move(combine), of_user}, strategy_(how) {
    make_store(workers);
  }

  [[nodiscard]] const T& identity() const noexcept { return by_.identity; }
  [[nodiscard]] strategy how() const noexcept { return strategy_; }

  /// By a member that signals and waits and has not signalled: adds x, or false if that needs more than a few steps.
  TACTUS_ALWAYS_INLINE bool send_at_once(const worker* w, const membership& m, const T& x) {
    const std::uint64_t phase = m.of->phase();
    if (!shares_.empty()) {
      return shares_[static_cast<std::size_t>(w->id)].add_at_once(by_, phase, m.ordinal, x);
    }
    return cell_store<T, C>::send_at_once(m, key(), phase, x);
  }

  /// By any member that has not signalled `phase` yet.
  void send(worker* w, membership& m, std::uint64_t phase, const T& x) {
    if (may_use_buffers(m, phase)) {
      store_->send(w, m, phase, x);
    } else {
      early_.add(phase, {store_->cell_of(m), m.ordinal, x});
    }
  }

  /// The value of the phase before `phase`, in which the caller signals and waits.
  const T& value_before(std::uint64_t phase) const {
    const result& r = results_[buffer_of(phase - 1)];
    return phase != 0 && r.tag == tag_of(phase - 1) ? r.get() : by_.identity;
  }

  /// The value of `phase`, which has turned or is just being turned. `only_waits`: the caller may be far behind.
  T value_of(std::uint64_t phase, bool only_waits) {
    if (!only_waits) {
      const result& r = results_[buffer_of(phase)];
      return r.tag == tag_of(phase) ? r.get() : by_.identity;
    }
    const std::lock_guard hold(lock_);
    const result* const r = find_locked(phase);
    return r != nullptr ? r->get() : by_.identity;
  }

  /// The fold over those that stand before `ordinal` in the order of registration, and over that one if `inclusive`.
  T scan_of(std::uint64_t phase, std::uint64_t ordinal, bool inclusive) {
    scans_.store(true, memory_order_relaxed);  // relaxed: from some phase on the results bring it along
    const prefixes folds = prefixes_of(phase);
    if (folds == nullptr) {
      return by_.identity;  // nobody sent
    }
    // The first of which that is not so; ordinals rise.
    std::size_t at = 0;
    for (std::size_t end = folds->size(); at != end;) {
      const std::size_t middle = at + (end - at) / 2;
      const std::uint64_t there = (*folds)[middle].ordinal;
      if (there < ordinal || (inclusive && there == ordinal)) {
        at = middle + 1;
      } else {
        end = middle;
      }
    }
    return at == 0 ? by_.identity : (*folds)[at - 1].value;
  }

  void complete(worker* w, std::uint64_t phase, std::uint64_t oldest) noexcept override {
    if (completed_ == tag_of(phase)) {
      return;
    }
    if (taken_ != tag_of(phase)) {
      take_early(w, phase);
    }
    completed_ = tag_of(phase);
    result made;
    made.tag = tag_of(phase);
    made.failure = early_failure_;
    if (made.failure == nullptr) {
      try {
        made.value.emplace(fold(phase));
      } catch (...) {
        made.failure = std::current_exception();  // for who asks
      }
    }
    if (made.failure == nullptr && (oldest != k_nobody || scans_.load(memory_order_relaxed))) {  // relaxed: a wish
      try {
        made.scan = prefixes_of_buffers(phase);
      } catch (...) {
        made.scan_failure = std::current_exception();
      }
    }
    if (oldest != k_nobody) {  // the first slow reader may have come since the last two
      complete_scan(phase - 1);
      complete_scan(phase - 2);
    }
    store_->forget(phase + 2);
    if (core_.is_clock) {
      results_[buffer_of(phase)].take(made);  // read by tasks only that the next phases wait for
      return;
    }
    const std::lock_guard hold(lock_);
    result& place = results_[buffer_of(phase)];
    if (oldest != k_nobody && place.tag >= tag_of(oldest) && place.tag != made.tag) {
      keep_late_locked(place);
    }
    late_.erase(late_.begin(), oldest == k_nobody ? late_.end() : late_.lower_bound(oldest));
    place.take(made);
  }

  void complete_again(std::uint64_t phase) noexcept override {
    if (completed_ == tag_of(phase)) {
      completed_ = 0;
    }
  }

  void complete_rest(worker* w, std::uint64_t phase, std::uint64_t oldest) noexcept override {
    for (;; ++phase) {  // phase by phase: each makes a buffer ready for one to come
      complete(w, phase, oldest);
      if (early_.empty()) {
        return;
      }
    }
  }

  void forget(std::span<const std::unique_ptr<sender>> senders) noexcept override { store_->take_back(senders); }

private:
  using prefixes = std::shared_ptr<const std::vector<contribution<T>>>;
  static constexpr std::uint64_t k_nobody = phaser_core::k_nobody;

  // Without a value there is a failure, unless it is of no phase.
  struct result {
    [[nodiscard]] TACTUS_ALWAYS_INLINE const T& get() const {
      if (failure != nullptr) [[unlikely]] {
        throw_again();
      }
      return *value;
    }
    [[noreturn]] TACTUS_NOINLINE void throw_again() const { std::rethrow_exception(failure); }

    // Where moving the value throws, that is what who asks gets.
    void take(result& other) noexcept {
      tag = other.tag;
      failure = std::move(other.failure);
      scan = std::move(other.scan);
      scan_failure = std::move(other.scan_failure);
      try {
        value = std::move(other.value);
      } catch (...) {
        value.reset();
        failure = std::current_exception();
      }
    }

    std::uint64_t tag = 0;
    std::optional<T> value;
    std::exception_ptr failure;  // of the user's function, or where there was no memory
    prefixes scan;
    std::exception_ptr scan_failure;  // of a scan that nobody had asked for yet
  };

  void make_store(std::size_t workers);

  // Tasks that only signal may be further ahead than there are buffers.
  [[nodiscard]] bool may_use_buffers(const membership& m, std::uint64_t phase) const noexcept {
    if (core_.is_clock || static_cast<const phaser_member&>(m).mode != phaser_mode::signal_only) [[likely]] {
      return true;
    }
    return phase <= core_.phase_now() + 1;
  }

  // For readers that lag. Where there is no memory for it they get the bad_alloc.
  void keep_late_locked(result& r) noexcept {
    try {
      late_[r.tag - 1].take(r);
    } catch (...) {
      lost_.tag = r.tag;
      lost_.failure = std::current_exception();
    }
  }

  // Puts what was sent for `phase` before it was near where it belongs; once, also if the phase is completed again.
  void take_early(worker* w, std::uint64_t phase) noexcept {
    taken_ = tag_of(phase);
    early_failure_ = nullptr;
    try {
      for (const early_send<T>& e : early_.take(phase)) {
        store_->take_early(w, phase, e);
      }
    } catch (...) {
      early_failure_ = std::current_exception();
    }
  }

  // Runs what the user has given.
  T fold(std::uint64_t phase) {
    const combining user(by_.of_user);
    return store_->fold(phase);
  }

  // ---- scans ----

  // In place: each value becomes the fold up to it; one entry for each task.
  [[nodiscard]] prefixes fold_prefixes(std::vector<contribution<T>> all) const {
    const combining user(by_.of_user);
    std::size_t n = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != 0) {
        all[i].value = by_(all[n - 1].value, all[i].value);
      }
      if (n != 0 && all[n - 1].ordinal == all[i].ordinal) {
        all[n - 1].value = std::move(all[i].value);
      } else {
        if (n != i) {
          all[n] = std::move(all[i]);
        }
        ++n;
      }
    }
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(n), all.end());
    return std::make_shared<const std::vector<contribution<T>>>(std::move(all));
  }

  [[nodiscard]] prefixes prefixes_of_buffers(std::uint64_t phase) const {
    std::vector<contribution<T>> all;
    {
      const std::lock_guard hold(lock_);
      all = store_->contributions(phase);
    }
    return fold_prefixes(std::move(all));
  }

  // Gives the result of a phase its folds, while what was sent is still in its buffer; or what keeps it from having them.
  void complete_scan(std::uint64_t phase) noexcept {
    {
      const std::lock_guard hold(lock_);
      const result& r = results_[buffer_of(phase)];
      if (r.tag != tag_of(phase) || r.tag == 0 || r.scan != nullptr || r.failure != nullptr ||
          r.scan_failure != nullptr) {
        return;
      }
    }
    prefixes made;
    std::exception_ptr failure;
    try {
      made = prefixes_of_buffers(phase);
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard hold(lock_);
    results_[buffer_of(phase)].scan = std::move(made);
    results_[buffer_of(phase)].scan_failure = std::move(failure);
  }

  [[nodiscard]] result* find_locked(std::uint64_t phase) {
    if (const auto at = late_.find(phase); at != late_.end()) {
      return &at->second;
    }
    if (result& r = results_[buffer_of(phase)]; r.tag == tag_of(phase)) {
      return &r;
    }
    return tag_of(phase) <= lost_.tag ? &lost_ : nullptr;
  }

  // Made with the result once somebody has asked; the first to ask makes them.
  [[nodiscard]] prefixes prefixes_of(std::uint64_t phase) {
    std::vector<contribution<T>> all;
    {
      const std::lock_guard hold(lock_);
      const result* const r = find_locked(phase);
      if (r == nullptr) {
        return nullptr;
      }
      static_cast<void>(r->get());  // throws what the fold has thrown
      if (r->scan != nullptr) {
        return r->scan;
      }
      if (r->scan_failure != nullptr) {
        std::rethrow_exception(r->scan_failure);
      }
      all = store_->contributions(phase);
    }
    prefixes made = fold_prefixes(std::move(all));
    const std::lock_guard hold(lock_);
    if (result* const r = find_locked(phase); r != nullptr) {
      r->scan = made;
    }
    return made;
  }

  phaser_core& core_;  // holds this
  const combination<T, C> by_;
  const strategy strategy_;
  std::unique_ptr<accumulator_store<T>> store_;
  std::span<worker_share<T>> shares_;  // the store's, of per_worker with an operator; else none
  early_sends<T> early_;
  std::array<result, k_buffers> results_;  // see value_of()
  atomic<bool> scans_{false};              // somebody has asked for one

  // Of whoever turns the phase.
  std::uint64_t completed_ = 0;       // tag of the last one that need not be completed again
  std::uint64_t taken_ = 0;           // tag of the last one whose early sends were put in their place
  std::exception_ptr early_failure_;  // of one of them: that phase's

  mutable std::mutex lock_;               // protects what follows
  std::map<std::uint64_t, result> late_;  // that only slow readers may still ask for
  result lost_;                           // the newest that there was no memory to keep so: a failure
};

// Not inline, so that files that use an accumulator of the usual numbers need not compile the stores.
template <class T, class C>
void accumulator_state<T, C>::make_store(std::size_t workers) {
  switch (strategy_.kind()) {
    case strategy_kind::eager:
    case strategy_kind::eager_with_delay: store_ = std::make_unique<eager_store<T, C>>(by_, strategy_, workers); return;
    case strategy_kind::dynamic_lazy:
    case strategy_kind::fixed_lazy:
    case strategy_kind::tree: store_ = std::make_unique<cell_store<T, C>>(core_, key(), by_, strategy_); return;
    case strategy_kind::per_worker:
    case strategy_kind::automatic: break;
  }
  auto made = std::make_unique<share_store<T, C>>(by_, workers);
  if (!by_.of_user) {
    shares_ = made->shares();
  }
  store_ = std::move(made);
}

}  // namespace tactus::detail
