// SPDX-License-Identifier: Apache-2.0
// Joins processes that a launcher of MPI has started. In a program that is linked with tactus::mpi this object is there, and that is all
// there is to it. docs/protocols/processes.md.

#include <tactus/base/error.hpp>
#include <tactus/base/impl/atomic.hpp>

#include <tactus/mpi.hpp>

#include "base/job.hpp"
#include "mpi/checked.hpp"
#include "mpi/left_behind.hpp"
#include "mpi/mpi_engine.hpp"
#include "mpi/mpi_lock.hpp"
#include "mpi/near_ranks.hpp"
#include "mpi/patience.hpp"
#include "scheduler/hang.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

namespace tactus::detail {
namespace {

constexpr int k_meeting = 3;  // a tag

// This process and all, as MPI says; it says nothing any more when it is finalised.
constinit int g_rank_in_world = 0;   // set before runtimes are made
constinit int g_ranks_in_world = 1;  // as above

// One that says how many processes there are, and says of more than one, or null.
const char* launcher_of_several() noexcept {
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* const ranks = std::getenv(name); ranks != nullptr && std::atoi(ranks) > 1) {
      return name;
    }
  }
  return nullptr;
}

bool was_launched() noexcept {
  constexpr std::array k_said_by_launchers{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
  return std::ranges::any_of(k_said_by_launchers, [](const char* name) { return std::getenv(name) != nullptr; });
}

// As patience, around a call of MPI that returns when all ranks have come. The thread makes no calls of MPI.
class patience_with_a_call {
public:
  explicit patience_with_a_call(const char* whom)
      : thread_([this, whom] {
          std::unique_lock lock(mutex_);
          if (!ends_.wait_for(lock, k_until_told_of_waiting, [this] { return over_; })) {
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

// What exit() writes out when all is over. Who has locked it may wait for the very thread that ends.
void write_out_stdout() noexcept {
  if (::ftrylockfile(stdout) == 0) {
    std::fflush(stdout);
    ::funlockfile(stdout);
  }
}

// Which process has asked for the two calls at its exit. A child that it forks exits with them too, but MPI, and the job, are not its own.
constinit atomic<::pid_t> g_asked_by{0};

void remember_who_asks() noexcept { g_asked_by.store(::getpid(), memory_order_relaxed); }  // relaxed: a fact

bool is_forked_child() noexcept {
  return g_asked_by.load(memory_order_relaxed) != ::getpid();  // relaxed: as above
}

// exit() in a task, or beside a run: the other ranks would wait for this one for ever.
void end_job_if_it_runs(int status, void* /*unused*/) {
  if (!is_forked_child() && mpi_engine::some_run_is_active()) {
    write_out_stdout();
    std::fprintf(stderr, "tactus: exit(%d) was called at one rank during a run; the job ends\n", status);
    end_job(status);
  }
}

// MPI_Finalize calls this first: what comes behind it would be calls of an MPI that is no more.
int end_job_if_runtimes_are_left(MPI_Comm /*self*/, int /*key*/, void* /*unused*/, void* /*unused*/) {
  if (mpi_engine::some_is_there()) {
    std::fprintf(stderr,
                 "tactus: MPI_Finalize was called while a tactus::runtime is there, which still uses MPI; let the "
                 "runtime go before that call; the job ends\n");
    end_job(k_status_of_failure);
  }
  return MPI_SUCCESS;
}

void look_at_runtimes_when_finalized() {
  int key = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_job_if_runtimes_are_left, &key, nullptr),
            "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  check_mpi(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");  // it lasts as long as the attribute
}

// MPI_Finalize waits for all ranks. Where a runtime could not be made here alone, and the program has caught the error, they wait for this
// rank in turn, each for ever; where it could not be made anywhere they come soon. Who waits in that call can neither look after others nor
// call MPI, so another thread does the first, and ends the process; launchers end the job then.
constexpr std::chrono::seconds k_until_left_behind{5};

constinit atomic<bool> g_has_finalized{false};

[[noreturn]] void end_left_behind() noexcept {
  write_out_stdout();
  std::fprintf(
      stderr,
      "tactus: rank %d ends, and the others wait for it: a runtime of all ranks could not be made here, or has "
      "not ended; the job ends\n",
      g_rank_in_world);
  wait_until_read();
  ::_exit(k_status_of_failure);
}

void* end_if_others_do_not_come(void* /*unused*/) {
  std::this_thread::sleep_for(k_until_left_behind);
  if (!g_has_finalized.load(memory_order_relaxed)) {  // relaxed: a fact
    end_left_behind();
  }
  return nullptr;
}

// With a small stack: perhaps it was for want of memory that there is no runtime. A program whose thread_local objects fill that gets another.
bool starts_thread(void* (*body)(void*)) noexcept {
  constexpr std::size_t k_stack = std::size_t{64} << 10U;
  ::pthread_attr_t how;
  ::pthread_t thread{};
  if (::pthread_attr_init(&how) != 0) {
    return false;
  }
  std::size_t usual = 0;
  ::pthread_attr_getstacksize(&how, &usual);
  ::pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
  bool is_there = false;
  for (const std::size_t stack : {k_stack, usual}) {
    ::pthread_attr_setstacksize(&how, stack);
    is_there = is_there || ::pthread_create(&thread, &how, body, nullptr) == 0;
  }
  ::pthread_attr_destroy(&how);
  return is_there;
}

void finalize_if_nobody_did() {
  if (is_forked_child()) {
    return;
  }
  int over = 0;
  MPI_Finalized(&over);
  if (over != 0) {
    return;
  }
  // relaxed: the runtimes are gone
  if (g_left_behind.load(memory_order_relaxed) > 0 && !starts_thread(end_if_others_do_not_come)) {
    end_left_behind();
  }
  MPI_Finalize();
  g_has_finalized.store(true, memory_order_relaxed);  // relaxed: as above
}

// Whether there is an MPI to talk to; initialises it where a launcher has started the process and the program has not done so.
bool is_there() {
  static std::mutex mutex;
  const std::lock_guard one_at_a_time(mutex);
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
  handle_hang_signal();  // MPICH's own handler of that signal calls the one before it
  int level = 0;
  const patience_with_a_call waits("all ranks to start");
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread");
  remember_who_asks();
  std::atexit(finalize_if_nobody_did);
  return true;
}

MPI_Comm made_of(const communicator& processes) noexcept {
  MPI_Comm c = MPI_COMM_NULL;
  std::memcpy(&c, &processes.handle, sizeof(MPI_Comm));
  return c;
}

// Of each rank, a number for its machine, whose name those have in common that are there. `doing`: as of patience.
std::vector<std::uint64_t> machines_of_ranks(MPI_Comm of, int ranks, const char* doing) {
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  std::uint64_t own = 0;
  MPI_Request gathered = MPI_REQUEST_NULL;
  {
    const mpi_locked lock;
    check_mpi(MPI_Get_processor_name(name, &length), "MPI_Get_processor_name");
    own = std::hash<std::string_view>()({name, static_cast<std::size_t>(length)});
    check_mpi(MPI_Iallgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, of, &gathered), "MPI_Iallgather");
  }
  patience(doing).wait_for(gathered);
  return all;
}

int ranks_on_this_machine(MPI_Comm of, int rank, int ranks) {
  const std::vector<std::uint64_t> all = machines_of_ranks(of, ranks, "all ranks to come to their first run");
  return static_cast<int>(std::count(all.begin(), all.end(), all[static_cast<std::size_t>(rank)]));
}

void look_at_the_end_once() {
  static const bool looks = [] {
    look_at_runtimes_when_finalized();
    remember_who_asks();
    ::on_exit(end_job_if_it_runs, nullptr);  // before MPI is finalised: that was asked for earlier
    return true;
  }();
  static_cast<void>(looks);
}

// Each of several processes would run all of it for itself, and nobody would say so.
void refuse_where_mpi_is_over() {
  int over = 0;
  MPI_Finalized(&over);
  if (over != 0 && (g_ranks_in_world > 1 || launcher_of_several() != nullptr)) {
    throw config_error(
        "tactus: a run, or a runtime, after MPI_Finalize: the processes that the launcher has started can no longer be "
        "joined; call MPI_Finalize after the last one, or set TACTUS_MPI=off if each is to run all of it for itself");
  }
}

void know_the_world() {
  static std::once_flag once;
  std::call_once(once, [] {
    check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &g_rank_in_world), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &g_ranks_in_world), "MPI_Comm_size");
    if (const char* const name = launcher_of_several(); name != nullptr && g_ranks_in_world == 1) {
      std::fprintf(
          stderr,
          "tactus: %s=%s, but MPI knows of this process only, which runs all of it for itself: the launcher is "
          "of another MPI than this program; start it by that of its own, or set TACTUS_MPI=off if that is meant\n",
          name, std::getenv(name));
    }
  });
}

