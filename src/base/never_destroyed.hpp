// SPDX-License-Identifier: Apache-2.0
// An object of the process that outlives everybody who may still use it while the process ends.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace tactus::detail {

/// As a function's static variable: made at the first call, without the heap, and never destroyed.
template <class T>
class never_destroyed {
public:
  template <class... Args>
  explicit never_destroyed(Args&&... args) {
    ::new (static_cast<void*>(bytes_)) T(std::forward<Args>(args)...);
  }
  never_destroyed(const never_destroyed&) = delete;
  never_destroyed& operator=(const never_destroyed&) = delete;

  [[nodiscard]] T& get() noexcept { return *std::launder(reinterpret_cast<T*>(bytes_)); }

private:
  alignas(T) std::byte bytes_[sizeof(T)];
};

}  // namespace tactus::detail
