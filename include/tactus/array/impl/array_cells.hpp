// SPDX-License-Identifier: Apache-2.0
// What goes from array to array in an exchange.
#pragma once

#include <tactus/array/impl/copy_cells.hpp>
#include <tactus/array/impl/element_copies.hpp>
#include <tactus/array/impl/exchange.hpp>
#include <tactus/array/impl/ghost_checks.hpp>
#include <tactus/array/impl/operation_counts.hpp>
#include <tactus/array/impl/patches.hpp>
#include <tactus/array/impl/turned_cells.hpp>
#include <tactus/array/view.hpp>
#include <tactus/base/error.hpp>
#include <tactus/base/impl/any_function.hpp>
#include <tactus/place/impl/pack_here.hpp>
#include <tactus/place/impl/wired_call.hpp>
#include <tactus/place/travels.hpp>
#include <tactus/wire/impl/pack.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tactus::detail {

/// How contributions become part of a cell.
template <class T>
struct ghost_combiner {
  T identity;
  any_function<T(const T&, const T&)> combine;
};

template <class T, std::size_t N>
class array_cells : public exchange_cells {
public:
  using plan_type = std::vector<neighbour_patches<N>>;

  static constexpr bool is_bytes = copies_are_bytes<T>;

  array_cells(const std::vector<view<T, N>>& from, const std::vector<view<T, N>>& to,
              std::shared_ptr<const plan_type> plan)
      : from_(from), to_(to), plan_(std::move(plan)) {}

  [[nodiscard]] std::vector<int> places() const {
    std::vector<int> all;
    for (const auto& n : plan()) {
      all.push_back(n.place);
    }
    return all;
  }
  [[nodiscard]] const plan_type& plan() const noexcept { return *plan_; }

  /// What is sent from now on is combined so; none: it is copied. While no exchange is open. std::bad_alloc.
  void combine_by(std::shared_ptr<const ghost_combiner<T>> how) {
    combined_.assign(plan().size(), 0);
    how_ = std::move(how);
  }

  [[nodiscard]] reply_bytes pack(std::size_t n, std::size_t room) override {
    const neighbour_patches<N>& to = plan()[n];
    const std::size_t cells = cells_of(to.out);
    reply_bytes bytes;
    if (goes_raw(to.place)) {
      array_cells::pack_as_it_is(n, bytes.make(room + cells * sizeof(T)) + room);
      return bytes;
    }
    if constexpr (turns_in_place<T>) {
      const std::size_t packed = sizeof(std::uint64_t) + cells * sizeof(T);
      std::byte* const at = bytes.make(room + packed) + room;
      pack_here(at, sizeof(std::uint64_t), static_cast<std::uint64_t>(cells));
      array_cells::pack_as_it_is(n, at + sizeof(std::uint64_t));
#ifdef TACTUS_PLAYS_SWAPPED
      if (order_here() == byte_order::swapped) {
        turn_images<T>(at + sizeof(std::uint64_t), cells);
      }
#endif
      return bytes;
    } else if constexpr (travels<T> && can_be_copied<T>()) {
      std::vector<T> all;
      all.reserve(cells);
      for (const patch<N>& p : to.out) {
        const view<T, N>& u = from_[p.here];
        p.cells.each([&](const point<N>& x) { all.push_back(u[x]); });
      }
      const std::size_t packed = packed_bytes(all);
      if constexpr (!is_bytes) {
        packed_ += to.place == current_worker()->place ? 0 : packed;
      }
      std::byte* const at = bytes.make(room + packed) + room;
      pack_here(at, packed, all);
      return bytes;
    } else {
      throw config_error(
          "tactus: elements of an array go to " + to_string(place(place::unchecked{to.place})) +
          ", which stores numbers in another way, and their type says nothing of its fields; give it a serialize");
    }
  }

  void leave_packed() override {
    if constexpr (can_be_copied<T>()) {
      if (how_ == nullptr) {
        return;
      }
      if constexpr (std::is_nothrow_copy_assignable_v<T>) {
        for_each_packed([&](T& cell) { cell = how_->identity; });
      } else {
        leave_identities();
      }
    }
  }

