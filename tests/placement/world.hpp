// SPDX-License-Identifier: Apache-2.0
// Places without threads: a test chooses which step comes next, so that any order of events can happen. A host as small as can be, which
// checks that each task runs once (L3), that nobody sleeps beside work (L1), that tasks do not travel for ever (L2), that all is silent in the
// end (L4), and that the finish of all tasks is released when the last one has ended (M1, M2).
#pragma once

#include <tactus/base/impl/rng.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "placement/placement.hpp"

namespace worlds {

using tactus::placement_policy;
using tactus::detail::place_view;
using tactus::detail::placement;
using tactus::detail::placement_action;
using tactus::detail::placement_event;

/// How a host may count a task that moves, for the finish; all but the first are wrong.
enum class counting { in_one_cut, not_at_all, in_two_cuts, after_it_was_sent, by_the_receiver };

struct plan {
  struct planned_task {
    std::vector<int> children;
    bool forever = false;  ///< it spawns its children, and then never ends
    int place = -1;        ///< its designated one; -1: that of its spawner
  };
  std::vector<planned_task> tasks;  ///< the first is the root, at place 0
  placement_policy policy = placement_policy::hybrid;
  int places = 2;
  int workers = 1;
  std::uint64_t seed = 1;
  bool is_silent = true;   ///< places say nothing any more when all tasks have ended (L4)
  bool some_late = false;  ///< each place but the first enters the run when it likes, and is spoken to before
  counting counts = counting::in_one_cut;
  bool forgets_early = false;  ///< a mistake: who is not in the run yet forgets what is said to it
  bool decides_early = false;  ///< a mistake: who is not in the run yet decides, and what it says is heard by nobody
  std::unique_ptr<placement> (*change)(std::unique_ptr<placement>,
                                       int here) = nullptr;  ///< puts a mistake into a policy
};

/// A tree of so many tasks; if `some_forever`, some of them never end.
plan drawn_plan(tactus::detail::rng& draw, int tasks, bool some_forever);

class world {
public:
  explicit world(const plan& of);
  world(const world& other);
  world& operator=(const world&) = delete;
  ~world() = default;

  struct step {
    enum kind : std::uint8_t { enter, take, look, spawn, end, give, deliver, report, count_late, poll, pass_time };
    kind what;
    int place;
    int number;  ///< of a worker or message
  };

  /// What may happen next. Empty: nothing ever will.
  [[nodiscard]] std::vector<step> steps() const;
  void carry_out(const step& s);

  /// What is wrong, or nothing.
  [[nodiscard]] const std::string& mistake() const { return mistake_; }

  /// To be asked when there are no steps.
  void check_the_end();

  /// Equal for worlds that can do the same.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] int steps_since_a_task_began() const { return steps_since_a_task_began_; }

private:
  struct worker {
    int task = -1;
    std::size_t spawned = 0;  // of its task's children
    bool looks = true;        // or is parked
    bool starved = false;
    std::int64_t began = 0;
  };

  struct message {
    int to;
    placement_event event;
    std::vector<int> tasks;
    bool is_heard;  // else only its tasks count
  };

  struct place {
    std::unique_ptr<placement> policy;
    tactus::detail::placement_interest interest;
    bool in_run;
    std::vector<placement_event> early;  // said to it before it was
    std::deque<int> ring;
    std::vector<worker> workers;
    std::vector<placement_action> gives;  // decided, and not carried out yet
    std::vector<std::pair<std::uint32_t, int>> held;
    std::int64_t last_taken = 0;
    int live = 0;            // tasks of the finish
    std::vector<int> entry;  // for each place, what has not been reported
    std::vector<int> late;   // counting::after_it_was_sent: places whose entries are still to be counted
    std::deque<std::vector<int>> reports;
  };

  [[nodiscard]] place_view view_of(int p, int also_idle) const;
  [[nodiscard]] bool wants_a_poll(const place& x) const;
  [[nodiscard]] std::vector<step> reports() const;
  /// Of a policy that goes on asking nothing is expected after the last task.
  [[nodiscard]] bool is_over() const { return alive_ == 0 && !plan_->is_silent; }
  void tell(int p, const placement_event& e, int also_idle = 0);
  void carry_out(int p, const placement_action& a);
  void send(int to, const placement_event& e, std::vector<int> tasks = {}) {
    messages_.push_back({to, e, std::move(tasks), true});
  }
  void enter(int p);
  void take(int p, worker& w);
  void spawn(int p, worker& w);
  void end(int p, worker& w);
  void give(int p);
  void deliver(std::size_t number);
  void queue(int p, int task);
  [[nodiscard]] bool may_decide(const place& x) const { return x.in_run || plan_->decides_early; }
  [[nodiscard]] int designated_place(int task, int spawner) const;
  int take_spawned(int p);
  static int take_held(place& x, std::uint32_t nonce);
  void deal(int from, int to, int task);
  void move(int from, int to, const std::vector<int>& tasks);
  void cut(place& x);
  void cut_if_dead(place& x);
  void apply_report(int p);
  void wrong(const std::string& what) {
    if (mistake_.empty()) mistake_ = what;
  }

  const plan* plan_;
  std::vector<place> places_;
  std::vector<message> messages_;
  std::vector<bool> ran_;
  std::int64_t now_ = 0;
  std::vector<int> ledger_;
  bool released_ = false;
  int alive_ = 1;  // tasks that exist and have not ended
  int spawned_ = -1;
  int steps_since_a_task_began_ = 0;
  std::string mistake_;
};

}  // namespace worlds
