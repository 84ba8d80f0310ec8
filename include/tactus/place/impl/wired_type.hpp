// SPDX-License-Identifier: Apache-2.0
// The types of calls that a program may send as bytes: how another place finds the code that runs one. docs/protocols/frames.md.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/place/impl/frame_block.hpp>
#include <tactus/wire/impl/archives.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace tactus::detail {

/// What a place has been sent.
struct arrived_bytes {
  std::span<const std::byte> bytes;
  int from;           ///< the place that has sent them
  byte_order order;   ///< of that place
  bool is_alike;      ///< whether that place is as this one: then a closure is its bytes
  frame_ptr* memory;  ///< where they lie: goes when objects have been made of them
};

/// What a body of at() has made, with room before it for the head of a frame.
struct reply_bytes {
  static constexpr std::size_t k_room = 32;

  frame_ptr block;
  std::size_t size = 0;
  bool ranges_go_apart = false;  // to whoever gets it

  /// Memory for so many. std::bad_alloc.
  std::byte* make(std::size_t n) {
    block = make_frame_block(k_room + whole_words(n));
    size = n;
    return block->data() + k_room;
  }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
    return block != nullptr ? std::span<const std::byte>(block->data() + k_room, size) : std::span<const std::byte>();
  }
};

/// A call may go together with others of its type if it has no more bytes than that.
inline constexpr std::size_t k_most_together = 32;

/// One for each type of function and arguments.
struct wired_type {
  /// Makes function and arguments of the bytes, and calls. With `reply`: packs the result. What any of that throws passes through.
  void (*run)(const arrived_bytes& in, reply_bytes* reply);
  const char* (*type_name)() noexcept;  ///< no other one of this program has it, as a rule
  const char* (*label)() noexcept;      ///< for timelines

  /// How many bytes each call of it is, where several may go together: nobody's code runs while objects are made of them. Else negative.
  std::int32_t together = -1;

  // By the table of all.
  std::uint64_t token = 0;       // among builds that are alike
  std::uint64_t name_token = 0;  // among others
  wired_type* next = nullptr;
};

/// In the list of all, or no more.
TACTUS_API void list(wired_type& type, bool is_there) noexcept;

/// While the program or library that has the entry is there.
class known_call {
public:
  explicit known_call(wired_type& type) noexcept : type_(type) { list(type, true); }
  ~known_call() { list(type_, false); }
  known_call(const known_call&) = delete;
  known_call& operator=(const known_call&) = delete;

private:
  wired_type& type_;
};

}  // namespace tactus::detail
