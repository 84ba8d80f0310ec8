// SPDX-License-Identifier: Apache-2.0
// Long ranges that go beside their frames, between processes. docs/protocols/ranges.md.
#pragma once

#include <tactus/scheduler/impl/continuation.hpp>
#include <tactus/wire/impl/long_ranges.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace tactus::detail {

class engine;

/// A task that waits for one, on its stack.
struct range_wait : wait_point {
  int from = 0;
  int tag = 0;  // under which it is sent
  std::byte* into = nullptr;
  std::size_t bytes = 0;
  range_wait* behind = nullptr;  // of the engine that receives it
};

/// What is left of a frame that is not wanted any more: lengths in the order of sending.
struct unwanted_ranges {
  int from = 0;
  int tag = 0;
  std::vector<std::size_t> lengths{};
};

/// Those of a frame that has come.
class coming_ranges final : public range_source {
public:
  coming_ranges(engine& carrier, int from, int tag, std::vector<std::size_t> lengths) noexcept
      : carrier_(carrier), from_(from), tag_(tag), lengths_(std::move(lengths)) {}
  ~coming_ranges() override;

  [[nodiscard]] std::size_t bytes() const noexcept override;
  [[nodiscard]] std::size_t next() const noexcept override { return taken_ < lengths_.size() ? lengths_[taken_] : 0; }
  void take(std::byte* into) noexcept override;

private:
  engine& carrier_;
  const int from_;
  const int tag_;
  const std::vector<std::size_t> lengths_;
  std::size_t taken_ = 0;
};

}  // namespace tactus::detail
