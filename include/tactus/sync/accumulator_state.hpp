// SPDX-License-Identifier: Apache-2.0
// The values of one accumulator, under each strategy. phaser-accumulators.txt, sections 3 and 4; docs/protocols/phaser.md.
#pragma once

#include <tactus/base/atomic.hpp>
#include <tactus/base/platform.hpp>
#include <tactus/scheduler/scheduler.hpp>
#include <tactus/sync/accumulator_base.hpp>
#include <tactus/sync/accumulator_values.hpp>
#include <tactus/sync/phaser_core.hpp>
#include <tactus/sync/strategy.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// While it lives, the calling task runs a function of the user's that may do nothing but compute.
class combining {
public:
  explicit combining(bool users) {
    if (users) hidden_.emplace(hidden_because::in_combine);
  }

private:
  std::optional<hidden_worker> hidden_;
};

/// C combines; if `of_user` it is code that the library does not know.
template <class T, class C>
class accumulator_state final : public accumulator_base {
public:
  accumulator_state(const std::shared_ptr<phaser_core>& core, std::size_t workers, T identity, C combine, bool of_user,
                    strategy how)
      : core_(*core),
        identity_(std::move(identity)),
        combine_(std::move(combine)),
        of_user_(of_user),
        strategy_(how),
        way_(way_of(how)),
        is_plain_sum_(way_ == way::summed && !of_user),
        results_{result(identity_), result(identity_), result(identity_), result(identity_)} {
    if (how.kind() == strategy_kind::fixed_lazy) {
      fixed_.reserve(how.cells());
    }
    shares_.reserve(workers);
    for (std::size_t i = 0; i < workers; ++i) {
      shares_.emplace_back(identity_);
    }
    if (is_eager()) {
      for (auto& s : shared_) {
        s = std::make_unique<shared_value<T>>(identity_);
      }
    }
  }

  [[nodiscard]] const T& identity() const noexcept { return identity_; }
  [[nodiscard]] strategy how() const noexcept { return strategy_; }

  /// By a member that signals and waits and has not signalled: adds x, or false if that needs more than a few steps.
  TACTUS_ALWAYS_INLINE bool send_at_once(const worker* w, const membership& m, const T& x) {
    const std::uint64_t phase = m.of->phase();
    if (is_plain_sum_) {
      auto& part = shares_[static_cast<std::size_t>(w->id)].in_phase[buffer_of(phase)];
      if (part.sum.tag != tag_of(phase) || !part.log.is_ready_for(m.ordinal)) [[unlikely]] {
        return false;
      }
      T sum(combine_(std::as_const(part.sum.value), x));
      part.log.append_at_once(m.ordinal, x);
      part.sum.value = std::move(sum);
      return true;
    }
    if (m.cell_key != key()) [[unlikely]] {
      return false;
    }
    tagged<T>& to = static_cast<sender_cell<T>*>(m.cell)->in_phase[buffer_of(phase)];
    if (to.tag == tag_of(phase)) [[unlikely]] {
      return false;
    }
    to.value = x;
    to.tag = tag_of(phase);
    return true;
  }

  /// By any member that has not signalled `phase` yet.
  void send(worker* w, membership& m, std::uint64_t phase, const T& x) {
    if (!may_use_buffers(m, phase)) {
      send_ahead(m, phase, x);
    } else if (is_ordered()) {
      add(cell_of(m).in_phase[buffer_of(phase)], phase, x);
    } else {
      send_on(shares_[static_cast<std::size_t>(w->id)].in_phase[buffer_of(phase)], m.ordinal, phase, x);
    }
  }

  /// The value of the phase before `phase`, in which the caller signals and waits.
  const T& value_before(std::uint64_t phase) const {
    const result& r = results_[buffer_of(phase - 1)];
    return phase != 0 && r.tag == tag_of(phase - 1) ? r.get() : identity_;
  }

