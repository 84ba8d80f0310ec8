// SPDX-License-Identifier: Apache-2.0
// What another process has sent: frames and hellos. The first byte says in which order numbers are, and whether the run has a timeline.
#include "targets.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "place/flexible_frames.hpp"
#include "place/frame.hpp"
#include "place/hello.hpp"

namespace fuzz {
namespace {

namespace td = tactus::detail;
using td::byte_order;

bool lies_in(std::span<const std::byte> part, std::span<const std::byte> whole) {
  return part.empty() || (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_call(td::frame_bytes frame, byte_order order, bool is_traced) {
  td::call_frame call;
  if (td::read_call(frame, order, is_traced, call) == nullptr) {
    const auto name = std::as_bytes(std::span(call.name.data(), call.name.size()));
    require(lies_in(call.payload, frame) && lies_in(name, frame), "a call lies in its frame");
    require(td::bytes_of_call(call, call.payload.size(), is_traced) == frame.size(), "a call fills its frame");
  }
}

void check_report(td::frame_bytes frame, byte_order order) {
  td::report_frame report;
  if (td::read_report(frame, order, report) == nullptr) {
    const td::frame_ptr again = td::make_report(report, byte_order::same);
    td::report_frame twice;
    require(td::read_report(again->frame(), byte_order::same, twice) == nullptr, "what was read can be written");
    require(twice.arrived == report.arrived && twice.sent == report.sent &&
                twice.failures.size() == report.failures.size() && again->bytes == frame.size(),
            "and says the same");
  }
}

void check_quiet(td::frame_bytes frame, byte_order order) {
  td::quiet_frame news;
  if (td::read_quiet(frame, order, news) == nullptr) {
    const td::frame_ptr again = td::make_quiet(news, byte_order::same);
    td::quiet_frame twice;
    require(td::read_quiet(again->frame(), byte_order::same, twice) == nullptr, "what was read can be written");
    require(twice.taken == news.taken && twice.sent == news.sent && again->bytes == frame.size(), "and says the same");
  }
}

void check_stuck(td::frame_bytes frame, byte_order order) {
  td::stuck_frame what;
  if (td::read_stuck(frame, order, what) == nullptr) {
    require(lies_in(std::as_bytes(std::span(what.text.data(), what.text.size())), frame), "a text lies in its frame");
    require(what.step() >= td::stuck_step::ask && what.step() <= td::stuck_step::go,
            "a step is one of those there are");
  }
}

void check_end(td::frame_bytes frame, byte_order order) {
  td::end_frame end;
  if (td::read_end(frame, order, end) == nullptr) {
    require(lies_in(end.failure, frame) && lies_in(end.result, frame), "what an end brings lies in its frame");
    const td::frame_ptr again = td::make_end(end, order);
    require(again->bytes == frame.size(), "and fills it");
  }
  td::frame_head join;
  if (td::read_bare(td::message_kind::join, frame, order, join) == nullptr) {
    require(frame.size() == td::k_head_bytes, "one that is nothing but its head is no longer");
  }
}

void check_placement(td::frame_bytes frame, byte_order order) {
  td::frame_head head;
  td::placement_note note;
  if (td::read_placement(frame, order, head, note) == nullptr) {
    require(td::make_placement(head, note, byte_order::same)->bytes == frame.size(),
            "what a policy says fills its frame");
  }
  td::loot_reason why;
  std::vector<td::frame_bytes> tasks;
  if (td::read_loot(frame, order, head, why, tasks) == nullptr) {
    for (const td::frame_bytes one : tasks) {
      require(lies_in(one, frame), "a task lies in the frame that it came in");
    }
  }
}

}  // namespace

void frames(std::string_view text) {
  if (text.empty()) {
    return;
  }
  const byte_order order = (text.front() & 1) != 0 ? byte_order::same : byte_order::swapped;
  const td::frame_bytes frame = std::as_bytes(std::span(text.data() + 1, text.size() - 1));
  td::frame_head head;
  if (td::read_head(frame, order, head) == nullptr) {
    require(head.bytes == frame.size(), "a frame is as long as what it came in");
  }
  check_call(frame, order, (text.front() & 2) != 0);
  check_report(frame, order);
  check_quiet(frame, order);
  check_stuck(frame, order);
  check_end(frame, order);
  check_placement(frame, order);
  td::reply_frame reply;
  if (td::read_reply(frame, order, reply) == nullptr) {
    require(lies_in(reply.payload, frame), "a reply lies in its frame");
  }
  if (td::read_note(frame, order, reply) == nullptr) {
    require(lies_in(reply.payload, frame), "a note lies in its frame");
  }
  td::train_frame train;
  if (td::read_train(frame, order, train) == nullptr) {
    require(lies_in(train.calls, frame) && train.calls.size() + td::k_calls_at == frame.size(),
            "a train fills its frame");
  }
  td::credit_frame credit;
  static_cast<void>(td::read_credit(frame, order, credit));
  td::hello said;
  byte_order found{};
  if (td::read_hello(frame, said, found) == nullptr) {
    td::hello again;
    require(td::read_hello(td::write_hello(said, found), again, found) == nullptr && again == said,
            "a hello that was read can be said again");
  }
}

}  // namespace fuzz
