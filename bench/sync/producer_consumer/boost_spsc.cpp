// SPDX-License-Identifier: Apache-2.0
// Boost's ring for one producer and one consumer. It does not wait, so its users do: here by trying again and again, and
// letting others run in between.
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <cstdint>
#include <thread>

#include "sync/producer_consumer/two_threads.hpp"

namespace {

class queue {
public:
  explicit queue(std::size_t places) : items_(places) {}

  void push(std::uint64_t item) {
    while (!items_.push(item)) std::this_thread::yield();
  }

  std::uint64_t pop() {
    std::uint64_t item = 0;
    while (!items_.pop(item)) std::this_thread::yield();
    return item;
  }

private:
  boost::lockfree::spsc_queue<std::uint64_t> items_;
};

}  // namespace

int main(int argc, char** argv) {
  using problem = bench::producer_consumer_problem;
  return bench::program<problem, bench::two_threads<queue>>(argc, argv, "producer_consumer", "boost_spsc");
}
