// SPDX-License-Identifier: Apache-2.0
// The layout of frames. docs/protocols/frames.md.

#include "place/frame.hpp"

#include <tactus/base/impl/assert.hpp>
#include <tactus/place/impl/wired_call.hpp>

#include "place/frame_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace tactus::detail {
namespace {

constexpr std::size_t k_most_words = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t k_longest_name = std::numeric_limits<std::uint16_t>::max();
constexpr std::size_t k_length_bytes = sizeof(std::uint32_t);  // before values in a reply
constexpr int k_most_places = 1 << 20;

static_assert(k_head_bytes + 3 * sizeof(std::uint64_t) == wired_call::k_room);
static_assert(k_head_bytes + sizeof(std::uint64_t) == reply_bytes::k_room);

void put_head(frame_writer& out, const frame_head& head) {
  const std::size_t words = head.bytes / k_frame_word;
  out.put16(words <= k_most_words ? static_cast<std::uint16_t>(words) : 0);
  out.put8(static_cast<std::uint8_t>(head.kind));
  out.put8(head.flags);
  out.put32(head.number);
  out.put_place(head.from);
  out.put_place(head.to);
  out.put16(head.moves);
  out.put64(head.object);
}

// A frame of so many bytes in a block of its own.
std::pair<frame_ptr, frame_writer> begin_frame(frame_head head, std::size_t bytes, byte_order order) {
  head.bytes = whole_words(bytes);
  frame_ptr block = make_block_at_any_rate(head.bytes);
  block->bytes = head.bytes;
  frame_writer out(block->data(), order);
  put_head(out, head);
  frame_writer padding(block->data() + bytes, order);
  padding.put_zeros(head.bytes - bytes);
  return {std::move(block), out};
}

bool is_known(std::uint8_t kind) {
  switch (static_cast<message_kind>(kind)) {
    case message_kind::task:
    case message_kind::at_request:
    case message_kind::at_reply:
    case message_kind::report:
    case message_kind::credit:
    case message_kind::quiet:
    case message_kind::stuck:
    case message_kind::end:
    case message_kind::note:
    case message_kind::channel:
    case message_kind::loot:
    case message_kind::placement:
    case message_kind::inquiry:
    case message_kind::join: return true;
  }
  return false;
}

bool may_move(const frame_head& head) noexcept {
  return head.kind == message_kind::task && (head.flags & k_may_move) != 0;
}

std::size_t bytes_before(const call_frame& what, bool is_traced) noexcept {
  const bool has_more = what.head.kind == message_kind::at_request || may_move(what.head);
  const std::size_t numbers = 1U + (has_more ? 1U : 0U) + (is_traced ? 1U : 0U);
  return k_head_bytes + numbers * sizeof(std::uint64_t);
}

// What lies behind what a frame speaks of fills its last word at most.
const char* look_at_end(const frame_reader& in) noexcept {
  return in.is_short() ? k_cut_short : in.left() >= k_frame_word ? k_too_long : nullptr;
}

// Reads the head, and says what is wrong with it or with its kind.
const char* read_head_of(message_kind kind, frame_bytes frame, byte_order order, frame_head& into) noexcept {
  const char* const wrong = read_head(frame, order, into);
  return wrong != nullptr ? wrong : into.kind != kind ? "it is of another kind" : nullptr;
}

const char* read_payload(frame_bytes frame, byte_order order, reply_frame& into) noexcept {
  frame_reader in(frame.subspan(k_head_bytes), order);
  const std::uint64_t payload = in.take64();
  into.payload = in.take_bytes(payload);
  return look_at_end(in);
}

}  // namespace

// ---- writing ----

std::size_t bytes_of_call(const call_frame& what, std::size_t payload, bool is_traced) noexcept {
  return bytes_before(what, is_traced) + whole_words(payload + std::min(what.name.size(), k_longest_name));
}

