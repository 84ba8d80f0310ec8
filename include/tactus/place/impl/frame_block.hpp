// SPDX-License-Identifier: Apache-2.0
// The memory of a message that is bytes.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/standard.hpp>
#include <tactus/wire/impl/long_ranges.hpp>

#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace tactus::detail {

/// What the frame consists of lies behind this, aligned to eight bytes; before the frame there may be room that it does not need.
struct alignas(8) frame_block {
  std::size_t capacity;
  std::size_t begin;
  std::size_t bytes;
  message_extra* extra = nullptr;  // its own; most have none

  [[nodiscard]] std::byte* data() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
  [[nodiscard]] std::span<const std::byte> frame() noexcept { return {data() + begin, bytes}; }
};

/// From here on memory is kept when a message goes, for the next one.
inline constexpr std::size_t k_long_block = 16 * 1024;

/// With at least that capacity, which is k_long_block or more. std::bad_alloc.
[[nodiscard]] TACTUS_API frame_block* take_long_block(std::size_t capacity);
TACTUS_API void put_long_block(frame_block* b) noexcept;

struct frame_free {
  void operator()(frame_block* b) const noexcept {
    if (b->extra != nullptr) [[unlikely]] {
      delete b->extra;
    }
    if (b->capacity < k_long_block) {
      ::operator delete(b);
    } else {
      put_long_block(b);
    }
  }
};
using frame_ptr = std::unique_ptr<frame_block, frame_free>;

/// With its ranges.
[[nodiscard]] inline std::size_t bytes_in_all(const frame_block& b) noexcept {
  return b.bytes + (b.extra != nullptr ? b.extra->bytes() : 0);
}

/// Of one that has come; null: all is among its bytes.
[[nodiscard]] inline range_source* ranges_of(const frame_ptr& b) noexcept {
  return b != nullptr ? static_cast<range_source*>(b->extra) : nullptr;
}

/// std::bad_alloc.
[[nodiscard]] inline frame_ptr make_frame_block(std::size_t capacity) {
  if (capacity >= k_long_block) {
    return frame_ptr(take_long_block(capacity));
  }
  return frame_ptr(::new (::operator new(sizeof(frame_block) + capacity)) frame_block{capacity, 0, 0, nullptr});
}

/// Frames are as long as so many words.
inline constexpr std::size_t k_frame_word = 8;

[[nodiscard]] constexpr std::size_t whole_words(std::size_t bytes) noexcept {
  return (bytes + k_frame_word - 1) / k_frame_word * k_frame_word;
}

}  // namespace tactus::detail
