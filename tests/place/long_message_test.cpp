// SPDX-License-Identifier: Apache-2.0
// A message that memory_bytes does not allow is refused where it would be made: nothing was sent, and what is shorter goes as before.
#include <tactus/tactus.hpp>

#include <tactus/base/impl/cpus.hpp>

#include "place/frame.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace ts = tactus;

constexpr std::size_t k_mib = std::size_t{1} << 20U;
constexpr std::size_t k_long = 64 * k_mib;

ts::config with_room_for(std::size_t bytes) {
  return {.threads = 1,
          .places = 2,
          .env = false,
          .memory_bytes = static_cast<std::size_t>(ts::detail::resident_memory()) + bytes,
          .local_copy = ts::copying::serialize};
}

std::string refusal_of(const ts::resource_error& e) {
  const std::string text = e.what();
  EXPECT_NE(text.find("there is no memory for a message of 64 MiB: "), std::string::npos) << text;
  EXPECT_NE(text.find("TACTUS_MEMORY_BYTES"), std::string::npos) << text;
  return text;
}

class long_message_test : public testing::Test {
protected:
  const std::vector<char> long_ = std::vector<char>(k_long, 'a');
};

TEST_F(long_message_test, that_a_task_would_go_in_is_refused_at_the_spawn) {
  bool is_refused = false;
  ts::run(with_room_for(k_long / 2), [&] {
    ts::finish([&] {
      try {
        ts::async_at(ts::place(1), [](const std::vector<char>&) { ADD_FAILURE() << "it was sent"; }, long_);
      } catch (const ts::resource_error& e) {
        is_refused = !refusal_of(e).empty();
      }
    });
    EXPECT_EQ(ts::at(ts::place(1), [](int n) { return n + 1; }, 1), 2);
  });
  EXPECT_TRUE(is_refused);
}

TEST_F(long_message_test, that_a_call_would_go_in_is_refused) {
  ts::run(with_room_for(k_long / 2), [&] {
    try {
      ts::at(ts::place(1), [](const std::vector<char>&) { ADD_FAILURE() << "it was sent"; }, long_);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ts::resource_error& e) {
      refusal_of(e);
    }
  });
}

TEST_F(long_message_test, that_a_result_would_come_in_is_refused_to_the_caller) {
  ts::run(with_room_for(k_long + k_long / 2), [] {
    try {
      ts::at(ts::place(1), [] { return std::vector<char>(k_long, 'b'); });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ts::resource_error& e) {
      refusal_of(e);
    }
  });
}

// What packs ghosts ends the process if it cannot.
TEST_F(long_message_test, of_ghosts_goes_whatever_memory_bytes_allows) {
  ts::run(with_room_for(k_long / 2), [] {
    const auto make = [](std::size_t bytes) { return ts::detail::make_frame_block(bytes); };
    EXPECT_THROW(make(k_long), ts::resource_error);
    {
      const ts::detail::blocks_at_any_rate whatever_the_limit;
      EXPECT_GE(make(k_long)->capacity, k_long);
    }
    EXPECT_THROW(make(16 * k_long), ts::resource_error);  // AddressSanitizer may have given up 256 MiB that it had kept
    EXPECT_GE(ts::detail::make_block_at_any_rate(k_long)->capacity, k_long);
  });
}

TEST_F(long_message_test, goes_where_memory_bytes_allows_it) {
  ts::run(with_room_for(16 * k_long), [&] {
    EXPECT_EQ(ts::at(ts::place(1), [](const std::vector<char>& all) { return all.size(); }, long_), k_long);
  });
}

}  // namespace
