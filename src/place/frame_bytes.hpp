// SPDX-License-Identifier: Apache-2.0
// Numbers of frames, in the order of whoever has sent them.
#pragma once

#include <tactus/wire/impl/archives.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace tactus::detail {

/// Whether the least byte of a number comes first, in that order.
[[nodiscard]] inline bool is_little(byte_order order) noexcept {
  return (order == byte_order::same) == (std::endian::native == std::endian::little);
}

/// Into memory that is large enough.
class frame_writer {
public:
  frame_writer(std::byte* to, byte_order order) noexcept : at_(to), little_(is_little(order)) {}

  /// The lowest n bytes of x.
  void put(std::uint64_t x, std::size_t n) noexcept {
    for (std::size_t i = 0; i < n; ++i) {
      at_[little_ ? i : n - 1 - i] = static_cast<std::byte>(x >> (8 * i));
    }
    at_ += n;
  }
  void put8(std::uint8_t x) noexcept { put(x, 1); }
  void put16(std::uint16_t x) noexcept { put(x, 2); }
  void put_place(int x) noexcept { put(static_cast<std::uint32_t>(x), 3); }
  void put32(std::uint32_t x) noexcept { put(x, 4); }
  void put64(std::uint64_t x) noexcept { put(x, 8); }

  void put_bytes(const void* from, std::size_t n) noexcept {
    if (n != 0) {
      std::memcpy(at_, from, n);
      at_ += n;
    }
  }
  void put_zeros(std::size_t n) noexcept {
    std::memset(at_, 0, n);
    at_ += n;
  }

private:
  std::byte* at_;
  const bool little_;
};

/// Out of a frame that anybody may have sent. What it does not hold is zero, and is_short() then.
class frame_reader {
public:
  frame_reader(std::span<const std::byte> frame, byte_order order) noexcept : left_(frame), little_(is_little(order)) {}

  [[nodiscard]] bool is_short() const noexcept { return short_; }
  [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }

  std::uint64_t take(std::size_t n) noexcept {
    const std::span<const std::byte> these = take_bytes(n);
    std::uint64_t x = 0;
    for (std::size_t i = 0; i < these.size(); ++i) {
      x |= std::to_integer<std::uint64_t>(these[little_ ? i : n - 1 - i]) << (8 * i);
    }
    return x;
  }
  std::uint8_t take8() noexcept { return static_cast<std::uint8_t>(take(1)); }
  std::uint16_t take16() noexcept { return static_cast<std::uint16_t>(take(2)); }
  int take_place() noexcept { return static_cast<int>(take(3)); }
  std::uint32_t take32() noexcept { return static_cast<std::uint32_t>(take(4)); }
  std::uint64_t take64() noexcept { return take(8); }

  /// Empty if there are not so many.
  std::span<const std::byte> take_bytes(std::uint64_t n) noexcept {
    if (n > left_.size()) {
      short_ = true;
      left_ = {};
      return {};
    }
    const auto these = left_.first(static_cast<std::size_t>(n));
    left_ = left_.subspan(static_cast<std::size_t>(n));
    return these;
  }

private:
  std::span<const std::byte> left_;
  const bool little_;
  bool short_ = false;
};

}  // namespace tactus::detail
