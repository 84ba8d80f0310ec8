// SPDX-License-Identifier: Apache-2.0
// A thread for each task, with 64 KiB of stack, on all cores whatever --threads says. Not meant for more than some
// hundreds.
#include <pthread.h>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstring>
#include <vector>

#include "sync/lockstep/lockstep.hpp"

namespace {

class std_barrier {
public:
  std_barrier(const bench::options& /*o*/, bench::lockstep_problem& p) : problem_(p) { p.expect_ns(5000, 2000); }

  void pass() {
    std::barrier<> together(static_cast<std::ptrdiff_t>(problem_.size()));
    together_ = &together;
    signal_.store(signal::wait, std::memory_order_relaxed);  // relaxed: no thread exists yet
    std::vector<seat> seats(problem_.size());
    for (std::uint64_t i = 0; i < seats.size(); ++i) seats[i] = {this, i, {}};
    const thread_attributes attributes;
    std::uint64_t created = 0;
    int error = 0;
    while (created < seats.size() && error == 0) {
      error = pthread_create(&seats[created].thread, attributes.get(), &std_barrier::thread_main, &seats[created]);
      if (error == 0) ++created;
    }
    // release: publishes together_; pairs with the acquire in thread_main()
    signal_.store(error == 0 ? signal::begin : signal::give_up, std::memory_order_release);
    signal_.notify_all();
    for (std::uint64_t i = 0; i < created; ++i) pthread_join(seats[i].thread, nullptr);
    if (error != 0) throw bench::refused("thread " + std::to_string(created) + ": " + std::strerror(error));
  }

private:
  static constexpr std::size_t k_stack_bytes = 64 * 1024;
  enum class signal : int { wait, begin, give_up };

  struct seat {
    std_barrier* self;
    std::uint64_t task;
    pthread_t thread;
  };

  class thread_attributes {
  public:
    thread_attributes() {
      pthread_attr_init(&attributes_);
      pthread_attr_setstacksize(&attributes_, k_stack_bytes);
    }
    ~thread_attributes() { pthread_attr_destroy(&attributes_); }
    thread_attributes(const thread_attributes&) = delete;
    thread_attributes& operator=(const thread_attributes&) = delete;
    [[nodiscard]] const pthread_attr_t* get() const { return &attributes_; }

  private:
    pthread_attr_t attributes_;
  };

  static void* thread_main(void* argument) {
    const seat& s = *static_cast<const seat*>(argument);
    s.self->run(s.task);
    return nullptr;
  }

  void run(std::uint64_t task) {
    // relaxed: the load below looks again
    signal_.wait(signal::wait, std::memory_order_relaxed);
    // acquire: what pass() did before its release
    if (signal_.load(std::memory_order_acquire) == signal::give_up) return;
    problem_.run_phases(task == 0, [this, task] {
      problem_.update(task);
      together_->arrive_and_wait();
    });
  }

  bench::lockstep_problem& problem_;
  std::barrier<>* together_ = nullptr;
  std::atomic<signal> signal_{signal::wait};
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::lockstep_problem, std_barrier>(argc, argv, "lockstep", "std_barrier");
}