launch who(const communicator* processes) {
  if (is_in_mpi_call()) {
    throw usage_error(
        "tactus: a runtime was made inside of tactus::mpi::call, which holds the lock under which the library calls "
        "MPI; make it before that call or after it");
  }
  if (!is_there()) {
    if (processes != nullptr) {
      throw config_error(
          "tactus: a runtime was made for an MPI communicator where MPI is not initialised, or no more; initialise it "
          "before, or start the program by mpirun");
    }
    refuse_where_mpi_is_over();
    return {};
  }
  const MPI_Comm of = processes != nullptr ? made_of(*processes) : MPI_COMM_WORLD;
  if (of == MPI_COMM_NULL) {
    throw config_error(
        "tactus: a runtime was made for MPI_COMM_NULL; a process that is not of a communicator makes no runtime for "
        "it");
  }
  launch l;
  int level = MPI_THREAD_SINGLE;
  int joins_two = 0;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  if (level < MPI_THREAD_SERIALIZED && !may_call_mpi()) {
    throw config_error(
        "tactus: a runtime was made by another thread than the one that has initialised MPI, which allows that one "
        "only; "
        "make it there, initialise MPI by MPI_Init_thread with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or leave "
        "that to tactus::run");
  }
  {
    const mpi_locked lock;
    know_the_world();
    check_mpi(MPI_Comm_test_inter(of, &joins_two), "MPI_Comm_test_inter");
    check_mpi(MPI_Comm_rank(of, &l.rank), "MPI_Comm_rank");
    check_mpi(MPI_Comm_size(of, &l.ranks), "MPI_Comm_size");
    if (l.ranks > 1) {
      look_at_the_end_once();
    }
  }
  if (joins_two != 0) {
    throw config_error(
        "tactus: a runtime was made for an MPI communicator that joins two groups; make one of all by "
        "MPI_Intercomm_merge");
  }
  l.processes = processes != nullptr ? *processes : communicator_type<MPI_Comm>::erased(MPI_COMM_WORLD);
  l.one_thread = l.has_others() && level == MPI_THREAD_SINGLE;
  if (processes != nullptr) {
    l.ranks_here = ranks_on_this_machine(of, l.rank, l.ranks);
  } else {
    static const int of_all = ranks_on_this_machine(of, l.rank, l.ranks);
    l.ranks_here = of_all;
  }
  if (l.has_others()) {
    count_left_behind(1);
  }
  return l;
}