  /// The value of `phase`, which has turned or is just being turned. `only_waits`: the caller may be far behind.
  T value_of(std::uint64_t phase, bool only_waits) const {
    if (!only_waits) {
      const result& r = results_[buffer_of(phase)];
      return r.tag == tag_of(phase) ? r.get() : identity_;
    }
    const std::lock_guard hold(lock_);
    if (const auto at = late_.find(phase); at != late_.end()) {
      return at->second.get();
    }
    const result& r = results_[buffer_of(phase)];
    return r.tag == tag_of(phase) ? r.get() : identity_;
  }

  /// The fold over those that stand before `ordinal` in the order of registration, and over that one, too, if `inclusive`.
  T scan_of(std::uint64_t phase, std::uint64_t ordinal, bool inclusive) {
    scans_.store(true, memory_order_relaxed);  // relaxed: from some phase on the results bring it along
    const prefixes folds = prefixes_of(phase);
    if (folds == nullptr) {
      return identity_;  // nobody sent
    }
    auto at = std::lower_bound(folds->begin(), folds->end(), ordinal,
                               [](const contribution<T>& c, std::uint64_t o) { return c.ordinal < o; });
    if (inclusive && at != folds->end() && at->ordinal == ordinal) {
      ++at;
    }
    return at == folds->begin() ? identity_ : std::prev(at)->value;
  }

  void complete(worker* w, std::uint64_t phase, std::uint64_t oldest) noexcept override {
    if (completed_ == tag_of(phase)) {
      return;
    }
    completed_ = tag_of(phase);
    result made(identity_);
    made.tag = tag_of(phase);
    try {
      if (ahead_count_.load(memory_order_acquire) != 0) {  // acquire: pairs with send_ahead()
        take_ahead(w, phase);
      }
      made.value = fold(phase);
      if (oldest != k_nobody || scans_.load(memory_order_relaxed)) {  // relaxed: a wish
        made.scan = prefixes_of_buffers(phase);
      }
      if (oldest != k_nobody) {  // the first slow reader may have come since the last two
        complete_scan(phase - 1);
        complete_scan(phase - 2);
      }
    } catch (...) {
      made.failure = std::current_exception();  // for who asks
    }
    if (core_.is_clock) {
      results_[buffer_of(phase)] = std::move(made);  // read by tasks only that the next phases wait for
      return;
    }
    const std::lock_guard hold(lock_);
    result& place = results_[buffer_of(phase)];
    if (oldest != k_nobody && place.tag >= tag_of(oldest)) {
      late_.emplace(place.tag - 1, std::move(place));
    }
    late_.erase(late_.begin(), oldest == k_nobody ? late_.end() : late_.lower_bound(oldest));
    place = std::move(made);
  }

  void complete_rest(worker* w, std::uint64_t phase, std::uint64_t oldest) noexcept override {
    for (;; ++phase) {  // phase by phase: each makes a buffer ready for one to come
      complete(w, phase, oldest);
      const std::lock_guard hold(lock_);
      if (ahead_.empty()) {
        return;
      }
    }
  }

private:
  using prefixes = std::shared_ptr<const std::vector<contribution<T>>>;
  static constexpr std::size_t k_cells_ahead = 12;
  static constexpr std::size_t k_leaf = 8;
  static constexpr std::uint64_t k_nobody = phaser_core::k_nobody;

  struct result {
    explicit result(const T& identity) : value(identity) {}
    [[nodiscard]] TACTUS_ALWAYS_INLINE const T& get() const {
      if (failure != nullptr) [[unlikely]] {
        throw_again();
      }
      return value;
    }
    [[noreturn]] TACTUS_NOINLINE void throw_again() const { std::rethrow_exception(failure); }
    std::uint64_t tag = 0;
    T value;
    std::exception_ptr failure;  // of the user's function
    prefixes scan;
  };

  struct early {
    sender_cell<T>* cell;  // of ordered strategies
    std::uint64_t ordinal;
    T value;
  };

  // What the strategies have in common.
  enum class way : std::uint8_t { eager, ordered, summed };

