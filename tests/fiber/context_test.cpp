// SPDX-License-Identifier: Apache-2.0
// The two context moves by themselves, without a scheduler.

#include <tactus/fiber/impl/context.hpp>
#include <tactus/fiber/impl/stack_pool.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace tactus::detail;

// A computation on a pooled stack, driven by hand: go() enters it, stop() inside goes back.
class by_hand {
public:
  explicit by_hand(void (*body)(by_hand&)) : pool_(64 * 1024, 0), body_(body) {
    static_cast<void>(pool_.take(&stack_, 1, stack_pool::at_limit::refuse, counters_));
    outside_running_ = sanitizer_this_thread();
  }
  ~by_hand() { pool_.put(&stack_, 1); }
  by_hand(const by_hand&) = delete;
  by_hand& operator=(const by_hand&) = delete;

  TACTUS_NO_SANITIZE void go() {
    if (!started_) {
      started_ = true;
      sanitizer_switch(leaving::for_now, outside_, outside_running_, control_block().context());
      tactus_call(this, enter, stack_);
    } else {
      sanitizer_switch(leaving::for_now, outside_, outside_running_, inside_);
      tactus_enter(&outside_context_, save, inside_context_);
    }
    outside_running_ = outside_;
  }

  TACTUS_NO_SANITIZE void stop() {
    context_sanitizer running = control_block().context();
    sanitizer_switch(leaving::for_now, inside_, running, outside_);
    tactus_enter(&inside_context_, save, outside_context_);
  }

  std::vector<int> trace;
  std::uintptr_t frame_at_entry = 0;

private:
  TACTUS_NO_SANITIZE static void save(void* where, void* context) { *static_cast<void**>(where) = context; }

  TACTUS_NO_SANITIZE static void* enter(void* argument, void* context) {
    auto* const self = static_cast<by_hand*>(argument);
    self->outside_context_ = context;
    self->frame_at_entry = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    run(self);
    // Whoever entered last goes on; the computation is over and its stack may be reused.
    context_sanitizer gone;
    context_sanitizer running = self->control_block().context();
    sanitizer_switch(leaving::for_ever, gone, running, self->outside_);
    tactus_enter(&self->inside_context_, save, self->outside_context_);
    __builtin_unreachable();
  }

  TACTUS_NOINLINE static void run(by_hand* self) { self->body_(*self); }

  live_worker_counters counters_;
  [[nodiscard]] fiber_stack& control_block() const { return *reinterpret_cast<fiber_stack*>(stack_); }

  stack_pool pool_;
  stack_top stack_ = nullptr;
  void (*body_)(by_hand&);
  bool started_ = false;
  void* outside_context_ = nullptr;
  void* inside_context_ = nullptr;
  context_sanitizer outside_;
  context_sanitizer outside_running_;
  context_sanitizer inside_;
};

TEST(context, control_passes_back_and_forth) {
  by_hand c([](by_hand& self) {
    self.trace.push_back(1);
    self.stop();
    self.trace.push_back(3);
    self.stop();
    self.trace.push_back(5);
  });
  c.go();
  c.trace.push_back(2);
  c.go();
  c.trace.push_back(4);
  c.go();
  EXPECT_EQ(c.trace, (std::vector<int>{1, 2, 3, 4, 5}));
}

TEST(context, locals_of_both_sides_survive_many_switches) {
  by_hand c([](by_hand& self) {
    std::string text = "a string that is long enough to lie on the heap";
    std::array<double, 16> numbers{};
    for (int i = 0; i < 1000; ++i) {
      numbers[static_cast<std::size_t>(i) % 16] += i;
      self.stop();
    }
    double sum = 0;
    for (const double x : numbers) {
      sum += x;
    }
    self.trace.push_back(static_cast<int>(sum));
    self.trace.push_back(static_cast<int>(text.size()));
  });
  double outside = 0;
  for (int i = 0; i < 1001; ++i) {
    outside += 0.5;
    c.go();
  }
  EXPECT_EQ(c.trace, (std::vector<int>{499'500, 47}));
  EXPECT_EQ(outside, 500.5);
}

TEST(context, exceptions_are_thrown_and_caught_on_a_pooled_stack) {
  by_hand c([](by_hand& self) {
    for (int i = 0; i < 3; ++i) {
      try {
        self.stop();
        throw std::runtime_error(std::to_string(i));
      } catch (const std::runtime_error& e) {
        self.trace.push_back(std::stoi(e.what()));
      }
    }
  });
  for (int i = 0; i < 4; ++i) {
    c.go();
  }
  EXPECT_EQ(c.trace, (std::vector<int>{0, 1, 2}));
}

#if !TACTUS_PORTABLE_CONTEXT
TEST(context, the_first_frame_is_aligned_as_the_abi_asks) {
  by_hand c([](by_hand&) {});
  c.go();
  EXPECT_EQ(c.frame_at_entry % k_stack_alignment, 0U);
}
#endif

// A child entered by tactus_call that returns: the caller goes on, and its callee-saved registers hold what they held.
TACTUS_NO_SANITIZE void* return_at_once(void* argument, void* context) {
  ++*static_cast<int*>(argument);
  return context;
}

TEST(context, an_entry_that_returns_costs_its_caller_no_register) {
  live_worker_counters counters;
  stack_pool pool(64 * 1024, 0);
  stack_top stack = nullptr;
  static_cast<void>(pool.take(&stack, 1, stack_pool::at_limit::refuse, counters));
  int calls = 0;
  std::uint64_t a = 1;
  std::uint64_t b = 2;
  std::uint64_t c = 3;
  std::uint64_t d = 5;
  for (int i = 0; i < 1000; ++i) {
    tactus_call(&calls, return_at_once, stack);
    a = a * 3 + b;
    b = b * 5 + c;
    c = c * 7 + d;
    d = d * 11 + a;
  }
  std::uint64_t a2 = 1;
  std::uint64_t b2 = 2;
  std::uint64_t c2 = 3;
  std::uint64_t d2 = 5;
  for (int i = 0; i < 1000; ++i) {
    a2 = a2 * 3 + b2;
    b2 = b2 * 5 + c2;
    c2 = c2 * 7 + d2;
    d2 = d2 * 11 + a2;
  }
  EXPECT_EQ(calls, 1000);
  EXPECT_EQ(a ^ b ^ c ^ d, a2 ^ b2 ^ c2 ^ d2);
  pool.put(&stack, 1);
}

}  // namespace
