// SPDX-License-Identifier: Apache-2.0
// What a program that is compiled with TACTUS_CHECKED is told of its use of ghosts, beyond what always is; and what AddressSanitizer is.
#pragma once

#include <tactus/array/array_options.hpp>
#include <tactus/array/impl/cells_by_address.hpp>
#include <tactus/array/impl/element_copies.hpp>
#include <tactus/array/impl/patches.hpp>
#include <tactus/array/view.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/platform.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(TACTUS_CHECKED) && TACTUS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace tactus::detail {

#ifdef TACTUS_CHECKED

/// Words that lie in the box alone: those that it shares with its neighbours are left alone.
template <class T, std::size_t N, class F>
void for_each_whole_word([[maybe_unused]] const view<T, N>& u, [[maybe_unused]] const box<N>& b,
                         [[maybe_unused]] F&& f) {
  constexpr std::uintptr_t k_word = 8;
  for (const std::span<T> row : u.rows(b)) {
    const auto first = (reinterpret_cast<std::uintptr_t>(row.data()) + k_word - 1) / k_word * k_word;
    const auto last = reinterpret_cast<std::uintptr_t>(row.data() + row.size()) / k_word * k_word;
    if (first < last) {
      f(reinterpret_cast<void*>(first), last - first);  // NOLINT(performance-no-int-to-ptr): from one
    }
  }
}

/// Nobody may touch these until they have come.
template <class T, std::size_t N>
void poison_cells([[maybe_unused]] const view<T, N>& u, [[maybe_unused]] const box<N>& b) {
#if TACTUS_ASAN
  for_each_whole_word(u, b, [](void* at, std::size_t n) { __asan_poison_memory_region(at, n); });
#endif
}
/// Before they are written.
template <class T, std::size_t N>
void unpoison_cells([[maybe_unused]] const view<T, N>& u, [[maybe_unused]] const box<N>& b) {
#if TACTUS_ASAN
  for_each_whole_word(u, b, [](void* at, std::size_t n) { __asan_unpoison_memory_region(at, n); });
#endif
}

/// Of one array at one place.
template <class T, std::size_t N>
class ghost_checks {
  using plan_type = std::vector<neighbour_patches<N>>;
  static constexpr bool is_bytes = copies_are_bytes<T>;

public:
  ghost_checks(const std::vector<view<T, N>>& blocks, const std::string& name, int here)
      : blocks_(blocks), of_("'" + name + "' "), at_("at place " + std::to_string(here)) {}
  ghost_checks(const ghost_checks&) = delete;
  ghost_checks& operator=(const ghost_checks&) = delete;
  ~ghost_checks() {
    for (const T* const first : memory_) {
      cells_by_address::remove(first);
    }
  }

  /// Its cells lie there, until it ends.
  void knows(const T* first, std::size_t cells) {
    memory_.push_back(first);
    cells_by_address::add(first, cells * sizeof(T), of_ + at_);
  }

  /// While a task is in send or wait. usage_error: another one is.
  class in_call {
  public:
    in_call(const ghost_checks& of, const char* call) : busy_(of.busy_) {
      if (busy_->exchange(true, memory_order_acquire)) {  // acquire: what the last one did; pairs with the release
        throw usage_error(std::string("tactus: ") + call + ": two tasks are in an exchange of " + of.of_ + of.at_ +
                          " at once; let one wait for the other, or wait for boxes");
      }
    }
    ~in_call() { busy_->store(false, memory_order_release); }
    in_call(const in_call&) = delete;
    in_call& operator=(const in_call&) = delete;

  private:
    const std::shared_ptr<atomic<bool>> busy_;  // the array may end meanwhile
  };
  [[nodiscard]] in_call enter(const char* call) { return in_call(*this, call); }

  /// usage_error: a ghost has been written since the last exchange. `ghosts` gives their order, which is always the same: exchanges of one
  /// array may be by several plans.
  void before_send(const char* call, const plan_type& ghosts, std::uint64_t last) const {
    if (is_kept_) {
      if (const point<N>* const x = differs(ghosts, kept_, true)) {
        throw usage_error(std::string("tactus: ") + call + ": ghost " + to_string(*x) + " of " + of_ + "was written " +
                          at_ + " since exchange " + std::to_string(last) +
                          "; such writes are lost: accumulate_ghosts gives them to their owners");
      }
    }
  }

  /// Just before it is open: from now on ghosts are nobody's, and who reads one nonetheless sees that.
  void opens(const plan_type& plan, ghost_source promised) {
    if constexpr (is_bytes) {
      const bool is_promised = promised == ghost_source::kept;
      if (is_promised) {
        promised_ = copy_of(plan, false);
      }
      for_each_patch(plan, [this](const patch<N>& p) {
        unpoison_cells(blocks_[p.here], p.cells);  // a group may have ended with its exchange open
      });
      before_ = copy_of(plan, true);
      for_each_patch(plan, [this](const patch<N>& p) {
        fill_with_pattern(blocks_[p.here], p.cells);
        poison_cells(blocks_[p.here], p.cells);
      });
      is_promised_ = is_promised;
      was_kept_ = std::exchange(is_kept_, false);
    }
  }

