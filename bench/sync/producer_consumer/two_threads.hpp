// SPDX-License-Identifier: Apache-2.0
// The competitors that have a thread for each of the two, which exist before the clock starts, and a queue between them:
// made with the number of items that may be in it, it has push(item) and pop(), which wait.
#pragma once

#include <cstdint>
#include <semaphore>
#include <thread>

#include "sync/producer_consumer/producer_consumer.hpp"

namespace bench {

template <class Queue>
class two_threads {
public:
  two_threads(const options& /*o*/, producer_consumer_problem& p) : problem_(p), items_(p.bound()) {}
  ~two_threads() {
    let_produce(0);
    producer_.join();
  }
  two_threads(const two_threads&) = delete;
  two_threads& operator=(const two_threads&) = delete;

  void pass() {
    let_produce(problem_.size());
    for (std::uint64_t i = 0; i < problem_.size(); ++i) problem_.consume(items_.pop());
  }

private:
  /// 0: nothing any more. The producer reads the number before it pushes anything.
  void let_produce(std::uint64_t n) {
    to_produce_ = n;
    begin_.release();
  }

  void produce() {
    for (;;) {
      begin_.acquire();
      const std::uint64_t n = to_produce_;
      if (n == 0) return;
      for (std::uint64_t i = 0; i < n; ++i) items_.push(i);
    }
  }

  producer_consumer_problem& problem_;
  Queue items_;
  std::binary_semaphore begin_{0};
  std::uint64_t to_produce_ = 0;
  std::thread producer_{[this] { produce(); }};
};

}  // namespace bench
