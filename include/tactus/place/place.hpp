// SPDX-License-Identifier: Apache-2.0
// place, place_group, here, places: where tasks run.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tactus {

/// One of the places of a run: workers of their own, and the data that their tasks reach. A number from 0 to num_places() - 1, as a
/// value: copied and compared anywhere, sent anywhere. The default one is place 0, where the root task runs.
/// Errors: none but those of the constructor and of next() and prev().
/// \snippet 17_places.cpp places
/// \ingroup places
class place {
public:
  constexpr place() noexcept = default;

  /// The place of that number. place_error if there is none; usage_error outside a task.
  TACTUS_API explicit place(int number);

  /// Its number.
  [[nodiscard]] constexpr int id() const noexcept { return number_; }

  /// The place after it, which is place 0 for the last one. usage_error outside a task.
  [[nodiscard]] TACTUS_API place next() const;

  /// The place before it, which is the last one for place 0. usage_error outside a task.
  [[nodiscard]] TACTUS_API place prev() const;

  friend constexpr bool operator==(place, place) noexcept = default;                   ///< by number
  friend constexpr std::strong_ordering operator<=>(place, place) noexcept = default;  ///< by number

  /// Both ways, between machines of either byte order.
  template <class Ar>
  friend constexpr void serialize(Ar& ar, place& p) {
    ar & p.number_;
  }

#ifndef DOXYGEN
  // By who knows that it is one.
  struct unchecked {
    int number;
  };
  constexpr explicit place(unchecked known) noexcept : number_(known.number) {}
#endif

private:
  int number_ = 0;
};

/// What texts call a place: "place 3" for the one of that number.
/// Errors: std::bad_alloc.
/// \snippet 17_places.cpp places
/// \ingroup places
[[nodiscard]] TACTUS_API std::string to_string(place p);

/// Some places in an order: what places() returns. A value that travels; a random-access range of place. Its iterators keep what they go
/// through, and those of equal groups compare by where they stand, so that `for (auto it = places().begin(); it != places().end(); ++it)`
/// is right.
/// Errors: std::bad_alloc where one is made.
/// \snippet 17_places.cpp places
/// \ingroup places
class place_group {
public:
  using value_type = place;  ///< of a range

#ifdef DOXYGEN
  /// Random access. Keeps what it goes through; those of equal groups compare.
  using const_iterator = implementation_defined;
#else
  class const_iterator;
#endif

  /// Of no place.
  place_group() = default;

  /// Those listed, in that order.
  place_group(std::initializer_list<place> some) : place_group(some.begin(), some.end()) {}

  /// Those of [first, last), in that order.
  template <std::input_iterator I, std::sentinel_for<I> S>
  place_group(I first, S last) {
    list all;
    for (; first != last; ++first) {
      all.push_back(*first);
    }
    keep(std::move(all));
  }

  [[nodiscard]] const_iterator begin() const noexcept;                                       ///< the first
  [[nodiscard]] const_iterator end() const noexcept;                                         ///< behind the last
  [[nodiscard]] std::size_t size() const noexcept { return places_ ? places_->size() : 0; }  ///< how many
  [[nodiscard]] bool empty() const noexcept { return places_ == nullptr; }                   ///< whether there is none
  [[nodiscard]] place operator[](std::size_t i) const noexcept { return (*places_)[i]; }     ///< the i-th

  /// The same places in the same order.
  friend bool operator==(const place_group& a, const place_group& b) noexcept {
    return are_equal(a.places_, b.places_);
  }

  /// For archives.
  template <class Ar>
  void serialize(Ar& ar) {
    if constexpr (Ar::loading) {
      list all;
      ar & all;
      keep(std::move(all));
    } else if (places_ == nullptr) {
      ar& list();
    } else {
      ar&* places_;
    }
  }

private:
  using list = std::vector<place>;
  using shared_list = std::shared_ptr<const list>;