  static way way_of(const strategy& s) noexcept {
    switch (s.kind()) {
      case strategy_kind::eager:
      case strategy_kind::eager_with_delay: return way::eager;
      case strategy_kind::dynamic_lazy:
      case strategy_kind::fixed_lazy:
      case strategy_kind::tree: return way::ordered;
      case strategy_kind::per_worker:
      case strategy_kind::automatic: break;
    }
    return way::summed;
  }
  [[nodiscard]] bool is_eager() const noexcept { return way_ == way::eager; }
  [[nodiscard]] bool is_ordered() const noexcept { return way_ == way::ordered; }

  // ---- sending ----

  // Tasks that only signal may be further ahead than there are buffers.
  [[nodiscard]] bool may_use_buffers(const membership& m, std::uint64_t phase) const noexcept {
    if (core_.is_clock || static_cast<const phaser_member&>(m).mode != phaser_mode::signal_only) [[likely]] {
      return true;
    }
    return phase <= core_.phase_now() + 1;
  }

  void add(tagged<T>& to, std::uint64_t phase, const T& x) {
    if (to.tag != tag_of(phase)) {
      to.value = x;
      to.tag = tag_of(phase);
    } else {
      const combining user(of_user_);
      to.value = T(combine_(std::as_const(to.value), x));
    }
  }

  TACTUS_NOINLINE void send_on(typename worker_share<T>::part& part, std::uint64_t ordinal, std::uint64_t phase,
                               const T& x) {
    const combining user(of_user_);
    if (way_ == way::eager) {
      shared_[buffer_of(phase)]->send(combine_, x, delay_between_tries(strategy_));
    }
    if (part.sum.tag != tag_of(phase)) {
      part.log.clear();
      part.log.append(ordinal, x);
      part.sum.value = x;
      part.sum.tag = tag_of(phase);
      return;
    }
    T sum = way_ == way::eager ? identity_ : T(combine_(std::as_const(part.sum.value), x));
    if (contribution<T>& last = part.log.back(); last.ordinal == ordinal) {
      last.value = T(combine_(std::as_const(last.value), x));
    } else {
      part.log.append(ordinal, x);
    }
    part.sum.value = std::move(sum);
  }

  sender_cell<T>& cell_of(membership& m) {
    if (m.cell_key != key()) {
      sender& s = m.sends_as != nullptr ? *m.sends_as : core_.make_sender(m);
      void* const there = s.cell(key());
      m.cell = there != nullptr ? there : make_cell(s);
      m.cell_key = key();
    }
    return *static_cast<sender_cell<T>*>(m.cell);
  }

  TACTUS_NOINLINE sender_cell<T>* make_cell(sender& s) {
    const std::lock_guard hold(lock_);
    sender_cell<T>* made = nullptr;
    if (fixed_.size() < fixed_.capacity()) {
      made = &fixed_.emplace_back(identity_);
    } else {
      cells_.push_back(std::make_unique<sender_cell<T>>(identity_));
      made = cells_.back().get();
    }
    s.set_cell(key(), made);
    cells_changed_.store(true, memory_order_release);  // release: pairs with refresh_cells()
    return made;
  }

  void send_ahead(membership& m, std::uint64_t phase, const T& x) {
    sender_cell<T>* cell = nullptr;
    if (is_ordered()) {
      cell = &cell_of(m);
    }
    const std::lock_guard hold(lock_);
    ahead_[phase].push_back({cell, m.ordinal, x});
    ahead_count_.fetch_add(1, memory_order_release);  // release: pairs with complete()
  }

  // ---- completing, by whoever turns the phase ----

  // What was sent before this phase was near. The newest first: it may meet what the same task has sent since.
  void take_ahead(worker* w, std::uint64_t phase) {
    std::vector<early> all;
    {
      const std::lock_guard hold(lock_);
      const auto at = ahead_.find(phase);
      if (at == ahead_.end()) {
        return;
      }
      all = std::move(at->second);
      ahead_.erase(at);
      ahead_count_.fetch_sub(all.size(), memory_order_relaxed);  // relaxed: under the lock
    }
    std::reverse(all.begin(), all.end());
    for (const early& e : all) {
      if (e.cell == nullptr) {
        send_on(shares_[static_cast<std::size_t>(w->id)].in_phase[buffer_of(phase)], e.ordinal, phase, e.value);
        continue;
      }
      tagged<T>& to = e.cell->in_phase[buffer_of(phase)];
      const combining user(of_user_);
      to.value = to.tag == tag_of(phase) ? T(combine_(e.value, std::as_const(to.value))) : e.value;
      to.tag = tag_of(phase);
    }
  }

