// SPDX-License-Identifier: Apache-2.0
// A ring with two semaphores of the standard library: one counts the places, the other the items. Each side has its own end.
#include <cstddef>
#include <cstdint>
#include <semaphore>
#include <vector>

#include "sync/producer_consumer/two_threads.hpp"

namespace {

class ring {
public:
  explicit ring(std::size_t places) : items_(places), room_(static_cast<std::ptrdiff_t>(places)) {}

  void push(std::uint64_t item) {
    room_.acquire();
    items_[last_] = item;
    last_ = next(last_);
    filled_.release();
  }

  std::uint64_t pop() {
    filled_.acquire();
    const std::uint64_t item = items_[first_];
    first_ = next(first_);
    room_.release();
    return item;
  }

private:
  [[nodiscard]] std::size_t next(std::size_t i) const { return i + 1 == items_.size() ? 0 : i + 1; }

  std::vector<std::uint64_t> items_;
  alignas(64) std::counting_semaphore<> room_;
  alignas(64) std::counting_semaphore<> filled_{0};
  alignas(64) std::size_t first_ = 0;  // the consumer's
  alignas(64) std::size_t last_ = 0;   // the producer's
};

}  // namespace

int main(int argc, char** argv) {
  using problem = bench::producer_consumer_problem;
  return bench::program<problem, bench::two_threads<ring>>(argc, argv, "producer_consumer", "std_semaphore");
}
