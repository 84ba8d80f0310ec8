// SPDX-License-Identifier: Apache-2.0
// Closures that go to another place, as their bytes: what they must be, and a look for references to the stack that they were made on.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/wire/impl/travel_kinds.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#if defined(__has_builtin)
#if __has_builtin(__builtin_clear_padding)
#define TACTUS_CLEARS_PADDING 1
#endif
#endif
#ifndef TACTUS_CLEARS_PADDING
#define TACTUS_CLEARS_PADDING 0
#endif

namespace tactus::detail {

template <class F>
inline constexpr bool is_function_pointer = std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>;

/// Does not compile unless an F, decayed, can run at another place.
template <class F>
constexpr void check_closure() {
  static_assert(is_function_pointer<F> || std::is_class_v<F>,
                "what runs at another place is a function or a closure (here F is something else)");
  static_assert(is_function_pointer<F> || copies_as_bytes<F>,
                "this closure (F) cannot travel to another place: it travels as its bytes, so that what it captures "
                "must be trivially copyable; "
                "give strings, vectors, phasers and the like as arguments behind it");
}

inline constexpr std::size_t k_most_looked_at = 64;

/// Whether the words of an F can be told from what lies between its members.
template <class F>
inline constexpr bool can_be_looked_at = std::is_class_v<F> && !std::is_empty_v<F> && sizeof(F) <= k_most_looked_at &&
                                         (TACTUS_CLEARS_PADDING != 0 || std::has_unique_object_representations_v<F>);

/// The bytes of f, all of them; zeros for what lies between its members, where the compiler can tell. Returns whether it can, or nothing lies
/// there: to g++ 12 a closure is not trivially copyable any more once it has been asked whether it, or a class with it, can be assigned.
template <class F>
bool copy_bytes(void* to, const F& f) noexcept {
#if TACTUS_CLEARS_PADDING
  if constexpr (__is_trivially_copyable(F)) {
    alignas(F) std::byte copy[sizeof(F)];
    std::memcpy(copy, std::addressof(f), sizeof(F));
    __builtin_clear_padding(reinterpret_cast<F*>(copy));
    std::memcpy(to, copy, sizeof(F));
    return true;
  }
#endif
  std::memcpy(to, std::addressof(f), sizeof(F));
  return std::has_unique_object_representations_v<F>;
}

/// The same in words, zeros behind the last; no word of a closure that may have something between its members.
template <class F>
std::array<std::uintptr_t, k_most_looked_at / sizeof(std::uintptr_t)> words_of(const F& f) noexcept {
  std::array<std::uintptr_t, k_most_looked_at / sizeof(std::uintptr_t)> words{};
  if (!copy_bytes(words.data(), f)) {
    words = {};
  }
  return words;
}

/// Whether a word of f lies within what `is_stack` says of an address. False of closures that are not looked at. A capture that is unset,
/// in an optional or a variant, has whatever bytes were there.
template <class F, class IsStack>
[[nodiscard]] bool names_a_stack([[maybe_unused]] const F& f, [[maybe_unused]] IsStack&& is_stack) {
  if constexpr (can_be_looked_at<F>) {
    for (const std::uintptr_t word : words_of(f)) {
      if (word != 0 && is_stack(word)) {
        return true;
      }
    }
  }
  return false;
}

/// "async_at: the closure captures a reference to the stack ...", a place_error.
[[noreturn]] TACTUS_API void throw_names_a_stack(const char* call);

/// check_closure, then the look. `call`: the function's name, for the error.
template <class F, class IsStack>
void look_at_closure(const F& f, IsStack&& is_stack, const char* call) {
  check_closure<F>();
  if (names_a_stack(f, is_stack)) {
    throw_names_a_stack(call);
  }
}

/// An address that the look does not see, for handles that may be captured: it is nobody's reference to its own stack.
class veiled_address {
public:
  veiled_address() noexcept = default;
  explicit veiled_address(const void* p) noexcept : inverted_(~reinterpret_cast<std::uintptr_t>(p)) {}

  [[nodiscard]] void* get() const noexcept { return reinterpret_cast<void*>(~inverted_); }

  friend bool operator==(veiled_address, veiled_address) noexcept = default;

private:
  std::uintptr_t inverted_ = ~std::uintptr_t{0};
};

}  // namespace tactus::detail

#undef TACTUS_CLEARS_PADDING
