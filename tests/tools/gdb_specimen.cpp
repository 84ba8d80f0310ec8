// SPDX-License-Identifier: Apache-2.0
// What gdb_test.py looks at: tasks each of which waits for something else, and one that runs into stop_here().
#include <tactus/tactus.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace ts = tactus;

std::atomic<int> begun{0};

#define SPECIMEN_FUNCTION extern "C" __attribute__((noinline))

SPECIMEN_FUNCTION void stop_here() { asm volatile("" ::: "memory"); }

SPECIMEN_FUNCTION void wait_for_clock(const ts::clock& c, int secret) {
  ++begun;
  c.advance();  // at the clock
  std::printf("%d\n", secret);
}

SPECIMEN_FUNCTION void wait_for_future(const ts::future<int>& f, int secret) {
  ++begun;
  const int got = f.get();  // for the future
  std::printf("%d\n", got + secret);
}

SPECIMEN_FUNCTION void wait_for_item(const ts::stream<int>::consumer_end& out) {
  ++begun;
  static_cast<void>(out.pop());  // for an item
}

SPECIMEN_FUNCTION void wait_for_room(const ts::stream<int>::producer_end& in) {
  in.push(1);
  ++begun;
  in.push(2);  // for room
}

SPECIMEN_FUNCTION void wait_for_condition(ts::monitor& m, const bool& is_open) {
  ++begun;
  m.when([&is_open] { return is_open; }, [] {});  // for the condition
}

SPECIMEN_FUNCTION void wait_for_finish(const ts::future<int>& f) {
  ts::finish([&f] { ts::async(ts::spawn_policy::work_first, ts::named("guest"), [f] { wait_for_future(f, 0); }); });
}

int main(int argc, char** argv) {
  return ts::run(argc, argv, [] {
    constexpr int k_waiters = 7;
    const ts::promise<int> p;
    const ts::stream<int> empty(ts::bound{1});
    const ts::stream<int> full(ts::bound{1});
    ts::monitor m;
    bool is_open = false;
    ts::finish([&] {
      ts::async(ts::named("host"), [f = p.get_future()] { wait_for_finish(f); });
      ts::async(ts::named("reader"), [f = p.get_future()] { wait_for_future(f, 4711); });
      ts::async(ts::named("consumer"), [out = empty.out()] { wait_for_item(out); });
      ts::async(ts::named("producer"), [in = full.in()] { wait_for_room(in); });
      ts::async(ts::named("guard"), [&] { wait_for_condition(m, is_open); });
      ts::finish(ts::clocked, [&](const ts::clock& c) {
        for (int i = 0; i < 2; ++i) {
          ts::async(ts::clocked(c), ts::named("member " + std::to_string(i)), [c] { wait_for_clock(c, 42); });
        }
        ts::async(ts::spawn_policy::help_first, ts::clocked(c), ts::named("runner"), [&] {
          while (begun != k_waiters) ts::yield();
          for (int i = 0; i < 100'000; ++i) {
            stop_here();  // the runner
            if (i == 100 && std::getenv("SPECIMEN_ABORTS") != nullptr) std::abort();
            ts::yield();
          }
          p.set_value(1);
          m.atomic([&is_open] { is_open = true; });
          const auto in = empty.in();
          in.push(3);
          const auto out = full.out();
          static_cast<void>(out.pop());
        });
      });
    });
  });
}