  T fold(std::uint64_t phase) {
    const combining user(of_user_);
    const std::size_t buffer = buffer_of(phase);
    if (is_eager()) {
      T sum = shared_[buffer]->get();
      shared_[buffer_of(phase + 2)]->reset(identity_);  // nobody sends to it before this phase has turned
      return sum;
    }
    if (!is_ordered()) {
      return fold_in_order(
          shares_.size(), [&](std::size_t i) -> const tagged<T>& { return shares_[i].in_phase[buffer].sum; }, phase);
    }
    refresh_cells();
    // Half of the cells lie in another processor's cache.
    const auto cell = [&](std::size_t i) -> const tagged<T>& {
      __builtin_prefetch(&in_order_[std::min(i + k_cells_ahead, in_order_.size() - 1)]->in_phase[buffer]);
      return in_order_[i]->in_phase[buffer];
    };
    if (strategy_.kind() != strategy_kind::tree) {
      return fold_in_order(in_order_.size(), cell, phase);
    }
    const std::optional<T> sum = fold_as_tree(0, in_order_.size(), cell, phase);
    return sum.has_value() ? *sum : identity_;
  }

  template <class At>
  T fold_in_order(std::size_t n, const At& at, std::uint64_t phase) const {
    std::size_t i = 0;
    while (i != n && at(i).tag != tag_of(phase)) {
      ++i;
    }
    if (i == n) {
      return identity_;
    }
    T sum = at(i).value;
    while (++i != n) {
      if (at(i).tag == tag_of(phase)) {
        sum = T(combine_(std::as_const(sum), at(i).value));
      }
    }
    return sum;
  }

  // Halves of the places down to a few, whoever of them has sent: the shape depends on the registrations alone.
  template <class At>
  std::optional<T> fold_as_tree(std::size_t first, std::size_t last, const At& at, std::uint64_t phase) const {
    if (last - first <= k_leaf) {
      std::optional<T> sum;
      for (std::size_t i = first; i != last; ++i) {
        if (const tagged<T>& sent = at(i); sent.tag == tag_of(phase)) {
          sum = sum.has_value() ? T(combine_(std::as_const(*sum), sent.value)) : sent.value;
        }
      }
      return sum;
    }
    const std::size_t middle = first + (last - first + 1) / 2;
    std::optional<T> left = fold_as_tree(first, middle, at, phase);
    std::optional<T> right = fold_as_tree(middle, last, at, phase);
    if (!left.has_value() || !right.has_value()) {
      return left.has_value() ? std::move(left) : std::move(right);
    }
    return std::optional<T>(T(combine_(std::as_const(*left), std::as_const(*right))));
  }

  // The cells in the order of registration; who has none has sent nothing.
  void refresh_cells() {
    if (order_version_ == core_.order_version() &&
        !cells_changed_.load(memory_order_acquire)) {  // acquire: make_cell()
      return;
    }
    const std::lock_guard hold(lock_);
    cells_changed_.store(false, memory_order_relaxed);  // relaxed: under the lock
    order_version_ = core_.order_version();
    in_order_.clear();
    for (const auto& s : core_.order()) {
      if (void* const cell = s->cell(key()); cell != nullptr) {
        in_order_.push_back(static_cast<sender_cell<T>*>(cell));
      }
    }
  }

  // ---- scans ----

