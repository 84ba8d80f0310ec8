// SPDX-License-Identifier: Apache-2.0
// Frames and hellos: what is read is what was written, in either byte order; the bytes are those of docs/protocols/frames.md; and what
// nobody could have written is refused.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tactus/base/config.hpp>
#include <tactus/place/impl/wired_call.hpp>
#include "place/flexible_frames.hpp"
#include "place/frame.hpp"
#include "place/frame_bytes.hpp"
#include "place/hello.hpp"
#include "wire/messages.hpp"

namespace {

namespace td = tactus::detail;
using td::byte_order;
using td::message_kind;

constexpr byte_order k_orders[] = {byte_order::same, byte_order::swapped};

// What `byte_order` means here for "lowest byte first".
constexpr byte_order k_little = std::endian::native == std::endian::little ? byte_order::same : byte_order::swapped;

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}
std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

td::frame_ptr call_with(const std::string& payload, const td::call_frame& what, bool is_traced, byte_order order) {
  td::frame_ptr block = td::make_frame_block(td::wired_call::k_room + td::whole_words(payload.size()));
  std::memcpy(block->data() + td::wired_call::k_room, payload.data(), payload.size());
  td::finish_call(block, payload.size(), what, is_traced, order);
  return block;
}

td::frame_ptr reply_with(const std::string& payload, const td::frame_head& head, byte_order order) {
  td::reply_bytes reply;
  std::memcpy(reply.make(payload.size()), payload.data(), payload.size());
  td::finish_reply(reply.block, payload.size(), head, order);
  return std::move(reply.block);
}

void expect_same(const td::frame_head& read, const td::frame_head& written, std::size_t bytes) {
  EXPECT_EQ(read.bytes, bytes);
  EXPECT_EQ(read.kind, written.kind);
  EXPECT_EQ(read.from, written.from);
  EXPECT_EQ(read.to, written.to);
  EXPECT_EQ(read.object, written.object);
}

