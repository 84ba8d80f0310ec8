// SPDX-License-Identifier: Apache-2.0
// How room at another place comes back (docs/protocols/messages.md).
#include <tactus/tactus.hpp>

#include "place/message_parts.hpp"
#include "place/place_node.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace {
namespace ts = tactus;
namespace td = tactus::detail;

td::lane& to_place_1() { return td::place_node::of(td::current_worker()).lane_to(1); }

// By a task at place 1, as one that has come from place 0 gives back what it took when it begins.
void give_back(std::uint32_t bytes) {
  td::worker* const w = td::current_worker();
  td::place_node::of(w).give_back(w, 0, bytes);
}

class room_test : public testing::TestWithParam<ts::copying> {};

INSTANTIATE_TEST_SUITE_P(copies, room_test,
                         testing::Values(ts::copying::automatic, ts::copying::serialize, ts::copying::construct),
                         [](const auto& copies) {
                           return copies.param == ts::copying::serialize   ? "as_bytes"
                                  : copies.param == ts::copying::construct ? "as_objects"
                                                                           : "automatic";
                         });

TEST_P(room_test, all_of_it_comes_back_when_more_is_owed_than_32_bits_can_count) {
  ts::run({.threads = 1, .places = 2, .env = false, .local_copy = GetParam()}, [] {
    const std::int64_t window = to_place_1().window();
    const auto short_message = static_cast<std::uint32_t>(window / 8);  // not given back by itself
    constexpr std::uint32_t k_longest = std::numeric_limits<std::uint32_t>::max();
    ASSERT_TRUE(to_place_1().try_take(short_message));
    ASSERT_TRUE(to_place_1().try_take(k_longest));
    EXPECT_FALSE(to_place_1().try_take(1));
    ts::at(ts::place(1), give_back, short_message);
    EXPECT_FALSE(to_place_1().try_take(1));
    ts::at(ts::place(1), give_back, k_longest);  // whose reply comes behind the credit
    EXPECT_TRUE(to_place_1().try_take(window));
    ts::at(ts::place(1), give_back, static_cast<std::uint32_t>(window));
  });
}

// How many of n tasks that take such an argument are sent to a place before one of them has begun there.
template <class T>
int sent_to_who_is_busy(const ts::config& c, int n, const T& argument) {
  int sent_meanwhile = 0;
  ts::run(c, [&] {
    static std::atomic<int> sent;
    sent = -1;
    ts::finish([&] {
      ts::async_at(
          ts::place(1),
          [](const ts::global_ref<int>& result) {
            sent = 0;
            int seen = -1;
            while (seen != sent.load()) {  // until nothing more comes for a while
              seen = sent.load();
              std::this_thread::sleep_for(std::chrono::milliseconds(100));
            }
            ts::async_at(result.home(), [](const ts::global_ref<int>& r, int all) { *r = all; }, result, seen);
          },
          ts::global_ref<int>(sent_meanwhile));
      while (sent < 0) std::this_thread::yield();
      for (int i = 0; i < n; ++i) {
        ts::async_at(ts::place(1), [](const T&) {}, argument);
        ++sent;
      }
    });
  });
  return sent_meanwhile;
}

ts::config with_window(std::size_t bytes, ts::copying copies) {
  return {.threads = 1, .places = 2, .env = false, .local_copy = copies, .message_bytes = bytes};
}

TEST_P(room_test, is_taken_by_what_arguments_hold_too) {
  constexpr std::size_t k_window = std::size_t{64} << 10U;
  const int sent = sent_to_who_is_busy(with_window(k_window, GetParam()), 100, std::vector<char>(k_window / 4));
  EXPECT_LE(sent, 4);
  EXPECT_GE(sent, 2);
}

