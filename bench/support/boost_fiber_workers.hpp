// SPDX-License-Identifier: Apache-2.0
// The caller and helper threads share Boost fibers; with one worker the caller's round-robin scheduler stays alone.
#pragma once

#include <boost/fiber/all.hpp>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace bench {

/// Each of the workers, the caller first among them, calls use_scheduler; the helpers then wait in a fiber condition,
/// so that their schedulers run what fibers there are, until this is destroyed.
class boost_fiber_workers {
public:
  boost_fiber_workers(int threads, const std::function<void()>& use_scheduler) {
    if (threads == 1) return;
    for (int i = 1; i < threads; ++i) {
      threads_.emplace_back([this, use_scheduler] {
        use_scheduler();
        std::unique_lock lock(mutex_);
        stopped_.wait(lock, [this] { return stop_; });
      });
    }
    use_scheduler();
  }

  ~boost_fiber_workers() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    stopped_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  boost_fiber_workers(const boost_fiber_workers&) = delete;
  boost_fiber_workers& operator=(const boost_fiber_workers&) = delete;

private:
  boost::fibers::mutex mutex_;
  boost::fibers::condition_variable stopped_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace bench
