// SPDX-License-Identifier: Apache-2.0
// Whose cells lie where, for errors of views in a program that is compiled with TACTUS_CHECKED.
#pragma once

#include <tactus/base/impl/standard.hpp>

#ifdef TACTUS_CHECKED

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace tactus::detail {

/// Memory of the cells of distributed arrays in this process. A view does not know its array, which would make it larger; who reads beyond it
/// asks here. Any thread.
class cells_by_address {
public:
  /// `of`: "'u' at place 2".
  static void add(const void* first, std::size_t bytes, std::string of) {
    cells_by_address& self = all();
    const std::lock_guard lock(self.mutex_);
    self.cells_[first] = {static_cast<const std::byte*>(first) + bytes, std::move(of)};
  }

  /// Before it is freed.
  static void remove(const void* first) noexcept {
    cells_by_address& self = all();
    const std::lock_guard lock(self.mutex_);
    self.cells_.erase(first);
  }

  /// As it was said; empty: of no distributed array.
  static std::string whose(const void* at) {
    cells_by_address& self = all();
    const std::lock_guard lock(self.mutex_);
    auto found = self.cells_.upper_bound(at);
    if (found == self.cells_.begin() || at >= (--found)->second.end) {
      return {};
    }
    return found->second.of;
  }

private:
  struct cells {
    const void* end = nullptr;
    std::string of;
  };
  static cells_by_address& all() {
    static cells_by_address s_all;
    return s_all;
  }

  std::mutex mutex_;  // protects cells_
  std::map<const void*, cells> cells_;
};

}  // namespace tactus::detail

#endif
