// SPDX-License-Identifier: Apache-2.0
// A benchmark program whose competitor is several processes. Started plainly it starts itself anew under the launcher of its MPI, with
// as many ranks as --threads says. The first rank answers the runner as every program does; the others do what it tells them, and sleep
// in the kernel meanwhile, so that nobody is disturbed who is measured next.
#pragma once

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <mpi.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "support/program.hpp"

namespace bench {

[[nodiscard]] inline bool is_under_launcher() {
  const char* const set_there[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  return std::any_of(std::begin(set_there), std::end(set_there),
                     [](const char* variable) { return std::getenv(variable) != nullptr; });
}

/// Then who waits has to give way. All ranks are on one machine.
inline bool more_ranks_than_processors(int ranks) { return ranks > ::sysconf(_SC_NPROCESSORS_ONLN); }

/// The launcher, and what it has to be told before the program and its arguments. One copy or two of a long message, and how Open MPI
/// launches: see options.
[[nodiscard]] inline std::vector<std::string> launcher_words(int ranks, int copies = 1, std::string launch = "") {
  std::vector<std::string> words{BENCH_MPIRUN};
#ifdef OPEN_MPI
  // It asks twice before it lets root start anything.
  for (const char* variable : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) ::setenv(variable, "1", 1);
  const auto add = [&words](auto... more) { (words.emplace_back(more), ...); };
  if (launch.empty()) launch = more_ranks_than_processors(ranks) ? "yielding" : "bound";
  if (launch == "yielding") {
    add("--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1");
  } else {
    // The host with its number: it takes hardware threads of one core for one processor.
    add("--host", "localhost:" + std::to_string(ranks), "--bind-to", "core:overload-allowed", "--mca",
        "mpi_yield_when_idle", "0");
  }
  if (copies == 2) add("--mca", "btl_vader_single_copy_mechanism", "none");
#else
  static_cast<void>(copies);
  static_cast<void>(launch);
#endif
  words.emplace_back("-n");
  words.push_back(std::to_string(ranks));
  return words;
}

/// As exec takes them; they point into `words`.
[[nodiscard]] inline std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Replaces the process by the launcher, unless that has started it.
inline void start_under_launcher(int argc, char** argv, const options& o) {
  if (is_under_launcher()) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the runner kills who does not answer, which is the launcher
    return;
  }
  std::vector<std::string> words = launcher_words(o.threads, o.copies, o.launch);
  words.insert(words.end(), argv, argv + argc);
  const std::vector<char*> pointers = pointers_to(words);
  ::execv(pointers[0], pointers.data());
  throw std::runtime_error(std::string(BENCH_MPIRUN) + ": " + std::strerror(errno));
}

/// What the first rank tells the others, by memory that they share. All of them make it together.
class rank_commands {
public:
  rank_commands() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    const MPI_Aint own = rank_ == 0 ? static_cast<MPI_Aint>(sizeof(board) * static_cast<std::size_t>(ranks_)) : 0;
    void* memory = nullptr;
    MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window_);
    MPI_Aint bytes = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &bytes, &unit, &memory);
    boards_ = static_cast<board*>(memory);
    if (rank_ == 0) {
      for (int r = 0; r < ranks_; ++r) {
        ::sem_init(&boards_[r].told, 1, 0);
        ::sem_init(&boards_[r].heard, 1, 0);
      }
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~rank_commands() { MPI_Win_free(&window_); }
  rank_commands(const rank_commands&) = delete;
  rank_commands& operator=(const rank_commands&) = delete;

  [[nodiscard]] int rank() const { return rank_; }

  /// Returns when all have heard it: the next one would overwrite it.
  void tell(char command) {
    for (int r = 1; r < ranks_; ++r) {
      boards_[r].command = command;
      ::sem_post(&boards_[r].told);
    }
    for (int r = 1; r < ranks_; ++r) wait(boards_[r].heard);
  }
  [[nodiscard]] char next() {
    board& own = boards_[rank_];
    wait(own.told);
    const char command = own.command;
    ::sem_post(&own.heard);
    return command;
  }

private:
  struct alignas(64) board {
    sem_t told;
    sem_t heard;
    char command;
  };

  static void wait(sem_t& s) {
    while (::sem_wait(&s) != 0) {  // a signal has come between
    }
  }

  int rank_ = 0;
  int ranks_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  board* boards_ = nullptr;
};

/// The first rank: as program() is, but the competitor is made, and passes, at all ranks.
template <class Problem, class Competitor>
int answer_for_ranks(const options& o, Problem& problem, rank_commands& commands, const std::string& problem_name,
                     const std::string& competitor_name) {
  std::unique_ptr<Competitor> competitor;
  hooks h;
  h.start = [&] {
    commands.tell('s');
    competitor = std::make_unique<Competitor>(o, problem);
  };
  h.reset = [&] { problem.reset(); };
  h.pass = [&] {
    commands.tell('p');
    competitor->pass();
  };
  if constexpr (requires { problem.timed_part(); }) h.timed_part = [&] { return problem.timed_part(); };
  h.verify = [&] { problem.verify(); };
  h.operations = [&] { return problem.operations(); };
  h.report = [&](nlohmann::json& line) { problem.report(line); };
  int status = 0;
  try {
    status = drive(o, problem_name, competitor_name, h);
  } catch (const std::exception& e) {
    status = failed(e);
  }
  commands.tell('q');
  competitor = nullptr;  // which the others end together with it
  return status;
}

/// The others.
template <class Problem, class Competitor>
void obey(const options& o, Problem& problem, rank_commands& commands) {
  std::unique_ptr<Competitor> competitor;
  for (;;) {
    switch (commands.next()) {
      case 's': competitor = std::make_unique<Competitor>(o, problem); break;
      case 'p': competitor->pass(); break;
      default: return;
    }
  }
}

/// A whole main. The problem's checker runs at the first rank, and is told there what the others have found. `level`: what the
/// competitor needs of MPI's threads.
template <class Problem, class Competitor>
int program_of_ranks(int argc, char** argv, const std::string& problem_name, const std::string& competitor_name,
                     int level = MPI_THREAD_SINGLE) {
  const options o = parse(argc, argv, problem_name, competitor_name);
  int status = 0;
  try {
    Problem problem(o);
    start_under_launcher(argc, argv, o);
    int provided = 0;
    MPI_Init_thread(&argc, &argv, level, &provided);
    rank_commands commands;
    if (commands.rank() == 0) {
      status = answer_for_ranks<Problem, Competitor>(o, problem, commands, problem_name, competitor_name);
    } else {
      obey<Problem, Competitor>(o, problem, commands);
    }
  } catch (const std::exception& e) {
    int is_there = 0;
    MPI_Initialized(&is_there);
    if (is_there == 0) return failed(e);
    std::cerr << e.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

}  // namespace bench
