// SPDX-License-Identifier: Apache-2.0
// One simulated run.
#pragma once

#include "simulator/event_queue.hpp"
#include "simulator/machine.hpp"
#include "simulator/place.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace simulator {

/// Between places.
struct message {
  enum kind : std::uint8_t { of_policy, tasks, result };

  kind what;
  int to;
  tactus::detail::placement_event event;  ///< that the receiver's policy gets
  std::vector<task_number> moved;
  std::uint64_t bytes;
};

class run {
public:
  run(const workload& work, const machine& on);

  outcome to_the_end();

private:
  using placement_event = tactus::detail::placement_event;
  using placement_action = tactus::detail::placement_action;

  // Tasks (run.cpp).
  void start_roots();
  void handle(const event& e);
  void task_ends(int p, int worker, task_number t);
  void spawn(int p, task_number t);
  void usual_mapping(int p, task_number t);
  void queue(int p, task_number t);
  void feed(int p);
  bool take(int p, task_number& t);
  void start(int p, task_number t);
  void completed();

  // Places (places.cpp).
  void tell(int p, const placement_event& event, int also_idle = 0);
  void tell_if_wanted(int p, placement_event::kind what, int also_idle = 0);
  void carry_out(int p, const placement_action& action, task_number spawned);
  void give(int p, const placement_action& action);
  void deal(int p, const placement_action& action, task_number spawned);
  task_number take_held(int p, std::uint32_t nonce);
  void send(int from, message m);
  void send_tasks(int from, int to, placement_event arrival, std::vector<task_number> moved);
  void message_comes(int p, std::uint32_t number);
  void message_is_seen(std::uint32_t number);
  void says_it_starves(int p);
  void poll(int p);
  void poll_in_time(int p);
  void charge(int p, std::int64_t ns);
  void starve_later(int p);
  [[nodiscard]] tactus::detail::place_view view_of(int p, int also_idle) const;
  [[nodiscard]] std::int64_t latency(int a, int b) const;
  [[nodiscard]] std::int64_t on_its_way(std::uint64_t bytes) const;
  [[nodiscard]] static std::int64_t time_of(std::uint64_t bytes, double per_byte);
  [[nodiscard]] std::int64_t after(std::int64_t ns) const { return sum_of(now_, ns); }

  place& at(int p) { return places_[static_cast<std::size_t>(p)]; }
  [[nodiscard]] const place& at(int p) const { return places_[static_cast<std::size_t>(p)]; }

  const workload& work_;
  const machine& on_;
  std::vector<place> places_;
  std::vector<std::int32_t> designated_;  // of each task that was spawned
  event_queue events_;
  std::vector<message> messages_;
  std::vector<std::uint32_t> free_;                   // of messages_
  std::vector<std::vector<placement_action>> lists_;  // of actions, that are not in use
  std::int64_t now_ = 0;
  std::int64_t mean_move_ = 0;
  std::uint64_t left_ = 0;   // tasks and results that have not come to their end
  task_number spawned_ = 0;  // the one that a policy is being told of
  outcome seen_;
};

}  // namespace simulator
