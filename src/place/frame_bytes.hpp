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

/// As the other order has its bytes.
template <class Number>
[[nodiscard]] Number turned_round(Number x) noexcept {
  if constexpr (sizeof x == 2) {
    return __builtin_bswap16(x);
  } else if constexpr (sizeof x == 4) {
    return __builtin_bswap32(x);
  } else if constexpr (sizeof x == 8) {
    return __builtin_bswap64(x);
  } else {
    return x;
  }
}

/// What is wrong with a frame that is none.
inline constexpr const char* k_cut_short = "it ends before what it speaks of";
inline constexpr const char* k_too_long = "there is something behind what it speaks of";

/// Into memory that is large enough.
class frame_writer {
public:
  frame_writer(std::byte* to, byte_order order) noexcept : at_(to), turns_(order == byte_order::swapped) {}

  void put8(std::uint8_t x) noexcept { put(x); }
  void put16(std::uint16_t x) noexcept { put(x); }
  void put32(std::uint32_t x) noexcept { put(x); }
  void put64(std::uint64_t x) noexcept { put(x); }
  void put_place(int place) noexcept {
    const auto x = static_cast<std::uint32_t>(place);
    const bool little = is_little(turns_ ? byte_order::swapped : byte_order::same);
    at_[little ? 0 : 2] = static_cast<std::byte>(x);
    at_[1] = static_cast<std::byte>(x >> 8U);
    at_[little ? 2 : 0] = static_cast<std::byte>(x >> 16U);
    at_ += 3;
  }

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
  template <class Number>
  void put(Number x) noexcept {
    if (turns_) {
      x = turned_round(x);
    }
    std::memcpy(at_, &x, sizeof x);
    at_ += sizeof x;
  }

  std::byte* at_;
  const bool turns_;
};

/// Out of a frame that anybody may have sent. What it does not hold is zero, and is_short() then.
class frame_reader {
public:
  frame_reader(std::span<const std::byte> frame, byte_order order) noexcept
      : left_(frame), turns_(order == byte_order::swapped) {}

  [[nodiscard]] bool is_short() const noexcept { return short_; }
  [[nodiscard]] std::size_t left() const noexcept { return left_.size(); }

  std::uint8_t take8() noexcept { return take<std::uint8_t>(); }
  std::uint16_t take16() noexcept { return take<std::uint16_t>(); }
  std::uint32_t take32() noexcept { return take<std::uint32_t>(); }
  std::uint64_t take64() noexcept { return take<std::uint64_t>(); }
  int take_place() noexcept {
    const std::span<const std::byte> these = take_bytes(3);
    if (these.empty()) {
      return 0;
    }
    const bool little = is_little(turns_ ? byte_order::swapped : byte_order::same);
    return std::to_integer<int>(these[little ? 0 : 2]) | std::to_integer<int>(these[1]) << 8U |
           std::to_integer<int>(these[little ? 2 : 0]) << 16U;
  }

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
  template <class Number>
  Number take() noexcept {
    const std::span<const std::byte> these = take_bytes(sizeof(Number));
    Number x = 0;
    if (!these.empty()) {
      std::memcpy(&x, these.data(), sizeof x);
    }
    return turns_ ? turned_round(x) : x;
  }

  std::span<const std::byte> left_;
  const bool turns_;
  bool short_ = false;
};

}  // namespace tactus::detail
