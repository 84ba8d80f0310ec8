// SPDX-License-Identifier: Apache-2.0
// Two threads and a ring with a mutex and two condition variables, as textbooks have it. The threads exist before the clock starts.
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "producer_consumer/producer_consumer.hpp"

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

class std_queue {
public:
  std_queue(const bench::options& /*o*/, bench::producer_consumer_problem& p) : problem_(p), items_(p.bound()) {}
  ~std_queue() {
    rounds_.push(0);  // nothing to produce any more
    producer_.join();
  }
  std_queue(const std_queue&) = delete;
  std_queue& operator=(const std_queue&) = delete;

  void pass() {
    rounds_.push(problem_.size());
    for (std::uint64_t i = 0; i < problem_.size(); ++i) problem_.consume(items_.pop());
  }

private:
  void produce() {
    while (const std::uint64_t n = rounds_.pop()) {
      for (std::uint64_t i = 0; i < n; ++i) items_.push(i);
    }
  }

  bench::producer_consumer_problem& problem_;
  ring items_;
  ring rounds_{1};
  std::thread producer_{[this] { produce(); }};
};

}  // namespace

int main(int argc, char** argv) {
  return bench::program<bench::producer_consumer_problem, std_queue>(argc, argv, "producer_consumer", "std_queue");
}
