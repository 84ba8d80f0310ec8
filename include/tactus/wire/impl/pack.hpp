// SPDX-License-Identifier: Apache-2.0
// The values of one message into the memory that its transport has for it, and out of it.
#pragma once

#include <tactus/base/impl/assert.hpp>
#include <tactus/wire/impl/archives.hpp>
#include <tactus/wire/impl/formats.hpp>
#include <tactus/wire/impl/range_formats.hpp>
#include <tactus/wire/impl/travel_check.hpp>

#include <cstddef>
#include <type_traits>

namespace tactus::detail {

/// Whether numbers in a T can be put right where its sender stores them the other way round. False of long double, and of classes that
/// travel as bytes and show no fields. What a serialize of the user's hands on is not seen: reading that is a place_error then.
template <class T>
inline constexpr bool swaps = facts_of<T>::swaps;

/// Whether all A's are alike, so that none is of an object of the user's.
template <class A>
consteval bool find_allocates_alike() {
  return std::allocator_traits<A>::is_always_equal::value;
}

/// Whether a T can be destroyed later than all else: no allocator in it knows where its memory comes from, which may go before.
template <class T, class... Seen>
consteval bool find_outlasts() {
  if constexpr ((std::is_same_v<T, Seen> || ...)) {
    return true;
  } else {
    if constexpr (requires { typename T::allocator_type; }) {
      if (!find_allocates_alike<typename T::allocator_type>()) {
        return false;
      }
    }
    return
        []<class... E>(types<E...>) { return (find_outlasts<std::remove_cv_t<E>, T, Seen...>() && ...); }(parts<T>{});
  }
}

/// Whether some of these values may have long ranges that go apart. None of them runs code of the user's, which might write what is gone
/// when that returns; and all of them can be destroyed after their sender has gone on.
template <class... T>
inline constexpr bool can_go_apart =
    ((facts_of<T>::why == refusal::none && !facts_of<T>::has_user_code && find_outlasts<T>()) && ...) &&
    (!is_image<T> || ...);

/// How many bytes the values take; if long ranges go apart, without these, and how many there are. Runs the user's serialize, whose
/// exceptions pass through; usage_error and resource_error of values that cannot travel.
struct packed_size {
  std::size_t bytes;
  std::size_t ranges;
};
template <class... T>
[[nodiscard]] packed_size packed_size_of(bool ranges_go_apart, const T&... x) {
  (check_value_travels<T>(), ...);
  counter out(ranges_go_apart);
  if constexpr (((facts_of<T>::why == refusal::none) && ...)) {
    (save_value(out, x), ...);
  }
  return {out.position(), out.ranges()};
}
template <class... T>
[[nodiscard]] std::size_t packed_bytes(const T&... x) {
  return packed_size_of(false, x...).bytes;
}

/// Writes them to `to`, of which so many bytes were counted. As packed_bytes; usage_error where a serialize writes another number of bytes
/// than it did then, after which what is there is no message. Order::swapped plays a machine of the other kind: what it writes has to be
/// something that swaps. `apart`: what gets the long ranges; null: they are written as all else.
template <byte_order Order, class... T>
void pack_beside(sent_ranges* apart, std::byte* to, std::size_t counted, const T&... x) {
  constexpr trust by = (facts_of<T>::has_user_code || ...) ? trust::user : trust::library;
  writer<by, Order> out(to, counted, apart);
  if constexpr (((facts_of<T>::why == refusal::none) && ...)) {
    (save_value(out, x), ...);
  }
  if constexpr (by == trust::user) {
    if (out.position() != counted) {
      throw_unwritable(unwritable::not_as_counted, counted);
    }
  }
  TACTUS_ASSERT(out.position() == counted, "what the library writes is as long as it has counted");
}
template <byte_order Order = byte_order::same, class... T>
void pack(std::byte* to, std::size_t counted, const T&... x) {
  pack_beside<Order>(nullptr, to, counted, x...);
}

/// The next value of a message. place_error if it is damaged; what the user's code throws passes through.
template <class T, byte_order Order>
[[nodiscard]] T unpack(reader<Order>& in) {
  check_value_travels<T>();
  if constexpr (facts_of<T>::why == refusal::none) {
    return load_value<T>(in);
  }
}

template <class Archive, class T>
Archive& save_field(Archive& out, const T& x) {
  check_value_travels<T>();
  if constexpr (facts_of<T>::why == refusal::none) {
    save_value(out, x);
  }
  return out;
}

template <class Archive, class T>
Archive& load_field(Archive& in, T& x) {
  static_assert(!std::is_const_v<T>, "serialize reads into what it hands to &, so that cannot be const");
  check_value_travels<T>();
  if constexpr (facts_of<T>::why == refusal::none && !std::is_const_v<T>) {
    load_into(in, x);
  }
  return in;
}

}  // namespace tactus::detail
