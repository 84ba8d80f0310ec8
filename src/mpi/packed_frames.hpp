// SPDX-License-Identifier: Apache-2.0
// What a message in which frames go together consists of, and how it is read where it has come. docs/protocols/processes.md, "Engine".
#pragma once

#include <tactus/place/impl/frame_block.hpp>
#include <tactus/wire/impl/long_ranges.hpp>

#include "mpi/range_tags.hpp"
#include "place/frame.hpp"
#include "place/frame_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tactus::detail {

/// Of a frame that comes alone: where the length of a frame would be, nothing, and its bytes in the next word.
inline constexpr std::size_t k_announcement = 2 * k_frame_word;

/// The same before one with ranges: in the next word this, their number and their tag, and then how long each is.
inline constexpr std::uint64_t k_has_ranges = std::uint64_t{1} << 63U;
inline constexpr unsigned k_tag_shift = 32;

[[nodiscard]] constexpr std::size_t bytes_of_announcement(std::size_t ranges) noexcept {
  return k_announcement + ranges * k_frame_word;
}

inline void announce_alone(frame_writer& to, std::size_t bytes) noexcept {
  to.put64(0);  // no frame is so short
  to.put64(bytes);
}

inline void announce_ranges(frame_writer& to, int tag, std::span<const std::span<const std::byte>> ranges) noexcept {
  to.put64(0);
  to.put64(k_has_ranges | static_cast<std::uint64_t>(tag) << k_tag_shift | ranges.size());
  for (const std::span<const std::byte> range : ranges) {
    to.put64(range.size());
  }
}

/// Reads a message that anybody may have sent, and keeps no memory of it.
class packed_frames {
public:
  struct one {
    frame_bytes here;                   // all of it, its length being right
    std::size_t alone = 0;              // or it comes by itself, and is so long
    int tag = 0;                        // under which its ranges come; 0: it has none
    std::vector<std::size_t> ranges{};  // how long each is; of one that has none, anything
  };

  packed_frames(std::span<const std::byte> message, byte_order order) noexcept : left_(message), order_(order) {}

  /// The next frame. False: there is none, or it is damaged(). std::bad_alloc.
  [[nodiscard]] bool take(one& into) {
    into.tag = 0;
    into.alone = 0;
    if (left_.empty()) {
      return false;
    }
    std::size_t length = length_of_frame();
    if (length == 0) {
      if (!take_announcements(into) || into.alone != 0) {
        return damaged_ == nullptr;
      }
      length = length_of_frame();  // of what stands behind them
    }
    if (length > left_.size()) {
      return is_damaged("a frame is longer than the message that it is in");
    }
    into.here = left_.first(length);
    left_ = left_.subspan(length);
    return true;
  }

  /// What is wrong, or null.
  [[nodiscard]] const char* damaged() const noexcept { return damaged_; }

private:
  bool is_damaged(const char* what) noexcept {
    damaged_ = what;
    left_ = {};
    return false;
  }

  [[nodiscard]] std::size_t length_of_frame() const noexcept {
    return left_.size() < k_frame_word ? 0 : frame_reader(left_, order_).take16() * k_frame_word;
  }

  // Where no frame begins: up to the one that they announce.
  bool take_announcements(one& into) {
    while (!left_.empty() && length_of_frame() == 0) {
      frame_reader said(left_, order_);
      if (left_.size() < k_announcement || said.take64() != 0) {
        return is_damaged("there is neither a frame nor what announces one");
      }
      const std::uint64_t word = said.take64();
      if ((word & k_has_ranges) == 0) {
        return take_alone(into, word);
      }
      if (!take_ranges(into, word & ~k_has_ranges, said)) {
        return false;
      }
    }
    return !left_.empty() || is_damaged("it announces long ranges of no frame");
  }

  bool take_alone(one& into, std::uint64_t bytes) noexcept {
    if (bytes < k_head_bytes || bytes % k_frame_word != 0) {
      return is_damaged("it announces a long frame that is none");
    }
    into.alone = static_cast<std::size_t>(bytes);
    left_ = left_.subspan(k_announcement);
    return true;
  }

  bool take_ranges(one& into, std::uint64_t word, frame_reader& said) {
    const std::uint64_t tag = word >> k_tag_shift;
    const std::uint64_t n = word & ((std::uint64_t{1} << k_tag_shift) - 1);
    if (into.tag != 0 || n == 0 || n > k_most_ranges || said.left() < n * k_frame_word || tag < k_first_range_tag ||
        tag >= k_first_range_tag + k_most_range_tags) {
      return is_damaged("it announces long ranges that are none");
    }
    into.tag = static_cast<int>(tag);
    into.ranges.resize(static_cast<std::size_t>(n));
    for (std::size_t& bytes : into.ranges) {
      bytes = static_cast<std::size_t>(said.take64());
      if (bytes < k_long_range) {
        return is_damaged("it announces a long range that is none");
      }
    }
    left_ = left_.subspan(bytes_of_announcement(into.ranges.size()));
    return true;
  }

  std::span<const std::byte> left_;
  const byte_order order_;
  const char* damaged_ = nullptr;
};

/// Reads the head of a frame that has come from place `from`. Null, or what is wrong with it.
[[nodiscard]] inline const char* read_head_from(int from, frame_bytes frame, byte_order order,
                                                frame_head& into) noexcept {
  const char* const wrong = read_head(frame, order, into);
  return wrong != nullptr ? wrong : into.from != from ? "it is not of who has sent it" : nullptr;
}

}  // namespace tactus::detail
