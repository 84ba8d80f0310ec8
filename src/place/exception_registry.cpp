// SPDX-License-Identifier: Apache-2.0
#include <tactus/place/impl/exception_registry.hpp>

#include <mutex>
#include <optional>
#include <string_view>
#include <typeinfo>

namespace tactus::detail {

namespace {

// Ready before any constructor runs, and still there when the last destructor has.
constinit std::mutex g_lock;
constinit registered_exception* g_first_registered = nullptr;  // protected by g_lock

}  // namespace

registered_exception::registered_exception(const exception_crossing& how) noexcept : how_(how) {
  const std::lock_guard hold(g_lock);
  next_ = g_first_registered;
  g_first_registered = this;
}

registered_exception::~registered_exception() {
  const std::lock_guard hold(g_lock);
  registered_exception** at = &g_first_registered;
  while (*at != this) at = &(*at)->next_;
  *at = next_;
}

std::optional<exception_crossing> find_registered(const std::type_info& type) noexcept {
  const std::lock_guard hold(g_lock);
  for (const registered_exception* one = g_first_registered; one != nullptr; one = one->next_) {
    if (one->how_.type != nullptr && *one->how_.type == type) {
      return one->how_;
    }
  }
  return std::nullopt;
}

std::optional<exception_crossing> find_registered(std::string_view name) noexcept {
  const std::lock_guard hold(g_lock);
  const registered_exception* found = nullptr;
  for (const registered_exception* one = g_first_registered; one != nullptr; one = one->next_) {
    if (one->how_.type == nullptr || one->how_.type->name() != name) {
      continue;
    }
    if (found != nullptr && *found->how_.type != *one->how_.type) {
      return std::nullopt;
    }
    found = one;
  }
  return found != nullptr ? std::optional(found->how_) : std::nullopt;
}

}  // namespace tactus::detail
