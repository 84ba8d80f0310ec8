// SPDX-License-Identifier: Apache-2.0
// How containers are written: the number of elements, then each. One that would take no byte is followed by a zero, so that no message
// can ask for more elements than it has bytes.
#pragma once

#include <tactus/base/impl/lesser.hpp>
#include <tactus/wire/impl/formats.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace tactus::detail {

template <class Least, class Out, class Save>
void save_element(Least least, Out& out, Save&& save) {
  if constexpr (least() == 0) {
    const std::size_t before = out.position();
    save();
    if (out.position() == before) {
      out.put_zeros(1);
    }
  } else {
    save();
  }
}

template <class Least, class In>
void end_of_element(Least least, In& in, std::size_t before) {
  if constexpr (least() == 0) {
    if (in.position() == before && in.template take_number<std::uint8_t>() != 0) {
      in.damaged("an element without bytes has one");
    }
  }
}

/// For n elements, of which each takes so many bytes or more. Memory is taken ahead for a few times what the message has left; what is
/// larger in memory than in a message grows as it comes.
template <class E, class In>
std::size_t room_ahead(const In& in, std::size_t n) {
  return lesser(n, 4 * in.left() / sizeof(E) + 1);
}

template <class T>
concept contiguous_image = is_image<typename T::value_type> && requires(T& x) { x.data(); };

/// Those that may be received where they stay.
template <class T>
concept receivable_image =
    contiguous_image<T> && std::default_initializable<typename T::value_type> &&
    std::is_trivially_copyable_v<typename T::value_type> && !std::is_empty_v<typename T::value_type>;

template <>
struct format<travel_kind::sequence> {
  template <class T>
  using element = typename T::value_type;
  template <class T>
  using least = std::integral_constant<std::size_t, least_bytes<element<T>>>;

  template <class Out, class T>
  static void save(Out& out, const T& x) {
    save_value(out, static_cast<std::uint64_t>(x.size()));
    if constexpr (receivable_image<T> && Out::order == byte_order::same) {
      if (out.put_apart(x.data(), x.size() * sizeof(element<T>))) {
        return;
      }
    }
    if constexpr (Out::counting && is_fixed<element<T>> && least<T>() != 0) {
      out.put_zeros(x.size() * least<T>());
    } else if constexpr (contiguous_image<T>) {
      save_images(out, x.data(), x.size());
    } else {
      for (const element<T>& each : x) {
        save_element(least<T>(), out, [&] { save_value(out, each); });
      }
    }
  }

  template <class T, class In>
  static T load(In& in) {
    const auto said = in.template take_number<std::uint64_t>();
    if constexpr (receivable_image<T> && In::order == byte_order::same) {
      if (in.is_apart(said, sizeof(element<T>))) {
        return load_apart<T>(in, static_cast<std::size_t>(said));
      }
    }
    in.check_length(said, greater<std::size_t>(least<T>(), 1));
    const auto n = static_cast<std::size_t>(said);
    if constexpr (contiguous_image<T>) {
      return load_block<T>(in, n);
    } else {
      T x;
      if constexpr (requires { x.reserve(n); }) {
        x.reserve(room_ahead<element<T>>(in, n));
      }
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t before = in.position();
        x.emplace_back(load_value<element<T>>(in));
        end_of_element(least<T>(), in, before);
      }
      return x;
    }
  }

  template <class In, class T>
  static void load_into(In& in, T& x) {
    x = load<T>(in);
  }