void finish_call(frame_ptr& block, std::size_t payload, call_frame what, bool is_traced, byte_order order) {
  const bool has_caller = what.head.kind == message_kind::at_request;
  const std::size_t in_front = bytes_before(what, is_traced);
  what.name = what.name.substr(0, k_longest_name);
  const std::size_t used = payload + what.name.size();
  const std::size_t padding = whole_words(used) - used;
  if (wired_call::k_room + whole_words(used) > block->capacity) {
    frame_ptr longer = make_block_at_any_rate(wired_call::k_room + whole_words(used));
    std::memcpy(longer->data() + wired_call::k_room, block->data() + wired_call::k_room, payload);
    std::swap(longer->extra, block->extra);
    block = std::move(longer);
  }
  block->begin = wired_call::k_room - in_front;
  block->bytes = in_front + used + padding;
  what.head.bytes = block->bytes;
  if (!what.name.empty()) {
    what.head.flags |= k_named;
  }
  what.head.number = static_cast<std::uint32_t>(what.name.size()) << 16U | static_cast<std::uint32_t>(padding);
  frame_writer out(block->data() + block->begin, order);
  put_head(out, what.head);
  out.put64(what.token);
  if (has_caller) {
    out.put64(what.caller);
  } else if (may_move(what.head)) {
    out.put64(static_cast<std::uint64_t>(what.designated));
  }
  if (is_traced) {
    out.put64(what.traced);
  }
  frame_writer behind(block->data() + wired_call::k_room + payload, order);
  behind.put_bytes(what.name.data(), what.name.size());
  behind.put_zeros(padding);
}

void finish_train(frame_block& block, std::size_t calls, train_frame what, byte_order order) noexcept {
  block.begin = 0;
  block.bytes = k_calls_at + whole_words(calls);
  what.head.bytes = block.bytes;
  what.head.flags |= k_several;
  frame_writer out(block.data(), order);
  put_head(out, what.head);
  out.put64(what.token);
  frame_writer behind(block.data() + k_calls_at + calls, order);
  behind.put_zeros(whole_words(calls) - calls);
}

void write_head(frame_block& frame, const frame_head& head, byte_order order) noexcept {
  frame_writer out(frame.data() + frame.begin, order);
  put_head(out, head);
}

void finish_reply(frame_ptr& block, std::size_t payload, const frame_head& head, byte_order order,
                  std::span<const std::byte> values) {
  const std::size_t of_values = values.empty() ? 0 : k_length_bytes + values.size();
  const std::size_t bytes = reply_bytes::k_room + whole_words(payload + of_values);
  if (block == nullptr || bytes > block->capacity) {
    frame_ptr longer = make_block_at_any_rate(bytes);
    if (block != nullptr) {
      std::memcpy(longer->data() + reply_bytes::k_room, block->data() + reply_bytes::k_room, payload);
      std::swap(longer->extra, block->extra);
    }
    block = std::move(longer);
  }
  block->begin = 0;
  block->bytes = bytes;
  frame_head whole = head;
  whole.bytes = block->bytes;
  if (!values.empty()) {
    whole.flags |= k_with_values;
  }
  frame_writer out(block->data(), order);
  put_head(out, whole);
  out.put64(payload);
  frame_writer behind(block->data() + reply_bytes::k_room + payload, order);
  if (!values.empty()) {
    behind.put32(static_cast<std::uint32_t>(values.size()));
    behind.put_bytes(values.data(), values.size());
  }
  behind.put_zeros(bytes - reply_bytes::k_room - payload - of_values);
}

frame_ptr make_report(const report_frame& what, byte_order order) {
  std::size_t bytes = k_head_bytes + 8 + 4 + what.sent.size() * 11 + 4;
  for (const travelling_failure& f : what.failures) {
    bytes += 3 + 4 + f.text.size() + 8 + f.bytes.size();
  }
  auto [block, out] = begin_frame(what.head, bytes, order);
  out.put64(what.arrived);
  out.put32(static_cast<std::uint32_t>(what.sent.size()));
  for (const auto& [place, count] : what.sent) {
    out.put_place(place);
    out.put64(count);
  }
  out.put32(static_cast<std::uint32_t>(what.failures.size()));
  for (const travelling_failure& f : what.failures) {
    out.put_place(f.from);
    out.put32(static_cast<std::uint32_t>(f.text.size()));
    out.put_bytes(f.text.data(), f.text.size());
    out.put64(f.bytes.size());
    out.put_bytes(f.bytes.data(), f.bytes.size());
  }
  return std::move(block);
}

