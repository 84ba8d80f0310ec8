// SPDX-License-Identifier: Apache-2.0
// Programs that initialise and call MPI themselves: `own_calls LEVEL` under a launcher, with three ranks, ends with status 0 at each of them
// where all of it holds. LEVEL: single, funneled, serialized, multiple.
#include <tactus/mpi.hpp>
#include <tactus/tactus.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <list>
#include <new>
#include <numeric>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <mpi.h>
#include <unistd.h>

namespace {
namespace ts = tactus;

int g_rank = 0;
int g_ranks = 0;

void require(bool holds, const char* what, int line) {
  if (!holds) {
    std::fprintf(stderr, "own_calls: line %d: at rank %d it is not so that %s\n", line, g_rank, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}
#define REQUIRE(x) require((x), #x, __LINE__)

template <class Error>
std::string text_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Each place sends to each, by tasks and by calls, short and long.
int sum_over_places() {
  int sum = 0;
  const ts::global_ref<int> all(sum);
  ts::finish([&] {
    for (const ts::place p : ts::places()) {
      ts::async_at(p, [all] {
        for (const ts::place q : ts::places()) {
          ts::async_at(q, [all] { all.at([](int& n) { ts::atomic([&n] { n += 1; }); }); });
        }
      });
    }
  });
  const std::vector<double> there =
      ts::at(ts::here().next(), [](std::vector<double> v) { return v; }, std::vector<double>(300'000, 0.5));
  REQUIRE(there.size() == 300'000 && there.back() == 0.5);
  return sum;
}

void run_on_all(const ts::config& options) {
  ts::runtime rt(options);
  for (int i = 0; i < 20; ++i) {
    REQUIRE(rt.run(sum_over_places) == g_ranks * g_ranks);
    int before = 0;  // between runs a program calls MPI as it likes
    MPI_Allreduce(&g_rank, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    REQUIRE(before == g_ranks * (g_ranks - 1) / 2);
  }
}

// ---- communicators ----

void runs_on_parts() {
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, g_rank == 0 ? 0 : 1, -g_rank, &part);  // the last one is the first of its part
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(part, &ranks);
  MPI_Comm_rank(part, &rank);
  {
    ts::runtime rt({}, part);
    MPI_Comm_free(&part);
    for (int i = 0; i < (g_rank == 0 ? 1 : 5); ++i) {  // the parts know nothing of each other
      REQUIRE(rt.run([] { return ts::num_places(); }) == ranks);
      REQUIRE(rt.run(sum_over_places) == ranks * ranks);
    }
    const int first = rt.run([] { return g_rank; });
    REQUIRE(first == (g_rank == 0 ? 0 : g_ranks - 1));
  }
  ts::runtime alone(ts::config{.places = 2}, MPI_COMM_SELF);
  REQUIRE(alone.run(sum_over_places) == 4);
  REQUIRE(contains(text_of<ts::config_error>([] { ts::runtime none({}, MPI_COMM_NULL); }), "MPI_COMM_NULL"));

  MPI_Comm joined = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, g_rank == 0 ? 0 : 1, g_rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, g_rank == 0 ? 1 : 0, 5, &joined);
  REQUIRE(contains(text_of<ts::config_error>([joined] { ts::runtime none({}, joined); }), "MPI_Intercomm_merge"));
  MPI_Comm_free(&joined);
  MPI_Comm_free(&part);
}

// ---- the program's calls during a run ----

// A collective call of the program by one task of each place, while others send. It is tested by one call after another.
int reduced_by_the_program() {
  const ts::place_local<int> results(0);
  ts::finish([&] {
    ts::at_each(
        ts::places(),
        [](ts::place_local_ref<int> result) {
          int own = ts::here().id() + 1;
          int all = 0;
          MPI_Request request = ts::mpi::call([&own, &all] {
            MPI_Request r = MPI_REQUEST_NULL;
            MPI_Iallreduce(&own, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
            return r;
          });
          for (int done = 0; done == 0;) {
            ts::mpi::call([&] { MPI_Test(&request, &done, MPI_STATUS_IGNORE); });
            ts::yield();
          }
          *result = all;
        },
        results.ref());
    for (int i = 0; i < 500; ++i) {
      ts::async_at(ts::here().next(), [] {});
    }
  });
  int same = 0;
  for (const ts::place p : ts::places()) {
    same += results.at(p, [](int n) { return n; }) == g_ranks * (g_ranks + 1) / 2 ? 1 : 0;
  }
  return same;
}

void misuse_of_calls() {
  REQUIRE(contains(text_of<ts::usage_error>([] { ts::mpi::call([] { ts::mpi::call([] {}); }); }), "inside of"));
  REQUIRE(ts::mpi::call([] { return 5; }) == 5);  // the lock was given back
  struct own_error {};
  bool threw = false;
  try {
    ts::mpi::call([] { throw own_error(); });
  } catch (const own_error&) {
    threw = true;
  }
  REQUIRE(threw && ts::mpi::call([] { return true; }));
  ts::run([] {
    const std::string text = text_of<ts::usage_error>([] { ts::mpi::call([] { ts::async([] {}); }); });
    REQUIRE(contains(text, "inside of tactus::mpi::call"));
    REQUIRE(!text_of<ts::usage_error>([] { ts::mpi::call([] { ts::at(ts::here().next(), [] {}); }); }).empty());
    ts::finish([] { ts::async([] {}); });  // no longer restricted
  });
}

// The thread has the lock that these would wait for.
void calls_make_and_run_no_runtime() {
  const auto refused = [](const std::function<void()>& f) {
    return contains(text_of<ts::usage_error>([&f] { ts::mpi::call(f); }), "inside of tactus::mpi::call");
  };
  REQUIRE(refused([] { ts::runtime none; }));
  REQUIRE(refused([] { ts::runtime none({}, MPI_COMM_SELF); }));
  ts::runtime rt(ts::config{.threads = 1});
  REQUIRE(refused([&rt] { rt.run([] {}); }));
  REQUIRE(rt.run(sum_over_places) == g_ranks * g_ranks);
}

// ---- memory of MPI ----

std::atomic<int> g_allocated{0};

template <class T>
struct of_mpi {
  using value_type = T;
  of_mpi() = default;
  template <class U>
  of_mpi(const of_mpi<U>& /*other*/) {}
  T* allocate(std::size_t n) {
    ++g_allocated;
    return ts::mpi::call([n] {
      void* p = nullptr;
      MPI_Alloc_mem(static_cast<MPI_Aint>(n * sizeof(T)), MPI_INFO_NULL, &p);
      return static_cast<T*>(p);
    });
  }
  void deallocate(T* p, std::size_t /*n*/) {
    ts::mpi::call([p] { MPI_Free_mem(p); });
    --g_allocated;
  }
  friend bool operator==(of_mpi, of_mpi) { return true; }
};

// Short ones go as bytes, long ones are destroyed by who sees that they have left.
void memory_is_given_back_to_mpi(const ts::config& options) {
  using doubles = std::vector<double, of_mpi<double>>;
  {
    ts::runtime rt(options);
    rt.run([] {
      const ts::place there = ts::here().next();
      for (const std::size_t n : {std::size_t{1024}, std::size_t{16 * 1024}, std::size_t{128 * 1024}}) {
        ts::finish([n, there] {
          for (int i = 0; i < 10; ++i) {
            ts::async_at(there, [n](const doubles& v) { REQUIRE(v.size() == n && v.back() == 2.5); }, doubles(n, 2.5));
          }
        });
        const doubles back = ts::at(there, [](doubles v) { return v; }, doubles(n, 1.5));
        REQUIRE(back.size() == n && back.front() == 1.5);
      }
    });
  }
  REQUIRE(g_allocated == 0);
}

// ---- a rank that takes nothing ----

long resident_mib() {
  long all = 0;
  long resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) >> 20;
}

constexpr int k_word = 7;  // a tag

bool takes_word_of(int rank) {
  int there = 0;
  MPI_Iprobe(rank, k_word, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  if (there != 0) {
    MPI_Recv(nullptr, 0, MPI_BYTE, rank, k_word, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  return there != 0;
}
void send_word_to(int rank) { MPI_Send(nullptr, 0, MPI_BYTE, rank, k_word, MPI_COMM_WORLD); }

// Rank 2 takes nothing of the library until it has a word.
void holds_mpi() {
  ts::mpi::call([] {
    send_word_to(0);
    while (!takes_word_of(0)) {
      std::this_thread::sleep_for(std::chrono::microseconds{500});
    }
  });
}

// While a long message waits for a rank, those to another one leave, and their memory is used again.
void one_that_waits_keeps_no_others() {
  constexpr int k_calls = 5'000;  // each goes in 8 KiB
  constexpr long k_most = 12;     // MiB
  ts::run([] {
    ts::finish([] {
      const auto call_other = [](int times) {
        for (int i = 0; i < times; ++i) {
          ts::at(ts::place(1), [] {});
        }
      };
      ts::async_at(ts::place(2), holds_mpi);
      while (!ts::mpi::call([] { return takes_word_of(2); })) {
        call_other(1);
      }
      ts::async_at(ts::place(2), [](const std::list<int>& /*no range*/) {}, std::list<int>(100'000));
      call_other(k_calls / 10);
      const long before = resident_mib();
      call_other(k_calls);
      REQUIRE(resident_mib() - before < k_most);
      ts::mpi::call([] { send_word_to(2); });
    });
  });
}

// Rank 1 has sent much, and computes: where it has no thread of progress, nobody there looks after what has not left. Ranks 0 and 2 do not
// wait for it.
void one_that_computes_stops_no_others() {
  enum step : int { k_begin, k_computes, k_is_over };
  constexpr int k_company = 32;  // so many tasks go together
  static constexpr std::chrono::seconds k_longest{60};
  void* memory = nullptr;  // the ranks are on one machine
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_allocate_shared(g_rank == 0 ? sizeof(std::atomic<int>) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                          &window);
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
  static std::atomic<int>* s_step;
  s_step = g_rank == 0 ? new (memory) std::atomic<int>(k_begin) : static_cast<std::atomic<int>*>(memory);
  MPI_Barrier(MPI_COMM_WORLD);
  {
    ts::runtime rt(ts::config{.threads = 1});
    rt.run([] {
      ts::finish([] {
        ts::async_at(ts::place(1), [] {
          for (int i = 0; i < k_company; ++i) {
            ts::async_at(ts::place(0), [](const std::array<char, 200>& /*it*/) {}, std::array<char, 200>{});
          }
          *s_step = k_computes;
          const auto begin = std::chrono::steady_clock::now();
          while (*s_step != k_is_over) {
            REQUIRE(std::chrono::steady_clock::now() - begin < k_longest);
          }
        });
        while (*s_step != k_computes) {
          ts::yield();
        }
        for (int i = 0; i < 100; ++i) {
          REQUIRE(ts::at(ts::place(2), [] { return g_rank; }) == 2);
        }
        *s_step = k_is_over;
      });
    });
  }
  MPI_Win_free(&window);
}

// ---- threads ----

// Two runtimes of each process, each with a thread of the program, on communicators of their own.
void two_at_once() {
  MPI_Comm of[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  for (MPI_Comm& c : of) {
    MPI_Comm_dup(MPI_COMM_WORLD, &c);
  }
  std::atomic<int> right{0};
  const auto use = [&right](MPI_Comm c) {
    ts::runtime rt(ts::config{.threads = 1}, c);
    for (int i = 0; i < 30; ++i) {
      right += rt.run(sum_over_places) == g_ranks * g_ranks ? 1 : 0;
    }
  };
  std::thread other(use, of[0]);
  use(of[1]);
  other.join();
  REQUIRE(right == 60);
  REQUIRE(ts::stats().notices.empty());
  for (MPI_Comm& c : of) {
    MPI_Comm_free(&c);
  }
}

void other_threads_are_refused() {
  ts::runtime rt(ts::config{.threads = 1});
  std::string made;
  std::string begun;
  std::string called;
  std::thread([&] {
    made = text_of<ts::config_error>([] { ts::runtime none; });
    begun = text_of<ts::config_error>([&rt] { rt.run([] {}); });
    called = text_of<ts::usage_error>([] { ts::mpi::call([] {}); });
  }).join();
  REQUIRE(contains(made, "another thread"));
  REQUIRE(contains(begun, "another thread"));
  REQUIRE(contains(called, "another thread"));
  REQUIRE(contains(text_of<ts::config_error>([] { ts::runtime none(ts::config{.threads = 1, .peer_timeout = 5}); }),
                   "peer_timeout"));
  REQUIRE(rt.run(sum_over_places) == g_ranks * g_ranks);
  if (g_ranks > 1) {
    REQUIRE(rt.stats().notices.size() == 1 && contains(rt.stats().notices[0], "only the first worker"));
    REQUIRE(contains(ts::to_table(rt.stats()), "only the first worker"));
    REQUIRE(contains(ts::to_json(rt.stats()), "\"notices\":[\"only the first worker"));
  }
}

// The others have asked each other and place 0 in vain, and sleep, when there is something to have: nobody but they themselves can look then.
void who_rests_asks_again() {
  ts::runtime rt(ts::config{.threads = 1, .placement = ts::placement_policy::random_stealing});
  rt.run([] {
    for (const auto begin = std::chrono::steady_clock::now();
         std::chrono::steady_clock::now() - begin < std::chrono::milliseconds{50};) {
      ts::yield();
    }
    ts::finish([] {
      for (int i = 0; i < 50; ++i) {
        ts::async_at(ts::place_flexible, [] { std::this_thread::sleep_for(std::chrono::milliseconds{2}); });
      }
    });
  });
  REQUIRE(g_rank != 0 || g_ranks == 1 || rt.stats().places[0].given > 0);
}

int level_named(std::string_view name) {
  return name == "single"       ? MPI_THREAD_SINGLE
         : name == "funneled"   ? MPI_THREAD_FUNNELED
         : name == "serialized" ? MPI_THREAD_SERIALIZED
                                : MPI_THREAD_MULTIPLE;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: own_calls single|funneled|serialized|multiple\n");
    return 2;
  }
  REQUIRE(!text_of<ts::usage_error>([] { ts::mpi::call([] {}); }).empty());  // not initialised
  const int level = level_named(argv[1]);
  int given = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, level, &given);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
  if (given < level) {
    std::printf("own_calls: this MPI gives level %d for %d\n", given, level);
  }
  run_on_all({});
  if (given == MPI_THREAD_SINGLE) {
    REQUIRE(
        contains(text_of<ts::config_error>([] { ts::runtime none(ts::config{.threads = 2}); }), "MPI_THREAD_SINGLE"));
  } else {
    run_on_all({.threads = 3});
  }
  REQUIRE(ts::run(reduced_by_the_program) == g_ranks);
  memory_is_given_back_to_mpi({.threads = given >= MPI_THREAD_SERIALIZED ? 3 : 1});
  one_that_waits_keeps_no_others();
  one_that_computes_stops_no_others();
  misuse_of_calls();
  calls_make_and_run_no_runtime();
  runs_on_parts();
  if (given >= MPI_THREAD_SERIALIZED) {
    two_at_once();
  } else {
    other_threads_are_refused();
    who_rests_asks_again();
  }
  MPI_Finalize();
  REQUIRE(contains(text_of<ts::usage_error>([] { ts::mpi::call([] {}); }), "or no more"));
  bool has_run = false;
  REQUIRE(contains(text_of<ts::config_error>([&has_run] { ts::run([&has_run] { has_run = true; }); }),
                   "after MPI_Finalize"));
  REQUIRE(!has_run);
  return 0;
}
