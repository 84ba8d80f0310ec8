// SPDX-License-Identifier: Apache-2.0
// Captures: copied before async returns, destroyed in the child before the finish counts it, of any size and alignment.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

namespace ts = tactus;

namespace {

using support::caught;

class captures_test : public support::each_setting {};
TACTUS_EACH_SETTING(captures_test);

TEST_P(captures_test, may_be_move_only) {
  int got = 0;
  run([&] { ts::async([&got, p = std::make_unique<int>(4)] { got = *p; }); });
  EXPECT_EQ(got, 4);
}

TEST_P(captures_test, of_a_future_may_be_move_only) {
  run([] { EXPECT_EQ(ts::async_future([p = std::make_unique<int>(5)] { return *p; }).get(), 5); });
}

// Trivially copyable to the compiler, although it cannot be copied.
struct moved_only {
  explicit moved_only(int v) : value(v) {}
  moved_only(moved_only&&) = default;
  moved_only(const moved_only&) = delete;
  moved_only& operator=(moved_only&&) = default;
  moved_only& operator=(const moved_only&) = delete;
  ~moved_only() = default;
  int value;
};

TEST_P(captures_test, may_be_move_only_and_trivial) {
  static_assert(std::is_trivially_copyable_v<moved_only>);
  std::atomic<int> sum{0};
  run([&] {
    ts::async([&sum, m = moved_only(1)] { sum += m.value; });
    ts::async(ts::named("with a name"), [&sum, m = moved_only(2)] { sum += m.value; });
    ts::async(ts::spawn_policy::work_first, [&sum, m = moved_only(4)] { sum += m.value; });
    ts::async(ts::spawn_policy::help_first, [&sum, m = moved_only(8)] { sum += m.value; });
  });
  EXPECT_EQ(sum.load(), 15);
}

// Copying it makes the spawner go on on another worker, if there is one: the child does not end before.
template <std::size_t Bytes>
struct moves_its_copier {
  explicit moves_its_copier(std::atomic<int>& counter) : ran(&counter) {}
  moves_its_copier(const moves_its_copier& other) : ran(other.ran) {
    if (ts::num_workers() == 1) {
      return;
    }
    const auto went_on = std::make_shared<std::atomic<bool>>(false);
    ts::async(ts::spawn_policy::work_first, [went_on] {
      while (!*went_on) std::this_thread::yield();
    });
    *went_on = true;
  }
  moves_its_copier(moves_its_copier&& other) noexcept : ran(other.ran) {}
  moves_its_copier& operator=(const moves_its_copier&) = delete;
  moves_its_copier& operator=(moves_its_copier&&) = delete;
  ~moves_its_copier() = default;
  void operator()() const { ++*ran; }

