// SPDX-License-Identifier: Apache-2.0
// Carries messages of one kind so late that all workers sleep before they come, and the others at once: if nobody knew that they are on
// their way, the program would be called stuck.
#pragma once

#include "place/engine.hpp"
#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace support {

class tardy_engine final : public tactus::detail::engine {
public:
  tardy_engine(tactus::detail::run_control& run, tactus::detail::message_kind late)
      : run_(run), places_(run.places().size()), late_(late), numbered_(places_ * places_) {}

  void start() override {
    thread_ = std::thread([this] { carry(); });
  }

  void send(int from, int to, tactus::detail::queued_task* m) noexcept override {
    const tactus::detail::message_kind kind = tactus::detail::header_of(m).kind;
    {
      const std::lock_guard hold(mutex_);
      if (tactus::detail::is_control(kind)) {
        set_control_number(m, ++numbered_[static_cast<std::size_t>(from) * places_ + static_cast<std::size_t>(to)]);
      }
      const auto now = std::chrono::steady_clock::now();
      under_way_.push_back({m, to, kind == late_ ? now + std::chrono::milliseconds(3) : now});
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
  struct on_its_way {
    tactus::detail::queued_task* message;
    int to;
    std::chrono::steady_clock::time_point due;
  };

  void carry() {
    std::unique_lock hold(mutex_);
    while (!ends_ || !under_way_.empty()) {
      const auto next =
          std::ranges::min_element(under_way_, {}, &on_its_way::due);  // the first of those: in their order
      if (next == under_way_.end()) {
        something_.wait(hold);
      } else if (next->due > std::chrono::steady_clock::now()) {
        something_.wait_until(hold, next->due);
      } else {
        const on_its_way m = *next;
        under_way_.erase(next);
        hold.unlock();
        tactus::detail::place_node::of(*run_.places()[static_cast<std::size_t>(m.to)]).receive(m.message);
        hold.lock();
      }
    }
  }

  tactus::detail::run_control& run_;
  const std::size_t places_;
  const tactus::detail::message_kind late_;
  std::mutex mutex_;  // protects the rest
  std::condition_variable something_;
  std::vector<std::uint32_t> numbered_;  // by pair
  std::deque<on_its_way> under_way_;
  bool ends_ = false;
  std::thread thread_;
};

/// While it lives, what goes between places of new runtimes goes by such engines.
template <tactus::detail::message_kind Late>
class tardy_messages {
public:
  tardy_messages() { tactus::detail::use_engine(make); }
  ~tardy_messages() { tactus::detail::use_engine(nullptr); }
  tardy_messages(const tardy_messages&) = delete;
  tardy_messages& operator=(const tardy_messages&) = delete;

private:
  static std::unique_ptr<tactus::detail::engine> make(tactus::detail::run_control& run) {
    return std::make_unique<tardy_engine>(run, Late);
  }
};

}  // namespace support
