// SPDX-License-Identifier: Apache-2.0
// What holds for places of several processes, under a launcher of MPI: `ranks WHAT` ends with status 0 at each rank where it does.
#include <tactus/mpi.hpp>
#include <tactus/tactus.hpp>

#include "mpi/parts.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {
namespace ts = tactus;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "ranks: at place %d it is not so that %s\n", ts::here().id(), what);
    std::exit(1);
  }
}
#define REQUIRE(x) require((x), #x)

int values() {
  return ts::run([] {
    long sum = 0;
    for (const ts::place p : ts::places()) {
      sum += ts::at(p, [](long n) { return n * ts::here().id(); }, 10L);
    }
    const long all = ts::num_places();
    REQUIRE(sum == 10 * all * (all - 1) / 2);
    const std::string text = ts::at(ts::here().prev(), [](std::string s) { return s + "!"; }, std::string(20'000, 'x'));
    REQUIRE(text == std::string(20'000, 'x') + "!");
    std::vector<double> much(1U << 18U, 1.5);
    much = ts::at(ts::here().next(), [](std::vector<double> v) { return v; }, std::move(much));
    REQUIRE(much.size() == 1U << 18U && much.back() == 1.5);
    return 0;
  });
}

ts::task_local<long> g_local;

long add_to_local(long n) { return *g_local += n; }

// Each place in turn, from the caller's on.
void walk(int steps) {
  add_to_local(1);
  if (steps != 0) {
    ts::at(ts::here().next(), walk, steps - 1);
  }
}

// Of each task one at each place, whatever way it takes, and back at its own.
int locals() {
  ts::run([] {
    walk(3 * ts::num_places() - 1);
    REQUIRE(*g_local == 3);
    for (const ts::place p : ts::places()) {
      REQUIRE(ts::at(p, add_to_local, 10L) == 13);
    }
    ts::finish([&] {
      for (long i = 1; i <= 40; ++i) {
        ts::async_at(
            ts::place(static_cast<int>(i) % ts::num_places()),
            [](long mine) {
              for (int round = 1; round <= 2; ++round) {
                for (const ts::place p : ts::places()) {
                  REQUIRE(ts::at(p, add_to_local, mine) == round * mine);
                }
              }
            },
            i);
      }
    });
    REQUIRE(*g_local == 13);
  });
  return 0;
}

int tasks() {
  ts::run([] {
    int arrived = 0;
    const ts::global_ref<int> counter(arrived);
    for (int round = 0; round < 50; ++round) {
      ts::finish([&] {
        for (const ts::place p : ts::places()) {
          ts::async_at(p, [counter] {
            for (const ts::place q : ts::places()) {
              ts::async_at(q, [counter] { counter.at([](int& n) { ts::atomic([&n] { ++n; }); }); });
            }
          });
        }
      });
    }
    REQUIRE(arrived == 50 * ts::num_places() * ts::num_places());
    int last = 0;
    const ts::global_ref<int> name(last);
    ts::finish([&] {
      for (int i = 0; i < 20'000; ++i) {
        ts::async_at(ts::here().next(), [] {});
      }
      ts::async_at(ts::here().prev(), [name] { name.at([](int& n) { n = 1; }); });
    });
    REQUIRE(last == 1);
  });
  return 0;
}

long g_called;  // of this process, which is one place

int own_place() { return ts::here().id(); }
int twice(int n) { return 2 * n; }
void call() { ++g_called; }
void add(long& to, long n) { to += n; }
long taken_from(long& from, long n) { return from -= n; }
void note(long n) { g_called += n; }
long calls() { return std::exchange(g_called, 0); }

// Processes have a function at different addresses: wherever a program may give one, it goes by its name.
int functions() {
  ts::run([] {
    const ts::place next = ts::here().next();
    REQUIRE(ts::at(next, own_place) == next.id());
    REQUIRE(ts::at(next, &twice, 21) == 42);
    REQUIRE(ts::at_future(next, twice, 21).get() == 42);
    ts::finish([&] { ts::async_at(next, call); });
    REQUIRE(ts::at(next, calls) == 1);
    ts::at_each(ts::places(), call);
    ts::at_each(ts::places(), &note, 10L);
    for (const ts::place p : ts::places()) {
      REQUIRE(ts::at(p, calls) == 11);
    }
    const ts::place_local<long> all(5L);
    all.ref().at(next, add, 3L);
    REQUIRE(all.ref().at(next, &taken_from, 1L) == 7);
    long one = 1;
    const ts::global_ref<long> there(one);
    ts::at(next, [there] { there.at(add, 4L); });
    REQUIRE(one == 5);
    for (int i = 0; i < 20; ++i) {  // so that some move
      ts::finish([&] { ts::async_at(ts::place_flexible.carrying(there).then(note), taken_from, 0L); });
      REQUIRE(ts::at_future(ts::place_flexible.then(twice), twice, 10).get() == 40);
      REQUIRE(ts::at_future(ts::place_flexible, twice, i).get() == 2 * i);
      ts::finish([&] { ts::async_at(ts::place_flexible(next).then(&note), &twice, 1); });
    }
    const long of_next = ts::at(next, calls);
    REQUIRE(of_next + calls() == 20 * 2 + 20 * 5);
  });
  return 0;
}

struct only_one {
  only_one() { REQUIRE(++s_alive == 1); }
  only_one(const only_one&) = delete;
  only_one& operator=(const only_one&) = delete;
  ~only_one() { --s_alive; }
  static inline std::atomic<int> s_alive{0};
};

// Ended where nothing may wait, and made again at once: at each place when the one before has gone there.
int made_again() {
  ts::run([] {
    for (const ts::place p : ts::places()) {
      ts::at(p, [] {
        for (int round = 0; round < 5; ++round) {
          std::optional<ts::place_local<only_one>> s;
          s.emplace();
          ts::atomic([&s] { s.reset(); });
        }
        const ts::place_local<int> after(0);  // once these have ended at all places
      });
    }
  });
  return only_one::s_alive == 0 ? 0 : 1;
}

int objects() {
  ts::run([] {
    for (int i = 0; i < 20; ++i) {
      const ts::place_local<std::vector<int>> all(3);
      ts::at_each(
          ts::places(), [](ts::place_local_ref<std::vector<int>> r) { r->assign(4, ts::here().id()); }, all.ref());
      int sum = 0;
      for (const ts::place p : ts::places()) {
        sum += all.at(p, [](const std::vector<int>& v) { return std::accumulate(v.begin(), v.end(), 0); });
      }
      REQUIRE(sum == 4 * ts::num_places() * (ts::num_places() - 1) / 2);
    }
  });
  return 0;
}

int exceptions() {
  try {
    ts::run([] {
      try {
        ts::at(ts::here().next(), [] { throw std::out_of_range("far"); });
        REQUIRE(false);
      } catch (const std::out_of_range& e) {
        REQUIRE(std::string(e.what()) == "far");
      }
      ts::async_at(ts::here().prev(), [] { throw std::runtime_error("from a task"); });
    });
  } catch (const ts::multiple_exceptions& e) {
    return std::string(e.what()).find("from a task") != std::string::npos ? 0 : 1;  // at all ranks
  }
  return 1;
}

// At all ranks, and the same.
int stuck() {
  ts::runtime rt;
  const int places = rt.run([] { return ts::num_places(); });
  try {
    rt.run([] {
      ts::at(ts::here().next(), [] {
        ts::promise<int> never;
        never.get_future().get();
      });
    });
  } catch (const ts::deadlock_error& e) {
    const std::string text = e.what();
    const std::string begin = "tactus: deadlock: nothing can run and 1 task waits\n  " +
                              std::string(places > 1 ? "place 1: " : "") + "task 'root' waits for future ";
    const bool told = text.starts_with(begin) && text.ends_with(" of a promise");
    if (!told) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    return told ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "other: %s\n", e.what());
  }
  return 1;
}

int several_runs() {
  ts::runtime rt;
  const int places = rt.run([] { return ts::num_places(); });
  for (int i = 0; i < 20; ++i) {
    const int n = rt.run([i] { return ts::at(ts::here().prev(), [](int k) { return k + ts::num_places(); }, i); });
    if (n != i + places) {
      return 1;
    }
  }
  const std::string text = rt.run([] { return std::string("of place 0"); });
  return text == "of place 0" ? 0 : 1;
}

// ---- what ends a job; not among all of them ----

void exit_with_a_word() {
  std::printf("a word before the end");
  std::exit(7);
}

int exits_in_a_task() {
  ts::run([] { ts::at(ts::here().next(), exit_with_a_word); });
  return 0;
}

int child_exits() {
  ts::run([] {
    const int status = ts::at(ts::here().next(), [] {
      const ::pid_t child = ::fork();
      if (child == 0) {
        std::exit(127);  // as where its exec has failed
      }
      int ended_with = 0;
      REQUIRE(::waitpid(child, &ended_with, 0) == child);
      return WIFEXITED(ended_with) ? WEXITSTATUS(ended_with) : -1;
    });
    REQUIRE(status == 127);
    std::puts("goes on");
  });
  return 0;
}

bool is_unread(int pipe) {
  int bytes = 0;
  return ::ioctl(pipe, FIONREAD, &bytes) == 0 && bytes > 0;
}

// Who reads what this rank writes does nothing until there is a reason to read, and the rank has had time to end the job: MPI_Abort, below.
int exits_unread() {
  ts::run([] {
    ts::at(ts::here().next(), [] {
      const ::pid_t reader = ::getppid();
      ::kill(reader, SIGSTOP);
      if (::fork() == 0) {
        for (int unread = 0, look = 0; unread < 100 && look < 5000; ++look) {
          std::this_thread::sleep_for(std::chrono::milliseconds{1});
          unread += is_unread(STDERR_FILENO) ? 1 : 0;
        }
        ::kill(reader, SIGCONT);
        ::_exit(0);
      }
      exit_with_a_word();
    });
  });
  return 0;
}

// All operations of a team and of its halves, blocking and split; values longer than a message, too.
int teams() {
  return ts::run([] {
    ts::place_local<int> failed(0);
    const auto name = failed.ref();
    ts::at_each(ts::places(), [name] {
      const ts::team t = ts::team::world();
      const int n = t.size();
      const auto check = [&](bool is_right) { *name += is_right ? 0 : 1; };
      for (int round = 0; round < 30; ++round) {
        const int root = round % n;
        t.barrier();
        check(t.broadcast(t.rank() == root ? std::string(1000U << round % 8, 'x') : std::string(), root).size() ==
              1000U << round % 8);
        check(t.allreduce(t.rank() + round, ts::op::sum) == n * (n - 1) / 2 + n * round);
        check(t.allreduce(std::vector<double>(3'000, t.rank()), ts::op::max) == std::vector<double>(3'000, n - 1));
        check(t.reduce(
                   std::string(1, static_cast<char>('a' + t.rank())),
                   [](const std::string& a, const std::string& b) { return a + b; }, root)
                  .size() == (t.rank() == root ? static_cast<std::size_t>(n) : 0U));
        check(t.gather(t.rank(), root).size() == (t.rank() == root ? static_cast<std::size_t>(n) : 0U));
        std::vector<int> numbers(static_cast<std::size_t>(n));
        std::iota(numbers.begin(), numbers.end(), 0);
        check(t.scatter(numbers, root) == t.rank());
        check(t.alltoall(numbers) == std::vector<int>(static_cast<std::size_t>(n), t.rank()));
        const ts::team half = t.split(t.rank() % 2, t.rank());
        auto all = t.allreduce_async(1, ts::op::sum);
        check(half.allreduce(t.rank(), ts::op::max) % 2 == t.rank() % 2);
        check(all.get() == n);
      }
      for (int i = 0; i < 200; ++i) check(t.broadcast(t.rank() == 0 ? i : -1, 0) == i);
      if (n > 1) {
        bool is_told = false;
        try {
          t.allreduce(1, [](int a, int /*b*/) { return a > 0 ? throw std::out_of_range("combined") : a; });
        } catch (const std::out_of_range& e) {
          is_told = std::string_view(e.what()) == "combined";
        }
        check(is_told);
      }
    });
    int sum = 0;
    for (const ts::place p : ts::places()) sum += failed.at(p, [](int n) { return n; });
    return sum;
  });
}

int is_killed() {
  ts::run([] {
    ts::at(ts::here().next(), [] {
      std::printf("place %d dies\n", ts::here().id());
      std::fflush(stdout);
      ::raise(SIGKILL);
    });
  });
  return 0;
}

// After its cells have gone, and before those of others have been waited for.
int is_killed_in_an_exchange() {
  ts::run([] {
    ts::dist_array<double, 1> a(ts::dist<1>::block(ts::range(0, 30)), {.ghost = 1, .periodic = true, .name = "u"});
    ts::at_each(ts::places(), [h = a.ref()] {
      for (int i = 0;; ++i) {
        h.send_ghosts();
        if (i == 100 && ts::here().id() == 1) {
          std::puts("place 1 dies between send and wait");
          std::fflush(stdout);
          ::raise(SIGKILL);
        }
        h.wait_for_ghosts();
      }
    });
  });
  return 0;
}

// For longer than others are patient: first one that computes, and then one that stands still.
int is_silent() {
  ts::run([] {
    ts::at_each(ts::places(), [] {
      const auto begin = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - begin < std::chrono::seconds(3)) {
      }
    });
    std::puts("all have computed");
    std::fflush(stdout);
    ts::at(ts::here().next(), [] { ::raise(SIGSTOP); });
  });
  return 0;
}

// Until somebody opens the pipe "end" in the working folder; meanwhile place 0 waits for place 1, and that for a thread of its own.
int waits_for_a_pipe() {
  ts::run([] {
    ts::at(ts::here().next(), [] {
      std::puts("waits");
      std::fflush(stdout);
      ts::promise<void> comes(ts::external);
      auto there = comes.get_future();
      std::thread looks([p = std::move(comes)]() mutable {
        ::close(::open("end", O_RDONLY));  // NOLINT(cppcoreguidelines-pro-type-vararg)
        p.set_value();
      });
      there.get();
      looks.join();
    });
  });
  return 0;
}

int tells_how_many() {
  return ts::run([] {
    std::printf("%d of %d\n", ts::here().id(), ts::num_places());
    return 0;
  });
}

// As a program that uses MPI besides.
int has_its_own_mpi() {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  const int places = ts::run([] { return ts::at(ts::here().next(), [] { return ts::num_places(); }); });
  int all = 0;
  MPI_Allreduce(&places, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == places * places ? 0 : 1;
}

// What does not travel stays at place 0, and the others say so.
int returns_what_stays() {
  static int object = 7;
  try {
    return &ts::run([]() -> int& { return object; }) == &object && std::puts("has it") >= 0 ? 0 : 1;
  } catch (const ts::place_error& e) {
    std::puts(e.what());
    return 0;
  }
}

// Rank 1 comes to the given run later than others wait without a word.
int comes_late_to(int late_run) {
  int level = 0;
  int rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int places = 0;
  for (int run = 1; run <= 2; ++run) {
    if (rank == 1 && run == late_run) {
      std::this_thread::sleep_for(std::chrono::seconds{14});
    }
    places = ts::run([] { return ts::num_places(); });
  }
  MPI_Finalize();
  return places == 2 ? 0 : 1;
}

// Its runtime goes after MPI has.
int finalises_early() {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  ts::runtime stays{ts::config{}};
  stays.run([] { ts::at(ts::here().next(), [] {}); });
  MPI_Finalize();
  return 0;
}

// Its runtime goes while the thread has the lock under which that calls MPI.
int ends_inside_a_call() {
  auto rt = std::make_unique<ts::runtime>();
  rt->run([] { ts::at(ts::here().next(), [] {}); });
  ts::mpi::call([&rt] { rt.reset(); });
  return 0;
}

// At rank 1 there is no address space for the stack of another thread.
int cannot_start_its_threads() {
  int level = 0;
  int rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) {
    ::pthread_attr_t large;
    ::pthread_attr_init(&large);
    ::pthread_attr_setstacksize(&large, std::size_t{1} << 47U);
    ::pthread_setattr_default_np(&large);
  }
  ts::runtime rt(ts::config{.threads = 2});
  rt.run([] {});
  MPI_Finalize();
  return 0;
}

// Rank 1 ends its runtime later than others wait without a word.
int ends_late() {
  int level = 0;
  int rank = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    ts::runtime rt;
    rt.run([] {});
    if (rank == 1) {
      std::this_thread::sleep_for(std::chrono::seconds{14});
    }
  }
  MPI_Finalize();
  return 0;
}

// As is often written. Rank 1 has settings that it cannot use; the others have nobody to tell them.
int fails_alone() {
  const char* const openmpi = std::getenv("OMPI_COMM_WORLD_RANK");
  const char* const rank = openmpi != nullptr ? openmpi : std::getenv("PMI_RANK");
  if (rank != nullptr && std::string_view(rank) == "1") {
    ::setenv("TACTUS_THREADS", "abc", 1);
  }
  try {
    ts::run([] {});
  } catch (const std::exception& e) {
    std::puts("a word of who has failed");
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  return 0;
}

// All have them. Each says so, and the job ends as each of them does, however late one of them is.
int fail_alike() {
  try {
    ts::run(ts::config{.places = 7}, [] {});
  } catch (const ts::config_error& e) {
    return 3;
  }
  return 0;
}

// The same with a word, and then they make another. Rank 0 has something to write out at the end.
int fail_alike_at_first() {
  try {
    ts::run(ts::config{.places = 7}, [] {});
    return 1;
  } catch (const ts::config_error& e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  bool is_first = false;
  ts::run([&is_first] { is_first = true; });
  if (is_first) {
    std::this_thread::sleep_for(std::chrono::seconds{7});
    std::puts("the last word");
  }
  return 0;
}

int comes_late_to_its_first_run() { return comes_late_to(1); }
int comes_late_to_its_second_run() { return comes_late_to(2); }

// As most programs are: flags, and errors that main does not catch.
int runs_with_flags(int argc, char** argv) {
  return ts::run(argc, argv, [] { ts::at(ts::here().next(), [] {}); });
}

}  // namespace

// In the place of MPI's, which has another name besides. The launcher may lose what it has not read when it hears of the end.
extern "C" int MPI_Abort(MPI_Comm of, int status) {
  if (is_unread(STDERR_FILENO)) {
    std::fputs("ranks: the job ends before its reason was read\n", stderr);
  }
  return PMPI_Abort(of, status);
}

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  if (what == "with_flags") {
    return runs_with_flags(argc, argv);
  }
  const struct {
    std::string_view name;
    int (*run)();
  } ends[] = {{"exits", exits_in_a_task},
              {"exits_unread", exits_unread},
              {"child_exits", child_exits},
              {"killed", is_killed},
              {"killed_in_exchange", is_killed_in_an_exchange},
              {"silent", is_silent},
              {"own_mpi", has_its_own_mpi},
              {"how_many", tells_how_many},
              {"waits", waits_for_a_pipe},
              {"stays", returns_what_stays},
              {"finalises_early", finalises_early},
              {"ends_inside", ends_inside_a_call},
              {"no_threads", cannot_start_its_threads},
              {"fails_alone", fails_alone},
              {"fail_alike", fail_alike},
              {"fail_alike_at_first", fail_alike_at_first},
              {"late_end", ends_late},
              {"late_first", comes_late_to_its_first_run},
              {"late_second", comes_late_to_its_second_run}};
  for (const auto& end : ends) {
    if (end.name == what) {
      return end.run();
    }
  }
  const support::part parts[] = {{"values", values},         {"locals", locals},
                                 {"made_again", made_again}, {"tasks", tasks},
                                 {"functions", functions},   {"objects", objects},
                                 {"exceptions", exceptions}, {"stuck", stuck},
                                 {"teams", teams},           {"several_runs", several_runs}};
  return support::run_parts("ranks", parts, what);
}
