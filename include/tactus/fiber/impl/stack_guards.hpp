// SPDX-License-Identifier: Apache-2.0
// The guards of one pool's stacks: the lowest pages of each, which nobody can use.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>
#include <cstdint>

namespace tactus::detail {

/// How the lowest pages of a stack are kept from being used.
enum class guard_kind : std::uint8_t {
  marked,      ///< MADV_GUARD_INSTALL: no mapping is split
  protected_,  ///< mprotect, while the process has mappings to spare
  canary,      ///< a word that is looked at when the stack is given back
};

/// Each guard is of the best kind that the system still has; once it has refused one, it is not asked for that kind
/// again. The pool's lock protects this.
class stack_guards {
public:
  // Address space, most of it: nothing of it is touched. A frame of which only the lower part is written steps over
  // what is smaller, where the program is compiled without -fstack-clash-protection; with it, on AArch64, compilers
  // count on just this.
  static constexpr std::size_t k_bytes = 64 * std::size_t{1024};

  stack_guards() noexcept = default;

  /// As if the system had refused what is better.
  explicit stack_guards(guard_kind best) noexcept : kind_(best) {}

  ~stack_guards();  // once they are unmapped
  stack_guards(const stack_guards&) = delete;
  stack_guards& operator=(const stack_guards&) = delete;

  /// Of the stack that begins at `base`.
  void install(std::byte* base);

  /// Of `n` stacks in a row, by one call where the kernel takes it, which is a quarter cheaper.
  void install(std::byte* first, std::size_t n, std::size_t stride);

  /// Of the next stack.
  [[nodiscard]] guard_kind kind() const noexcept { return kind_; }

  /// Whether nobody has written to the canary, if there is one.
  [[nodiscard]] static bool is_intact(const std::byte* base) noexcept;

private:
  guard_kind kind_ = guard_kind::marked;
  std::size_t protected_ = 0;  // so many
  bool many_at_once_ = true;   // until the kernel refuses
  bool seen_ = false;          // a marked one keeps off indeed
};

}  // namespace tactus::detail
