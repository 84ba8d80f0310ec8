// SPDX-License-Identifier: Apache-2.0
// What is read of a message of frames that has come from another process, and each thing that is refused there.
#include "mpi/packed_frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::detail {
namespace {

// As a place writes it that stores numbers in that order.
class message {
public:
  explicit message(byte_order order = byte_order::same) : order_(order) {}

  message& frame(std::uint64_t room) {
    frame_head head{.kind = message_kind::credit, .number = 7, .from = 3, .to = 1};
    const frame_ptr block = make_credit({head, room}, order_);
    return bytes(block->frame());
  }
  message& alone(std::size_t length) {
    return write(k_announcement, [&](frame_writer& to) { announce_alone(to, length); });
  }
  message& ranges(int tag, const std::vector<std::size_t>& lengths) {
    std::vector<std::span<const std::byte>> all;
    for (const std::size_t n : lengths) all.push_back({&nothing_, n});
    return write(bytes_of_announcement(all.size()), [&](frame_writer& to) { announce_ranges(to, tag, all); });
  }
  message& words(const std::vector<std::uint64_t>& all) {
    return write(all.size() * k_frame_word, [&](frame_writer& to) {
      for (const std::uint64_t word : all) to.put64(word);
    });
  }
  message& bytes(std::span<const std::byte> these) {
    bytes_.insert(bytes_.end(), these.begin(), these.end());
    return *this;
  }
  message& without_last(std::size_t n) {
    bytes_.resize(bytes_.size() - n);
    return *this;
  }

  [[nodiscard]] std::span<const std::byte> all() const { return bytes_; }
  [[nodiscard]] byte_order order() const { return order_; }

private:
  template <class F>
  message& write(std::size_t n, F f) {
    bytes_.resize(bytes_.size() + n);
    frame_writer to(bytes_.data() + bytes_.size() - n, order_);
    f(to);
    return *this;
  }