  void unpack(std::size_t n, std::span<const std::byte> bytes, byte_order order) override {
    const neighbour_patches<N>& from = plan()[n];
    if (goes_raw(from.place)) {
      if constexpr (is_bytes) {
        unpack_raw<byte_order::same>(n, bytes);
      }
    } else if constexpr (travels<T> && can_be_copied<T>()) {
      if (order == byte_order::same) {
        unpack_of_unlike<byte_order::same>(n, bytes);
      } else if constexpr (facts_of<T>::swaps) {
        unpack_of_unlike<byte_order::swapped>(n, bytes);
      } else {
        throw_not_swapped(from.place, unlike::came);
      }
    }
  }

  void put(std::size_t n, exchange_cells& there) noexcept override {
    if constexpr (is_bytes) {
      const auto& other = static_cast<const array_cells&>(there);
      for (const patch<N>& p : plan()[n].out) {
        const view<T, N>& from = from_[p.here];
        const view<T, N>& to = other.to_[p.there];
        unpoison_cells(to, p.cells + p.shift);
        copy_cells<sizeof(T)>(p.cells, address(to, p.cells.lo + p.shift), cell_layout<N>::of(to),
                              address(from, p.cells.lo), cell_layout<N>::of(from));
      }
    }
  }

  [[nodiscard]] std::size_t bytes_to(std::size_t n) const noexcept override {
    return cells_of(plan()[n].out) * sizeof(T);
  }

  [[nodiscard]] bool goes_as_it_is(std::size_t n) const noexcept override { return goes_raw(plan()[n].place); }

  void pack_as_it_is(std::size_t n, [[maybe_unused]] std::byte* at) const noexcept override {
    if constexpr (is_bytes) {
      for (const patch<N>& p : plan()[n].out) {
        const view<T, N>& u = from_[p.here];
        copy_cells<sizeof(T)>(p.cells, at, cell_layout<N>::dense(p.cells, sizeof(T)), address(u, p.cells.lo),
                              cell_layout<N>::of(u));
        at += p.cells.size() * sizeof(T);
      }
    }
  }

  [[nodiscard]] bool packs_first() const noexcept override { return !is_bytes || how_ != nullptr; }

  [[nodiscard]] std::uint64_t take_sent_bytes() noexcept override {
    std::uint64_t bytes = std::exchange(packed_, 0);
    if constexpr (is_bytes) {
      for (const neighbour_patches<N>& n : plan()) {
        if (n.place != current_worker()->place) {
          for (const patch<N>& p : n.out) {
            bytes += p.cells.size() * sizeof(T);
          }
        }
      }
    }
    return bytes;
  }

  /// The messages of one exchange, and what is in them.
  void count_sent(operation_counts& into, array_operation o) {
    std::uint64_t messages = 0;
    for (const neighbour_patches<N>& n : plan()) {
      messages += n.place != current_worker()->place ? 1U : 0U;
    }
    into.add(o, messages, take_sent_bytes());
  }

protected:
  [[nodiscard]] const view<T, N>& source(std::size_t block) const noexcept { return from_[block]; }
  static std::size_t cells_of(const std::vector<patch<N>>& patches) noexcept {
    std::size_t all = 0;
    for (const patch<N>& p : patches) {
      all += p.cells.size();
    }
    return all;
  }
  static std::byte* address(const view<T, N>& u, const point<N>& p) noexcept {
    return reinterpret_cast<std::byte*>(const_cast<std::remove_const_t<T>*>(&u[p]));
  }

private:
  static bool goes_raw([[maybe_unused]] int to) {
    if constexpr (!is_bytes) {
      return false;
    } else {
#ifdef TACTUS_ASSUMES_ALIKE
      return true;
#else
      return current_worker()->place == to || is_alike(to);
#endif
    }
  }

  template <byte_order Order>
  void unpack_of_unlike(std::size_t n, std::span<const std::byte> bytes) {
    if constexpr (turns_in_place<T>) {
      reader<Order> in(bytes, plan()[n].place);
      const std::size_t all = in.take_length(sizeof(T)) * sizeof(T);
      const std::byte* const first = in.take(all);
      in.expect_end();
      unpack_raw<Order>(n, {first, all});
    } else {
      unpack_values<Order>(n, bytes);
    }
  }

