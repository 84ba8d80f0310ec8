// SPDX-License-Identifier: Apache-2.0
#include "scale/virtual_network.hpp"

#include "place/place_node.hpp"
#include "scheduler/run_control.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace scale {
namespace {

using tactus::detail::message_kind;
using tactus::detail::place_node;
using tactus::detail::queued_task;

struct next_network {
  costs with;
  subject what = subject::operations;
};
next_network g_next;

}  // namespace

virtual_network::virtual_network(tactus::detail::run_control& run, const costs& c, subject what)
    : run_(run), places_(run.places().size()), costs_(c), what_(what), clocks_(places_), of_a_place_(places_) {
  g_last = this;
}

traffic virtual_network::so_far() {
  const std::lock_guard hold(mutex_);
  return {.messages = messages_, .clocks = clocks_, .of_a_place = of_a_place_};
}

std::int64_t virtual_network::clock_of(int place) {
  const std::lock_guard hold(mutex_);
  return clocks_[static_cast<std::size_t>(place)];
}

void virtual_network::start() {
  for (const auto& place : run_.places()) {
    place->search_once();
  }
  thread_ = std::thread([this] { carry(); });
}

void virtual_network::send(int from, int to, queued_task* m) noexcept {
  const message_kind kind = tactus::detail::header_of(m).kind;
  const auto sender = static_cast<std::size_t>(from);
  {
    const std::lock_guard hold(mutex_);
    if (tactus::detail::is_control(kind)) {
      set_control_number(m, ++numbered_[sender * places_ + static_cast<std::size_t>(to)]);
    }
    const bool is_of_verdict = kind == message_kind::quiet || kind == message_kind::stuck;
    round_has_begun_ = round_has_begun_ || kind == message_kind::stuck;
    const bool comes_after_verdict = round_has_begun_ && kind == message_kind::quiet;
    const bool is_counted = is_of_verdict == (what_ == subject::verdict) && !comes_after_verdict;
    const bool takes_time = is_counted || what_ == subject::verdict;
    if (is_counted) {
      ++messages_;
      ++of_a_place_[sender];
    }
    if (takes_time) {
      clocks_[sender] += costs_.send;
    }
    // All are equally long on their way: messages of a pair keep their order.
    under_way_.emplace(clocks_[sender] + costs_.latency, on_its_way{m, to, takes_time, is_counted});
    maybe_active_.push_back(from);
  }
  something_.notify_one();
}

void virtual_network::stop() noexcept {
  {
    const std::lock_guard hold(mutex_);
    ends_ = true;
  }
  something_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
  }
}

void virtual_network::wait_for_idle_places() {
  for (const auto& place : run_.places()) {
    while (place != run_.places().front() && !place_node::of(*place).is_at_rest()) {
      std::this_thread::sleep_for(std::chrono::microseconds(5));
    }
  }
  const std::lock_guard hold(mutex_);
  for (auto& [arrives, m] : under_way_) {
    m.takes_time = m.is_counted = false;
  }
  messages_ = 0;
  std::fill(of_a_place_.begin(), of_a_place_.end(), 0);
  std::fill(clocks_.begin(), clocks_.end(), 0);
}

void virtual_network::carry() {
  std::unique_lock hold(mutex_);
  for (;;) {
    something_.wait(hold, [this] { return ends_ || !under_way_.empty(); });
    wait_for_rest(hold);
    if (under_way_.empty()) {
      return;
    }
    const std::vector<on_its_way> next = take_next();
    hold.unlock();
    for (const on_its_way& m : next) {
      place_node::of(*run_.places()[static_cast<std::size_t>(m.to)]).receive(m.message);
    }
    hold.lock();
  }
}

// Who is at rest stays so until a message comes, and nobody else brings one.
void virtual_network::wait_for_rest(std::unique_lock<std::mutex>& hold) {
  while (!maybe_active_.empty() && !ends_) {
    std::vector<int> places = std::exchange(maybe_active_, {});
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    hold.unlock();
    for (const int place : places) {
      place_node& node = place_node::of(*run_.places()[static_cast<std::size_t>(place)]);
      while (!node.is_at_rest()) {
        std::this_thread::sleep_for(std::chrono::microseconds(5));
        const std::lock_guard again(mutex_);
        if (ends_) {  // between runs nobody is at rest
          break;
        }
      }
    }
    hold.lock();
  }
}

// What can arrive before anything that is not yet sent; one for each place, which may send before it takes another.
std::vector<virtual_network::on_its_way> virtual_network::take_next() {
  std::vector<on_its_way> next;
  std::vector<bool> has_one(places_);
  const std::int64_t end = under_way_.begin()->first + costs_.latency;
  for (auto it = under_way_.begin(); it != under_way_.end() && it->first < end;) {
    const on_its_way m = it->second;
    const auto to = static_cast<std::size_t>(m.to);
    if (has_one[to]) {
      ++it;
      continue;
    }
    has_one[to] = true;
    if (m.takes_time) {
      clocks_[to] = std::max(clocks_[to], it->first) + costs_.receive;
    }
    if (m.is_counted) {
      ++of_a_place_[to];
    }
    maybe_active_.push_back(m.to);
    next.push_back(m);
    it = under_way_.erase(it);
  }
  return next;
}

networks_in_use::networks_in_use(const costs& c, subject what) {
  g_next = {c, what};
  tactus::detail::use_engine([](tactus::detail::run_control& run) -> std::unique_ptr<tactus::detail::engine> {
    return std::make_unique<virtual_network>(run, g_next.with, g_next.what);
  });
}

networks_in_use::~networks_in_use() { tactus::detail::use_engine(nullptr); }

}  // namespace scale
