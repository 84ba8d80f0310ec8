// SPDX-License-Identifier: Apache-2.0
// Objects that travel as the bytes that they have in memory: taking them out of a message, in the order of this machine, and never as
// an object that no program could have made.
#pragma once

#include <tactus/wire/impl/archives.hpp>
#include <tactus/wire/impl/travel_facts.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// Of a number of that size. Where processors have an instruction for it, loops of them take several numbers at once.
template <std::size_t Bytes>
void reverse_bytes(std::byte* first) noexcept {
  const auto with = [first]<class Number>(Number number, auto reversed) {
    std::memcpy(&number, first, sizeof number);
    number = reversed(number);
    std::memcpy(first, &number, sizeof number);
  };
  if constexpr (Bytes == 2) {
    with(std::uint16_t{}, [](std::uint16_t x) { return __builtin_bswap16(x); });
  } else if constexpr (Bytes == 4) {
    with(std::uint32_t{}, [](std::uint32_t x) { return __builtin_bswap32(x); });
  } else if constexpr (Bytes == 8) {
    with(std::uint64_t{}, [](std::uint64_t x) { return __builtin_bswap64(x); });
  } else {
    for (std::size_t i = 0; i < Bytes / 2; ++i) {
      std::swap(first[i], first[Bytes - 1 - i]);
    }
  }
}

/// bool, and an enum of it.
template <class T>
consteval bool find_truth() {
  if constexpr (std::is_enum_v<T>) {
    return std::is_same_v<std::underlying_type_t<T>, bool>;
  } else {
    return std::is_same_v<T, bool>;
  }
}

/// Whether some bytes of that size are no T.
template <class T>
consteval bool find_doubtful() {
  constexpr travel_kind k = kind_of<T>;
  if constexpr (k == travel_kind::scalar) {
    return find_truth<T>();
  } else if constexpr (k == travel_kind::blob) {
    return has_spare_bits<T>;
  } else if constexpr (k == travel_kind::array || k == travel_kind::aggregate) {
    return []<class... E>(types<E...>) { return (find_doubtful<std::remove_cv_t<E>>() || ...); }(parts<T>{});
  } else {
    return false;
  }
}
template <class T>
inline constexpr bool is_doubtful = find_doubtful<T>();

/// Of an object that has the bytes of another machine's order, or is to get them: turns each of its numbers round.
template <class T>
void turn(T& x) noexcept {
  constexpr travel_kind k = kind_of<T>;
  if constexpr (k == travel_kind::array) {
    for (auto& each : x) turn(each);
  } else if constexpr (k == travel_kind::aggregate) {
    for_fields(x, []<class... E>(E&... each) { (turn(const_cast<std::remove_const_t<E>&>(each)), ...); });
  } else if constexpr (k == travel_kind::scalar || k == travel_kind::blob) {
    using number = std::conditional_t<k == travel_kind::scalar, T, unit<T>>;
    if constexpr (!std::is_void_v<number>) {
      auto* const first = reinterpret_cast<std::byte*>(std::addressof(x));
      for (std::size_t at = 0; at < sizeof(T); at += sizeof(number)) reverse_bytes<sizeof(number)>(first + at);
    }
  }
}

/// How large each number in a T is, if they are all alike and there is nothing else; or 0.
template <class T>
consteval std::size_t find_number_bytes() {
  constexpr travel_kind k = kind_of<T>;
  if constexpr (k == travel_kind::scalar) {
    return sizeof(T);
  } else if constexpr (k == travel_kind::blob) {
    if constexpr (std::is_void_v<unit<T>>) {
      return 0;
    } else {
      return sizeof(unit<T>);
    }
  } else if constexpr (k == travel_kind::array || k == travel_kind::aggregate) {
    return []<class First, class... E>(types<First, E...>) -> std::size_t {
      constexpr std::size_t n = find_number_bytes<std::remove_cv_t<First>>();
      constexpr bool alike = ((find_number_bytes<std::remove_cv_t<E>>() == n) && ...);
      constexpr bool dense = k == travel_kind::array || (sizeof(First) + ... + sizeof(E)) == sizeof(T);
      return alike && dense ? n : 0;
    }(parts<T>{});
  } else {
    return 0;
  }
}