  std::atomic<int>* ran;
  std::array<std::byte, Bytes> padding{};
};

TEST_P(captures_test, may_be_copied_by_code_that_goes_on_on_another_worker) {
  const int n = static_cast<int>(support::scaled(100));
  std::atomic<int> ran{0};
  run([&] {
    const moves_its_copier<1> small(ran);
    const moves_its_copier<200> large(ran);
    for (int i = 0; i < n; ++i) {
      ts::async(small);
      ts::async(large);
      ts::async(ts::named("small"), small);
      ts::async(ts::named("large"), ts::spawn_policy::help_first, large);
      ts::async(ts::spawn_policy::work_first, large);
      static_cast<void>(ts::async_future(small));
      static_cast<void>(ts::async_future(ts::named("future"), large));
    }
  });
  EXPECT_EQ(ran.load(), 7 * n);
}

TEST_P(captures_test, of_a_third_of_the_stack_fit_where_they_are_made) {
  // The closure itself and one more copy while it goes to its place.
  constexpr std::size_t k_bytes = std::size_t{80} * 1024;
  std::atomic<std::size_t> seen{0};
  run([&] {
    ts::async([&seen] {
      std::array<unsigned char, k_bytes> bytes{};
      bytes[k_bytes - 1] = 7;
      ts::async([&seen, bytes] { seen += bytes[k_bytes - 1]; });
    });
  });
  EXPECT_EQ(seen.load(), 7U);
}

TEST_P(captures_test, a_named_function_object_may_be_moved_in) {
  int got = 0;
  run([&] {
    auto f = [&got, p = std::make_unique<int>(6)] { got = *p; };
    ts::async(std::move(f));
  });
  EXPECT_EQ(got, 6);
}

TEST_P(captures_test, are_copied_before_async_returns) {
  struct adder {
    int* sum;
    int value;
    void operator()() const { *sum = value; }
  };
  int sum = 0;
  run([&] {
    ts::finish([&] {
      adder f{&sum, 1};
      ts::async(f);
      f.value = 2;
    });
    EXPECT_EQ(sum, 1);
  });
}

struct probe {
  std::atomic<int>* copies;
  std::atomic<int>* moves;
  probe(std::atomic<int>& c, std::atomic<int>& m) : copies(&c), moves(&m) {}
  probe(const probe& other) : copies(other.copies), moves(other.moves) { ++*copies; }
  probe(probe&& other) noexcept : copies(other.copies), moves(other.moves) { ++*moves; }
  probe& operator=(const probe&) = delete;
  ~probe() = default;
  void operator()() const {}
};

TEST_P(captures_test, of_an_lvalue_are_copied_once) {
  std::atomic<int> copies{0};
  std::atomic<int> moves{0};
  run([&] {
    const probe p(copies, moves);
    ts::async(p);
  });
  EXPECT_EQ(copies.load(), 1);
}

TEST_P(captures_test, of_an_rvalue_are_not_copied) {
  std::atomic<int> copies{0};
  std::atomic<int> moves{0};
  run([&] { ts::async(probe(copies, moves)); });
  EXPECT_EQ(copies.load(), 0);
  EXPECT_GE(moves.load(), 1);
}

template <std::size_t Bytes>
struct refuses_to_be_copied {
  std::atomic<int>* runs;
  std::array<std::byte, Bytes> ballast{};
  explicit refuses_to_be_copied(std::atomic<int>& r) : runs(&r) {}
  refuses_to_be_copied(const refuses_to_be_copied& other) : runs(other.runs) { throw std::runtime_error("no copy"); }
  refuses_to_be_copied& operator=(const refuses_to_be_copied&) = delete;
  ~refuses_to_be_copied() = default;
  void operator()() const { ++*runs; }
};

template <std::size_t Bytes>
void expect_nothing_spawned_when_the_copy_throws() {
  std::atomic<int> runs{0};
  // The finish throws nothing: the exception left async in its caller, and there is no child.
  ts::finish([&] {
    const refuses_to_be_copied<Bytes> f(runs);
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(caught<std::runtime_error>([&] { ts::async(f); }));
      EXPECT_TRUE(caught<std::runtime_error>([&] { ts::async(ts::spawn_policy::help_first, f); }));
      EXPECT_TRUE(caught<std::runtime_error>([&] { ts::async(ts::spawn_policy::work_first, ts::named("x"), f); }));
      EXPECT_TRUE(caught<std::runtime_error>([&] { static_cast<void>(ts::async_future(f)); }));
    }
    ts::async([&] { ++runs; });
  });
  EXPECT_EQ(runs.load(), 1);
}

TEST_P(captures_test, whose_copy_throws_leave_async_in_the_spawner_and_nothing_is_spawned) {
  run([] {
    expect_nothing_spawned_when_the_copy_throws<8>();
    expect_nothing_spawned_when_the_copy_throws<4'096>();
    expect_nothing_spawned_when_the_copy_throws<65'536>();
  });
}

struct counted {
  explicit counted(std::atomic<int>& n) : alive(&n) { ++*alive; }
  counted(const counted& other) : alive(other.alive) { ++*alive; }
  counted& operator=(const counted&) = delete;
  ~counted() { --*alive; }
  std::atomic<int>* alive;
};

TEST_P(captures_test, are_destroyed_before_the_finish_ends) {
  run([] {
    std::atomic<int> alive{0};
    for (int round = 0; round < 20; ++round) {
      ts::finish([&] {
        for (int i = 0; i < 50; ++i) {
          ts::async([c = counted(alive), i] {
            if (i % 3 == 0) ts::yield();
          });
        }
      });
      ASSERT_EQ(alive.load(), 0);
    }
  });
}

TEST_P(captures_test, are_destroyed_when_the_child_throws) {
  run([] {
    std::atomic<int> alive{0};
    EXPECT_TRUE(caught<ts::multiple_exceptions>([&] {
      ts::finish([&] {
        for (int i = 0; i < 50; ++i) ts::async([c = counted(alive)] { throw std::runtime_error("child"); });
      });
    }));
    EXPECT_EQ(alive.load(), 0);
  });
}

TEST_P(captures_test, of_a_future_are_destroyed_before_the_finish_ends) {
  run([] {
    std::atomic<int> alive{0};
    const auto f = ts::finish([&] { return ts::async_future([c = counted(alive)] { return 1; }); });
    EXPECT_EQ(alive.load(), 0);
    EXPECT_EQ(f.get(), 1);
  });
}