class mpi_job final : public job {
public:
  explicit mpi_job(MPI_Comm processes) {
    MPI_Request copied = MPI_REQUEST_NULL;
    {
      const mpi_locked lock;
      check_mpi(MPI_Comm_idup(processes, &comm_, &copied), "MPI_Comm_idup");
    }
    patience("all ranks to make their runtime").wait_for(copied);
    // All have come to this one, so nobody waits any more for one that could not be made before it.
    g_left_behind.store(mpi_engine::how_many() + 1, memory_order_relaxed);  // relaxed: as count_left_behind()
    const mpi_locked lock;
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~mpi_job() override {
    const mpi_locked lock;
    check_mpi(MPI_Comm_free(&comm_), "MPI_Comm_free");
  }

  void is_given_up() noexcept override { count_left_behind(-1); }

  void tell(int to, std::span<const std::byte> what) override {
    MPI_Request sent = MPI_REQUEST_NULL;
    {
      const mpi_locked lock;
      check_mpi(MPI_Isend(what.data(), static_cast<int>(what.size()), MPI_BYTE, to, k_meeting, comm_, &sent),
                "MPI_Isend");
    }
    const std::string whom = "rank " + std::to_string(to) + " to hear";
    patience(whom.c_str()).wait_for(sent);
  }

  std::vector<std::byte> hear(int from, const char* doing) override {
    const std::string whom = "rank " + std::to_string(from) + " to " + doing;
    std::vector<std::byte> what;
    patience(whom.c_str()).until([&] {
      int there = 0;
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status;
      check_mpi(MPI_Improbe(from, k_meeting, comm_, &there, &message, &status), "MPI_Improbe");
      if (there == 0) {
        return false;
      }
      int bytes = 0;
      check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
      what.resize(static_cast<std::size_t>(bytes));
      check_mpi(MPI_Mrecv(what.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE), "MPI_Mrecv");
      return true;
    });
    return what;
  }

  int near_group() override {
    int ranks = 0;
    {
      const mpi_locked lock;
      check_mpi(MPI_Comm_size(comm_, &ranks), "MPI_Comm_size");
    }
    return near_group_of(machines_of_ranks(comm_, ranks, "all ranks to make their runtime"));
  }

  std::unique_ptr<engine> make_engine(run_control& run) override { return std::make_unique<mpi_engine>(run, comm_); }

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

std::unique_ptr<job> join_by_mpi(const launch& l) { return std::make_unique<mpi_job>(made_of(l.processes)); }

constexpr joiner k_mpi{who, join_by_mpi};

[[maybe_unused]] const bool g_installed = (install(k_mpi), true);

}  // namespace
}  // namespace tactus::detail