frame_ptr make_credit(const credit_frame& what, byte_order order) {
  auto [block, out] = begin_frame(what.head, k_head_bytes + sizeof(std::uint64_t), order);
  out.put64(what.bytes);
  return std::move(block);
}

frame_ptr make_quiet(const quiet_frame& what, byte_order order) {
  auto [block, out] = begin_frame(what.head, k_head_bytes + 8 + 4 + what.sent.size() * 11, order);
  out.put64(what.taken);
  out.put32(static_cast<std::uint32_t>(what.sent.size()));
  for (const auto& [place, count] : what.sent) {
    out.put_place(place);
    out.put64(count);
  }
  return std::move(block);
}

frame_ptr make_stuck(const stuck_frame& what, byte_order order) {
  auto [block, out] = begin_frame(what.head, k_head_bytes + 4 + 4 + what.text.size(), order);
  out.put32(what.tasks);
  out.put32(static_cast<std::uint32_t>(what.text.size()));
  out.put_bytes(what.text.data(), what.text.size());
  return std::move(block);
}

frame_ptr make_end(const end_frame& what, byte_order order) {
  auto [block, out] = begin_frame(what.head, k_head_bytes + 8 + what.failure.size() + 8 + what.result.size(), order);
  out.put64(what.failure.size());
  out.put_bytes(what.failure.data(), what.failure.size());
  out.put64(what.result.size());
  out.put_bytes(what.result.data(), what.result.size());
  return std::move(block);
}

frame_ptr make_bare(const frame_head& head, byte_order order) { return begin_frame(head, k_head_bytes, order).first; }

// ---- reading ----

const char* read_head(frame_bytes frame, byte_order order, frame_head& into) noexcept {
  frame_reader in(frame, order);
  const std::size_t words = in.take16();
  const std::uint8_t kind = in.take8();
  into.flags = in.take8();
  into.number = in.take32();
  into.from = in.take_place();
  into.to = in.take_place();
  into.moves = in.take16();
  into.object = in.take64();
  into.bytes = frame.size();
  if (in.is_short()) {
    return "it is shorter than a head";
  }
  const bool is_whole = frame.size() % k_frame_word == 0 && (words == 0 ? frame.size() / k_frame_word > k_most_words
                                                                        : words * k_frame_word == frame.size());
  if (!is_whole) {
    return "its length is another one than it says";
  }
  if (!is_known(kind)) {
    return "there is no message of its kind";
  }
  into.kind = static_cast<message_kind>(kind);
  if (into.from >= k_most_places || into.to >= k_most_places) {
    return "there is no place of that number";
  }
  return nullptr;
}