struct spawns_at_death {
  explicit spawns_at_death(int& where) : ran(&where) {}
  spawns_at_death(spawns_at_death&& other) noexcept : ran(std::exchange(other.ran, nullptr)) {}
  spawns_at_death(const spawns_at_death&) = delete;
  spawns_at_death& operator=(const spawns_at_death&) = delete;
  ~spawns_at_death() {
    if (ran != nullptr) ts::async([target = ran] { *target = 1; });
  }
  int* ran;
};

TEST_P(captures_test, are_destroyed_in_the_child) {
  // Their destructors may do what a task may do: what one of them spawns is joined by the same finish.
  int ran = 0;
  run([&] {
    ts::finish([&] { ts::async([s = spawns_at_death(ran)] {}); });
    EXPECT_EQ(ran, 1);
  });
}

struct waits_at_death {
  waits_at_death(ts::future<int> f, std::atomic<int>& s) : future(std::move(f)), sum(&s) {}
  waits_at_death(waits_at_death&& other) noexcept
      : future(std::move(other.future)), sum(std::exchange(other.sum, nullptr)) {}
  waits_at_death(const waits_at_death&) = delete;
  waits_at_death& operator=(const waits_at_death&) = delete;
  ~waits_at_death() {
    if (sum != nullptr) *sum += future.get();
  }
  ts::future<int> future;
  std::atomic<int>* sum;
};

TEST_P(captures_test, may_suspend_the_child_while_they_are_destroyed) {
  std::atomic<int> sum{0};
  run([&] {
    ts::promise<int> p;
    ts::finish([&] {
      for (int i = 0; i < 20; ++i) ts::async([w = waits_at_death(p.get_future(), sum)] {});
      p.set_value(2);
    });
    EXPECT_EQ(sum.load(), 40);
  });
}

template <std::size_t Bytes, std::size_t Alignment>
void expect_intact() {
  struct alignas(Alignment) block {
    std::array<unsigned char, Bytes> bytes;
  };
  std::atomic<int> good{0};
  ts::finish([&] {
    for (unsigned i = 0; i < 8; ++i) {
      block b;
      std::iota(b.bytes.begin(), b.bytes.end(), static_cast<unsigned char>(i));
      ts::async([&good, b, i] {
        const bool aligned = reinterpret_cast<std::uintptr_t>(&b) % Alignment == 0;
        bool same = true;
        for (std::size_t k = 0; k < Bytes; ++k) same = same && b.bytes[k] == static_cast<unsigned char>(i + k);
        if (aligned && same) ++good;
      });
    }
  });
  EXPECT_EQ(good.load(), 8) << Bytes << " bytes, alignment " << Alignment;
}

TEST_P(captures_test, of_any_size_arrive_intact) {
  run([] {
    expect_intact<1, 1>();
    expect_intact<24, 8>();
    expect_intact<32, 8>();
    expect_intact<40, 8>();
    expect_intact<48, 8>();
    expect_intact<56, 8>();
    expect_intact<64, 8>();
    expect_intact<200, 8>();
    expect_intact<4'096, 8>();
    expect_intact<65'536, 8>();
  });
}

TEST_P(captures_test, of_any_alignment_arrive_aligned) {
  run([] {
    expect_intact<16, 16>();
    expect_intact<32, 32>();
    expect_intact<64, 64>();
    expect_intact<128, 128>();
    expect_intact<4'096, 4'096>();
    expect_intact<65'536, 256>();
  });
}

TEST_P(captures_test, need_no_plain_address_operator) {
  struct hides {
    int* got;
    void operator()() const { *got = 1; }
    hides* operator&() = delete;
    const hides* operator&() const = delete;
  };
  int got = 0;
  run([&] { ts::async(hides{&got}); });
  EXPECT_EQ(got, 1);
}

TEST_P(captures_test, the_name_is_copied_too) {
  // The buffer is gone when the task waits; the report still shows the name.
  const auto e = caught<ts::deadlock_error>([] {
    run([] {
      ts::promise<int> never;
      {
        std::string text = "a name in a buffer that is gone";
        ts::async(ts::named(text), [never] { static_cast<void>(never.get_future().get()); });
        text.assign(text.size(), '?');
      }
    });
  });
  ASSERT_TRUE(e);
  EXPECT_TRUE(support::contains(e->what(), "a name in a buffer that is gone")) << e->what();
}

}  // namespace
