// SPDX-License-Identifier: Apache-2.0
// place, place_group, here, places: where tasks run.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
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

/// Some places in an order: what places() returns. A value that travels; a random-access range of place.
/// Errors: std::bad_alloc where one is made or copied.
/// \snippet 17_places.cpp places
/// \ingroup places
class place_group {
public:
  using value_type = place;                                   ///< of a range
  using const_iterator = std::vector<place>::const_iterator;  ///< random access

  /// Of no place.
  place_group() = default;

  /// Those listed, in that order.
  place_group(std::initializer_list<place> some) : places_(some) {}

  /// Those of [first, last), in that order.
  template <std::input_iterator I, std::sentinel_for<I> S>
  place_group(I first, S last) {
    for (; first != last; ++first) {
      places_.push_back(*first);
    }
  }

  [[nodiscard]] const_iterator begin() const noexcept { return places_.begin(); }      ///< the first
  [[nodiscard]] const_iterator end() const noexcept { return places_.end(); }          ///< behind the last
  [[nodiscard]] std::size_t size() const noexcept { return places_.size(); }           ///< how many
  [[nodiscard]] bool empty() const noexcept { return places_.empty(); }                ///< whether there is none
  [[nodiscard]] place operator[](std::size_t i) const noexcept { return places_[i]; }  ///< the i-th

  friend bool operator==(const place_group&, const place_group&) = default;  ///< the same places in the same order

  /// For archives.
  template <class Ar>
  void serialize(Ar& ar) {
    ar & places_;
  }

private:
  std::vector<place> places_;
};

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
