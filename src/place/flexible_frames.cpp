// SPDX-License-Identifier: Apache-2.0
#include "place/flexible_frames.hpp"

#include "place/frame_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::size_t k_note_bytes = 32;       // behind the head
constexpr std::size_t k_loot_bytes = 16;       // before the first task
constexpr std::size_t k_before_each_task = 8;  // its length

// Whole words, so that no padding is needed.
std::pair<frame_ptr, frame_writer> begin_words(frame_head head, std::size_t bytes, byte_order order) {
  head.bytes = k_head_bytes + bytes;
  frame_ptr block = make_block_at_any_rate(head.bytes);
  block->bytes = head.bytes;
  write_head(*block, head, order);
  frame_writer out(block->data() + k_head_bytes, order);
  return {std::move(block), out};
}

bool is_told(std::uint8_t kind) noexcept {
  switch (static_cast<placement_event::kind>(kind)) {
    case placement_event::asked:
    case placement_event::wanted:
    case placement_event::refused:
    case placement_event::load_asked:
    case placement_event::load_told:
    case placement_event::flagged:
    case placement_event::unflagged: return true;
    case placement_event::starved:
    case placement_event::spawned:
    case placement_event::began:
    case placement_event::ended:
    case placement_event::polled:
    case placement_event::arrived:
    case placement_event::gave_nothing: break;
  }
  return false;
}

const char* take_cause(frame_reader& in, move_cause& why) noexcept {
  const std::uint8_t cause = in.take8();
  why = static_cast<move_cause>(cause);
  return cause <= static_cast<std::uint8_t>(move_cause::lifeline) ? nullptr : "there is no such cause of a move";
}

const char* look_at_last_word(const frame_reader& in) noexcept {
  return in.is_short() ? k_cut_short : in.left() != 0 ? k_too_long : nullptr;
}

}  // namespace

frame_ptr make_placement(const frame_head& head, const placement_note& note, byte_order order) {
  auto [block, out] = begin_words(head, k_note_bytes, order);
  out.put32(note.run);
  out.put32(note.nonce);
  out.put64(static_cast<std::uint64_t>(note.speed));
  out.put64(note.surplus);
  out.put32(static_cast<std::uint32_t>(note.idle));
  out.put8(note.what);
  out.put8(static_cast<std::uint8_t>(note.why));
  out.put16(0);
  return std::move(block);
}

frame_ptr make_loot(const frame_head& head, const loot_reason& why, std::span<const frame_ptr> tasks,
                    byte_order order) {
  std::size_t bytes = k_loot_bytes;
  for (const frame_ptr& t : tasks) {
    bytes += k_before_each_task + t->bytes;
  }
  auto [block, out] = begin_words(head, bytes, order);
  out.put32(why.run);
  out.put32(why.nonce);
  out.put32(static_cast<std::uint32_t>(tasks.size()));
  out.put8(static_cast<std::uint8_t>(why.why));
  out.put_zeros(3);
  for (const frame_ptr& t : tasks) {
    const frame_bytes one = t->frame();
    out.put64(one.size());
    out.put_bytes(one.data(), one.size());
  }
  return std::move(block);
}

const char* read_placement(frame_bytes frame, byte_order order, frame_head& head, placement_note& note) noexcept {
  if (const char* const wrong = read_head(frame, order, head); wrong != nullptr) {
    return wrong;
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  note.run = in.take32();
  note.nonce = in.take32();
  note.speed = static_cast<std::int64_t>(in.take64());
  note.surplus = in.take64();
  note.idle = static_cast<std::int32_t>(in.take32());
  const std::uint8_t what = in.take8();
  note.what = static_cast<placement_event::kind>(what);
  const char* const wrong = take_cause(in, note.why);
  in.take16();
  if (const char* const at_end = look_at_last_word(in); at_end != nullptr) {
    return at_end;
  }
  return head.kind != message_kind::placement ? "it is of another kind"
         : !is_told(what)                     ? "no policy says that"
                                              : wrong;
}

const char* read_loot(frame_bytes frame, byte_order order, frame_head& head, loot_reason& why,
                      std::vector<frame_bytes>& tasks) {
  if (const char* const wrong = read_head(frame, order, head); wrong != nullptr) {
    return wrong;
  }
  if (head.kind != message_kind::loot) {
    return "it is of another kind";
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  why.run = in.take32();
  why.nonce = in.take32();
  std::uint32_t n = in.take32();
  const char* const wrong = take_cause(in, why.why);
  in.take_bytes(3);
  for (; n != 0 && !in.is_short(); --n) {
    tasks.push_back(in.take_bytes(in.take64()));
  }
  const char* const at_end = look_at_last_word(in);
  return at_end != nullptr ? at_end : tasks.empty() ? "there are no tasks in it" : wrong;
}

}  // namespace tactus::detail
