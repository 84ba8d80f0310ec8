// SPDX-License-Identifier: Apache-2.0
// Places that are processes of the MPI that the build names.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <utility>

#include "places/rank_messages/immediate.hpp"
#include "places/rank_messages/rank_messages.hpp"
#include "support/busy_work.hpp"
#include "support/mpi_ranks.hpp"
#include "support/tactus_pool.hpp"

namespace ts = tactus;

namespace {

// Of this process, which is one place of one worker.
std::uint64_t g_sum;
std::vector<std::uint64_t> g_table;
std::vector<double> g_much;
double g_expected;
bench::duration g_took;
bool g_is_right;

// f(team) so many times at all places at once, after all have met; what it takes is that of place 0.
template <class F>
void by_all(std::uint64_t times, F f) {
  ts::at_each(ts::places(), [times, f] {
    const ts::team t = ts::team::world();
    bool is_right = f(t);
    t.barrier();
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < times; ++i) is_right = f(t) && is_right;
    t.barrier();
    g_took = watch.elapsed();
    g_is_right = t.allreduce(is_right ? 1 : 0, ts::op::min) == 1;
  });
}

bool adds_up(const ts::team& t, std::size_t n) {
  const std::vector<double> sum = t.allreduce(std::vector<double>(n, t.rank() + 1), ts::op::sum);
  const double of_all = t.size() * (t.size() + 1) / 2.0;
  return sum.size() == n && sum.front() == of_all && sum.back() == of_all;
}

// What comes back is what is given the next time, so that memory is kept; it is a number of ranks times as much.
void add_up_much(std::uint64_t times) {
  ts::at_each(ts::places(), [] { g_much.assign(bench::k_moved, ts::here().id() + 1.0); });
  by_all(times, [](const ts::team& t) {
    const double first = t.size() * (t.size() + 1) / 2.0;
    g_expected = g_much.front() == t.rank() + 1.0 ? first : g_expected * t.size();
    g_much = t.allreduce(std::move(g_much), ts::op::sum);
    return g_much.size() == bench::k_moved && g_much.front() == g_expected && g_much.back() == g_expected;
  });
}

// The 99th of a hundred, as often as there are any: for whoever divides by their number.
double late_ones(std::vector<double> seconds) {
  const auto late = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() * 99 / 100);
  std::nth_element(seconds.begin(), late, seconds.end());
  return *late * static_cast<double>(seconds.size());
}

std::atomic<bool> g_is_over;

// At place 1, whose worker runs long tasks; once(i) every 20 ms at place 0, meanwhile.
template <class F>
void beside_long_tasks(ts::place there, std::uint64_t times, F once) {
  constexpr std::chrono::milliseconds k_between{20};
  constexpr int k_at_once = 64;
  ts::at(there, [] { g_is_over = false; });
  ts::finish([&] {
    ts::async_at(there, [] {
      while (!g_is_over) {
        ts::finish([] {
          for (int i = 0; i < k_at_once; ++i) {
            ts::async([] {
              if (!g_is_over) bench::compute(bench::k_steps_of_a_long_task);
            });
          }
        });
      }
    });
    for (std::uint64_t i = 0; i < times; ++i) {
      std::this_thread::sleep_for(k_between);
      once(i);
    }
    ts::at(there, [] { g_is_over = true; });
  });
}

void update(std::uint64_t drawn) { g_table[drawn % bench::k_table] += drawn; }

void update_everywhere(std::uint64_t times) {
  by_all(1, [times](const ts::team& t) {
    bench::update_sequence numbers(t.rank());
    std::uint64_t sum = 0;
    ts::finish([&] {
      for (std::uint64_t i = 0; i < times; ++i) {
        const std::uint64_t drawn = numbers.next();
        sum += drawn;
        if (const int to = bench::rank_of_update(drawn, t.size()); to == t.rank()) {
          update(drawn);
        } else {
          ts::async_at(ts::place(to), [](std::uint64_t n) { update(n); }, drawn);
        }
      }
    });
    g_sum += sum;
    t.barrier();  // the others' have come
    const std::uint64_t here = std::accumulate(g_table.begin(), g_table.end(), std::uint64_t{0});
    return t.allreduce(here, ts::op::sum) == t.allreduce(g_sum, ts::op::sum);
  });
}

class tactus_ranks {
public:
  tactus_ranks(const bench::options& o, bench::rank_messages_problem& p)
      : problem_(p), runtime_(bench::config_of_places(o, o.threads)) {
    g_table.resize(bench::k_table);
    run([] {});
  }

