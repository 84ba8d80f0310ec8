// SPDX-License-Identifier: Apache-2.0
// Carries messages as a bad network would: late, and tasks in any order. It can also do what no network may.
#pragma once

#include "place/engine.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace support {

enum class network_fault : std::uint8_t {
  none,
  loses_control,    ///< the tenth control message of a pair
  doubles_control,  ///< that one comes twice
  comes_early,      ///< it has the number of the next
  loses_task,       ///< the tenth task
};

class shuffling_engine final : public tactus::detail::engine {
public:
  shuffling_engine(tactus::detail::run_control& run, network_fault fault, std::uint64_t seed)
      : run_(run), places_(run.places().size()), fault_(fault), random_(seed), control_(places_ * places_) {}

  void start() override {
    thread_ = std::thread([this] { carry(); });
  }

  void send(int from, int to, tactus::detail::queued_task* m) noexcept override {
    const bool in_order = tactus::detail::is_control(tactus::detail::header_of(m).kind);
    {
      const std::lock_guard hold(mutex_);
      if (in_order) {
        add_control(control_[static_cast<std::size_t>(from) * places_ + static_cast<std::size_t>(to)], m, to);
      } else if (fault_ != network_fault::loses_task || ++tasks_ != k_the_one) {
        any_order_.push_back({m, to});
      }
    }
    something_.notify_one();
  }

  void stop() noexcept override {
    {
      const std::lock_guard hold(mutex_);
      ends_ = true;
    }
    something_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

private:
  using queued_task = tactus::detail::queued_task;
  static constexpr std::uint32_t k_the_one = 10;

  struct on_its_way {
    queued_task* message = nullptr;
    int to = 0;
  };
  struct way {
    std::deque<on_its_way> messages;
    std::uint32_t numbered = 0;
  };

  void add_control(way& w, queued_task* m, int to) {
    tactus::detail::set_control_number(m, ++w.numbered);
    if (w.numbered == k_the_one && fault_ == network_fault::loses_control) return;
    if (w.numbered == k_the_one && fault_ == network_fault::comes_early)
      tactus::detail::set_control_number(m, k_the_one + 1);
    w.messages.push_back({m, to});
    if (w.numbered == k_the_one && fault_ == network_fault::doubles_control) {
      again_ = *m;
      w.messages.push_back({&again_, to});
    }
  }

  void carry() {
    std::unique_lock hold(mutex_);
    for (;;) {
      something_.wait(hold, [this] { return ends_ || any_message(); });
      if (!any_message()) return;
      const on_its_way next = take_one();
      const unsigned dice = static_cast<unsigned>(random_() % 64);
      const bool hurries = ends_;
      hold.unlock();
      if (!hurries) linger(dice);
      tactus::detail::place_node::of(*run_.places()[static_cast<std::size_t>(next.to)]).receive(next.message);
      hold.lock();
    }
  }

  static void linger(unsigned dice) {
    if (dice == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    else if (dice < 16)
      std::this_thread::yield();
  }

  [[nodiscard]] bool any_message() const {
    for (const way& w : control_) {
      if (!w.messages.empty()) return true;
    }
    return !any_order_.empty();
  }

  // Any task, or the first control message of any pair.
  on_its_way take_one() {
    std::vector<std::size_t> ways;
    for (std::size_t i = 0; i < control_.size(); ++i) {
      if (!control_[i].messages.empty()) ways.push_back(i);
    }
    const std::size_t which = random_() % (ways.size() + any_order_.size());
    if (which < ways.size()) {
      auto& messages = control_[ways[which]].messages;
      const on_its_way first = messages.front();
      messages.pop_front();
      return first;
    }
    on_its_way& chosen = any_order_[which - ways.size()];
    const on_its_way m = chosen;
    chosen = any_order_.back();
    any_order_.pop_back();
    return m;
  }

  tactus::detail::run_control& run_;
  const std::size_t places_;
  const network_fault fault_;
  std::mutex mutex_;  // protects the rest
  std::condition_variable something_;
  std::mt19937_64 random_;
  std::vector<way> control_;  // by pair
  std::vector<on_its_way> any_order_;
  std::uint32_t tasks_ = 0;
  queued_task again_{};
  bool ends_ = false;
  std::thread thread_;
};

/// While it lives, what goes between places of new runtimes goes by such engines.
template <network_fault Fault = network_fault::none>
class shuffled_messages {
public:
  shuffled_messages() { tactus::detail::use_engine(make); }
  ~shuffled_messages() { tactus::detail::use_engine(nullptr); }
  shuffled_messages(const shuffled_messages&) = delete;
  shuffled_messages& operator=(const shuffled_messages&) = delete;

private:
  static std::unique_ptr<tactus::detail::engine> make(tactus::detail::run_control& run) {
    static std::atomic<std::uint64_t> seed{0};
    return std::make_unique<shuffling_engine>(run, Fault, seed.fetch_add(1, std::memory_order_relaxed));
  }
};

}  // namespace support
