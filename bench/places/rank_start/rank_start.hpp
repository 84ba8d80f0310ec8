// SPDX-License-Identifier: Apache-2.0
// Problem rank_start: what there is between the launcher's call and the first line of a program that can send messages, and how
// much memory a rank has then. The program starts itself under the launcher of its MPI, with as many ranks as --threads says; each
// of them writes into a file when it had begun, and what was resident. The unit is one job.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/mpi_ranks.hpp"
#include "support/program.hpp"
#include "support/resident.hpp"

namespace bench {

/// What a rank says of itself.
struct rank_began {
  double seconds = 0;  ///< by the clock of this machine
  std::uint64_t resident = 0;

  [[nodiscard]] static rank_began now() {
    const std::chrono::duration<double> t = std::chrono::steady_clock::now().time_since_epoch();
    return {t.count(), 0};
  }
};

/// The file that ranks write into: one record for each. The launcher's children find it by their environment.
class begin_file {
public:
  static constexpr const char* k_variable = "BENCH_RANK_START_FILE";

  begin_file()
      : path_((std::filesystem::temp_directory_path() / "rank_start.XXXXXX").string()), file_(::mkstemp(path_.data())) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), path_);
    ::setenv(k_variable, path_.c_str(), 1);
  }
  ~begin_file() {
    ::close(file_);
    ::unlink(path_.c_str());
  }
  begin_file(const begin_file&) = delete;
  begin_file& operator=(const begin_file&) = delete;

  void clear() const {
    if (::ftruncate(file_, 0) != 0) throw std::system_error(errno, std::generic_category(), path_);
  }

  /// Of all ranks, or wrong_answer.
  [[nodiscard]] std::vector<rank_began> read(int ranks) const {
    std::vector<rank_began> all(static_cast<std::size_t>(ranks));
    const std::size_t bytes = all.size() * sizeof(rank_began);
    if (::pread(file_, all.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
      throw wrong_answer("not all ranks have said that they had begun");
    }
    for (const rank_began& one : all) {
      if (one.seconds <= 0 || one.resident == 0) throw wrong_answer("a rank has not said that it had begun");
    }
    return all;
  }

  /// By a rank, at any time after it had begun: what is resident is what it is now.
  static void write(int rank, rank_began began) {
    began.resident = resident_bytes();
    const char* const path = std::getenv(k_variable);
    const int file = path == nullptr ? -1 : ::open(path, O_WRONLY);
    const bool is_written =
        ::pwrite(file, &began, sizeof began, static_cast<off_t>(sizeof began) * rank) == sizeof began;
    ::close(file);
    if (!is_written)
      throw std::runtime_error("rank_start: a rank cannot write into the file that is to say when it began");
  }

private:
  std::string path_;
  int file_;
};

class rank_start_problem {
public:
  explicit rank_start_problem(const options& o) : ranks_(o.threads) {}

  void reset() {
    file_.clear();
    status_ = -1;
  }

  /// One job, from the launcher's call until it has ended.
  void start_job() {
    std::vector<std::string> words = launcher_words(ranks_);
    words.push_back(std::filesystem::read_symlink("/proc/self/exe").string());
    words.insert(words.end(), {"--threads", std::to_string(ranks_)});
    const std::vector<char*> pointers = pointers_to(words);
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    // What the runner tells this program is not for the launcher, which would read it.
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    pid_t job = 0;
    const rank_began called = rank_began::now();
    const int error = ::posix_spawn(&job, pointers[0], &actions, nullptr, pointers.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category(), pointers[0]);
    while (::waitpid(job, &status_, 0) < 0 && errno == EINTR) {
    }
    whole_seconds_ = rank_began::now().seconds - called.seconds;
    called_ = called.seconds;
  }

  /// Until the first rank had begun.
  [[nodiscard]] duration timed_part() const { return {file_.read(ranks_).front().seconds - called_, 0}; }
  void verify() const {
    if (status_ != 0) throw wrong_answer("the job has ended with status " + std::to_string(status_));
    static_cast<void>(file_.read(ranks_));
  }
  [[nodiscard]] static std::uint64_t operations() { return 1; }
  void report(nlohmann::json& line) const {
    std::uint64_t most = 0;
    for (const rank_began& one : file_.read(ranks_)) most = std::max(most, one.resident);
    line["resident_of_a_rank"] = most;
    line["whole_seconds"] = whole_seconds_;
  }

private:
  const int ranks_;
  begin_file file_;
  int status_ = -1;
  double called_ = 0;
  double whole_seconds_ = 0;
};

/// Its competitors differ in what they do as ranks.
struct job_starter {
  job_starter(const options& /*unused*/, rank_start_problem& p) : problem(p) {}
  void pass() { problem.start_job(); }
  rank_start_problem& problem;
};

/// A whole main. as_rank(o): what a rank is.
template <class AsRank>
int program_that_is_started(int argc, char** argv, AsRank as_rank) {
  if (!is_under_launcher()) {
    return program<rank_start_problem, job_starter>(argc, argv, "rank_start", BENCH_COMPETITOR);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the runner kills who does not answer, and the launcher with it
  try {
    as_rank(parse(argc, argv, "rank_start", BENCH_COMPETITOR));
    return 0;
  } catch (const std::exception& e) {
    std::fputs((std::string(e.what()) + '\n').c_str(), stderr);
    return 1;
  }
}

}  // namespace bench