  template <byte_order Order>
  void unpack_raw(std::size_t n, std::span<const std::byte> bytes) {
    const neighbour_patches<N>& from = plan()[n];
    const std::size_t all = cells_of(from.in) * sizeof(T);
    if (bytes.size() != all) {
      throw_unlike_plans(from.place, bytes.size() / sizeof(T), all / sizeof(T));
    }
    const std::byte* at = bytes.data();
    std::size_t contribution = 0;
    for (const patch<N>& p : from.in) {
      const view<T, N>& u = to_[p.here];
      if (how_ == nullptr) {
        unpoison_cells(u, p.cells);
        copy_cells<sizeof(T)>(p.cells, address(u, p.cells.lo), cell_layout<N>::of(u), at,
                              cell_layout<N>::dense(p.cells, sizeof(T)));
        if constexpr (Order == byte_order::swapped) {
          turn_cells(u, p.cells);
        }
        at += p.cells.size() * sizeof(T);
      } else {
        p.cells.each([&](const point<N>& x) {
          alignas(T) std::byte one[sizeof(T)];
          std::memcpy(one, at, sizeof(T));
          if constexpr (Order == byte_order::swapped) {
            turn_images<T>(one, 1);
          }
          combine_once(contribution++, n, u[x], *std::launder(reinterpret_cast<const T*>(one)));
          at += sizeof(T);
        });
      }
    }
  }

  template <byte_order Order>
  void unpack_values(std::size_t n, std::span<const std::byte> bytes) {
    const neighbour_patches<N>& from = plan()[n];
    reader<Order> in(bytes, from.place);
    auto all = tactus::detail::unpack<std::vector<T>>(in);
    in.expect_end();
    const std::size_t cells = cells_of(from.in);
    if (all.size() != cells) {
      throw_unlike_plans(from.place, all.size(), cells);
    }
    std::size_t i = 0;
    for (const patch<N>& p : from.in) {
      const view<T, N>& u = to_[p.here];
      if constexpr (is_bytes) {
        unpoison_cells(u, p.cells);
      }
      p.cells.each([&](const point<N>& x) {
        if (how_ == nullptr) {
          u[x] = std::move(all[i]);
        } else {
          combine_once(i, n, u[x], all[i]);
        }
        ++i;
      });
    }
  }

  // The i-th of what neighbour n contributes, unless that is in the cell already: what combines may throw, and who waits again begins at
  // the first one.
  void combine_once(std::size_t i, std::size_t n, T& cell, const T& value) {
    if (i == combined_[n]) {
      cell = how_->combine(cell, value);
      ++combined_[n];
    }
  }

  template <class F>
  void for_each_packed(F&& f) const {
    for (const neighbour_patches<N>& n : plan()) {
      for (const patch<N>& p : n.out) {
        const view<T, N>& u = from_[p.here];
        p.cells.each([&](const point<N>& x) { f(u[x]); });
      }
    }
  }

  static void change_places(T& a, T& b) {
    using std::swap;
    swap(a, b);
  }

  // Copies first; those that are there already change places back where one cannot.
  void leave_identities() {
    std::size_t cells = 0;
    for_each_packed([&](const T&) { ++cells; });
    std::vector<T> identities(cells, how_->identity);
    std::size_t changed = 0;
    try {
      for_each_packed([&](T& cell) {
        change_places(cell, identities[changed]);
        ++changed;
      });
    } catch (...) {
      std::size_t i = 0;
      for_each_packed([&](T& cell) {
        if (i < changed) {
          change_places(cell, identities[i]);
        }
        ++i;
      });
      throw;
    }
  }

  [[noreturn]] static void throw_unlike_plans(int from, std::size_t came, std::size_t wanted) {
    throw place_error("tactus: " + std::to_string(came) + " elements have come from " +
                      to_string(place(place::unchecked{from})) + " where " + std::to_string(wanted) +
                      " were to; the places run unlike programs");
  }

  const std::vector<view<T, N>>& from_;
  const std::vector<view<T, N>>& to_;
  std::shared_ptr<const plan_type> plan_;
  std::shared_ptr<const ghost_combiner<T>> how_;
  std::vector<std::size_t> combined_;  // by neighbour: contributions of the open exchange that are in their cells
  std::uint64_t packed_ = 0;           // bytes, since they were asked for
};

}  // namespace tactus::detail