  // With the lock: senders and their cells may come meanwhile.
  [[nodiscard]] std::vector<contribution<T>> contributions_locked(std::uint64_t phase) const {
    std::vector<contribution<T>> all;
    if (is_ordered()) {
      core_.for_each_sender([&](const sender& s) {
        if (const auto* cell = static_cast<const sender_cell<T>*>(s.cell(key())); cell != nullptr) {
          if (const tagged<T>& sent = cell->in_phase[buffer_of(phase)]; sent.tag == tag_of(phase)) {
            all.push_back({s.ordinal, sent.value});
          }
        }
      });
      return all;
    }
    for (const auto& s : shares_) {
      if (const auto& part = s.in_phase[buffer_of(phase)]; part.sum.tag == tag_of(phase)) {
        all.insert(all.end(), part.log.begin(), part.log.end());
      }
    }
    return in_order_of_registration(std::move(all));
  }

  // Stable: what one task sent stays in its order.
  [[nodiscard]] static std::vector<contribution<T>> in_order_of_registration(std::vector<contribution<T>> all) {
    std::vector<std::pair<std::uint64_t, std::size_t>> places;
    places.reserve(all.size());
    for (std::size_t i = 0; i != all.size(); ++i) {
      places.emplace_back(all[i].ordinal, i);
    }
    std::sort(places.begin(), places.end());
    std::vector<contribution<T>> sorted;
    sorted.reserve(all.size());
    for (const auto& [ordinal, i] : places) {
      sorted.push_back(std::move(all[i]));
    }
    return sorted;
  }

  // In place: each value becomes the fold up to it; one entry for each task.
  [[nodiscard]] prefixes fold_prefixes(std::vector<contribution<T>> all) const {
    const combining user(of_user_);
    std::size_t n = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (i != 0) {
        all[i].value = T(combine_(std::as_const(all[n - 1].value), std::as_const(all[i].value)));
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
      all = contributions_locked(phase);
    }
    return fold_prefixes(std::move(all));
  }

  // Gives the result of a phase its folds, while what was sent is still in its buffer.
  void complete_scan(std::uint64_t phase) {
    {
      const std::lock_guard hold(lock_);
      const result& r = results_[buffer_of(phase)];
      if (r.tag != tag_of(phase) || r.tag == 0 || r.scan != nullptr || r.failure != nullptr) {
        return;
      }
    }
    prefixes made = prefixes_of_buffers(phase);
    const std::lock_guard hold(lock_);
    results_[buffer_of(phase)].scan = std::move(made);
  }

  [[nodiscard]] result* find_locked(std::uint64_t phase) {
    if (const auto at = late_.find(phase); at != late_.end()) {
      return &at->second;
    }
    result& r = results_[buffer_of(phase)];
    return r.tag == tag_of(phase) ? &r : nullptr;
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
      all = contributions_locked(phase);
    }
    prefixes made = fold_prefixes(std::move(all));
    const std::lock_guard hold(lock_);
    if (result* const r = find_locked(phase); r != nullptr) {
      r->scan = made;
    }
    return made;
  }

  phaser_core& core_;  // holds this
  const T identity_;
  const C combine_;
  const bool of_user_;
  const strategy strategy_;
  const way way_;
  const bool is_plain_sum_;                                         // of per_worker with an operator
  std::vector<worker_share<T>> shares_;                             // by worker
  std::array<std::unique_ptr<shared_value<T>>, k_buffers> shared_;  // of eager strategies
  std::array<result, k_buffers> results_;                           // see value_of()
  atomic<bool> scans_{false};                                       // somebody has asked for one

  // Of whoever turns the phase.
  std::uint64_t completed_ = 0;  // tag
  std::vector<sender_cell<T>*> in_order_;
  std::uint64_t order_version_ = 0;

  mutable std::mutex lock_;                            // protects all below, and the cells of senders
  std::map<std::uint64_t, result> late_;               // that only slow readers may still ask for
  std::map<std::uint64_t, std::vector<early>> ahead_;  // sent before the phase was near
  std::vector<sender_cell<T>> fixed_;                  // of fixed_lazy: has room for so many
  std::vector<std::unique_ptr<sender_cell<T>>> cells_;
  atomic<bool> cells_changed_{false};
  atomic<std::uint64_t> ahead_count_{0};
};

}  // namespace tactus::detail
