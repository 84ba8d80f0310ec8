// SPDX-License-Identifier: Apache-2.0
// Joins processes that a launcher of MPI has started. In a program that is linked with tactus::mpi this object is there, and that is all
// there is to it. docs/protocols/processes.md.

#include <tactus/base/error.hpp>

#include "base/job.hpp"
#include "mpi/checked.hpp"
#include "mpi/mpi_engine.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include <mpi.h>

namespace tactus::detail {
namespace {

constexpr std::chrono::seconds k_until_told{10};
constexpr int k_meeting = 3;  // a tag

bool was_launched() noexcept {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"}) {
    if (std::getenv(name) != nullptr) {
      return true;
    }
  }
  return false;
}

void tell_of_waiting_for(const char* whom) { std::fprintf(stderr, "tactus: waiting for %s\n", whom); }

// Of one wait, which says so when it takes long.
class patience {
public:
  void a_moment(const char* whom) {
    std::this_thread::sleep_for(std::chrono::microseconds{50});
    if (!told_ && std::chrono::steady_clock::now() - begin_ > k_until_told) {
      told_ = true;
      tell_of_waiting_for(whom);
    }
  }

private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool told_ = false;
};

// The same around a call of MPI that returns when all ranks have come. The thread makes no calls of MPI.
class patience_with_a_call {
public:
  explicit patience_with_a_call(const char* whom)
      : thread_([this, whom] {
          std::unique_lock lock(mutex_);
          if (!ends_.wait_for(lock, k_until_told, [this] { return over_; })) {
            tell_of_waiting_for(whom);
          }
        }) {}
  ~patience_with_a_call() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    ends_.notify_one();
    thread_.join();
  }
  patience_with_a_call(const patience_with_a_call&) = delete;
  patience_with_a_call& operator=(const patience_with_a_call&) = delete;

private:
  std::mutex mutex_;
  std::condition_variable ends_;
  bool over_ = false;
  std::thread thread_;  // last: it uses the others
};

// exit() in a task, or beside a run: the other ranks would wait for this one for ever.
void end_job_if_it_runs(int status, void* /*unused*/) {
  if (mpi_engine::some_run_is_active()) {
    std::fprintf(stderr, "tactus: exit(%d) was called at one rank during a run; the job ends\n", status);
    MPI_Abort(MPI_COMM_WORLD, status);
  }
}

// MPI_Finalize calls this first: what comes behind it would be calls of an MPI that is no more.
int end_job_if_runtimes_are_left(MPI_Comm /*self*/, int /*key*/, void* /*unused*/, void* /*unused*/) {
  if (mpi_engine::some_is_there()) {
    std::fprintf(stderr,
                 "tactus: MPI_Finalize was called while a tactus::runtime is there, which still uses MPI; let the "
                 "runtime go before that call; the job ends\n");
    MPI_Abort(MPI_COMM_WORLD, k_status_of_failure);
  }
  return MPI_SUCCESS;
}

void look_at_runtimes_when_finalized() {
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_job_if_runtimes_are_left, &key, nullptr),
            "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
}

void finalize_if_nobody_did() {
  int over = 0;
  MPI_Finalized(&over);
  if (over == 0) {
    MPI_Finalize();
  }
}

// Whether there is an MPI to talk to; initialises it where a launcher has started the process and the program has not done so.
bool is_there() {
  int over = 0;
  MPI_Finalized(&over);
  if (over != 0) {
    return false;
  }
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun != 0) {
    return true;
  }
  if (!was_launched()) {
    return false;
  }
  int level = 0;
  const patience_with_a_call waits("all ranks to start");
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread");
  std::atexit(finalize_if_nobody_did);
  return true;
}

launch who() {
  static std::mutex mutex;
  const std::lock_guard one_at_a_time(mutex);
  if (!is_there()) {
    return {};
  }
  launch l;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &l.rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &l.ranks), "MPI_Comm_size");
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  if (l.has_others() && level < MPI_THREAD_SERIALIZED) {
    throw config_error(
        "tactus: MPI was initialised for calls of one thread only; initialise it by MPI_Init_thread with "
        "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or leave that to tactus::run");
  }
  static const int here = [] {
    look_at_runtimes_when_finalized();
    ::on_exit(end_job_if_it_runs, nullptr);  // before MPI is finalised: that was asked for earlier
    MPI_Comm machine = MPI_COMM_NULL;
    int ranks = 1;
    const patience_with_a_call waits("all ranks to come to their first run");
    check_mpi(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
              "MPI_Comm_split_type");
    check_mpi(MPI_Comm_size(machine, &ranks), "MPI_Comm_size");
    check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
    return ranks;
  }();
  l.ranks_here = here;
  return l;
}

class mpi_job final : public job {
public:
  mpi_job() {
    MPI_Request copied = MPI_REQUEST_NULL;
    check_mpi(MPI_Comm_idup(MPI_COMM_WORLD, &comm_, &copied), "MPI_Comm_idup");
    patience waits;
    for (int done = 0; done == 0;) {
      check_mpi(MPI_Test(&copied, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) {
        waits.a_moment("all ranks to make their runtime");
      }
    }
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~mpi_job() override { check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free"); }

  void tell(int to, std::span<const std::byte> what) override {
    check_mpi(MPI_Send(what.data(), static_cast<int>(what.size()), MPI_BYTE, to, k_meeting, comm_), "MPI_Send");
  }

  std::vector<std::byte> hear(int from, const char* doing) override {
    const std::string what_for = "rank " + std::to_string(from) + " to " + doing;
    patience waits;
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    for (;;) {
      check_mpi(MPI_Improbe(from, k_meeting, comm_, &there, &message, &status), "MPI_Improbe");
      if (there != 0) {
        break;
      }
      waits.a_moment(what_for.c_str());
    }
    int bytes = 0;
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    std::vector<std::byte> what(static_cast<std::size_t>(bytes));
    check_mpi(MPI_Mrecv(what.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
    return what;
  }

  std::unique_ptr<engine> make_engine(run_control& run) override { return std::make_unique<mpi_engine>(run, comm_); }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

std::unique_ptr<job> join_by_mpi(const launch& /*who*/) { return std::make_unique<mpi_job>(); }

void abort_all(int status) noexcept { MPI_Abort(MPI_COMM_WORLD, status); }

constexpr joiner k_mpi{who, join_by_mpi, abort_all};

[[maybe_unused]] const bool g_installed = (install(k_mpi), true);

}  // namespace
}  // namespace tactus::detail