/// The same of n objects whose bytes lie one behind the other, at any address.
template <class T>
void turn_images([[maybe_unused]] std::byte* first, [[maybe_unused]] std::size_t n) noexcept {
  constexpr std::size_t number = find_number_bytes<T>();
  if constexpr (number == 2 || number == 4 || number == 8) {
    for (std::size_t at = 0; at < n * sizeof(T); at += number) reverse_bytes<number>(first + at);
  } else if constexpr (number != 1) {
    for (std::size_t i = 0; i < n; ++i, first += sizeof(T)) {
      alignas(T) std::byte turned[sizeof(T)];
      std::memcpy(turned, first, sizeof(T));
      turn(*std::launder(reinterpret_cast<T*>(turned)));
      std::memcpy(first, turned, sizeof(T));
    }
  }
}

/// Of an object that has the bytes of a message: whether they are a T. A bool is not read as one before, and what a bitset has besides its
/// bits is cleared.
template <class T>
bool is_sound(T& x) noexcept {
  constexpr travel_kind k = kind_of<T>;
  if constexpr (!is_doubtful<T>) {
    return true;
  } else if constexpr (k == travel_kind::scalar) {
    return *reinterpret_cast<const unsigned char*>(&x) <= 1;
  } else if constexpr (k == travel_kind::blob) {
    x &= T().set();
    return true;
  } else if constexpr (k == travel_kind::array) {
    for (auto& each : x) {
      if (!is_sound(each)) {
        return false;
      }
    }
    return true;
  } else {
    return for_fields(
        x, []<class... E>(E&... each) { return (is_sound(const_cast<std::remove_const_t<E>&>(each)) && ...); });
  }
}

/// Makes a T of the bytes of the message. False if they are none.
template <byte_order Order, class T>
bool settle(T& x) noexcept {
  if constexpr (Order == byte_order::swapped) {
    turn(x);
  }
  return is_sound(x);
}

/// The bytes of n objects, which are settled when they have been copied.
template <class T, class In>
const std::byte* take_image(In& in, std::size_t n = 1) {
  if constexpr (In::order == byte_order::swapped && !facts_of<T>::swaps) {
    throw_not_swapped(in.from());
  }
  return in.take(n * sizeof(T));
}

template <class T, class In>
void load_image_into(In& in, T& x) {
  if constexpr (kind_of<T> == travel_kind::empty) {
    in.take(sizeof(T));  // and into no object: what overlaps with an empty one would be lost
  } else {
    void* const at = const_cast<std::remove_cv_t<T>*>(std::addressof(x));
    std::memcpy(at, take_image<T>(in), sizeof(T));
    if (!settle<In::order>(x)) {
      std::memset(at, 0, sizeof(T));
      in.damaged("a bool is neither true nor false");
    }
  }
}

template <class T, class In>
T load_image(In& in) {
  if constexpr (kind_of<T> == travel_kind::empty || std::is_trivially_default_constructible_v<T>) {
    T x;
    load_image_into(in, x);
    return x;
  } else {
    union storage {  // a T whose constructor does not run
      storage() noexcept {}
      ~storage() {}
      T x;
    } made;
    load_image_into(in, made.x);
    return made.x;
  }
}

template <class Out, class T>
void save_images(Out& out, const T* first, std::size_t n) {
  if constexpr (kind_of<T> == travel_kind::empty) {
    out.put_zeros(n * sizeof(T));
  } else if constexpr (Out::order == byte_order::same) {
    out.put(first, n * sizeof(T));
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      alignas(T) std::byte turned[sizeof(T)];
      std::memcpy(turned, first + i, sizeof(T));
      turn(*std::launder(reinterpret_cast<T*>(turned)));
      out.put(turned, sizeof(T));
    }
  }
}

}  // namespace tactus::detail
