// SPDX-License-Identifier: Apache-2.0
// In which order a thief looks at the other workers: nearest first, at random among those equally near.
#pragma once

#include <tactus/base/impl/standard.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus::detail {

class victims {
public:
  /// All of them equally near.
  explicit victims(std::size_t workers);

  /// `distances`: of each worker to the thief.
  explicit victims(const std::vector<std::size_t>& distances);

  /// Calls visit(worker) for one after another until it returns something true, and returns that. The thief is among them.
  template <class Random, class Visit>
  auto first_of(Random& random, Visit&& visit) const -> decltype(visit(std::size_t{})) {
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      const std::size_t n = end - begin;
      const std::size_t start = n > 1 ? random.below(n) : 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (auto found = visit(std::size_t{workers_[begin + (start + i) % n]})) {
          return found;
        }
      }
      begin = end;
    }
    return {};
  }

private:
  std::vector<std::uint32_t> workers_;  // sorted by distance
  std::vector<std::size_t> ends_;       // of those equally near
};

}  // namespace tactus::detail
