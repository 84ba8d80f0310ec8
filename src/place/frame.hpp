// SPDX-License-Identifier: Apache-2.0
// What places that do not share memory send each other. docs/protocols/frames.md has the layout.
#pragma once

#include <tactus/place/impl/frame_block.hpp>
#include <tactus/place/impl/message.hpp>
#include <tactus/wire/impl/archives.hpp>

#include "place/part.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::detail {

inline constexpr std::size_t k_head_bytes = 24;

// Of a reply: the body has left something of its finish where it ran; its bytes are those of an exception.
inline constexpr std::uint8_t k_entered = 2;
inline constexpr std::uint8_t k_throws = 4;
inline constexpr std::uint8_t k_with_values = 8;  // it says where its task has values

// Of a note, besides: which call of the team it is of.
inline constexpr unsigned k_call_shift = 3;

// Of a task: whoever has sent it has not waited for room; it may move on; it is several; its name stands behind its bytes.
inline constexpr std::uint8_t k_takes_no_room = 2;
inline constexpr std::uint8_t k_may_move = 4;
inline constexpr std::uint8_t k_several = 8;
inline constexpr std::uint8_t k_named = 128;

/// What all frames begin with.
struct frame_head {
  std::size_t bytes = 0;  // of the frame, whole words
  message_kind kind = message_kind::task;
  std::uint8_t flags = 0;
  std::uint32_t number =
      0;  // of a control message, among those of its pair; 0: nobody counts them; of a train, how many tasks it is
  int from = 0;
  int to = 0;
  std::uint16_t moves = 0;   // of a task that may move: how often it has
  std::uint64_t object = 0;  // the key of a finish; of a reply, the caller
};

/// A task, or the body of an at().
struct call_frame {
  frame_head head;
  std::uint64_t token = 0;   // of its type
  std::uint64_t caller = 0;  // of an at()
  int designated = 0;        // of a task that may move: the place that it is meant for
  std::uint64_t traced = 0;  // its number in the timeline, where the run has one
  std::string_view name{};   // of an at(): what its body has to know of the values of its task
  std::span<const std::byte> payload{};
};

/// Several tasks of one function and one finish.
struct train_frame {
  frame_head head;
  std::uint64_t token = 0;
  std::span<const std::byte> calls{};  // the bytes of each, one behind the other; padding
};

inline constexpr std::uint32_t k_most_in_train = 512;  // tasks

/// Where those begin, and what one such task would take as a frame of its own.
inline constexpr std::size_t k_calls_at = k_head_bytes + sizeof(std::uint64_t);
[[nodiscard]] constexpr std::uint32_t bytes_of_one(std::size_t call) noexcept {
  return static_cast<std::uint32_t>(k_calls_at + whole_words(call));
}

struct reply_frame {
  frame_head head;
  std::span<const std::byte> payload{};
  std::span<const std::byte> values{};  // of the body of an at(): where its task has some now
};

/// An exception on its way home.
struct travelling_failure {
  int from = 0;      // the place that it left
  std::string text;  // where, for reports
  std::vector<std::byte> bytes;
};

struct report_frame {
  frame_head head;
  std::uint64_t arrived = 0;
  sent_counts sent;
  std::vector<travelling_failure> failures;
};

struct credit_frame {
  frame_head head;
  std::uint64_t bytes = 0;
};

/// Since its sender told the last time: messages taken, and sent to each place.
struct quiet_frame {
  frame_head head;
  std::uint64_t taken = 0;
  std::vector<std::pair<int, std::uint64_t>> sent;
};

/// Before a verdict (quiescence.md, "Rounds"); in the flags.
enum class stuck_step : std::uint8_t {
  ask = 1,        ///< who waits, when you are idle again?
  answer = 2,     ///< so many tasks do, for what the text says
  set = 3,        ///< the program is stuck, as the text says
  confirmed = 4,  ///< the waits are cancelled
  go = 5,         ///< resume them
};

struct stuck_frame {
  frame_head head;  // its object: of set, the number of the run
  std::uint32_t tasks = 0;
  std::string_view text{};

  [[nodiscard]] stuck_step step() const noexcept { return static_cast<stuck_step>(head.flags); }
};

/// The run has ended: what it throws, and what it returns.
struct end_frame {
  frame_head head;
  std::span<const std::byte> failure{};  // of an exception; none: nothing is thrown
  std::span<const std::byte> result{};
};

