// SPDX-License-Identifier: Apache-2.0
// A function of any kind, as std::function is one, whose header costs each file that includes Tactus a tenth of its time.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace tactus::detail {

template <class Signature>
class any_function;

/// Made once and called often. Copies share the function.
template <class R, class... Args>
class any_function<R(Args...)> {
public:
  /// None: it may not be called.
  any_function() noexcept = default;

  /// std::bad_alloc, and what copying f throws.
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, any_function>)
  explicit any_function(F&& f)  // NOLINT(bugprone-forwarding-reference-overload): not for its own type
      : function_(std::make_shared<std::decay_t<F>>(std::forward<F>(f))), call_(call<std::decay_t<F>>) {}

  explicit operator bool() const noexcept { return call_ != nullptr; }
  R operator()(Args... args) const { return call_(function_.get(), std::forward<Args>(args)...); }

private:
  template <class Fn>
  static R call(void* f, Args... args) {
    return (*static_cast<Fn*>(f))(std::forward<Args>(args)...);
  }

  std::shared_ptr<void> function_;
  R (*call_)(void*, Args...) = nullptr;
};

}  // namespace tactus::detail
