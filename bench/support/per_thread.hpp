// SPDX-License-Identifier: Apache-2.0
// A value for each thread, so that counting disturbs nobody; read when nobody counts.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace bench {

/// The number of the calling thread among all of the process that asked. Out of line: a task may go on in another thread, so
/// the answer must not be remembered across a point where it waits.
[[gnu::noinline]] inline std::size_t number_of_this_thread() {
  static std::atomic<std::size_t> threads{0};
  thread_local const std::size_t mine = threads.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

template <class T>
class per_thread {
public:
  T& mine() { return of_->at(number_of_this_thread()).value; }

  void reset() {
    for (slot& s : *of_) s.value = T{};
  }

  template <class F>
  void each(F&& f) const {
    for (const slot& s : *of_) f(s.value);
  }

private:
  static constexpr std::size_t k_threads = 4096;
  struct alignas(64) slot {
    T value{};
  };
  std::unique_ptr<std::array<slot, k_threads>> of_ = std::make_unique<std::array<slot, k_threads>>();
};

}  // namespace bench
