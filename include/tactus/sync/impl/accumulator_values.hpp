// SPDX-License-Identifier: Apache-2.0
// Values that tasks send to an accumulator: of which phase they are, who sent them, and how they combine.
#pragma once

#include <tactus/base/impl/platform.hpp>
#include <tactus/scheduler/impl/suspend.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tactus::detail {

/// A phase as a tag; 0 tags nothing.
constexpr std::uint64_t tag_of(std::uint64_t phase) noexcept { return phase + 1; }

/// What tasks send and read in phases k and k + 1 while k is being completed, and what those that have signalled k + 1
/// may still ask about k: so much has to be kept apart (phaser P5).
inline constexpr std::size_t k_buffers = 4;
constexpr std::size_t buffer_of(std::uint64_t phase) noexcept { return phase % k_buffers; }

/// One contribution, for folds in order.
template <class T>
struct contribution {
  std::uint64_t ordinal;
  T value;
};

/// A value of one phase.
template <class T>
struct tagged {
  std::uint64_t tag = 0;
  T value;

  /// The value, if it is of `phase`; else null.
  [[nodiscard]] TACTUS_ALWAYS_INLINE const T* of(std::uint64_t phase) const noexcept {
    return tag == tag_of(phase) ? &value : nullptr;
  }
  TACTUS_ALWAYS_INLINE void set(std::uint64_t phase, const T& x) {
    value = x;
    tag = tag_of(phase);
  }
};

/// While it lives, the calling task runs a function of the user's that may do nothing but compute.
class combining {
public:
  explicit combining(bool users) {
    if (users) restricted_.emplace(restriction::in_combine);
  }

private:
  std::optional<restricted_scope> restricted_;
};

/// How an accumulator's values combine.
template <class T, class C>
struct combination {
  const T identity;
  const C combine;
  const bool of_user;  ///< it is code that the library does not know

  TACTUS_ALWAYS_INLINE T operator()(const T& a, const T& b) const { return T(combine(a, b)); }

  /// The same where the caller is not `combining` yet.
  TACTUS_ALWAYS_INLINE T guarded(const T& a, const T& b) const {
    if (of_user) [[unlikely]] {
      return guard(a, b);
    }
    return (*this)(a, b);
  }

  /// From left to right over what at(0) to at(n - 1) point to, but for nulls.
  template <class At>
  T fold(std::size_t n, const At& at) const {
    std::size_t i = 0;
    const T* first = nullptr;
    for (; i != n && first == nullptr; ++i) {
      first = at(i);
    }
    if (first == nullptr) {
      return identity;
    }
    T sum = *first;
    for (; i != n; ++i) {
      if (const T* const next = at(i); next != nullptr) {
        sum = (*this)(sum, *next);
      }
    }
    return sum;
  }

private:
  TACTUS_NOINLINE T guard(const T& a, const T& b) const {
    const combining user(true);
    return (*this)(a, b);
  }
};

}  // namespace tactus::detail