  static bool are_equal(const shared_list& a, const shared_list& b) noexcept {
    return a == b || (a != nullptr && b != nullptr && *a == *b);
  }
  void keep(list&& all) { places_ = all.empty() ? nullptr : std::make_shared<const list>(std::move(all)); }

  shared_list places_;  // that copies and iterators share; null: none
};

#ifndef DOXYGEN
class place_group::const_iterator {
public:
  using value_type = place;
  using difference_type = std::ptrdiff_t;
  using reference = place;
  using pointer = void;
  using iterator_category = std::input_iterator_tag;  // since it returns values
  using iterator_concept = std::random_access_iterator_tag;

  const_iterator() noexcept = default;

  [[nodiscard]] place operator*() const noexcept { return (*of_)[static_cast<std::size_t>(at_)]; }
  [[nodiscard]] place operator[](difference_type n) const noexcept { return *(*this + n); }

  const_iterator& operator++() noexcept { return *this += 1; }
  const_iterator operator++(int) noexcept {
    const_iterator before = *this;
    ++*this;
    return before;
  }
  const_iterator& operator--() noexcept { return *this -= 1; }
  const_iterator operator--(int) noexcept {
    const_iterator before = *this;
    --*this;
    return before;
  }
  const_iterator& operator+=(difference_type n) noexcept {
    at_ += n;
    return *this;
  }
  const_iterator& operator-=(difference_type n) noexcept {
    at_ -= n;
    return *this;
  }
  [[nodiscard]] friend const_iterator operator+(const_iterator i, difference_type n) noexcept { return i += n; }
  [[nodiscard]] friend const_iterator operator+(difference_type n, const_iterator i) noexcept { return i += n; }
  [[nodiscard]] friend const_iterator operator-(const_iterator i, difference_type n) noexcept { return i -= n; }
  [[nodiscard]] friend difference_type operator-(const const_iterator& a, const const_iterator& b) noexcept {
    return a.at_ - b.at_;
  }
  [[nodiscard]] bool operator==(const const_iterator& other) const noexcept {
    return at_ == other.at_ && are_equal(of_, other.of_);
  }
  [[nodiscard]] friend std::strong_ordering operator<=>(const const_iterator& a, const const_iterator& b) noexcept {
    return a.at_ <=> b.at_;
  }

private:
  friend class place_group;
  const_iterator(shared_list of, difference_type at) noexcept : of_(std::move(of)), at_(at) {}

  shared_list of_;
  difference_type at_ = 0;
};
inline place_group::const_iterator place_group::begin() const noexcept { return {places_, 0}; }
inline place_group::const_iterator place_group::end() const noexcept {
  return {places_, static_cast<std::ptrdiff_t>(size())};
}
#endif

namespace detail {

struct here_verb {
  place operator()() const { return place(place::unchecked{any_worker_for("here")->place}); }
};

struct num_places_verb {
  int operator()() const { return any_worker_for("num_places")->places_of_run; }
};

struct places_verb {
  TACTUS_API place_group operator()() const;
};

}  // namespace detail

/// The place where the caller runs: the same for the whole task, but inside of at(). Never suspends.
/// Errors: usage_error outside a task.
/// \snippet 17_places.cpp places
/// \ingroup places
#ifdef DOXYGEN
place here();
#else
inline constexpr detail::here_verb here{};
#endif

/// How many places the run has: config::places. Never suspends.
/// Errors: usage_error outside a task.
/// \snippet 17_places.cpp places
/// \ingroup places
#ifdef DOXYGEN
int num_places();
#else
inline constexpr detail::num_places_verb num_places{};
#endif

/// All places of the run, by number. Never suspends.
/// Errors: usage_error outside a task; std::bad_alloc.
/// \snippet 17_places.cpp places
/// \ingroup places
#ifdef DOXYGEN
place_group places();
#else
inline constexpr detail::places_verb places{};
#endif

}  // namespace tactus

#ifndef DOXYGEN
/// As its number.
template <>
struct std::hash<tactus::place> {
  std::size_t operator()(tactus::place p) const noexcept { return static_cast<std::size_t>(p.id()); }
};
#endif