  const byte_order order_;
  std::byte nothing_{};  // where ranges are said to lie, which nobody reads here
  std::vector<std::byte> bytes_;
};

// What was read, in words.
std::string read(const message& m) {
  // In memory of its own, so that a sanitizer sees a read behind its end.
  const std::vector<std::byte> copy(m.all().begin(), m.all().end());
  packed_frames frames(copy, m.order());
  std::string said;
  packed_frames::one next;
  while (frames.take(next)) {
    if (!said.empty()) said += ", ";
    if (next.tag != 0) {
      said += "tag " + std::to_string(next.tag) + " of";
      for (const std::size_t n : next.ranges) said += " " + std::to_string(n);
      said += " beside ";
    }
    credit_frame credit;
    if (next.alone != 0)
      said += std::to_string(next.alone) + " alone";
    else if (const char* const wrong = read_credit(next.here, m.order(), credit); wrong != nullptr)
      said += wrong;
    else
      said += "room " + std::to_string(credit.bytes);
  }
  if (frames.take(next)) said += ", and more behind the end";
  return frames.damaged() != nullptr ? said + "! " + frames.damaged() : said;
}

constexpr std::size_t k_range = k_long_range;

TEST(PackedFrames, AMessageOfNothingHasNone) { EXPECT_EQ(read(message()), ""); }

TEST(PackedFrames, AreReadInTheirOrderWhateverOrderOfBytesTheirSenderHas) {
  for (const byte_order order : {byte_order::same, byte_order::swapped}) {
    message m(order);
    m.frame(10).alone(8192).frame(20).ranges(16, {k_range, 3 * k_range}).frame(30).ranges(17, {k_range}).alone(5000);
    m.frame(40);
    EXPECT_EQ(read(m),
              "room 10, 8192 alone, room 20, tag 16 of 65536 196608 beside room 30, tag 17 of 65536 beside 5000 alone, "
              "room 40");
  }
}

TEST(PackedFrames, HaveAsManyRangesAndAsHighTagsAsThereAre) {
  const int last = k_first_range_tag + k_most_range_tags - 1;
  std::string all = "tag " + std::to_string(last) + " of";
  for (std::size_t i = 0; i < k_most_ranges; ++i) all += " 65536";
  EXPECT_EQ(read(message().ranges(last, std::vector<std::size_t>(k_most_ranges, k_range)).frame(1)),
            all + " beside room 1");
}

TEST(PackedFrames, AreRefusedWhenTheyAreLongerThanTheirMessage) {
  EXPECT_EQ(read(message().frame(1).frame(2).without_last(8)),
            "room 1! a frame is longer than the message that it is in");
  EXPECT_EQ(read(message().ranges(16, {k_range}).frame(2).without_last(8)),
            "! a frame is longer than the message that it is in");
}

TEST(PackedFrames, AreRefusedWhereNoneBegins) {
  const char* const nothing = "! there is neither a frame nor what announces one";
  EXPECT_EQ(read(message().frame(1).alone(8192).without_last(8)), std::string("room 1") + nothing);
  EXPECT_EQ(read(message().frame(1).bytes(std::array<std::byte, 7>{})), std::string("room 1") + nothing);
  const std::uint64_t kind_without_length = std::uint64_t{8} << (is_little(byte_order::same) ? 16U : 40U);
  EXPECT_EQ(read(message().words({kind_without_length, 8192})), nothing) << "as a long frame begins";
}

TEST(PackedFrames, AreRefusedWhenALongOneThatIsAnnouncedIsNone) {
  for (const std::size_t none : {std::size_t{0}, std::size_t{16}, std::size_t{8191}, std::size_t{8193}}) {
    EXPECT_EQ(read(message().alone(none)), "! it announces a long frame that is none") << none;
  }
  EXPECT_EQ(read(message().alone(k_head_bytes)), "24 alone") << "its sender says what is long";
}

TEST(PackedFrames, AreRefusedWhenRangesThatAreAnnouncedAreNone) {
  const char* const none = "! it announces long ranges that are none";
  EXPECT_EQ(read(message().ranges(k_first_range_tag - 1, {k_range}).frame(1)), none) << "a tag of something else";
  EXPECT_EQ(read(message().ranges(k_first_range_tag + k_most_range_tags, {k_range}).frame(1)), none);
  EXPECT_EQ(read(message().ranges(16, {}).frame(1)), none);
  EXPECT_EQ(read(message().ranges(16, std::vector<std::size_t>(k_most_ranges + 1, k_range)).frame(1)), none);
  EXPECT_EQ(read(message().words({0, k_has_ranges | std::uint64_t{16} << k_tag_shift | 0xffffffffU, k_range})), none)
      << "so many that their lengths would need more bytes than there are numbers";
  EXPECT_EQ(read(message().words({0, k_has_ranges | std::uint64_t{0x7fffffff} << k_tag_shift | 1U, k_range})), none);
  EXPECT_EQ(read(message().ranges(16, {k_range, k_range}).without_last(8)), none) << "cut short";
  EXPECT_EQ(read(message().ranges(16, {k_range}).ranges(17, {k_range}).frame(1)), none) << "one frame, two tags";
}

TEST(PackedFrames, AreRefusedWhenARangeIsShort) {
  EXPECT_EQ(read(message().ranges(16, {k_range, k_range - 1}).frame(1)), "! it announces a long range that is none");
  EXPECT_EQ(read(message().ranges(16, {0}).frame(1)), "! it announces a long range that is none");
}

TEST(PackedFrames, AreRefusedWhenRangesAreOfNoFrame) {
  EXPECT_EQ(read(message().frame(1).ranges(16, {k_range})), "room 1! it announces long ranges of no frame");
}

TEST(PackedFrames, SayWhoHasSentThem) {
  message m;
  m.frame(1);
  frame_head head;
  EXPECT_EQ(read_head_from(3, m.all(), m.order(), head), nullptr);
  EXPECT_EQ(head.number, 7U);
  EXPECT_EQ(std::string_view(read_head_from(2, m.all(), m.order(), head)), "it is not of who has sent it");
  EXPECT_EQ(std::string_view(read_head_from(3, m.all().first(k_head_bytes - 8), m.order(), head)),
            "it is shorter than a head");
}

}  // namespace
}  // namespace tactus::detail
