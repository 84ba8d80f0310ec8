// SPDX-License-Identifier: Apache-2.0
// A message of frames that go together, as another process has sent it by MPI. The first byte says in which order its numbers are.
#include "targets.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "mpi/packed_frames.hpp"

namespace fuzz {
namespace {

namespace td = tactus::detail;

// As its sender would have written it.
class packed_again {
public:
  explicit packed_again(td::byte_order order) : order_(order) {}

  void add(const td::packed_frames::one& frame) {
    if (frame.tag != 0) {
      std::vector<std::span<const std::byte>> ranges;
      for (const std::size_t n : frame.ranges) ranges.push_back({static_cast<const std::byte*>(nullptr), n});
      td::frame_writer to = room(td::bytes_of_announcement(ranges.size()));
      td::announce_ranges(to, frame.tag, ranges);
    }
    if (frame.alone != 0) {
      td::frame_writer to = room(td::k_announcement);
      td::announce_alone(to, frame.alone);
    } else {
      bytes_.insert(bytes_.end(), frame.here.begin(), frame.here.end());
    }
  }

  [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

private:
  td::frame_writer room(std::size_t n) {
    bytes_.resize(bytes_.size() + n);
    return {bytes_.data() + bytes_.size() - n, order_};
  }

  const td::byte_order order_;
  std::vector<std::byte> bytes_;
};

void check(const td::packed_frames::one& frame, std::span<const std::byte> message) {
  if (frame.tag != 0) {
    require(!frame.ranges.empty() && frame.ranges.size() <= td::k_most_ranges,
            "a frame has no more ranges than it may");
    for (const std::size_t n : frame.ranges) require(n >= td::k_long_range, "a range is long");
  }
  if (frame.alone != 0) {
    require(frame.alone >= td::k_head_bytes && frame.alone % td::k_frame_word == 0, "what comes alone is a frame");
    return;
  }
  require(!frame.here.empty() && frame.here.data() >= message.data() &&
              frame.here.data() + frame.here.size() <= message.data() + message.size(),
          "a frame lies in its message");
}

}  // namespace

void packed(std::string_view text) {
  if (text.empty()) {
    return;
  }
  const td::byte_order order = (text.front() & 1) != 0 ? td::byte_order::same : td::byte_order::swapped;
  const std::span<const std::byte> message = std::as_bytes(std::span(text.data() + 1, text.size() - 1));
  td::packed_frames frames(message, order);
  packed_again again(order);
  td::packed_frames::one next;
  while (frames.take(next)) {
    check(next, message);
    again.add(next);
    td::frame_head head;
    if (next.alone == 0 && td::read_head_from(1, next.here, order, head) == nullptr) {
      require(head.bytes == next.here.size() && head.from == 1, "a frame is as long as it says, and of its sender");
    }
  }
  const std::vector<std::byte>& whole = again.bytes();
  require(whole.size() <= message.size() && std::equal(whole.begin(), whole.end(), message.begin()),
          "what was read is what the message began with");
  require(frames.damaged() != nullptr || whole.size() == message.size(), "and all of it, or the rest is damaged");
  require(!frames.take(next), "there is nothing behind the end");
}

}  // namespace fuzz