TEST(frames, calls_are_read_as_they_were_written) {
  for (const byte_order order : k_orders) {
    for (const message_kind kind : {message_kind::task, message_kind::at_request}) {
      for (const bool is_traced : {false, true}) {
        for (const std::string name : {"", "reader", "a name that is longer than a word or two"}) {
          for (std::size_t size = 0; size <= 17; ++size) {
            const td::call_frame what{.head = {.kind = kind, .from = 70'001, .to = 3, .object = 0x1122334455667788U},
                                      .token = 0x8877665544332211U,
                                      .caller = kind == message_kind::task ? 0U : 0x0102030405060708U,
                                      .traced = is_traced ? 99U : 0U,
                                      .name = name};
            const std::string payload = std::string("0123456789abcdefg").substr(0, size);
            const td::frame_ptr frame = call_with(payload, what, is_traced, order);
            EXPECT_EQ(frame->bytes, td::bytes_of_call(what, size, is_traced));
            EXPECT_EQ(frame->bytes % td::k_frame_word, 0U);
            td::call_frame read;
            ASSERT_EQ(td::read_call(frame->frame(), order, is_traced, read), nullptr);
            expect_same(read.head, what.head, frame->bytes);
            EXPECT_EQ(read.token, what.token);
            EXPECT_EQ(read.caller, what.caller);
            EXPECT_EQ(read.traced, what.traced);
            EXPECT_EQ(read.name, name);
            EXPECT_EQ(text_of(read.payload), payload);
          }
        }
      }
    }
  }
}

td::frame_ptr train_with(const std::string& calls, const td::train_frame& what, byte_order order) {
  td::frame_ptr block = td::make_frame_block(td::k_calls_at + td::whole_words(calls.size()));
  std::memcpy(block->data() + td::k_calls_at, calls.data(), calls.size());
  td::finish_train(*block, calls.size(), what, order);
  return block;
}

TEST(frames, trains_are_read_as_they_were_written) {
  for (const byte_order order : k_orders) {
    for (std::size_t size = 0; size <= 17; ++size) {
      const td::train_frame what{.head = {.kind = message_kind::task,
                                          .number = td::k_most_in_train,
                                          .from = 70'001,
                                          .to = 3,
                                          .object = 0x1122334455667788U},
                                 .token = 0x8877665544332211U};
      const std::string calls = std::string("0123456789abcdefg").substr(0, size);
      const td::frame_ptr frame = train_with(calls, what, order);
      td::train_frame read;
      ASSERT_EQ(td::read_train(frame->frame(), order, read), nullptr);
      expect_same(read.head, what.head, frame->bytes);
      EXPECT_EQ(read.head.number, td::k_most_in_train);
      EXPECT_EQ(read.token, what.token);
      EXPECT_EQ(text_of(read.calls), calls + std::string(td::whole_words(size) - size, '\0'));
    }
  }
}

TEST(frames, a_train_is_no_call_and_has_tasks) {
  const td::train_frame two{.head = {.kind = message_kind::task, .number = 2}, .token = 1};
  const td::frame_ptr train = train_with("ab", two, byte_order::same);
  td::call_frame call;
  EXPECT_STREQ(td::read_call(train->frame(), byte_order::same, false, call), "it is of another kind");
  td::train_frame read;
  const td::frame_ptr alone = call_with("ab", {.head = {.kind = message_kind::task}}, false, byte_order::same);
  EXPECT_STREQ(td::read_train(alone->frame(), byte_order::same, read), "it is no train of tasks");
  const td::train_frame none{.head = {.kind = message_kind::task}, .token = 1};
  EXPECT_STREQ(td::read_train(train_with("ab", none, byte_order::same)->frame(), byte_order::same, read),
               "it is no train of tasks");
  const td::train_frame many{.head = {.kind = message_kind::task, .number = td::k_most_in_train + 1}, .token = 1};
  EXPECT_STREQ(td::read_train(train_with("", many, byte_order::same)->frame(), byte_order::same, read),
               "it is no train of tasks");
  td::frame_head flagged = two.head;
  flagged.flags = td::k_may_move;
  EXPECT_STREQ(td::read_train(train_with("ab", {.head = flagged}, byte_order::same)->frame(), byte_order::same, read),
               "it is no train of tasks");
  EXPECT_STREQ(td::read_train(train->frame().first(24), byte_order::same, read),
               "its length is another one than it says");
}

TEST(frames, a_name_that_is_too_long_is_cut) {
  const std::string name(70'000, 'n');
  const td::frame_ptr frame =
      call_with("x", {.head = {.kind = message_kind::task}, .name = name}, false, byte_order::same);
  td::call_frame read;
  ASSERT_EQ(td::read_call(frame->frame(), byte_order::same, false, read), nullptr);
  EXPECT_EQ(read.name, name.substr(0, 65'535));
  EXPECT_EQ(text_of(read.payload), "x");
}

TEST(frames, a_long_one_says_so_by_no_length) {
  for (const std::size_t size :
       {std::size_t{524'000}, std::size_t{524'248}, std::size_t{524'256}, std::size_t{3'000'001}}) {
    const std::string payload(size, 'p');
    const td::frame_ptr frame = call_with(payload, {.head = {.kind = message_kind::task}}, false, byte_order::swapped);
    td::call_frame read;
    ASSERT_EQ(td::read_call(frame->frame(), byte_order::swapped, false, read), nullptr) << size;
    EXPECT_EQ(text_of(read.payload), payload);
  }
}

TEST(frames, replies_are_read_as_they_were_written) {
  for (const byte_order order : k_orders) {
    for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 1000U}) {
      const td::frame_head head{
          .kind = message_kind::at_reply, .flags = td::k_entered, .from = 1, .to = 2, .object = 0x0000000700000003U};
      const std::string payload(size, 'r');
      const td::frame_ptr frame = reply_with(payload, head, order);
      td::reply_frame read;
      ASSERT_EQ(td::read_reply(frame->frame(), order, read), nullptr);
      expect_same(read.head, head, frame->bytes);
      EXPECT_EQ(read.head.flags, td::k_entered);
      EXPECT_EQ(text_of(read.payload), payload);
    }
  }
  const td::frame_head note{
      .kind = message_kind::note, .flags = 3U << td::k_call_shift, .from = 1, .to = 2, .object = 1};
  const td::frame_ptr with_note = reply_with("n", note, byte_order::swapped);
  td::reply_frame read_as_note;
  ASSERT_EQ(td::read_note(with_note->frame(), byte_order::swapped, read_as_note), nullptr);
  expect_same(read_as_note.head, note, with_note->bytes);
  EXPECT_EQ(text_of(read_as_note.payload), "n");
  EXPECT_STREQ(td::read_reply(with_note->frame(), byte_order::swapped, read_as_note), "it is of another kind");
  td::frame_ptr none;  // what a body without a result leaves
  td::finish_reply(none, 0, {.kind = message_kind::at_reply, .flags = td::k_throws}, byte_order::same);
  td::reply_frame read;
  ASSERT_EQ(td::read_reply(none->frame(), byte_order::same, read), nullptr);
  EXPECT_EQ(read.head.flags, td::k_throws);
  EXPECT_TRUE(read.payload.empty());
}

TEST(frames, reports_and_credits_are_read_as_they_were_written) {
  for (const byte_order order : k_orders) {
    const td::report_frame report{
        .head = {.kind = message_kind::report, .from = 9, .to = 0, .object = 77},
        .arrived = (std::uint64_t{1} << 32U) + 5,
        .sent = {{1, 2}, {900'000, 0x0102030405060708U}},
        .failures = {{.from = 4, .text = "task 'a' at place 4", .bytes = bytes_of("whatever")},
                     {.from = 9, .text = "", .bytes = {}}}};
    const td::frame_ptr frame = td::make_report(report, order);
    td::report_frame read;
    ASSERT_EQ(td::read_report(frame->frame(), order, read), nullptr);
    expect_same(read.head, report.head, frame->bytes);
    EXPECT_EQ(read.arrived, report.arrived);
    EXPECT_EQ(read.sent, report.sent);
    ASSERT_EQ(read.failures.size(), 2U);
    EXPECT_EQ(read.failures[0].from, 4);
    EXPECT_EQ(read.failures[0].text, "task 'a' at place 4");
    EXPECT_EQ(read.failures[0].bytes, bytes_of("whatever"));
    EXPECT_EQ(read.failures[1].from, 9);
    EXPECT_TRUE(read.failures[1].bytes.empty());

    const td::frame_ptr credit =
        td::make_credit({.head = {.kind = message_kind::credit, .from = 1, .to = 0}, .bytes = 1U << 20U}, order);
    td::credit_frame given;
    ASSERT_EQ(td::read_credit(credit->frame(), order, given), nullptr);
    EXPECT_EQ(given.bytes, 1U << 20U);
  }
}

TEST(frames, what_idle_places_tell_is_read_as_it_was_written) {
  for (const byte_order order : k_orders) {
    const td::quiet_frame news{.head = {.kind = message_kind::quiet, .from = 5, .to = 0},
                               .taken = 0x0102030405060708U,
                               .sent = {{0, 1}, {70'000, std::uint64_t{1} << 40U}}};
    const td::frame_ptr frame = td::make_quiet(news, order);
    td::quiet_frame read;
    ASSERT_EQ(td::read_quiet(frame->frame(), order, read), nullptr);
    expect_same(read.head, news.head, frame->bytes);
    EXPECT_EQ(read.taken, news.taken);
    EXPECT_EQ(read.sent, news.sent);

    const td::stuck_frame step{.head = {.kind = message_kind::stuck,
                                        .flags = static_cast<std::uint8_t>(td::stuck_step::answer),
                                        .from = 2,
                                        .to = 0},
                               .tasks = 3,
                               .text = "three tasks wait"};
    const td::frame_ptr answer = td::make_stuck(step, order);
    td::stuck_frame heard;
    ASSERT_EQ(td::read_stuck(answer->frame(), order, heard), nullptr);
    expect_same(heard.head, step.head, answer->bytes);
    EXPECT_EQ(heard.step(), td::stuck_step::answer);
    EXPECT_EQ(heard.tasks, 3U);
    EXPECT_EQ(heard.text, step.text);
    for (const int no_step : {0, 6, 255}) {
      td::stuck_frame other = step;
      other.head.flags = static_cast<std::uint8_t>(no_step);
      EXPECT_STREQ(td::read_stuck(td::make_stuck(other, order)->frame(), order, heard), "it is no step of a verdict");
    }
  }
}

// What changes here changes the format, and with it the version in hello.cpp.
TEST(frames, have_the_bytes_that_the_page_says) {
  const td::call_frame task{.head = {.kind = message_kind::task, .from = 1, .to = 2, .object = 0x0000100000000003U},
                            .token = 0x0102030405060708U,
                            .name = "ab"};
  EXPECT_EQ(messages::hex(call_with("xyz", task, false, k_little)->frame()),
            "05 00 01 80 03 00 02 00 01 00 00 02 00 00 00 00 "
            "03 00 00 00 00 10 00 00 08 07 06 05 04 03 02 01 "
            "78 79 7a 61 62 00 00 00");
  const td::train_frame train{
      .head = {.kind = message_kind::task, .number = 2, .from = 1, .to = 2, .object = 0x0000100000000003U},
      .token = 0x0102030405060708U};
  EXPECT_EQ(messages::hex(train_with("xy", train, k_little)->frame()),
            "05 00 01 08 02 00 00 00 01 00 00 02 00 00 00 00 "
            "03 00 00 00 00 10 00 00 08 07 06 05 04 03 02 01 "
            "78 79 00 00 00 00 00 00");
  const td::call_frame request{.head = {.kind = message_kind::at_request, .from = 1, .to = 2, .object = 3},
                               .token = 4,
                               .caller = 0x0000000500000006U,
                               .traced = 7};
  EXPECT_EQ(messages::hex(call_with("", request, true, k_little)->frame()),
            "06 00 02 00 00 00 00 00 01 00 00 02 00 00 00 00 "
            "03 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00 "
            "06 00 00 00 05 00 00 00 07 00 00 00 00 00 00 00");
  const td::frame_head reply{.kind = message_kind::at_reply, .flags = td::k_throws, .from = 1, .to = 2, .object = 3};
  EXPECT_EQ(messages::hex(reply_with("r", reply, k_little)->frame()),
            "05 00 03 04 00 00 00 00 01 00 00 02 00 00 00 00 "
            "03 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 "
            "72 00 00 00 00 00 00 00");
  const td::frame_head note{
      .kind = message_kind::note, .flags = 3U << td::k_call_shift, .from = 1, .to = 2, .object = 3};
  EXPECT_EQ(messages::hex(reply_with("n", note, k_little)->frame()),
            "05 00 11 18 00 00 00 00 01 00 00 02 00 00 00 00 "
            "03 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 "
            "6e 00 00 00 00 00 00 00");
  const td::report_frame report{.head = {.kind = message_kind::report, .from = 1, .to = 0, .object = 3},
                                .arrived = 1,
                                .sent = {{2, 3}},
                                .failures = {{.from = 1, .text = "t", .bytes = bytes_of("e")}}};
  EXPECT_EQ(messages::hex(td::make_report(report, k_little)->frame()),
            "09 00 04 00 00 00 00 00 01 00 00 00 00 00 00 00 "
            "03 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 "
            "01 00 00 00 02 00 00 03 00 00 00 00 00 00 00 01 "
            "00 00 00 01 00 00 01 00 00 00 74 01 00 00 00 00 "
            "00 00 00 65 00 00 00 00");
  EXPECT_EQ(messages::hex(
                td::make_credit({.head = {.kind = message_kind::credit, .from = 1, .to = 0}, .bytes = 256}, k_little)
                    ->frame()),
            "04 00 08 00 00 00 00 00 01 00 00 00 00 00 00 00 "
            "00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00");
  const td::quiet_frame news{.head = {.kind = message_kind::quiet, .from = 1, .to = 0}, .taken = 2, .sent = {{3, 4}}};
  EXPECT_EQ(messages::hex(td::make_quiet(news, k_little)->frame()),
            "06 00 0a 00 00 00 00 00 01 00 00 00 00 00 00 00 "
            "00 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00 "
            "01 00 00 00 03 00 00 04 00 00 00 00 00 00 00 00");
  const td::stuck_frame step{
      .head = {.kind = message_kind::stuck, .flags = 2, .from = 1, .to = 0}, .tasks = 1, .text = "abc"};
  EXPECT_EQ(messages::hex(td::make_stuck(step, k_little)->frame()),
            "05 00 0b 02 00 00 00 00 01 00 00 00 00 00 00 00 "
            "00 00 00 00 00 00 00 00 01 00 00 00 03 00 00 00 "
            "61 62 63 00 00 00 00 00");
}

// What is the same for both who write and who read so, nobody but these bytes tells.
TEST(frames, of_the_other_byte_order_have_each_number_turned_round) {
  constexpr byte_order k_big = k_little == byte_order::same ? byte_order::swapped : byte_order::same;
  const td::call_frame task{
      .head = {.kind = message_kind::task, .from = 1, .to = 2, .moves = 3, .object = 0x0000100000000003U},
      .token = 0x0102030405060708U,
      .name = "ab"};
  EXPECT_EQ(messages::hex(call_with("xyz", task, false, k_big)->frame()),
            "00 05 01 80 00 02 00 03 00 00 01 00 00 02 00 03 "
            "00 00 10 00 00 00 00 03 01 02 03 04 05 06 07 08 "
            "78 79 7a 61 62 00 00 00");
  EXPECT_EQ(messages::hex(
                td::make_credit({.head = {.kind = message_kind::credit, .from = 1, .to = 70'000}, .bytes = 256}, k_big)
                    ->frame()),
            "00 04 08 00 00 00 00 00 00 00 01 01 11 70 00 00 "
            "00 00 00 00 00 00 00 00 00 00 00 00 00 00 01 00");
}

TEST(frames, of_tasks_that_may_move_say_where_they_are_meant_for) {
  for (const byte_order order : k_orders) {
    for (const bool is_traced : {false, true}) {
      const td::call_frame what{
          .head = {.kind = message_kind::task, .flags = td::k_may_move, .from = 1, .to = 2, .object = 3},
          .token = 4,
          .designated = 900'000,
          .traced = is_traced ? 5U : 0U,
          .name = "cell"};
      const td::frame_ptr frame = call_with("payload", what, is_traced, order);
      EXPECT_EQ(frame->bytes, td::bytes_of_call(what, 7, is_traced));
      td::call_frame read;
      ASSERT_EQ(td::read_call(frame->frame(), order, is_traced, read), nullptr);
      EXPECT_EQ(read.designated, 900'000);
      EXPECT_EQ(read.traced, what.traced);
      EXPECT_EQ(read.name, "cell");
      EXPECT_EQ(text_of(read.payload), "payload");

      // As it goes on from where it was.
      td::frame_head moved = read.head;
      moved.from = 2;
      moved.to = 70'000;
      moved.object = 6;
      moved.flags |= td::k_takes_no_room;
      td::write_head(*frame, moved, order);
      ASSERT_EQ(td::read_call(frame->frame(), order, is_traced, read), nullptr);
      expect_same(read.head, moved, frame->bytes);
      EXPECT_EQ(read.head.flags, moved.flags);
      EXPECT_EQ(read.token, 4U);
      EXPECT_EQ(read.designated, 900'000);
      EXPECT_EQ(text_of(read.payload), "payload");

      td::frame_writer(frame->data() + frame->begin + 32, order).put64(1U << 20U);
      EXPECT_STREQ(td::read_call(frame->frame(), order, is_traced, read),
                   "it is meant for a place that there cannot be");
    }
  }
}

TEST(frames, of_policies_are_read_as_they_were_written) {
  for (const byte_order order : k_orders) {
    for (const auto what : {td::placement_event::asked, td::placement_event::wanted, td::placement_event::refused,
                            td::placement_event::load_asked, td::placement_event::load_told,
                            td::placement_event::flagged, td::placement_event::unflagged}) {
      const td::frame_head head{.kind = message_kind::placement, .from = 5, .to = 1};
      const td::placement_note note{.run = 7,
                                    .nonce = 0xfffffffeU,
                                    .speed = -1,
                                    .surplus = std::uint64_t{1} << 40U,
                                    .idle = 3,
                                    .what = what,
                                    .why = td::move_cause::lifeline};
      const td::frame_ptr frame = td::make_placement(head, note, order);
      td::frame_head heard;
      td::placement_note read;
      ASSERT_EQ(td::read_placement(frame->frame(), order, heard, read), nullptr);
      expect_same(heard, head, frame->bytes);
      EXPECT_EQ(read.run, note.run);
      EXPECT_EQ(read.nonce, note.nonce);
      EXPECT_EQ(read.speed, note.speed);
      EXPECT_EQ(read.surplus, note.surplus);
      EXPECT_EQ(read.idle, note.idle);
      EXPECT_EQ(read.what, what);
      EXPECT_EQ(read.why, td::move_cause::lifeline);
    }
  }
}

TEST(frames, of_policies_are_refused_where_they_are_faulty) {
  const td::frame_head head{.kind = message_kind::placement, .from = 5, .to = 1};
  const std::string frame =
      text_of(td::make_placement(head, {.run = 1, .what = td::placement_event::asked}, k_little)->frame());
  td::frame_head heard;
  td::placement_note read;
  const auto read_with = [&](std::size_t at, char value) {
    std::string changed = frame;
    changed[at] = value;
    return td::read_placement(std::as_bytes(std::span(changed)), k_little, heard, read);
  };
  EXPECT_EQ(read_with(0, 7), nullptr) << "as it was";
  EXPECT_STREQ(read_with(52, td::placement_event::spawned), "no policy says that");
  EXPECT_STREQ(read_with(52, 99), "no policy says that");
  EXPECT_STREQ(read_with(53, 3), "there is no such cause of a move");
  EXPECT_STREQ(read_with(2, 19), "it is of another kind");
  std::string cut = frame.substr(0, 48);
  cut[0] = 6;
  EXPECT_STREQ(td::read_placement(std::as_bytes(std::span(cut)), k_little, heard, read),
               "it ends before what it speaks of");
}

TEST(frames, of_tasks_that_go_together_are_read_as_they_were_written) {
  for (const byte_order order : k_orders) {
    std::vector<td::frame_ptr> tasks;
    for (const std::string payload : {"", "a payload", "one that is longer than a few words are"}) {
      tasks.push_back(
          call_with(payload, {.head = {.kind = message_kind::task, .flags = td::k_may_move}}, false, order));
    }
    const td::frame_head head{.kind = message_kind::loot, .from = 2, .to = 3};
    const td::frame_ptr frame = td::make_loot(head, {.run = 4, .nonce = 5, .why = td::move_cause::asked}, tasks, order);
    td::frame_head heard;
    td::loot_reason why;
    std::vector<td::frame_bytes> each;
    ASSERT_EQ(td::read_loot(frame->frame(), order, heard, why, each), nullptr);
    expect_same(heard, head, frame->bytes);
    EXPECT_EQ(why.run, 4U);
    EXPECT_EQ(why.nonce, 5U);
    EXPECT_EQ(why.why, td::move_cause::asked);
    ASSERT_EQ(each.size(), tasks.size());
    for (std::size_t i = 0; i < each.size(); ++i) {
      EXPECT_EQ(text_of(each[i]), text_of(tasks[i]->frame()));
    }
    for (const auto& [at, value] : {std::pair<std::size_t, std::uint64_t>{40, 1}, {40, ~std::uint64_t{0}}}) {
      const td::frame_ptr damaged = td::make_loot(head, {.run = 4}, tasks, order);
      td::frame_writer(damaged->data() + at, order).put64(value);  // the length of the first task
      each.clear();
      EXPECT_NE(td::read_loot(damaged->frame(), order, heard, why, each), nullptr);
    }
    each.clear();
    EXPECT_STREQ(td::read_loot(td::make_loot(head, {}, {}, order)->frame(), order, heard, why, each),
                 "there are no tasks in it");
  }
}

TEST(frames, of_placement_have_the_bytes_that_the_page_says) {
  const td::call_frame task{
      .head = {.kind = message_kind::task, .flags = td::k_may_move, .from = 1, .to = 2, .object = 3},
      .token = 4,
      .designated = 5};
  std::vector<td::frame_ptr> tasks;
  tasks.push_back(call_with("xyz", task, false, k_little));
  EXPECT_EQ(messages::hex(tasks.front()->frame()),
            "06 00 01 04 05 00 00 00 01 00 00 02 00 00 00 00 "
            "03 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00 "
            "05 00 00 00 00 00 00 00 78 79 7a 00 00 00 00 00");
  const td::frame_ptr loot = td::make_loot({.kind = message_kind::loot, .from = 1, .to = 2},
                                           {.run = 6, .nonce = 7, .why = td::move_cause::asked}, tasks, k_little);
  EXPECT_EQ(messages::hex(loot->frame()),
            "0c 00 13 00 00 00 00 00 01 00 00 02 00 00 00 00 "
            "00 00 00 00 00 00 00 00 06 00 00 00 07 00 00 00 "
            "01 00 00 00 01 00 00 00 30 00 00 00 00 00 00 00 "
            "06 00 01 04 05 00 00 00 01 00 00 02 00 00 00 00 "
            "03 00 00 00 00 00 00 00 04 00 00 00 00 00 00 00 "
            "05 00 00 00 00 00 00 00 78 79 7a 00 00 00 00 00");
  EXPECT_EQ(messages::hex(td::make_placement({.kind = message_kind::placement, .from = 1, .to = 2},
                                             {.run = 6,
                                              .nonce = 7,
                                              .speed = 8,
                                              .surplus = 9,
                                              .idle = 10,
                                              .what = td::placement_event::wanted,
                                              .why = td::move_cause::lifeline},
                                             k_little)
                              ->frame()),
            "07 00 14 00 00 00 00 00 01 00 00 02 00 00 00 00 "
            "00 00 00 00 00 00 00 00 06 00 00 00 07 00 00 00 "
            "08 00 00 00 00 00 00 00 09 00 00 00 00 00 00 00 "
            "0a 00 00 00 07 02 00 00");
}

TEST(frames, of_the_begin_and_the_end_of_a_run_are_read_as_they_were_written) {
  const std::vector<std::byte> failure = bytes_of("thrown");
  const std::vector<std::byte> result = bytes_of("returned by the body");
  for (const byte_order order : k_orders) {
    const td::end_frame end{
        .head = {.kind = message_kind::end, .from = 0, .to = 3}, .failure = failure, .result = result};
    const td::frame_ptr frame = td::make_end(end, order);
    td::end_frame read;
    ASSERT_EQ(td::read_end(frame->frame(), order, read), nullptr);
    expect_same(read.head, end.head, frame->bytes);
    EXPECT_EQ(text_of(read.failure), "thrown");
    EXPECT_EQ(text_of(read.result), "returned by the body");
    for (const std::size_t at : {24U, 38U}) {  // the two lengths
      const td::frame_ptr damaged = td::make_end(end, order);
      td::frame_writer(damaged->data() + at, order).put64(~std::uint64_t{0});
      EXPECT_NE(td::read_end(damaged->frame(), order, read), nullptr) << at;
    }
    const td::frame_head join{.kind = message_kind::join, .from = 3, .to = 0, .object = 7};
    const td::frame_ptr bare = td::make_bare(join, order);
    td::frame_head heard;
    ASSERT_EQ(td::read_bare(message_kind::join, bare->frame(), order, heard), nullptr);
    expect_same(heard, join, td::k_head_bytes);
    EXPECT_STREQ(td::read_bare(message_kind::join, frame->frame(), order, heard), "it is of another kind");
  }
  EXPECT_EQ(
      messages::hex(
          td::make_end({.head = {.kind = message_kind::end, .from = 0, .to = 1}, .result = bytes_of("r")}, k_little)
              ->frame()),
      "06 00 0c 00 00 00 00 00 00 00 00 01 00 00 00 00 "
      "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
      "01 00 00 00 00 00 00 00 72 00 00 00 00 00 00 00");
  EXPECT_EQ(
      messages::hex(td::make_bare({.kind = message_kind::join, .from = 1, .to = 0, .object = 2}, k_little)->frame()),
      "03 00 1e 00 00 00 00 00 01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 00");
}

class faulty_frames : public testing::Test {
protected:
  faulty_frames()
      : frame_(text_of(
            call_with("payload", {.head = {.kind = message_kind::task}, .token = 1, .name = "n"}, false, k_little)
                ->frame())) {}

  [[nodiscard]] const char* read_with(std::size_t at, char value) const {
    std::string changed = frame_;
    changed[at] = value;
    td::call_frame into;
    return td::read_call(std::as_bytes(std::span(changed)), k_little, false, into);
  }
  [[nodiscard]] const char* read_first(std::size_t bytes) const {
    const std::string cut = frame_.substr(0, bytes);
    td::call_frame into;
    return td::read_call(std::as_bytes(std::span(cut)), k_little, false, into);
  }

  const std::string frame_;
};

TEST_F(faulty_frames, are_refused) {
  ASSERT_EQ(frame_.size(), 40U);
  for (std::size_t bytes = 0; bytes < frame_.size(); ++bytes) {
    EXPECT_NE(read_first(bytes), nullptr) << bytes;
  }
  EXPECT_STREQ(read_with(0, 6), "its length is another one than it says");
  EXPECT_STREQ(read_with(0, 0), "its length is another one than it says") << "only a long one has none";
  EXPECT_STREQ(read_with(2, 77), "there is no message of its kind");
  EXPECT_STREQ(read_with(2, 4), "it is of another kind");
  EXPECT_STREQ(read_with(3, 0), "it has a name and does not say so, or says so and has none");
  EXPECT_STREQ(read_with(4, 8), "it ends before what it speaks of") << "padding is less than a word";
  EXPECT_STREQ(read_with(7, 1), "it ends before what it speaks of") << "a name of 256 bytes and more";
  EXPECT_STREQ(read_with(10, 16), "there is no place of that number");
  EXPECT_STREQ(read_with(13, '\xff'), "there is no place of that number");
}

TEST(frames, whose_lengths_lead_out_of_them_are_refused) {
  const td::frame_ptr reply = reply_with("12345678", {.kind = message_kind::at_reply}, k_little);
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{1} << 40U, ~std::uint64_t{0}}) {
    td::frame_writer(reply->data() + td::k_head_bytes, k_little).put64(size);
    td::reply_frame into;
    EXPECT_NE(td::read_reply(reply->frame(), k_little, into), nullptr) << size;
  }
  const td::report_frame report{.head = {.kind = message_kind::report},
                                .arrived = 1,
                                .sent = {{2, 3}},
                                .failures = {{.from = 1, .text = "t", .bytes = bytes_of("e")}}};
  for (const std::size_t at :
       {32U, 47U, 54U, 59U}) {  // of the numbers of places, failures, and the two lengths of the first
    const td::frame_ptr frame = td::make_report(report, k_little);
    td::frame_writer(frame->data() + at, k_little).put32(0xfffffff0U);
    td::report_frame into;
    EXPECT_NE(td::read_report(frame->frame(), k_little, into), nullptr) << at;
  }
  const td::quiet_frame news{.head = {.kind = message_kind::quiet}, .taken = 1, .sent = {{2, 3}}};
  const td::frame_ptr quiet = td::make_quiet(news, k_little);
  td::frame_writer(quiet->data() + 32, k_little).put32(0xfffffff0U);
  td::quiet_frame heard;
  EXPECT_NE(td::read_quiet(quiet->frame(), k_little, heard), nullptr);
  const td::stuck_frame step{.head = {.kind = message_kind::stuck, .flags = 1}, .text = "text"};
  const td::frame_ptr stuck = td::make_stuck(step, k_little);
  td::frame_writer(stuck->data() + 28, k_little).put32(0xfffffff0U);
  td::stuck_frame told;
  EXPECT_NE(td::read_stuck(stuck->frame(), k_little, told), nullptr);
}

// ---- hello ----

tactus::config some_options() { return {.threads = 3, .places = 4, .env = false, .message_bytes = 1U << 20U}; }

TEST(hello, is_read_as_it_was_written) {
  const td::hello said = td::hello_of(some_options(), 2, 1);
  EXPECT_EQ(said.workers, 3U);
  EXPECT_EQ(said.window, 1024U);
  EXPECT_NE(said.build, 0U);
  for (const byte_order order : k_orders) {
    td::hello read;
    byte_order found{};
    ASSERT_EQ(td::read_hello(td::write_hello(said, order), read, found), nullptr);
    EXPECT_EQ(found, order);
    EXPECT_EQ(read, said);
  }
}

// Numbers that differ, each in its own place.
TEST(hello, keeps_each_number_where_it_belongs) {
  const td::hello said{.pointer_bytes = 1,
                       .long_bytes = 2,
                       .long_double_bytes = 3,
                       .long_double_digits = 4,
                       .first_place = 5,
                       .places_here = 6,
                       .workers = 7,
                       .window = 8,
                       .build = 9,
                       .configuration = 10,
                       .fields = {11, 12, 13, 14, 15, 16, 17, 18, 0x1314}};
  const td::hello_bytes bytes = td::write_hello(said, k_little);
  EXPECT_EQ(messages::hex(std::span(bytes).subspan(4, 60)),
            "05 00 01 02 03 04 00 00 05 00 00 00 09 00 00 00 00 00 00 00 "
            "0a 00 00 00 00 00 00 00 06 00 00 00 07 00 00 00 08 00 00 00 "
            "0b 00 0c 00 0d 00 0e 00 0f 00 10 00 11 00 12 00 14 13 00 00");
  td::hello read;
  byte_order order{};
  ASSERT_EQ(td::read_hello(bytes, read, order), nullptr);
  EXPECT_EQ(read, said);
}

TEST(hello, of_others_is_refused) {
  td::hello read;
  byte_order order{};
  td::hello_bytes bytes = td::write_hello(td::hello_of(some_options(), 0, 1), k_little);
  EXPECT_STREQ(td::read_hello(std::span(bytes).first(63), read, order), "it is not as long as a hello");
  bytes[4] = std::byte{2};
  EXPECT_STREQ(td::read_hello(bytes, read, order), "it is of another version of Tactus");
  bytes[0] = std::byte{'X'};
  EXPECT_STREQ(td::read_hello(bytes, read, order), "it does not begin as a hello does");
}

TEST(hello, tells_who_cannot_work_together) {
  const td::hello mine = td::hello_of(some_options(), 0, 1);
  EXPECT_EQ(td::what_parts(mine, mine, true), "");
  td::hello other = mine;
  other.build ^= 1;
  EXPECT_NE(td::what_parts(mine, other, true).find("another build"), std::string::npos);
  EXPECT_EQ(td::what_parts(mine, other, false), "") << "machines of two kinds cannot run the same file";
  other = mine;
  other.pointer_bytes = 4;
  EXPECT_NE(td::what_parts(mine, other, false).find("its pointers have 32 bits"), std::string::npos);
  other = mine;
  other.long_bytes = 4;
  EXPECT_NE(td::what_parts(mine, other, false).find("its longs 32"), std::string::npos);
  tactus::config options = some_options();
  options.message_bytes = 4096;
  EXPECT_EQ(td::what_parts(mine, td::hello_of(options, 1, 1), true),
            "its message_bytes is another one than here; give all of them the same TACTUS_* variables and flags");
  options.policy = tactus::spawn_policy::work_first;
  options.peer_timeout = 2.5;
  EXPECT_EQ(td::what_parts(mine, td::hello_of(options, 1, 1), true)
                .find("its policy, its message_bytes and its peer_timeout are others than here;"),
            0U);
}

TEST(hello, tells_which_field_of_a_configuration_differs) {
  const td::hello mine = td::hello_of(some_options(), 0, 1);
  const auto difference = [&mine](auto change) {
    tactus::config options = some_options();
    change(options);
    const std::string text = td::what_parts(mine, td::hello_of(options, 1, 1), true);
    return text.substr(0, text.find(" than here"));
  };
  EXPECT_EQ(difference([](tactus::config& o) { o.threads = 7; }), "") << "places may have different numbers of workers";
  EXPECT_EQ(difference([](tactus::config& o) { o.places = 5; }), "its places is another one");
  EXPECT_EQ(difference([](tactus::config& o) { o.policy = tactus::spawn_policy::work_first; }),
            "its policy is another one");
  EXPECT_EQ(difference([](tactus::config& o) { o.seed = 5; }), "its seed is another one");
  EXPECT_EQ(difference([](tactus::config& o) { o.trace = "timeline.json"; }), "its trace is another one");
  EXPECT_EQ(difference([](tactus::config& o) { o.local_copy = tactus::copying::serialize; }),
            "its local_copy is another one");
  EXPECT_EQ(difference([](tactus::config& o) { o.message_bytes = 4096; }), "its message_bytes is another one");
  EXPECT_EQ(difference([](tactus::config& o) { o.placement = tactus::placement_policy::hybrid; }),
            "its placement is another one");
  EXPECT_EQ(difference([](tactus::config& o) { o.labels = "none"; }), "its labels is another one");
  EXPECT_EQ(difference([](tactus::config& o) { o.peer_timeout = 5; }), "its peer_timeout is another one");
}

TEST(hello, tells_who_is_alike) {
  const td::hello mine = td::hello_of(some_options(), 0, 1);
  td::hello other = mine;
  EXPECT_TRUE(td::are_alike(mine, byte_order::same, other, byte_order::same));
  EXPECT_TRUE(td::are_alike(mine, byte_order::swapped, other, byte_order::swapped));
  EXPECT_FALSE(td::are_alike(mine, byte_order::same, other, byte_order::swapped));
  other.long_double_digits = 113;
  EXPECT_FALSE(td::are_alike(mine, byte_order::same, other, byte_order::same));
}

}  // namespace
