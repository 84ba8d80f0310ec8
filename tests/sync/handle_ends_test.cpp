// SPDX-License-Identifier: Apache-2.0
// The last handle of anything may go wherever a destructor may run: in an atomic block, a condition, a step of
// lockstep, the function with which an accumulator combines, a thread that runs no task. Whoever waits for what it ends
// goes on.
#include <tactus/tactus.hpp>

#include "support/caught.hpp"
#include "support/restricted_spots.hpp"
#include "support/scale.hpp"
#include "support/settings.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace ts = tactus;

namespace {

using support::caught;

// ---- where ----

struct where {
  const char* name;
  void (*carry_out)(const std::function<void()>& once);
};

const where k_places[] = {
    {"in_a_task", [](const std::function<void()>& once) { once(); }},
    {"in_atomic", support::in_an_atomic_block},
    {"in_the_body_of_when", support::in_the_body_of_when},
    {"in_the_condition_of_when", support::in_the_condition_of_when},
    {"in_a_condition_asked_by_another_task",
     [](const std::function<void()>& once) {
       ts::monitor m;
       int asked = 0;
       ts::finish([&] {
         const auto condition = [&once, &asked] {
           if (++asked == 2) once();
           return asked >= 2;
         };
         ts::async(ts::spawn_policy::help_first, [&m, condition] { m.when(condition, [] {}); });
         while (m.atomic([&asked] { return asked; }) < 2) ts::yield();
       });
     }},
    {"in_a_monitor",
     [](const std::function<void()>& once) {
       ts::monitor m;
       m.atomic(once);
     }},
    {"in_a_monitor_in_an_atomic",
     [](const std::function<void()>& once) {
       ts::monitor m;
       ts::atomic([&] { m.atomic(once); });
     }},
    {"in_a_step_of_lockstep", support::in_a_step_of_lockstep},
    {"in_atomic_in_a_step",
     [](const std::function<void()>& once) {
       int rounds = 0;
       ts::lockstep(0, 1, [&rounds] { return rounds++ < 1; }, [&once](int) { ts::atomic(once); });
     }},
    {"in_a_combine_function", support::in_a_combine_function},
    {"in_a_thread_without_a_task", [](const std::function<void()>& once) { std::thread(once).join(); }},
};

// ---- what ----

struct what {
  const char* name;
  void (*let_go)(const where& at);
};

// Begins `wait` as a task and lets it come to its wait: for certain on one worker, as a rule on several.
template <class Wait>
void begin(Wait wait) {
  ts::async(ts::spawn_policy::help_first, std::move(wait));
  for (int i = 0; i < 5; ++i) ts::yield();
}

void let_promise_go(const where& at, std::optional<ts::promise<int>> p) {
  bool is_broken = false;
  ts::finish([&] {
    begin([&is_broken, f = p->get_future()] {
      is_broken = caught<ts::broken_promise>([&f] { static_cast<void>(f.get()); }).has_value();
    });
    at.carry_out([&p] { p.reset(); });
  });
  EXPECT_TRUE(is_broken);
}

const what k_handles[] = {
    {"promise", [](const where& at) { let_promise_go(at, ts::promise<int>()); }},
    {"external_promise", [](const where& at) { let_promise_go(at, ts::promise<int>(ts::external)); }},
    {"future",
     [](const where& at) {
       ts::promise<std::shared_ptr<int>> p;
       const auto value = std::make_shared<int>(7);
       std::optional f(p.get_future());
       p.set_value(value);
       p = ts::promise<std::shared_ptr<int>>();
       ASSERT_EQ(value.use_count(), 2);
       at.carry_out([&f] { f.reset(); });
       EXPECT_EQ(value.use_count(), 1);
     }},
    {"future_of_a_task_that_failed",
     [](const where& at) {
       testing::internal::CaptureStderr();
       std::optional<ts::future<void>> f;
       ts::finish([&f] { f = ts::async_future([] { throw std::runtime_error("nobody looks"); }); });
       at.carry_out([&f] { f.reset(); });
       EXPECT_TRUE(support::contains(testing::internal::GetCapturedStderr(), "nobody looks"));
     }},
    {"last_producer_end",
     [](const where& at) {
       bool has_ended = false;
       ts::finish([&] {
         ts::stream<int> s(ts::bound{2});
         std::optional last(s.in());
         s.in().close();
         begin([&has_ended, out = s.out()] { has_ended = !out.pop().has_value(); });
         at.carry_out([&last] { last.reset(); });
       });
       EXPECT_TRUE(has_ended);
     }},
    {"last_producer_end_for_several_who_wait",
     [](const where& at) {
       std::atomic<int> ended = 0;
       ts::finish([&] {
         ts::stream<int> s(ts::bound{2});
         std::optional last(s.in());
         s.in().close();
         for (int i = 0; i < 3; ++i) {
           begin([&ended, out = s.out()] { ended += out.pop().has_value() ? 0 : 1; });
         }
         at.carry_out([&last] { last.reset(); });
       });
       EXPECT_EQ(ended, 3);
     }},
    {"stream_with_items",
     [](const where& at) {
       const auto item = std::make_shared<int>(7);
       auto s = std::make_unique<ts::stream<std::shared_ptr<int>>>(ts::bound{2});
       std::optional in(s->in());
       std::optional out(s->out());
       in->push(item);
       s.reset();
       at.carry_out([&in, &out] {
         in.reset();
         out.reset();
       });
       EXPECT_EQ(item.use_count(), 1);
     }},
    {"monitor",
     [](const where& at) {
       auto m = std::make_unique<ts::monitor>();
       m->atomic([] {});
       at.carry_out([&m] { m.reset(); });
     }},
    {"clock",
     [](const where& at) {
       std::optional<ts::clock> c;
       ts::finish([&c] { c = ts::clock::make(); });
       at.carry_out([&c] { c.reset(); });
     }},
    {"phaser_and_its_attribute",
     [](const where& at) {
       std::optional<ts::phaser> ph;
       ts::finish([&ph] {
         ph.emplace(ts::phaser_mode::signal_wait, ts::bound{2});
         ph->next();
       });
       std::optional attribute(ts::phased(*ph));
       at.carry_out([&] {
         ph.reset();
         attribute.reset();
       });
     }},
    {"accumulator",
     [](const where& at) {
       for (const ts::strategy how : {ts::strategy::eager, ts::strategy::dynamic_lazy, ts::strategy::fixed_lazy(2),
                                      ts::strategy::tree, ts::strategy::per_worker}) {
         std::optional<ts::accumulator<int>> sum;
         ts::finish([&] {
           const ts::phaser ph;
           sum.emplace(ph, ts::op::sum, how);
           ts::async(ts::phased(ph), [ph, s = *sum] {
             s.send(1);
             ph.next();
           });
           ph.next();
           EXPECT_EQ(sum->result(), 1);
         });
         at.carry_out([&sum] { sum.reset(); });
       }
     }},
    {"task_local",
     [](const where& at) {
       auto local = std::make_unique<ts::task_local<std::string>>();
       local->get() = "some text that does not fit into the string itself";
       at.carry_out([&local] { local.reset(); });
     }},
    {"exceptions",
     [](const where& at) {
       auto e = caught<ts::multiple_exceptions>([] { ts::finish([] { throw std::runtime_error("x"); }); });
       at.carry_out([&e] { e.reset(); });
     }},
    {"idle_runtime",
     [](const where& at) {
       auto rt = std::make_unique<ts::runtime>(support::config_of(2));
       at.carry_out([&rt] { rt.reset(); });
     }},
};

class handle_ends_test : public testing::TestWithParam<std::tuple<int, where, what>> {};

TEST_P(handle_ends_test, works) {
  const auto& [workers, at, handle] = GetParam();
  ts::run(support::config_of(workers), [&] { handle.let_go(at); });
}

INSTANTIATE_TEST_SUITE_P(each, handle_ends_test,
                         testing::Combine(testing::Values(1, 2), testing::ValuesIn(k_places),
                                          testing::ValuesIn(k_handles)),
                         [](const auto& chosen) {
                           return std::string(std::get<2>(chosen.param).name) + "_" + std::get<1>(chosen.param).name +
                                  "_" + std::to_string(std::get<0>(chosen.param));
                         });

// ---- in another thread, while nothing else can run ----

// The last handle goes just when the workers find that nothing can run: either is right, and nobody is woken twice or
// not at all.
constexpr int k_waiting = 100;  // so that the verdict takes a while

template <class Wait, class Handle>
void race_with_the_verdict(Wait wait, Handle make) {
  const auto rounds = support::scaled(400, 50);
  for (std::size_t i = 0; i < rounds; ++i) {
    std::thread other;
    std::atomic<int> ended = 0;
    const auto e = caught<ts::deadlock_error>([&] {
      ts::run(support::config_of(static_cast<int>(1 + i % 2)), [&] {
        auto [waited_for, last] = make();
        for (int t = 0; t < k_waiting; ++t) {
          ts::async([&ended, wait, waited_for] {
            wait(waited_for);
            ++ended;
          });
        }
        other = std::thread([handle = std::make_unique<decltype(last)>(std::move(last)), delay = i % 50]() mutable {
          for (std::atomic<std::size_t> n = 0; n < delay * 200; ++n) {
          }
          handle.reset();
        });
      });
    });
    other.join();
    EXPECT_EQ(ended, e ? 0 : k_waiting);
  }
}

TEST(last_handle_in_a_foreign_thread, of_a_stream_ends_it_or_comes_after_the_deadlock) {
  race_with_the_verdict([](const auto& out) { EXPECT_FALSE(out.pop().has_value()); },
                        [] {
                          const ts::stream<int> s(ts::bound{1});
                          const auto other = s.in();
                          auto last = s.in();
                          other.close();
                          return std::pair(s.out(), std::move(last));
                        });
}

TEST(last_handle_in_a_foreign_thread, of_a_promise_breaks_it_or_comes_after_the_deadlock) {
  race_with_the_verdict(
      [](const auto& f) { EXPECT_TRUE(caught<ts::broken_promise>([&f] { static_cast<void>(f.get()); })); },
      [] {
        ts::promise<int> p;
        auto f = p.get_future();
        return std::pair(std::move(f), std::move(p));
      });
}

}  // namespace
