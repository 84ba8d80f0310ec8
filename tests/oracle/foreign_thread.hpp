// SPDX-License-Identifier: Apache-2.0
// A thread that is none of the runtime's: fulfils external promises when tasks ask it to.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace oracle {

class foreign_thread {
public:
  foreign_thread() : thread_([this] { serve(); }) {}
  foreign_thread(const foreign_thread&) = delete;
  foreign_thread& operator=(const foreign_thread&) = delete;

  ~foreign_thread() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    asked_.notify_one();
    thread_.join();
  }

  /// Has `work` done soon. From any thread; what came before happens before `work`.
  void ask(std::function<void()> work) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(work));
    }
    asked_.notify_one();
  }

private:
  void serve() {
    for (;;) {
      std::vector<std::function<void()>> now;
      {
        std::unique_lock lock(mutex_);
        asked_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (queue_.empty()) return;
        now.swap(queue_);
      }
      for (auto& work : now) work();
    }
  }

  std::mutex mutex_;  // protects queue_ and stopping_
  std::condition_variable asked_;
  std::vector<std::function<void()>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace oracle
