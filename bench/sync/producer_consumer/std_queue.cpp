// SPDX-License-Identifier: Apache-2.0
// A ring with a mutex and two condition variables, as textbooks have it.
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "sync/producer_consumer/two_threads.hpp"

namespace {

class ring {
public:
  explicit ring(std::size_t places) : items_(places) {}

  void push(std::uint64_t item) {
    std::unique_lock hold(lock_);
    has_room_.wait(hold, [this] { return count_ < items_.size(); });
    items_[last_] = item;
    last_ = next(last_);
    ++count_;
    hold.unlock();
    has_items_.notify_one();
  }

  std::uint64_t pop() {
    std::unique_lock hold(lock_);
    has_items_.wait(hold, [this] { return count_ > 0; });
    const std::uint64_t item = items_[first_];
    first_ = next(first_);
    --count_;
    hold.unlock();
    has_room_.notify_one();
    return item;
  }

private:
  [[nodiscard]] std::size_t next(std::size_t i) const { return i + 1 == items_.size() ? 0 : i + 1; }

  std::mutex lock_;  // protects all but the condition variables
  std::condition_variable has_room_;
  std::condition_variable has_items_;
  std::vector<std::uint64_t> items_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::producer_consumer_problem, bench::two_threads<ring>>(argc, argv, "producer_consumer",
                                                                                    "std_queue");
}
