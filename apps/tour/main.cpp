// SPDX-License-Identifier: Apache-2.0
// A tour of what Tactus is for: tasks as cheap as calls, waiting that holds no thread, memory in several places, mistakes that are
// explained, runs that can be looked at. Every answer is verified.
#include "calls.hpp"
#include "command_line.hpp"
#include "meetings.hpp"
#include "mistake.hpp"
#include "output.hpp"
#include "rounds.hpp"
#include "updates.hpp"

#include <fmt/format.h>
#include <tactus/tactus.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr const char* k_tactus = "Tactus";

struct settings {
  int threads = 0;
  int rounds = 7;
  bool quick = false;
  std::string timeline;
};

tour::contestant calls(std::string name, int n, tour::fib_form fib) {
  const std::uint64_t right = tour::calls_plainly()(n);
  return {.name = std::move(name), .units = tour::calls_of(n), .pass = [fib = std::move(fib), n, right] {
            if (fib(n) != right) throw std::runtime_error(fmt::format("a form of fib({}) is wrong", n));
          }};
}

// Each form has the size that it gets through in some 50 ms: the unit is a call.
void compare_calls(const settings& s) {
  fmt::print("\n1. Tasks as small as calls: Fibonacci numbers with a task for every call, no cutoff\n");
  std::vector<tour::contestant> all;
  const auto size = [&](int n) { return s.quick ? 10 : n; };
  all.push_back(calls("plain calls, partly inlined, one thread", size(30), tour::calls_plainly()));
  all.push_back(calls(k_tactus, size(30), tour::calls_tactus(s.threads)));
#ifdef TOUR_HAS_ONETBB
  all.push_back(calls("oneTBB, task_group", size(27), tour::calls_onetbb(s.threads)));
#endif
#ifdef TOUR_HAS_OPENMP
  all.push_back(calls("OpenMP, task and taskwait", size(22), tour::calls_openmp(s.threads)));
#endif
  all.push_back(calls("std::async, a thread for each", size(13), tour::calls_std_async()));
  measure(all, k_tactus, s.rounds);
  print(all, k_tactus, "a call");
  fmt::print(
      "  Good is what makes a cutoff needless: a task for the price of a few calls, so that the code says what is\n"
      "  parallel and not how much of it.\n");
}

tour::contestant meetings(std::string name, tour::rumour& r, tour::meeting_form send) {
  return {.name = std::move(name),
          .units = r.begin.size() * r.rounds,
          .pass = [send = std::move(send), right = r.expected(), &r] {
            r.end.assign(r.end.size(), 0);
            send(r);
            if (r.end != right) throw std::runtime_error("a rumour did not arrive");
          }};
}

void compare_meetings(const settings& s) {
  const std::size_t tasks = s.quick ? 20 : 1000;
  const std::size_t rounds = s.quick ? 5 : 100;
  fmt::print("\n2. Waiting that holds no thread: {} tasks meet {} times, and keep what they know in local variables\n",
             tasks, rounds);
  tour::rumour r(tasks, rounds);
  std::vector<tour::contestant> all;
  all.push_back(meetings(k_tactus, r, tour::meetings_tactus(s.threads)));
  all.push_back(meetings(fmt::format("{} std::thread, std::barrier", tasks), r, tour::meetings_std_thread()));
  all.push_back(meetings("the rounds as loops: Tactus, for_each", r, tour::loops_tactus(s.threads)));
#ifdef TOUR_HAS_ONETBB
  all.push_back(meetings("the rounds as loops: oneTBB, parallel_for", r, tour::loops_onetbb(s.threads)));
#endif
  measure(all, k_tactus, s.rounds);
  print(all, k_tactus, "a wait");
  fmt::print(
      "  Good is a wait in tens of nanoseconds: it changes tasks within a thread, where the system changes threads.\n"
      "  Loops are cheaper still, where a program can be turned inside out: local variables become arrays, and nobody\n"
      "  may join, leave or wait in the middle. Tasks of oneTBB and OpenMP must not wait for each other at all.\n");
}

tour::contestant updates(std::string name, std::size_t n, int places, tour::update_form put) {
  const std::uint64_t right = tour::right_once(places, n / static_cast<std::size_t>(places));
  return {.name = std::move(name), .units = 2 * n, .pass = [put = std::move(put), n, right] {
            const tour::seen table = put(n);
            if (table.once != right || table.wrong != 0) throw std::runtime_error("a word of the table is wrong");
          }};
}

void spread_a_table(const settings& s) {
  const int places = s.threads > 1 ? s.threads : 2;
  const std::size_t n = s.quick ? 2'000 : std::size_t{1} << 18U;
  fmt::print(
      "\n3. Memory in several places: a table of {} words over {} places, a worker each, and updates at random\n"
      "   (RandomAccess of the HPC Challenge; its code does not know that the places share a process)\n",
      tour::k_words, places);
  std::vector<tour::contestant> all;
  all.push_back(updates("one plain thread, all memory its own", n, 1, tour::updates_plainly()));
  all.push_back(updates(k_tactus, n, places, tour::updates_gathered(places)));
  all.push_back(updates("Tactus, a task sent for each update", n / 4, places, tour::updates_one_by_one(places)));
  measure(all, k_tactus, s.rounds);
  print(all, k_tactus, "an update");
  fmt::print(
      "  Good is a few plain updates for one that is gathered with others and sent; and a task sent to the data for "
      "some\n"
      "  ten times that, where gathering is not worth its code.\n");
}

void explain_a_deadlock(const settings& s) {
  fmt::print(
      "\n4. Mistakes that are explained: two tasks that wait for each other; the program is told, and goes on\n");
  std::string text = tour::what_a_deadlock_says(s.threads);
  if (text.empty()) throw std::runtime_error("a deadlock was not found");
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3) {
    text.replace(at, 1, "\n  ");
  }
  fmt::print("  {}\n", text);
}

void draw_a_timeline(const settings& s) {
  fmt::print("\n5. Runs that can be looked at: config.trace, or TACTUS_TRACE=FILE, makes a timeline of any run\n");
  tour::rumour r(s.quick ? 5 : 50, s.quick ? 5 : 20);
  tour::meetings_tactus(s.threads, s.timeline)(r);
  fmt::print("  {} (for Perfetto or chrome://tracing)\n", s.timeline);
}

void run(const settings& s) {
  fmt::print("All times: median of {} rounds in turn, {} thread{}, each answer verified; x: how many times Tactus's.\n",
             s.rounds, s.threads, s.threads == 1 ? "" : "s");
  compare_calls(s);
  apps::finish_printing();
  compare_meetings(s);
  apps::finish_printing();
  spread_a_table(s);
  apps::finish_printing();
  explain_a_deadlock(s);
  if (!s.timeline.empty()) {
    draw_a_timeline(s);
  }
  apps::finish_printing();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("What Tactus is for, each point against what one would write without it.");
  app.name("tour");
  settings s;
  app.add_option("--threads", s.threads, "of each form; 0: one per usable core")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--rounds", s.rounds, "in which each form is timed once")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--timeline", s.timeline, "write the timeline of a run")->type_name("FILE");
  app.add_flag("--quick", s.quick, "the smallest sizes: to see that all works, not what it costs");
  if (const auto done = apps::parse(app, argc, argv)) return *done;
  return apps::finish("tour", [&s] {
    // The others have to be told how many threads the library takes of itself.
    s.threads = tactus::run(tactus::config{.threads = s.threads}, [] { return tactus::num_workers(); });
    run(s);
    return apps::k_right;
  });
}