TEST_P(room_test, is_for_4096_messages_at_most_however_short) {
  const int sent = sent_to_who_is_busy(with_window(std::size_t{1} << 20U, GetParam()), 20'000, '1');
  EXPECT_LE(sent, 4'097);  // the one that is busy has given its own back
  EXPECT_GE(sent, 1'000);
}

// Those that end objects take none, and give none back.
TEST_P(room_test, is_as_much_as_before_after_tasks_of_the_library) {
  ts::run({.threads = 1, .places = 2, .env = false, .local_copy = GetParam()}, [] {
    const std::int64_t window = to_place_1().window();
    for (int i = 0; i < 1'000; ++i) {
      const ts::place_local<int> s(i);
    }
    static const ts::task_local<int> local;
    for (int i = 0; i < 1'000; ++i) {
      ts::finish([] { ts::async([] { ts::at(ts::place(1), [] { ++*local; }); }); });
    }
    const ts::place_local<int> waits_for_the_ends(0);
    EXPECT_TRUE(to_place_1().try_take(window));
    EXPECT_FALSE(to_place_1().try_take(1)) << "there is more than at first";
    ts::at(ts::place(1), give_back, static_cast<std::uint32_t>(window));
  });
}

// Can be copied, and moved no more than is asked for.
struct stubborn {
  int moves_left = 0;

  stubborn() = default;
  explicit stubborn(int moves) : moves_left(moves) {}
  stubborn(const stubborn&) = default;
  stubborn& operator=(const stubborn&) = default;
  stubborn(stubborn&& other) : moves_left(other.moves_left - 1) {  // NOLINT(performance-noexcept-move-constructor)
    if (moves_left < 0) throw std::range_error("it stays");
  }
  stubborn& operator=(stubborn&&) = delete;
  ~stubborn() = default;

  template <class Ar>
  void serialize(Ar& ar) {
    ar & moves_left;
  }
};

// Whichever of the moves on its way fails, as objects: as bytes it is not moved where it is sent.
TEST(room_of_objects, that_was_taken_for_what_could_not_be_sent_is_there_again) {
  constexpr std::size_t k_window = std::size_t{64} << 10U;
  ts::run(with_window(k_window, ts::copying::construct), [] {
    int failed = 0;
    for (int round = 0; round < 8; ++round) {
      for (int moves = 0; moves < 16; ++moves) {
        try {
          ts::finish([moves] {
            ts::async_at(
                ts::place(1), [](const stubborn&, const std::vector<char>&) {}, stubborn(moves),
                std::vector<char>(k_window / 4));
          });
        } catch (const std::range_error&) {
          ++failed;
        } catch (const ts::multiple_exceptions&) {  // out of the body of the finish
          ++failed;
        }
      }
    }
    EXPECT_GE(failed, 8);
    ts::at(ts::place(1), [] {});  // whose reply comes behind the credits
    EXPECT_TRUE(to_place_1().try_take(to_place_1().window()));
    ts::at(ts::place(1), give_back, static_cast<std::uint32_t>(to_place_1().window()));
  });
}

TEST(room_of_a_message, is_what_a_header_can_say_at_most) {
  constexpr std::size_t k_most = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(td::room_of(0), 0U);
  EXPECT_EQ(td::room_of(k_most - 1), k_most - 1);
  EXPECT_EQ(td::room_of(k_most), k_most);
  EXPECT_EQ(td::room_of(k_most + 1), k_most);
  EXPECT_EQ(td::room_of(4 * k_most), k_most);
}

TEST(held_bytes_test, are_those_of_elements) {
  using td::held_bytes;
  struct fields {
    int a;
    std::vector<int> b;
    std::string c;
  };
  EXPECT_EQ(held_bytes(7), 0U);
  EXPECT_EQ(held_bytes(std::vector<double>(10)), 10 * sizeof(double));
  EXPECT_EQ(held_bytes(std::string(100, 'a')), 100U);
  EXPECT_EQ(held_bytes(std::map<int, char>{{1, 'a'}, {2, 'b'}}), 2 * sizeof(std::pair<const int, char>));
  EXPECT_EQ(held_bytes(std::vector<bool>(80)), 10U);
  EXPECT_EQ(held_bytes(std::tuple(1, std::vector<char>(5), std::string(7, 'b'))), 12U);
  EXPECT_EQ(held_bytes(fields{1, std::vector<int>(3), "four"}), 3 * sizeof(int) + 4);
  EXPECT_EQ(held_bytes(std::optional(std::vector<char>(9))), 9U);
  EXPECT_EQ(held_bytes(std::optional<std::vector<char>>()), 0U);
  EXPECT_EQ(held_bytes(std::variant<int, std::string>("eleven chars")), 12U);
  EXPECT_EQ(held_bytes(std::make_unique<std::array<char, 33>>()), 33U);
  EXPECT_EQ(held_bytes(std::array<std::vector<char>, 2>{std::vector<char>(1), std::vector<char>(2)}), 3U);
  EXPECT_EQ(held_bytes(std::vector<std::string>(4, std::string(100, 'c'))), 4 * sizeof(std::string)) << "at a glance";
}

}  // namespace
