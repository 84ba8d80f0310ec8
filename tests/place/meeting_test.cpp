// SPDX-License-Identifier: Apache-2.0
// How processes meet (docs/protocols/processes.md): this one is the first of four, and the others are what the test says.
#include <tactus/tactus.hpp>

#include "base/job.hpp"
#include "place/engine.hpp"
#include "place/hello.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {
namespace ts = tactus;
namespace td = ts::detail;

constexpr int k_ranks = 4;
constexpr std::size_t k_long_double_digits_at = 9;
constexpr std::size_t k_place_at = 12;

using bytes = std::vector<std::byte>;

int g_rank;
std::function<void(int to, const bytes& what)> g_told;
std::function<bytes(int from)> g_heard;

class silent_engine final : public td::engine {
public:
  void start() override {}
  void send(int /*from*/, int /*to*/, td::queued_task* m) noexcept override { static_cast<void>(m); }
  void stop() noexcept override {}
};

class scripted_job final : public td::job {
public:
  void tell(int to, std::span<const std::byte> what) override { g_told(to, {what.begin(), what.end()}); }
  bytes hear(int from, const char* /*doing*/) override { return g_heard(from); }
  std::unique_ptr<td::engine> make_engine(td::run_control& /*run*/) override {
    return std::make_unique<silent_engine>();
  }
};

const ts::config k_config{.threads = 1, .env = false};

class meeting_test : public testing::Test {
protected:
  static void SetUpTestSuite() {
    static constexpr td::joiner scripted{
        .who = [](const td::communicator*) { return td::launch{.rank = g_rank, .ranks = k_ranks}; },
        .join = [](const td::launch&) -> std::unique_ptr<td::job> { return std::make_unique<scripted_job>(); }};
    td::install(scripted);
  }

  // What rank 1 says of itself.
  static bytes hello_of_another() {
    bytes said;
    g_rank = 1;
    g_told = [&said](int to, const bytes& what) {
      EXPECT_EQ(to, 0);
      said = what;
    };
    g_heard = [](int /*from*/) -> bytes { throw std::runtime_error("that is all"); };
    EXPECT_THROW(ts::runtime{k_config}, std::runtime_error);
    EXPECT_EQ(said.size(), td::k_hello_bytes);
    return said;
  }
  static bytes as_of(bytes hello, int rank) {
    const auto number = static_cast<std::uint32_t>(rank);
    std::memcpy(hello.data() + k_place_at, &number, sizeof number);
    return hello;
  }
  // What the first one tells each.
  static std::vector<bytes> told_by_the_first(std::function<bytes(int from)> heard) {
    std::vector<bytes> told(k_ranks);
    g_rank = 0;
    g_heard = std::move(heard);
    g_told = [&told](int to, const bytes& what) { told[static_cast<std::size_t>(to)] = what; };
    ts::runtime made{k_config};
    return told;
  }
};

TEST_F(meeting_test, where_all_are_alike_the_first_one_tells_of_itself_only) {
  const bytes hello = hello_of_another();
  const std::vector<bytes> told = told_by_the_first([&](int from) { return as_of(hello, from); });
  for (std::size_t to = 1; to < k_ranks; ++to) {
    ASSERT_EQ(told[to].size(), 1 + td::k_hello_bytes);
    EXPECT_TRUE(std::memcmp(told[to].data() + 1, as_of(hello, 0).data(), td::k_hello_bytes) == 0);
  }
}

TEST_F(meeting_test, where_one_is_not_alike_each_hears_of_all) {
  const bytes hello = hello_of_another();
  const std::vector<bytes> told = told_by_the_first([&](int from) {
    bytes said = as_of(hello, from);
    if (from == 2) said[k_long_double_digits_at] = std::byte{113};
    return said;
  });
  for (std::size_t to = 1; to < k_ranks; ++to) {
    EXPECT_EQ(told[to].size(), 1 + k_ranks * td::k_hello_bytes);
  }
}

TEST_F(meeting_test, who_hears_that_all_are_alike_makes_its_runtime) {
  const bytes hello = hello_of_another();
  g_rank = 3;
  g_told = [](int /*to*/, const bytes& /*what*/) {};
  g_heard = [&](int /*from*/) {
    bytes answer = as_of(hello, 0);
    answer.insert(answer.begin(), std::byte{2});
    return answer;
  };
  EXPECT_NO_THROW(ts::runtime{k_config});
  g_heard = [&](int /*from*/) {
    bytes answer = as_of(hello, 0);
    answer.insert(answer.begin(), std::byte{0});  // a reason follows
    return answer;
  };
  EXPECT_THROW(ts::runtime{k_config}, ts::config_error);
}

}  // namespace
