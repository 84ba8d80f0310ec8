// SPDX-License-Identifier: Apache-2.0
// Long ranges that go beside their frames, between processes. docs/protocols/ranges.md.
#pragma once

#include <tactus/scheduler/impl/continuation.hpp>
#include <tactus/wire/impl/long_ranges.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus::detail {

/// A task that waits for one, on its stack.
struct range_wait : wait_point {
  int from = 0;
  int tag = 0;  // under which it is sent
  std::byte* into = nullptr;
  std::size_t bytes = 0;
  range_wait* behind = nullptr;  // of the engine that receives it
};

/// Those of a frame that has come, which say where they are.
class coming_ranges final : public range_source {
public:
  coming_ranges(int from, int tag, std::vector<std::size_t> lengths) noexcept
      : from_(from), tag_(tag), lengths_(std::move(lengths)) {}

  [[nodiscard]] std::size_t bytes() const noexcept override;
  [[nodiscard]] std::size_t next() const noexcept override { return taken_ < lengths_.size() ? lengths_[taken_] : 0; }
  void take(std::byte* into) noexcept override;
  void skip_rest() noexcept override;

private:
  const int from_;
  const int tag_;
  const std::vector<std::size_t> lengths_;
  std::size_t taken_ = 0;
};

}  // namespace tactus::detail
