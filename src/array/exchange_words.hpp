// SPDX-License-Identifier: Apache-2.0
// What neighbours write to each other in an exchange. docs/protocols/ghosts.md, "Words".
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/place/impl/channel.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tactus::detail {

/// Before the cells of a message.
struct message_head {
  std::uint64_t number = 0;  ///< of the exchange
  std::uint64_t tag = 0;     ///< of its send
  std::uint32_t which = 0;   ///< of the exchanges of the object
  std::uint32_t round = 0;   ///< 0: of cells; else of the rounds in which all meet
};
inline constexpr std::size_t k_head = 24;

/// By a task of the place that sends.
void write_head(std::byte* to, const message_head& h) noexcept;
[[nodiscard]] message_head read_head(std::span<const std::byte> bytes, byte_order order, int from);

[[noreturn]] void end_out_of_turn(const std::string& of, int from, int here, std::uint64_t number,
                                  std::uint64_t begun) noexcept;

/// What has come of one neighbour, in exchanges of one parity.
enum class slot_state : std::uint8_t {
  empty,    ///< nothing
  offered,  ///< nothing, but it keeps its cells until they have been copied (ghost_source::kept)
  full,     ///< it is packed
  busy,     ///< somebody copies or unpacks it
  placed,   ///< it is where it belongs
};

struct slot {
  atomic<slot_state> state{slot_state::empty};
  std::uint64_t number = 0;  // of the exchange, where it is full
  std::uint64_t tag = 0;
  byte_order order = byte_order::same;
  frame_ptr block;
  std::span<const std::byte> bytes;
};

/// Milliseconds of a clock that is good enough to say how long ago something was, and costs an exchange nothing that could be measured.
[[nodiscard]] std::int64_t time_of_report() noexcept;

class exchange_here;

/// A neighbour; or, behind those, a round in which all meet, where who is sent to is not who sends.
struct link {
  int to = 0;
  int from = 0;
  exchange_here* there = nullptr;   ///< of `to`, if it is in reach
  std::size_t number_there = 0;     ///< of this link's opposite
  std::size_t next_of_place = 0;    ///< the next one from the same place; the last one's is the first
  bool is_served = false;           ///< by send(): nothing is left to be sent there
  bool is_told = false;             ///< by wait_for_any(), in the exchange that is open
  atomic<std::uint64_t> told{0};    ///< of a round: the last exchange in which a task here has told `to`
  atomic<std::int64_t> came_at{0};  ///< of one that is not in reach, in time_of_report(): when something came last
  slot came[2];                     ///< by parity of the exchange
};

/// Who does something to an exchange: a task, of whatever place of this process; or who brings messages to the exchange's own place.
struct actor {
  int place = 0;
  const channel_sender* brings = nullptr;  ///< null: a task
};

}  // namespace tactus::detail