  /// What sends has thrown after that: the ghosts are what they were.
  void has_not_opened(const plan_type& plan) noexcept {
    if constexpr (is_bytes) {
      for_each_patch(plan, [this](const patch<N>& p) { unpoison_cells(blocks_[p.here], p.cells); });
      std::size_t at = 0;
      for_each_patch(plan, [this, &at](const patch<N>& p) {
        p.cells.each([&](const point<N>& x) {
          std::memcpy(static_cast<void*>(&blocks_[p.here][x]), &before_[at], sizeof(T));
          at += sizeof(T);
        });
      });
      is_promised_ = false;
      is_kept_ = was_kept_;
    }
  }

  /// When it has been closed. usage_error: a cell that was promised to be kept has been written.
  void closed(const char* call, const plan_type& plan, const plan_type& ghosts, std::uint64_t number) {
    if (is_promised_) {
      is_promised_ = false;
      if (const point<N>* const x = differs(plan, promised_, false)) {
        throw usage_error(std::string("tactus: ") + call + ": cell " + to_string(*x) + " of " + of_ + "was written " +
                          at_ + " while exchange " + std::to_string(number) +
                          " was open, to which ghost_source::kept had promised it; send without that promise");
      }
    }
    if constexpr (is_bytes) {
      kept_ = copy_of(ghosts, true);
      is_kept_ = true;
    }
  }

  /// While nothing is open: what ghosts are is as it should be.
  void forget() {
    is_kept_ = false;
    for (const view<T, N>& u : blocks_) {
      unpoison_cells(u, u.stored());  // as in opens()
    }
  }

private:
  static void fill_with_pattern(const view<T, N>& u, const box<N>& b) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      T pattern{};
      if constexpr (std::is_floating_point_v<T>) {
        pattern = std::numeric_limits<T>::signaling_NaN();
      } else {
        std::memset(&pattern, 0xCB, sizeof pattern);
      }
      b.each([&](const point<N>& x) { std::memcpy(&u[x], &pattern, sizeof pattern); });
    }
  }

  template <class F>
  static void for_each_patch(const plan_type& plan, F&& f) {
    for (const neighbour_patches<N>& n : plan) {
      for (const patch<N>& p : n.in) {
        f(p);
      }
    }
  }

  template <class F>
  void for_each_cell(const plan_type& plan, bool ghosts, F&& f) const {
    for (const neighbour_patches<N>& n : plan) {
      for (const patch<N>& p : ghosts ? n.in : n.out) {
        const view<T, N>& u = blocks_[p.here];
        for (const point<N>& x : p.cells) {
          if (ghosts || u.resident().contains(x)) {  // by shift a place passes on ghosts, too
            f(x, u[x]);
          }
        }
      }
    }
  }

  [[nodiscard]] std::vector<std::byte> copy_of(const plan_type& plan, bool ghosts) const {
    std::vector<std::byte> all;
    if constexpr (is_bytes) {
      for_each_cell(plan, ghosts, [&](const point<N>&, const T& cell) {
        const auto* const bytes = reinterpret_cast<const std::byte*>(&cell);
        all.insert(all.end(), bytes, bytes + sizeof(T));
      });
    }
    return all;
  }

  // The first cell that is other than it was; null: there is none.
  [[nodiscard]] const point<N>* differs(const plan_type& plan, const std::vector<std::byte>& before,
                                        bool ghosts) const {
    bool found = false;
    if constexpr (is_bytes) {
      std::size_t at = 0;
      for_each_cell(plan, ghosts, [&](const point<N>& x, const T& cell) {
        if (!found && std::memcmp(&before[at], static_cast<const void*>(&cell), sizeof(T)) != 0) {
          found = true;
          written_ = x;
        }
        at += sizeof(T);
      });
    }
    return found ? &written_ : nullptr;
  }

  const std::vector<view<T, N>>& blocks_;
  const std::string of_;
  const std::string at_;
  std::vector<const T*> memory_;
  std::vector<std::byte> kept_;      // ghosts, from the end of an exchange to the next
  std::vector<std::byte> before_;    // what they were when the last one was to be opened
  std::vector<std::byte> promised_;  // cells that an open one was promised
  bool is_kept_ = false;
  bool was_kept_ = false;
  bool is_promised_ = false;
  mutable point<N> written_;
  std::shared_ptr<atomic<bool>> busy_ = std::make_shared<atomic<bool>>(false);
};

#else

template <class T, std::size_t N>
void unpoison_cells(const view<T, N>& /*u*/, const box<N>& /*b*/) noexcept {}

/// Nothing is looked at, nothing kept.
template <class T, std::size_t N>
class ghost_checks {
  using plan_type = std::vector<neighbour_patches<N>>;

public:
  ghost_checks(const std::vector<view<T, N>>& /*blocks*/, const std::string& /*name*/, int /*here*/) noexcept {}
  static void knows(const T* /*first*/, std::size_t /*cells*/) noexcept {}
  struct in_call {};
  [[nodiscard]] static in_call enter(const char* /*call*/) noexcept { return {}; }
  static void before_send(const char* /*call*/, const plan_type& /*ghosts*/, std::uint64_t /*last*/) noexcept {}
  static void opens(const plan_type& /*plan*/, ghost_source /*promised*/) noexcept {}
  static void has_not_opened(const plan_type& /*plan*/) noexcept {}
  static void closed(const char* /*call*/, const plan_type& /*plan*/, const plan_type& /*ghosts*/,
                     std::uint64_t /*number*/) noexcept {}
  static void forget() noexcept {}
};

#endif

}  // namespace tactus::detail
