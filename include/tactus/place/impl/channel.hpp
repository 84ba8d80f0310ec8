// SPDX-License-Identifier: Apache-2.0
// Channels: bytes that objects of one name at different places send each other, and which are taken as soon as they come.
// docs/protocols/ghosts.md, "Channels".
#pragma once

#include <tactus/place/impl/wired_type.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace tactus::detail {

struct wait_point;
struct worker;
class channel_table;
class place_node;

/// A place as one that sends; for who brings messages to it, who need not be one of its workers.
struct channel_sender {
  place_node* here = nullptr;
  worker* by = nullptr;  ///< null: the thread that takes messages while workers compute
};

/// What an end has been sent.
struct channel_message {
  int from = 0;                         ///< the place that has sent it
  byte_order order = byte_order::same;  ///< in which that writes numbers
  std::span<const std::byte> bytes;     ///< in the block
  frame_ptr block;
  channel_sender at;  ///< the place that it has come to
};

/// The end of a channel at one place; there is at most one of its key at each. Bytes for an end that is not there are dropped.
class channel_end {
public:
  explicit channel_end(std::uint64_t k) noexcept : key(k) {}
  channel_end(const channel_end&) = delete;
  channel_end& operator=(const channel_end&) = delete;

  /// By who takes messages for this place, one after the other; it may make tasks ready and send, and neither waits nor runs code of the
  /// program.
  virtual void arrive(channel_message&& m) noexcept = 0;

  /// At the calling task's place. std::bad_alloc.
  void open();

  /// Nothing comes after it. Any thread.
  void close() noexcept;

  const std::uint64_t key;      ///< the same at all places, and of nothing else in the process
  channel_end* next = nullptr;  ///< in the table

protected:
  ~channel_end() = default;

private:
  std::shared_ptr<channel_table> table_;  // where it is open
};

/// Sends bytes to the end at place `to`, another one.
void send_on_channel(std::uint64_t key, int to, reply_bytes&& bytes) noexcept;

/// The same by who brings a message to `at`, while arrive() runs.
void send_on_channel(const channel_sender& at, std::uint64_t key, int to, reply_bytes&& bytes) noexcept;

/// The end at place `to` if tasks here can reach into its memory, and are to: else null.
[[nodiscard]] channel_end* channel_end_in_reach(std::uint64_t key, int to) noexcept;

/// Makes a task of place `to`, another one within reach, ready: by a message, so that the verdict on a stuck program knows.
void wake_in_reach(int to, wait_point& waits) noexcept;

}  // namespace tactus::detail