private:
  template <class T, class In>
  static T load_block(In& in, std::size_t n) {
    using E = element<T>;
    const std::byte* const from = take_image<E>(in, n);
    T x = copy_block<T>(from, n);
    settle_all(in, x);
    return x;
  }

  template <class T, class In>
  static T load_apart(In& in, std::size_t n) {
    T x;
    x.resize(n);
    in.receive(x.data());
    settle_all(in, x);
    return x;
  }

  template <class T, class In>
  static void settle_all(In& in, T& x) {
    using E = element<T>;
    if constexpr (In::order == byte_order::swapped || is_doubtful<E>) {
      for (E& each : x) {
        if (!settle<In::order>(each)) {
          in.damaged("a bool is neither true nor false");
        }
      }
    }
  }

  // Bytes that happen to be aligned are elements to copy from; otherwise they are copied over elements that are made for that.
  template <class T>
  static T copy_block(const std::byte* from, std::size_t n) {
    using E = element<T>;
    void* aligned = const_cast<std::byte*>(from);
    std::size_t space = n * sizeof(E);
    if (alignof(E) == 1 || (n != 0 && std::align(alignof(E), space, aligned, space) == from)) {
      const auto* const first = reinterpret_cast<const E*>(from);
      return T(first, first + n);
    }
    T x;
    if constexpr (std::default_initializable<E>) {
      x.resize(n);
      if (n != 0) {
        std::memcpy(static_cast<void*>(x.data()), from, n * sizeof(E));
      }
    } else {
      x.reserve(n);
      for (std::size_t i = 0; i < n; ++i) {
        alignas(E) std::byte copy[sizeof(E)];
        std::memcpy(copy, from + i * sizeof(E), sizeof(E));
        x.push_back(*std::launder(reinterpret_cast<const E*>(copy)));
      }
    }
    return x;
  }
};

template <class... E>
consteval std::size_t least_of_all(types<E...>) {
  return (std::size_t{0} + ... + least_bytes<E>);
}

/// vector<bool>: eight in a byte, the first in its lowest bit.
template <>
struct format<travel_kind::bits> : filled<format<travel_kind::bits>> {
  template <class Out, class T>
  static void save(Out& out, const T& x) {
    save_value(out, static_cast<std::uint64_t>(x.size()));
    for (std::size_t first = 0; first < x.size(); first += 8) {
      unsigned byte = 0;
      for (std::size_t i = first; i < lesser(first + 8, x.size()); ++i) byte |= (x[i] ? 1U : 0U) << (i - first);
      save_value(out, static_cast<std::uint8_t>(byte));
    }
  }
  template <class In, class T>
  static void load_into(In& in, T& x) {
    const auto n = in.template take_number<std::uint64_t>();
    const std::byte* const from = in.take_bits(n);
    x.assign(static_cast<std::size_t>(n), false);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = (std::to_integer<unsigned>(from[i / 8]) >> (i % 8) & 1U) != 0;
  }
};

template <>
struct format<travel_kind::keyed> {
  template <class T>
  static constexpr bool is_map = requires { typename T::mapped_type; };

  template <class T>
  using least = std::integral_constant<std::size_t, least_of_all(parts<T>{})>;

  template <class Out, class T>
  static void save(Out& out, const T& x) {
    save_value(out, static_cast<std::uint64_t>(x.size()));
    for (const auto& each : x) {
      save_element(least<T>(), out, [&] {
        if constexpr (is_map<T>) {
          save_value(out, each.first);
          save_value(out, each.second);
        } else {
          save_value(out, each);
        }
      });
    }
  }

  template <class T, class In>
  static T load(In& in) {
    const std::size_t n = in.take_length(greater<std::size_t>(least<T>(), 1));
    T x;
    if constexpr (requires { x.reserve(n); }) {
      x.reserve(n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t before = in.position();
      load_element(in, x);
      end_of_element(least<T>(), in, before);
    }
    if (x.size() != n) {
      in.damaged("a key is there twice");
    }
    return x;
  }

  template <class In, class T>
  static void load_into(In& in, T& x) {
    x = load<T>(in);
  }

private:
  template <class In, class T>
  static void load_element(In& in, T& x) {
    if constexpr (is_map<T>) {
      auto key = load_value<typename T::key_type>(in);
      x.emplace_hint(x.end(), std::move(key), load_value<typename T::mapped_type>(in));
    } else {
      x.emplace_hint(x.end(), load_value<typename T::key_type>(in));
    }
  }
};

}  // namespace tactus::detail