// ---- writing, as a place writes that stores numbers in `order` ----

/// make_frame_block() for what goes, or has come, whatever memory_bytes allows: nobody could be told. std::bad_alloc.
[[nodiscard]] frame_ptr make_block_at_any_rate(std::size_t capacity);

/// While it is there make_frame_block() is that, on the thread that has made it. For what packs ghosts, which go where nobody could be told
/// either. Where a serialize waited meanwhile, and its task went on elsewhere, the thread asks again after the next one of these.
class blocks_at_any_rate {
public:
  blocks_at_any_rate() noexcept;
  ~blocks_at_any_rate();
  blocks_at_any_rate(const blocks_at_any_rate&) = delete;
  blocks_at_any_rate& operator=(const blocks_at_any_rate&) = delete;
};

/// How long the frame of a call is.
[[nodiscard]] std::size_t bytes_of_call(const call_frame& what, std::size_t payload, bool is_traced) noexcept;

/// Writes what a frame begins with once more, before it goes on from another place.
void write_head(frame_block& frame, const frame_head& head, byte_order order) noexcept;

/// Puts the frame of a call around its payload, which lies wired_call::k_room behind the begin of the block; std::bad_alloc where a name
/// needs a longer block.
void finish_call(frame_ptr& block, std::size_t payload, call_frame what, bool is_traced, byte_order order);

/// Makes a block in which so many bytes of calls lie k_calls_at behind the begin the frame of a train; it is long enough for whole words.
void finish_train(frame_block& block, std::size_t calls, train_frame what, byte_order order) noexcept;

/// The same as finish_call() of a reply, a note or what goes on a channel, whose payload lies reply_bytes::k_room behind the begin. Null: one without payload is made.
void finish_reply(frame_ptr& block, std::size_t payload, const frame_head& head, byte_order order,
                  std::span<const std::byte> values = {});

[[nodiscard]] frame_ptr make_report(const report_frame& what, byte_order order);
[[nodiscard]] frame_ptr make_credit(const credit_frame& what, byte_order order);
[[nodiscard]] frame_ptr make_quiet(const quiet_frame& what, byte_order order);
[[nodiscard]] frame_ptr make_stuck(const stuck_frame& what, byte_order order);
[[nodiscard]] frame_ptr make_end(const end_frame& what, byte_order order);

/// One that is nothing but its head.
[[nodiscard]] frame_ptr make_bare(const frame_head& head, byte_order order);

// ---- reading what anybody may have sent: null, or what is wrong with it ----

using frame_bytes = std::span<const std::byte>;

[[nodiscard]] const char* read_head(frame_bytes frame, byte_order order, frame_head& into) noexcept;

// Each of these reads a head first, which is of that kind.
[[nodiscard]] const char* read_call(frame_bytes frame, byte_order order, bool is_traced, call_frame& into) noexcept;
[[nodiscard]] const char* read_train(frame_bytes frame, byte_order order, train_frame& into) noexcept;
[[nodiscard]] const char* read_reply(frame_bytes frame, byte_order order, reply_frame& into) noexcept;
[[nodiscard]] const char* read_note(frame_bytes frame, byte_order order, reply_frame& into) noexcept;
[[nodiscard]] const char* read_channel(frame_bytes frame, byte_order order, reply_frame& into) noexcept;
[[nodiscard]] const char* read_credit(frame_bytes frame, byte_order order, credit_frame& into) noexcept;
[[nodiscard]] const char* read_stuck(frame_bytes frame, byte_order order, stuck_frame& into) noexcept;
[[nodiscard]] const char* read_end(frame_bytes frame, byte_order order, end_frame& into) noexcept;
[[nodiscard]] const char* read_bare(message_kind kind, frame_bytes frame, byte_order order, frame_head& into) noexcept;

/// std::bad_alloc.
[[nodiscard]] const char* read_report(frame_bytes frame, byte_order order, report_frame& into);
[[nodiscard]] const char* read_quiet(frame_bytes frame, byte_order order, quiet_frame& into);

/// Ends the program: what a message stood for can be neither done nor told, and some finish waits for it.
[[noreturn]] void end_damaged(int from, int to, const char* what) noexcept;

}  // namespace tactus::detail
