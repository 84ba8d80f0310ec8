// SPDX-License-Identifier: Apache-2.0
// What the reference shows of names that the other examples do not have, a few lines for each.
#include <tactus/tactus.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace ts = tactus;

void show_tasks() {
  int lines = 0;
  //! [named]
  ts::finish([&lines] {
    ts::async(ts::named("reader"), [&lines] { lines = 3; });  // a report of a hang calls this task "reader"
  });
  //! [named]

  //! [affinity]
  std::vector<double> cells(4000, 1.0);
  for (int round = 0; round < 3; ++round) {
    ts::finish([&cells] {
      for (std::size_t block = 0; block < 4; ++block) {
        ts::async(ts::affinity(block), [&cells, block] {  // where its cells are in the caches since the last round
          for (std::size_t i = 1000 * block; i < 1000 * (block + 1); ++i) cells[i] *= 2;
        });
      }
    });
  }
  //! [affinity]

  //! [batched]
  std::vector<int> squares(1000);
  ts::finish([&squares] {
    for (int i = 0; i < 1000; ++i) {
      ts::async(ts::batched,
                [&squares, i] { squares[static_cast<std::size_t>(i)] = i * i; });  // less than queueing costs
    }
  });
  //! [batched]

  //! [spawn_policy]
  int queued = 0;
  ts::finish([&queued] {
    ts::async(ts::spawn_policy::help_first, [&queued] { ++queued; });  // waits in the queue; the caller goes on
    ts::async(ts::spawn_policy::work_first, [] {});  // starts at once; the caller goes on after it, or elsewhere
  });
  //! [spawn_policy]

  //! [yield]
  std::atomic<bool> there{false};
  ts::finish([&there] {
    ts::async([&there] { there = true; });
    while (!there) ts::yield();  // the child runs meanwhile, also where there is one worker
  });
  //! [yield]

  //! [workers]
  std::vector<long> done(static_cast<std::size_t>(ts::num_workers()));
  ts::for_each(0, 1000, [&done](int) {
    ++done[static_cast<std::size_t>(ts::worker_id())];  // nothing here may suspend, so nobody else counts at this place
  });
  //! [workers]

  //! [task_local]
  const ts::task_local<std::string> trail;
  *trail = "root";
  ts::finish([&trail] {
    ts::async([&trail] {
      *trail += "child";  // begins empty: the values of other tasks stay theirs
      ts::yield();        // perhaps on another worker from here on, with the same value
      std::printf("%s, ", trail->c_str());
    });
  });
  std::printf("%s\n", trail->c_str());
  //! [task_local]

  std::printf("%d lines, cell %.0f, %d queued, %ld done\n", lines, cells[0], queued,
              std::accumulate(done.begin(), done.end(), 0L));
}

void show_phases() {
  int together = 0;
  //! [advance_all]
  ts::finish(ts::clocked, [&together](ts::clock rows) {
    const ts::clock columns = ts::clock::make();
    for (int i = 0; i < 3; ++i) {
      ts::async(ts::clocked(rows, columns), [&together] {
        ts::atomic([&together] { ++together; });
        ts::resume_all();                 // is done on both clocks; nobody waits for this task any more
        ts::advance_all(ts::wait::lazy);  // until all are done, on both
      });
    }
  });
  //! [advance_all]

  //! [next_single]
  int rounds = 0;
  ts::finish([&rounds] {
    const ts::phaser ph(ts::phaser_mode::signal_wait_next);
    for (int i = 0; i < 3; ++i) {
      ts::async(ts::phased_all, [&rounds] {  // on ph, in the mode of the parent
        for (int round = 0; round < 5; ++round) {
          ts::next_single([&rounds] { ++rounds; });  // one of the three does it, the others wait for that
        }
      });
    }
  });
  //! [next_single]

  //! [op]
  struct value_at {  // or a std::pair
    double first;
    int second;
  };
  value_at smallest{};
  ts::finish([&smallest] {
    const ts::phaser ph;
    const ts::accumulator<value_at> least(ph, ts::op::minloc, ts::strategy::tree);
    for (int i = 0; i < 10; ++i) {
      ts::async(ts::phased(ph), [ph, least, i] {
        least.send({(i - 7.0) * (i - 7.0), i});
        ph.next();
      });
    }
    ph.next();
    smallest = least.result();  // {0, 7}
  });
  //! [op]

  //! [delay_function]
  const ts::strategy patient = ts::strategy::eager_with_delay(ts::delay_function::exponential, 50, 10);
  //! [delay_function]

  //! [monoid]
  const ts::monoid longest{std::size_t{0}, [](std::size_t a, std::size_t b) { return a < b ? b : a; }};
  const std::vector<std::string> words{"async", "finish", "clock"};
  const std::size_t n =
      ts::reduce(std::size_t{0}, words.size(), longest, [&words](std::size_t i) { return words[i].size(); });
  //! [monoid]

  std::printf("%d together, %d rounds, the smallest at %d, pauses of %u, longest word %zu\n", together, rounds,
              smallest.second, static_cast<unsigned>(patient.base()), n);
}