const char* read_call(frame_bytes frame, byte_order order, bool is_traced, call_frame& into) noexcept {
  if (const char* const wrong = read_head(frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  const bool has_caller = into.head.kind == message_kind::at_request;
  if (!has_caller && (into.head.kind != message_kind::task || (into.head.flags & k_several) != 0)) {
    return "it is of another kind";
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  into.token = in.take64();
  into.caller = has_caller ? in.take64() : 0;
  const std::uint64_t designated = may_move(into.head) ? in.take64() : 0;
  into.traced = is_traced ? in.take64() : 0;
  const std::size_t name = into.head.number >> 16U;
  const std::size_t padding = into.head.number & 0xffffU;
  if (in.is_short() || padding >= k_frame_word || name + padding > in.left()) {
    return k_cut_short;
  }
  if ((name != 0) != ((into.head.flags & k_named) != 0)) {
    return "it has a name and does not say so, or says so and has none";
  }
  if (designated >= std::uint64_t{k_most_places}) {
    return "it is meant for a place that there cannot be";
  }
  into.designated = static_cast<int>(designated);
  into.payload = in.take_bytes(in.left() - name - padding);
  const auto name_bytes = in.take_bytes(name);
  into.name = {reinterpret_cast<const char*>(name_bytes.data()), name_bytes.size()};
  return nullptr;
}

const char* read_train(frame_bytes frame, byte_order order, train_frame& into) noexcept {
  if (const char* const wrong = read_head_of(message_kind::task, frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  if (into.head.flags != k_several || into.head.number == 0 || into.head.number > k_most_in_train) {
    return "it is no train of tasks";
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  into.token = in.take64();
  into.calls = in.take_bytes(in.left());
  return in.is_short() ? k_cut_short : nullptr;
}

const char* read_reply(frame_bytes frame, byte_order order, reply_frame& into) noexcept {
  if (const char* const wrong = read_head_of(message_kind::at_reply, frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  const std::uint64_t payload = in.take64();
  into.payload = in.take_bytes(payload);
  if ((into.head.flags & k_with_values) != 0) {
    into.values = in.take_bytes(in.take32());
  }
  return look_at_end(in);
}

const char* read_note(frame_bytes frame, byte_order order, reply_frame& into) noexcept {
  if (const char* const wrong = read_head_of(message_kind::note, frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  return read_payload(frame, order, into);
}

const char* read_channel(frame_bytes frame, byte_order order, reply_frame& into) noexcept {
  if (const char* const wrong = read_head_of(message_kind::channel, frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  return read_payload(frame, order, into);
}

const char* read_credit(frame_bytes frame, byte_order order, credit_frame& into) noexcept {
  if (const char* const wrong = read_head_of(message_kind::credit, frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  into.bytes = in.take64();
  return look_at_end(in);
}

const char* read_stuck(frame_bytes frame, byte_order order, stuck_frame& into) noexcept {
  if (const char* const wrong = read_head_of(message_kind::stuck, frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  if (into.step() < stuck_step::ask || into.step() > stuck_step::go) {
    return "it is no step of a verdict";
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  into.tasks = in.take32();
  const auto text = in.take_bytes(in.take32());
  into.text = {reinterpret_cast<const char*>(text.data()), text.size()};
  return look_at_end(in);
}

const char* read_end(frame_bytes frame, byte_order order, end_frame& into) noexcept {
  if (const char* const wrong = read_head_of(message_kind::end, frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  into.failure = in.take_bytes(in.take64());
  into.result = in.take_bytes(in.take64());
  return look_at_end(in);
}

const char* read_bare(message_kind kind, frame_bytes frame, byte_order order, frame_head& into) noexcept {
  const char* const wrong = read_head_of(kind, frame, order, into);
  return wrong != nullptr ? wrong : look_at_end(frame_reader(frame.subspan(k_head_bytes), order));
}

const char* read_quiet(frame_bytes frame, byte_order order, quiet_frame& into) {
  if (const char* const wrong = read_head_of(message_kind::quiet, frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  into.taken = in.take64();
  for (std::uint32_t n = in.take32(); n != 0 && !in.is_short(); --n) {
    const int place = in.take_place();
    into.sent.emplace_back(place, in.take64());
  }
  return look_at_end(in);
}

const char* read_report(frame_bytes frame, byte_order order, report_frame& into) {
  if (const char* const wrong = read_head_of(message_kind::report, frame, order, into.head); wrong != nullptr) {
    return wrong;
  }
  frame_reader in(frame.subspan(k_head_bytes), order);
  into.arrived = in.take64();
  for (std::uint32_t n = in.take32(); n != 0 && !in.is_short(); --n) {
    const int place = in.take_place();
    into.sent.emplace_back(place, in.take64());
  }
  for (std::uint32_t n = in.take32(); n != 0 && !in.is_short(); --n) {
    travelling_failure& f = into.failures.emplace_back();
    f.from = in.take_place();
    const auto text = in.take_bytes(in.take32());
    f.text.assign(reinterpret_cast<const char*>(text.data()), text.size());
    const auto bytes = in.take_bytes(in.take64());
    f.bytes.assign(bytes.begin(), bytes.end());
  }
  return look_at_end(in);
}

}  // namespace tactus::detail
