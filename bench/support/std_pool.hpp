// SPDX-License-Identifier: Apache-2.0
// The competitor std_pool: threads, one queue of std::function, a mutex and a condition variable, as most C++ programmers have
// written it once. Its tasks may spawn and may not wait; whoever starts them waits for all.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace bench {

class std_pool {
public:
  explicit std_pool(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  std_pool(const std_pool&) = delete;
  std_pool& operator=(const std_pool&) = delete;
  ~std_pool() {
    {
      const std::lock_guard hold(lock_);
      over_ = true;
    }
    has_tasks_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  void spawn(std::function<void()> task) {
    {
      const std::lock_guard hold(lock_);
      ++unfinished_;
      tasks_.push_back(std::move(task));
    }
    has_tasks_.notify_one();
  }

  /// The task and all that are spawned until nothing is left.
  void run(std::function<void()> root) {
    spawn(std::move(root));
    std::unique_lock hold(lock_);
    is_done_.wait(hold, [this] { return unfinished_ == 0; });
  }

private:
  void work() {
    std::unique_lock hold(lock_);
    for (;;) {
      has_tasks_.wait(hold, [this] { return over_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      // The youngest first: the oldest first would hold a whole level of a tree in memory.
      const std::function<void()> task = std::move(tasks_.back());
      tasks_.pop_back();
      hold.unlock();
      task();
      hold.lock();
      if (--unfinished_ == 0) is_done_.notify_all();
    }
  }

  std::mutex lock_;
  std::condition_variable has_tasks_;
  std::condition_variable is_done_;
  std::deque<std::function<void()>> tasks_;
  std::size_t unfinished_ = 0;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace bench