void show_errors_in_tasks() {
  //! [phaser_use_error]
  const ts::phaser ph;
  ph.drop();
  try {
    ph.next();
  } catch (const ts::phaser_use_error&) {
    std::printf("not registered any more\n");
  }
  //! [phaser_use_error]

  //! [atomic_use_error]
  try {
    ts::atomic([] { ts::async([] {}); });
  } catch (const ts::atomic_use_error&) {
    std::printf("nothing may be spawned in an atomic block\n");
  }
  //! [atomic_use_error]

  //! [broken_promise]
  ts::future<int> answer;
  {
    const ts::promise<int> forgotten;
    answer = forgotten.get_future();
  }
  try {
    answer.get();
  } catch (const ts::broken_promise&) {
    std::printf("nobody can set it any more\n");
  }
  //! [broken_promise]
}

// A chain of tasks, each of which has to keep its stack while the next one runs.
void dive(int depth) {
  if (depth == 0) return;
  ts::finish([depth] { ts::async(ts::spawn_policy::work_first, [depth] { dive(depth - 1); }); });
}

void show_errors_of_runs() {
  //! [usage_error]
  try {
    ts::async([] {});  // outside a run
  } catch (const ts::usage_error& e) {
    std::printf("refused: %s\n", std::string(e.what()).substr(0, 13).c_str());
  }
  //! [usage_error]

  //! [config_error]
  try {
    const ts::runtime rt(ts::config{.threads = -3, .env = false});
  } catch (const ts::config_error& e) {
    std::printf("%s\n", e.what());
  }
  //! [config_error]

  //! [deadlock_error]
  try {
    ts::run(ts::config{.threads = 2}, [] {
      const ts::promise<int> never;
      never.get_future().get();
    });
  } catch (const ts::deadlock_error&) {  // its text lists who waits for what
    std::printf("stuck\n");
  }
  //! [deadlock_error]

  //! [resource_error]
  try {
    ts::run(ts::config{.env = false, .memory_bytes = 1 << 20},
            [] { dive(10'000); });  // less than the program has already
  } catch (const ts::multiple_exceptions& e) {
    try {
      std::rethrow_exception(e.flattened().front());
    } catch (const ts::resource_error&) {
      std::printf("too deep for the memory\n");
    }
  }
  //! [resource_error]

  //! [error]
  try {
    ts::run(ts::config{.places = 2000}, [] {});
  } catch (const ts::error&) {  // whatever the library has to say
    std::printf("an error of the library\n");
  }
  //! [error]
}

void show_counters() {
  //! [config]
  const ts::config two_workers{
      .threads = 2, .policy = ts::spawn_policy::help_first, .bind = ts::binding::core, .env = false};
  //! [config]

  //! [placement_tuning]
  const ts::placement_policy by_lifelines = ts::placement_policy::lifeline;
  const ts::placement_tuning as_first_published{.random_steals = 2, .lifeline_base = 2};
  //! [placement_tuning]
  std::printf("policy %d, base %d\n", static_cast<int>(by_lifelines), as_first_published.lifeline_base);

  //! [stats]
  ts::runtime rt(two_workers);
  rt.run([] {
    for (int i = 0; i < 1000; ++i) ts::async([] {});
  });
  const ts::runtime_stats seen = rt.stats();
  std::printf("%llu tasks were queued\n", static_cast<unsigned long long>(seen.totals.spawned_help_first));
  //! [stats]

  //! [operations]
  for (const ts::place_stats& p : seen.places) {
    for (const ts::operation_stats& o : p.operations) {  // none here: no array was distributed
      std::printf("%s of '%s' sent %llu messages\n", o.operation.c_str(), o.array.c_str(),
                  static_cast<unsigned long long>(o.messages));
    }
  }
  //! [operations]

  //! [to_table]
  const std::string for_people = ts::to_table(seen);
  const std::string for_programs = ts::to_json(seen);
  //! [to_table]

  //! [counters]
  ts::worker_counters sum = ts::sum_of(seen.workers);
  ts::accumulate(sum, ts::worker_counters{});  // one more worker, which has done nothing
  std::size_t maxima = 0;
  ts::worker_counters::visit([&maxima](const char*, const char*, ts::counter_kind kind, auto) {
    if (kind == ts::counter_kind::high_water) ++maxima;
  });
  //! [counters]

  std::printf("%s, %s, %zu maximum, %s\n", for_people.empty() ? "no table" : "a table",
              for_programs.front() == '{' ? "an object" : "no object", maxima,
              sum.spawned_help_first <= seen.totals.spawned_help_first ? "summed up" : "too many");
}

void show_version() {
  //! [version]
  if (std::string_view(ts::version()) == TACTUS_VERSION_STRING) std::printf("as compiled, so it runs\n");
  //! [version]
}

int main() {
  ts::run([] {
    show_tasks();
    show_phases();
    show_errors_in_tasks();
  });
  show_errors_of_runs();
  show_counters();
  show_version();
}

// Prints: child, root
// Prints: 3 lines, cell 8, 1 queued, 1000 done
// Prints: 3 together, 5 rounds, the smallest at 7, pauses of 50, longest word 6
// Prints: not registered any more
// Prints: nothing may be spawned in an atomic block
// Prints: nobody can set it any more
// Prints: refused: tactus::async
// Prints: tactus: config.threads = '-3' is not allowed; allowed: a whole number from 0 to 1024, where 0 means all usable cores
// Prints: stuck
// Prints: too deep for the memory
// Prints: an error of the library
// Prints: policy 3, base 2
// Prints: 1000 tasks were queued
// Prints: a table, an object, 1 maximum, summed up
// Prints: as compiled, so it runs
