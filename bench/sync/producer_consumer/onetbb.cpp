// SPDX-License-Identifier: Apache-2.0
// oneTBB's bounded queue, between threads: its tasks are not meant to wait for each other.
#include <oneapi/tbb/concurrent_queue.h>

#include <cstddef>
#include <cstdint>

#include "support/onetbb_version.hpp"
#include "sync/producer_consumer/two_threads.hpp"

namespace {

class queue {
public:
  explicit queue(std::size_t places) {
    bench::expect_own_onetbb();
    items_.set_capacity(static_cast<std::ptrdiff_t>(places));
  }

  void push(std::uint64_t item) { items_.push(item); }

  std::uint64_t pop() {
    std::uint64_t item = 0;
    items_.pop(item);
    return item;
  }

private:
  oneapi::tbb::concurrent_bounded_queue<std::uint64_t> items_;
};

}  // namespace

int main(int argc, char** argv) {
  using problem = bench::producer_consumer_problem;
  return bench::program<problem, bench::two_threads<queue>>(argc, argv, "producer_consumer", bench::k_onetbb);
}
