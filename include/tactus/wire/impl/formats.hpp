// SPDX-License-Identifier: Apache-2.0
// How objects are written that are no mere bytes: classes with a serialize, fields, alternatives. Numbers as they are in memory, sizes
// as std::uint64_t, a bool and which alternative as one byte; nothing is aligned.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/wire/impl/archives.hpp>
#include <tactus/wire/impl/byte_image.hpp>
#include <tactus/wire/impl/travel_facts.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>

namespace tactus::detail {

template <travel_kind>
struct format;

template <class Out, class T>
void save_value(Out& out, const T& x) {
  if constexpr (is_image<T>) {
    save_images(out, std::addressof(x), 1);
  } else {
    format<kind_of<T>>::save(out, x);
  }
}

template <class T, class In>
T load_value(In& in) {
  if constexpr (is_image<T>) {
    return load_image<T>(in);
  } else {
    return format<kind_of<T>>::template load<T>(in);
  }
}

template <class In, class T>
void load_into(In& in, T& x) {
  if constexpr (is_image<T>) {
    load_image_into(in, x);
  } else {
    format<kind_of<T>>::load_into(in, x);
  }
}

/// Made as it is and then filled. For formats that load into what there is.
template <class Format>
class filled {
public:
  template <class T, class In>
  static T load(In& in) {
    T x{};
    Format::load_into(in, x);
    return x;
  }

private:
  friend Format;
  filled() = default;
};

template <>
struct format<travel_kind::own> {
  template <class Out, class T>
  static void save(Out& out, const T& x) {
    const level<Out> one_more(out);
    lookup::call(out, const_cast<T&>(x));  // one function both ways; this way it changes nothing
  }
  template <class T, class In>
  static T load(In& in) {
    const level<In> one_more(in);
    if constexpr (has_load<T>) {
      return T::load(in);
    } else {
      T x{};
      lookup::call(in, x);
      return x;
    }
  }
  template <class In, class T>
  static void load_into(In& in, T& x) {
    if constexpr (has_load<T>) {
      x = load<T>(in);
    } else {
      const level<In> one_more(in);
      lookup::call(in, x);
    }
  }
};

template <>
struct format<travel_kind::aggregate> : filled<format<travel_kind::aggregate>> {
  template <class Out, class T>
  static void save(Out& out, const T& x) {
    const level<Out> one_more(out);
    for_fields(x, [&out](const auto&... each) { (save_value(out, each), ...); });
  }
  template <class In, class T>
  static void load_into(In& in, T& x) {
    const level<In> one_more(in);
    for_fields(x, [&in](auto&... each) {
      (detail::load_into(in, const_cast<std::remove_const_t<std::remove_reference_t<decltype(each)>>&>(each)), ...);
    });
  }
};

template <>
struct format<travel_kind::array> {
  template <class Out, class T>
  static void save(Out& out, const T& x) {
    for (const auto& each : x) save_value(out, each);
  }
  template <class In, class T>
  static void load_into(In& in, T& x) {
    for (auto& each : x) detail::load_into(in, each);
  }
  template <class T, class In>
  static T load(In& in) {
    if constexpr (std::default_initializable<T>) {
      return filled<format>::template load<T>(in);
    } else {
      return [&in]<std::size_t... I>(std::index_sequence<I...>) {
        return T{{(static_cast<void>(I), load_value<typename T::value_type>(in))...}};
      }(std::make_index_sequence<std::tuple_size_v<T>>{});
    }
  }
};

template <>
struct format<travel_kind::product> {
  template <class Out, class T>
  static void save(Out& out, const T& x) {
    std::apply([&out](const auto&... each) { (save_value(out, each), ...); }, x);
  }
  template <class In, class T>
  static void load_into(In& in, T& x) {
    std::apply([&in](auto&... each) { (detail::load_into(in, each), ...); }, x);
  }
  template <class T, class In>
  static T load(In& in) {
    return []<class... E>(In& from, types<E...>) {
      if constexpr (std::default_initializable<T> && !(std::is_const_v<E> || ...)) {
        return filled<format>::template load<T>(from);
      } else {
        return T{load_value<std::remove_const_t<E>>(from)...};  // braces keep the order
      }
    }(in, parts<T>{});
  }
};

template <>
struct format<travel_kind::maybe> {
  template <class Out, class T>
  static void save(Out& out, const T& x) {
    save_value(out, x.has_value());
    if (x) {
      save_value(out, *x);
    }
  }
  template <class T, class In>
  static T load(In& in) {
    return load_value<bool>(in) ? T(std::in_place, load_value<std::remove_const_t<typename T::value_type>>(in)) : T();
  }
  template <class In, class T>
  static void load_into(In& in, T& x) {
    x.reset();
    if (load_value<bool>(in)) {
      x.emplace(load_value<std::remove_const_t<typename T::value_type>>(in));
    }
  }
};

template <>
struct format<travel_kind::choice> {
  template <class Out, class T>
  static void save(Out& out, const T& x) {
    if (x.valueless_by_exception()) {
      throw_unwritable(unwritable::valueless);
    }
    save_value(out, static_cast<std::uint8_t>(x.index()));
    std::visit([&out](const auto& value) { save_value(out, value); }, x);
  }
  template <class T, class In>
  static T load(In& in) {
    return load_alternative<T>(in, load_value<std::uint8_t>(in));
  }
  template <class In, class T>
  static void load_into(In& in, T& x) {
    x = load<T>(in);
  }

private:
  template <class T, std::size_t I = 0, class In>
  static T load_alternative(In& in, std::size_t which) {
    if constexpr (I == std::variant_size_v<T>) {
      in.damaged("a variant has no such alternative");
    } else if (which == I) {
      return T(std::in_place_index<I>, load_value<std::remove_const_t<std::variant_alternative_t<I, T>>>(in));
    } else {
      return load_alternative<T, I + 1>(in, which);
    }
  }
};

/// A pointer that owns one object, or none. What it is written as is the declared class.
template <>
struct format<travel_kind::owner> {
  template <class Out, class T>
  static void save(Out& out, const T& x) {
    save_value(out, x != nullptr);
    if (x != nullptr) {
      check_is_declared(*x);
      save_value(out, *x);
    }
  }
  template <class T, class In>
  static T load(In& in) {
    return load_value<bool>(in) ? T(make<std::remove_const_t<typename T::element_type>>(in)) : T();
  }
  template <class In, class T>
  static void load_into(In& in, T& x) {
    x = load<T>(in);
  }

private:
  template <class E>
  static void check_is_declared([[maybe_unused]] const E& x) {
#ifdef __cpp_rtti
    if constexpr (std::is_polymorphic_v<E> && !std::is_final_v<E>) {
      if (typeid(x) != typeid(E)) {
        throw_unwritable(unwritable::sliced, 0, &typeid(E));
      }
    }
#endif
  }
  template <class E, class In>
  static std::unique_ptr<E> make(In& in) {
    if constexpr (std::default_initializable<E> && !has_load<E> && !is_image<E>) {
      auto made = std::make_unique<E>();
      detail::load_into(in, *made);
      return made;
    } else {
      return std::make_unique<E>(load_value<E>(in));
    }
  }
};

}  // namespace tactus::detail