  void pass() {
    if (problem_.shape() == bench::rank_shape::idle) {
      idle();
      return;
    }
    run([this] { time(); });
    problem_.done(g_took, g_is_right);
  }

private:
  // At place 0.
  void time() {
    const std::uint64_t times = problem_.times();
    const ts::place there(1);
    switch (problem_.shape()) {
      case bench::rank_shape::at:
        here(times,
             [there](std::uint64_t i) { return ts::at(there, [](std::uint64_t n) { return n + 1; }, i) == i + 1; });
        break;
      case bench::rank_shape::at_bytes:
        here(times, [there, b = bench::block_of_bytes{}](std::uint64_t i) mutable {
          b[0] = static_cast<std::uint8_t>(i);
          const auto more = [](bench::block_of_bytes one) { return ++one[0], one; };
          return ts::at(there, more, b)[0] == static_cast<std::uint8_t>(i + 1);
        });
        break;
      case bench::rank_shape::finish:
        here(times, [there](std::uint64_t i) {
          ts::finish([&] { ts::async_at(there, [](std::uint64_t n) { g_sum = n; }, i); });
          return true;
        });
        g_is_right = ts::at(there, [] { return g_sum; }) == times - 1;
        break;
      case bench::rank_shape::one_way: one_way(there, times); break;
      case bench::rank_shape::move:
        here(times, [there, v = std::vector<double>(bench::k_moved)](std::uint64_t i) mutable {
          const auto more = [](std::vector<double> one) {
            one.back() += 1;
            return one;
          };
          v = ts::at(there, more, std::move(v));
          return v.size() == bench::k_moved && v.back() >= static_cast<double>(i);
        });
        break;
      case bench::rank_shape::barrier: by_all(times, [](const ts::team& t) { return t.barrier(), true; }); break;
      case bench::rank_shape::sum8: by_all(times, [](const ts::team& t) { return adds_up(t, 8); }); break;
      case bench::rank_shape::sum1m: add_up_much(times); break;
      case bench::rank_shape::updates: update_everywhere(times); break;
      case bench::rank_shape::compute:
        by_all(1, [times](const ts::team&) {
          ts::finish([&] {
            for (std::uint64_t i = 0; i < times; ++i) ts::async([] { bench::compute(bench::k_steps_of_a_task); });
          });
          return true;
        });
        break;
      case bench::rank_shape::transport: transport(there, times, sizeof(std::uint64_t)); break;
      case bench::rank_shape::transport_bytes: transport(there, times, bench::k_bytes_of_at); break;
      case bench::rank_shape::answer: answer(there, times); break;
      case bench::rank_shape::answer_at: answer_at(there, times); break;
      case bench::rank_shape::idle: break;  // in idle()
    }
  }

  template <class F>
  static void here(std::uint64_t times, F f) {
    bool is_right = f(std::uint64_t{0});
    const bench::stopwatch watch;
    for (std::uint64_t i = 0; i < times; ++i) is_right = f(i) && is_right;
    g_took = watch.elapsed();
    g_is_right = is_right;
  }

  static void one_way(ts::place there, std::uint64_t times) {
    ts::at(there, [] { g_sum = 0; });
    const bench::stopwatch watch;
    ts::finish([&] {
      for (std::uint64_t i = 0; i < times; ++i) ts::async_at(there, [](std::uint64_t n) { g_sum += n; }, i);
    });
    g_took = watch.elapsed();
    g_is_right = ts::at(there, [] { return g_sum; }) == times * (times - 1) / 2;
  }

  void transport(ts::place there, std::uint64_t times, std::size_t bytes) const {
    const bool gives_way = bench::more_ranks_than_processors(problem_.ranks());
    bench::immediate_messages::open(bytes, gives_way);
    ts::at(there, [bytes, gives_way] { bench::immediate_messages::open(bytes, gives_way); });
    ts::finish([&] {
      ts::async_at(there, [times] { bench::immediate_messages::answer(times + 1); });
      here(times, [](std::uint64_t) { return bench::immediate_messages::ask(); });
    });
    ts::at(there, [] { bench::immediate_messages::close(); });
    bench::immediate_messages::close();
  }

  static void answer(ts::place there, std::uint64_t times) {
    ts::at(there, [] { bench::immediate_messages::open(sizeof(std::uint64_t), false); });
    beside_long_tasks(there, times, [](std::uint64_t) { bench::immediate_messages::tell(); });
    const std::vector<double> taken = ts::at(there, [times] { return bench::immediate_messages::taken(times); });
    ts::at(there, [] { bench::immediate_messages::close(); });
    g_took = {late_ones(taken), late_ones(taken)};
    g_is_right = taken.size() == times;
  }

  static void answer_at(ts::place there, std::uint64_t times) {
    std::vector<double> took;
    g_is_right = true;
    beside_long_tasks(there, times, [&](std::uint64_t i) {
      const bench::stopwatch watch;
      g_is_right = ts::at(there, [](std::uint64_t n) { return n + 1; }, i) == i + 1 && g_is_right;
      took.push_back(watch.elapsed().seconds);
    });
    g_took = {late_ones(took), late_ones(took)};
  }

  void idle() {
    const bench::stopwatch watch;
    run([this] {
      const ts::promise<void> over(ts::external);
      std::thread timer([&over, seconds = problem_.seconds()] {
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        over.set_value();
      });
      over.get_future().get();
      timer.join();
    });
    const bench::duration took = watch.elapsed();
    double all = 0;
    MPI_Reduce(&took.processor_seconds, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    problem_.done(took, true);
    problem_.used(all);
  }

  template <class Body>
  void run(Body&& body) {
    runtime_.run(std::forward<Body>(body));
  }

  bench::rank_messages_problem& problem_;
  ts::runtime runtime_;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program_of_ranks<bench::rank_messages_problem, tactus_ranks>(argc, argv, "rank_messages",
                                                                             BENCH_COMPETITOR, MPI_THREAD_SERIALIZED);
}
