// SPDX-License-Identifier: Apache-2.0
// What a pattern of the problem stencil_p2p is made of.
#pragma once

#include <cstdint>

namespace bench {

/// The cells, and how a block of them is made.
class stencil_pattern {
public:
  stencil_pattern() = default;
  virtual ~stencil_pattern() = default;
  stencil_pattern(const stencil_pattern&) = delete;
  stencil_pattern& operator=(const stencil_pattern&) = delete;

  virtual void reset() = 0;
  virtual void make(std::uint64_t task, std::uint64_t phase) = 0;

  /// Keeps the cells as they are for first_difference(). Once, after a sequential pass.
  virtual void keep() = 0;
  /// The first cell, by its number, that is not as it was kept; as many as there are cells if all are.
  [[nodiscard]] virtual std::uint64_t first_difference() const = 0;
  [[nodiscard]] virtual std::uint64_t cells() const = 0;
};

}  // namespace bench
