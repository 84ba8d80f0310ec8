// SPDX-License-Identifier: Apache-2.0
// The types of exceptions that a program has registered, and how their objects go into bytes and out of them.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/pack_here.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace tactus::detail {

/// What one type needs to cross.
struct exception_crossing {
  const std::type_info* type;                          // null without RTTI: then nobody finds it
  const void* (*object)(const std::exception_ptr&);    // the exception as an E; null if it is none
  void (*save)(const void*, std::vector<std::byte>&);  // appends it. Runs the user's code
  std::exception_ptr (*load_same)(reader<byte_order::same>&);
  std::exception_ptr (*load_swapped)(reader<byte_order::swapped>&);
};

/// One type in the list of the process while this lives. Any thread, also before main and when a plugin goes.
class registered_exception {
public:
  TACTUS_API explicit registered_exception(const exception_crossing& how) noexcept;
  TACTUS_API ~registered_exception();
  registered_exception(const registered_exception&) = delete;
  registered_exception& operator=(const registered_exception&) = delete;

private:
  friend std::optional<exception_crossing> find_registered(const std::type_info& type) noexcept;
  friend std::optional<exception_crossing> find_registered(std::string_view name) noexcept;

  const exception_crossing how_;
  registered_exception* next_;  // all of the process; protected by its lock
};

/// Nothing if it is not registered.
[[nodiscard]] std::optional<exception_crossing> find_registered(const std::type_info& type) noexcept;

/// By the name that type_info has for it. Nothing also if two types have it, which those in nameless namespaces may.
[[nodiscard]] std::optional<exception_crossing> find_registered(std::string_view name) noexcept;

template <class E>
const void* exception_object(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const E& e) {
    return std::addressof(e);  // of the object that `thrown` keeps
  } catch (...) {
    return nullptr;
  }
}

template <class E>
void save_exception(const void* object, std::vector<std::byte>& to) {
  const E& e = *static_cast<const E*>(object);
  const std::size_t before = to.size();
  const std::size_t n = packed_bytes(e);
  to.resize(before + n);
  pack_here(to.data() + before, n, e);
}

template <class E, byte_order Order>
std::exception_ptr load_exception(reader<Order>& in) {
  return std::make_exception_ptr(unpack<E>(in));
}

template <class E>
constexpr exception_crossing exception_crossing_of() noexcept {
#ifdef __cpp_rtti
  const std::type_info* const type = &typeid(E);
#else
  const std::type_info* const type = nullptr;
#endif
  return {.type = type,
          .object = &exception_object<E>,
          .save = &save_exception<E>,
          .load_same = &load_exception<E, byte_order::same>,
          .load_swapped = &load_exception<E, byte_order::swapped>};
}

}  // namespace tactus::detail
