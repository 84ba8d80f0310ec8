// SPDX-License-Identifier: Apache-2.0
#include "place/known_exceptions.hpp"

#include <tactus/base/error.hpp>

#include <any>
#include <array>
#include <exception>
#include <functional>
#include <future>
#include <ios>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <typeinfo>
#include <variant>
#if __has_include(<format>)
#include <format>
#endif

namespace tactus::detail {

namespace {

struct known {
  const std::type_info* type;
  std::exception_ptr (*make)(const std::string& what);
};

template <class E>
std::exception_ptr make(const std::string& what) {
  if constexpr (std::is_constructible_v<E, const std::string&>) {
    return std::make_exception_ptr(E(what));
  } else {
    return std::make_exception_ptr(E());
  }
}

#ifdef __cpp_rtti
template <class... E>
std::array<known, sizeof...(E)> table_of() {
  return {known{&typeid(E), &make<E>}...};
}

// The order is that of the numbers in messages: what is new goes to the end.
const auto& table() {
  static const auto all =
      table_of<std::exception, std::logic_error, std::invalid_argument, std::domain_error, std::length_error,
               std::out_of_range, std::runtime_error, std::range_error, std::overflow_error, std::underflow_error,
               std::bad_alloc, std::bad_array_new_length, std::bad_cast, std::bad_typeid, std::bad_exception,
               std::bad_optional_access, std::bad_variant_access, std::bad_any_cast, std::bad_function_call,
               std::bad_weak_ptr, error, usage_error, clock_use_error, phaser_use_error, atomic_use_error, config_error,
               resource_error, broken_promise, place_error
#ifdef __cpp_lib_format
               ,
               std::format_error
#endif
               >();
  return all;
}
#else
std::array<known, 0> table() { return {}; }
#endif

const std::error_category* category_of(std::size_t number) {
  const std::array all = {&std::generic_category(), &std::system_category(), &std::iostream_category(),
                          &std::future_category()};
  return number < all.size() ? all[number] : nullptr;
}

}  // namespace

known_number number_of_known(const std::type_info& type) noexcept {
  known_number number = 0;
  for (const known& each : table()) {
    if (*each.type == type) {
      return number;
    }
    ++number;
  }
  return k_not_known;
}

std::exception_ptr make_known(known_number number, const std::string& what) {
  const auto& all = table();
  return number < all.size() ? all[number].make(what) : nullptr;
}

bool take_apart(const std::system_error& e, system_error_parts& into) {
  std::uint8_t number = 0;
  const std::error_category* category = nullptr;
  while ((category = category_of(number)) != nullptr && *category != e.code().category()) ++number;
  into = {.category = number, .code = e.code().value(), .has_prefix = false, .prefix = {}};
  std::string_view text = e.what();
  const std::string of_code = e.code().message();
  if (text != of_code) {
    into.has_prefix = true;
    const std::string end = ": " + of_code;
    text.remove_suffix(text.ends_with(end) ? end.size() : 0);
    into.prefix = text;
  }
  return category != nullptr;
}

std::exception_ptr put_together(const system_error_parts& parts) {
  const std::error_category* const category = category_of(parts.category);
  if (category == nullptr) {
    return nullptr;
  }
  const std::error_code code(parts.code, *category);
  return std::make_exception_ptr(parts.has_prefix ? std::system_error(code, parts.prefix) : std::system_error(code));
}

}  // namespace tactus::detail
