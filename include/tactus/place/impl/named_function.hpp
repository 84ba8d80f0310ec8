// SPDX-License-Identifier: Apache-2.0
// Functions that programs give, inside of what goes to other places.
#pragma once

#include <tactus/place/impl/closure_check.hpp>
#include <tactus/place/impl/wired_call.hpp>
#include <tactus/place/place.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// A function: by its address where the run is of one process, else by its name, since processes have it at different addresses.
template <class F>
class named_function {
public:
  named_function() = default;
  explicit named_function(F f) noexcept {
    if (has_other_processes()) {
      name_ = name_of_function(reinterpret_cast<const void*>(f));
    } else {
      name_ = {k_is_address, reinterpret_cast<std::uintptr_t>(f)};
    }
  }

  /// As the calling task's place has it. place_error: that runs another program.
  [[nodiscard]] F function() const {
    if (name_.module == k_is_address && name_.offset != 0) [[likely]] {
      return reinterpret_cast<F>(name_.offset);  // NOLINT(performance-no-int-to-ptr): it was one
    }
    return reinterpret_cast<F>(const_cast<void*>(function_of_name(name_, here().id())));
  }

  /// The same at all places of the run, and another one for another function.
  [[nodiscard]] std::uint64_t number() const noexcept {
    return name_.module == k_is_address ? name_.offset : name_.module + name_.offset;
  }

  template <class... As>
    requires std::is_invocable_v<F, As...>
  decltype(auto) operator()(As&&... arguments) const {
    return function()(std::forward<As>(arguments)...);
  }

private:
  static constexpr std::uint64_t k_is_address = ~std::uint64_t{0};  // of no module: what is in its place then

  function_name name_{};
};

/// As what an F goes: a closure as it is.
template <class F>
using sent_function = std::conditional_t<is_function_pointer<F>, named_function<F>, F>;

/// What has come as that, to be called here.
template <class F>
[[nodiscard]] const F& to_be_called(const F& f) noexcept {
  return f;  // NOLINT(bugprone-return-const-ref-from-parameter): the one who calls has it in a message
}
template <class F>
[[nodiscard]] F to_be_called(const named_function<F>& f) {
  return f.function();
}

/// Tells those of one type apart that may be different functions.
template <class F>
[[nodiscard]] std::uint64_t number_of_function(const F& /*f*/) noexcept {
  return 0;
}
template <class F>
[[nodiscard]] std::uint64_t number_of_function(const named_function<F>& f) noexcept {
  return f.number();
}

}  // namespace tactus::detail
