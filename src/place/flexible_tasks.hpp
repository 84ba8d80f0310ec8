// SPDX-License-Identifier: Apache-2.0
// The place-flexible tasks of one place, and the host of its policy: what happens is told to that, and what it says is done.
// docs/protocols/placement.md.
#pragma once

#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>

#include "place/flexible_ring.hpp"
#include "place/placement_counts.hpp"
#include "placement/placement.hpp"
#include "scheduler/scheduler.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

class framed_call;
class place_node;

/// What policies tell each other, as it lies in a message.
struct placement_note {
  std::uint32_t run = 0;  // of the runtime: what comes from an earlier one is dropped
  std::uint32_t nonce = 0;
  std::int64_t speed = 0;
  std::uint64_t surplus = 0;
  std::int32_t idle = 0;
  placement_event::kind what = placement_event::polled;
  move_cause why = move_cause::dealt;
};
static_assert(sizeof(message_header) + sizeof(placement_note) <= queued_task::k_inline_bytes);

/// Why tasks are on their way together.
struct loot_reason {
  std::uint32_t run = 0;  // of the runtime
  std::uint32_t nonce = 0;
  move_cause why = move_cause::dealt;
};

/// Tasks on their way together, likewise.
struct placement_loot {
  queued_task* first;  // a list by flexible_entry::newer, the oldest first
  loot_reason why;
};
static_assert(sizeof(message_header) + sizeof(placement_loot) <= queued_task::k_inline_bytes);

/// One of several that have come together as bytes.
struct arrived_framed {
  std::uint64_t key;  // of its finish
  std::unique_ptr<framed_call> call;
};

class flexible_tasks {
public:
  /// Of the place that `node` is; `flags`: those of all places of the process, or null.
  flexible_tasks(place_node& node, starving_places* flags);
  flexible_tasks(const flexible_tasks&) = delete;
  flexible_tasks& operator=(const flexible_tasks&) = delete;

  /// So many places that follow each other are near each other. Only while no worker runs.
  void live_in_groups_of(int places);
  [[nodiscard]] int near_group() const noexcept { return near_group_; }

  // ---- by tasks of this place ----

  /// spawn_movable(), of the calling task.
  void spawn(int to, std::unique_ptr<flexible_call> call);

  /// The calling task, which is t and one of them, has just begun; has ended. The first returns when, for the second.
  /// k_never: it is too short to be measured each time.
  [[nodiscard]] std::int64_t begins(const worker* w, const queued_task* t, bool has_moved) noexcept;
  void ends(worker* w, std::int64_t began, bool had_flexible_children) noexcept;

  // ---- by workers of this place ----

  /// Puts a task that waits into the deque of w, which has nothing better to do.
  bool poll(worker* w) noexcept;

  /// w has looked everywhere and found nothing; has announced that it sleeps, and will look once more; has found something.
  void has_looked_in_vain(worker* w) noexcept;
  void is_about_to_park(worker* w) noexcept;
  void has_found_work(worker* w) noexcept;

  /// Whether a task waits here. Any thread.
  [[nodiscard]] bool in_sight() const noexcept {
    // acquire: as mailboxes are looked at; pairs with put() and hold()
    return count_.load(memory_order_acquire) != 0 || held_count_.load(memory_order_acquire) != 0;
  }

  // ---- by who takes the messages of this place; w may be of another one, or null ----

  /// A task that has come by itself; several together; a word of another policy. std::bad_alloc.
  void bring_task(worker* w, queued_task* t);
  void bring_loot(worker* w, queued_task* m);
  void bring_note(worker* w, queued_task* m);

  /// The same of what has come as bytes. m: the message, which becomes the task.
  void bring_framed(worker* w, queued_task* m, const message_header& arrived, std::unique_ptr<framed_call> call);
  void bring_framed(worker* w, int from, const loot_reason& why, std::vector<arrived_framed> tasks);
  void hear(worker* w, int from, const placement_note& note);

  /// Tells the policy that somebody has come by, if it is time for that.
  void come_by(worker* w) noexcept;

  /// Whether it is; whether it will be. Any thread.
  [[nodiscard]] bool is_due() const noexcept;
  /// Seeded, where time goes by what workers of a place do: as much has gone by here as at that other one.
  void let_time_pass(const flexible_tasks& as_at) noexcept;

  [[nodiscard]] bool names_a_moment() const noexcept {
    return wants_at_.load(memory_order_relaxed) != k_never;  // relaxed: a time
  }

  // ---- any thread ----

  void run_begins(worker* w) noexcept;
  void run_is_over() noexcept;

  /// Seeded, instead of run_begins(), when all other workers sleep: all is as in the first run of a runtime.
  void begin_anew() noexcept;
  void count_result_home(std::size_t bytes) noexcept { counts_.count_result_home(bytes); }
  [[nodiscard]] placement_counts counts() const noexcept;

  /// For reports: what waits here, and what the policy remembers; empty: nothing.
  [[nodiscard]] std::string text();

private:
  // One for each worker, which alone writes what is not in the ring.
  struct alignas(k_cache_line) seat {
    flexible_ring ring;
    std::uint64_t looks_in_vain = 0;
    bool is_starved = false;
    std::uint8_t unmeasured = 0;         // tasks since the last one whose time was measured
    const queued_task* taken = nullptr;  // what it has just taken out of a ring, at `began`
    atomic<std::int64_t> began{0};       // when it turned to what it does now
    own_count kept;                      // tasks that it has begun and that had never left
    own_count spawned;                   // by its tasks
    own_count ended;                     // tasks
    own_count parents;                   // of these, those with flexible children
  };

  [[nodiscard]] seat& seat_of(const worker* w) noexcept { return seats_[static_cast<std::size_t>(w->id)]; }
  [[nodiscard]] std::size_t seats() const noexcept { return static_cast<std::size_t>(scheduler_.size()); }
  [[nodiscard]] std::unique_ptr<placement> new_policy() const;
  [[nodiscard]] std::int64_t now() const noexcept;
  [[nodiscard]] place_view view(placement_event::kind of) const noexcept;
  [[nodiscard]] bool is_wanted() const noexcept;
  /// Whether waiting tasks are refused stacks here: then this place asks for none, and says that it has enough.
  [[nodiscard]] bool lacks_memory() const noexcept;

  // Rings.
  void put(std::size_t ring, queued_task* t) noexcept;
  void put_anywhere(queued_task* t) noexcept;
  [[nodiscard]] queued_task* take_own(const worker* w) noexcept;
  [[nodiscard]] queued_task* take_from_others(const worker* w) noexcept;
  [[nodiscard]] queued_task* pick(const placement_action& give, std::size_t& may_not_go) noexcept;
  queued_task* pick_from(seat& s, int to, std::size_t& n, std::size_t& bytes, std::size_t step, queued_task* list,
                         std::size_t& may_not_go) noexcept;

  // With lock_ held.
  void decide(worker* w, const placement_event& event) noexcept;
  void decide_all(worker* w);
  void carry_out(worker* w, const placement_action& action);
  void give(worker* w, const placement_action& action);
  void give_now(worker* w, const placement_action& action);
  void hold(worker* w, const placement_action& action);
  void settle_held(worker* w, const placement_action& action);
  void tell(worker* w, placement_event::kind what, const placement_action& action);
  void ask(worker* w, const placement_action& action);
  void answered(std::uint32_t nonce) noexcept;
  void look_at_interest(const place_view& seen);

  /// Returns whether it was.
  bool tell_if_wanted(worker* w, placement_event::kind what) noexcept;
  void starves(worker* w, seat& s) noexcept;
  bool turns_to_work(seat& s, std::int64_t at) noexcept;
  [[nodiscard]] bool is_next_measured(const seat& s) const noexcept;
  void queue_here(queued_task* t) noexcept;
  void send_away(queued_task* t, int to);
  [[nodiscard]] bool depart(worker* w, queued_task* t, int to) noexcept;
  [[nodiscard]] bool may_go(const flexible_call& call, int to) const noexcept;
  void send_departed(queued_task* t, int to) noexcept;
  void send_loot(worker* w, queued_task* first, const loot_reason& why, int to) noexcept;
  void hear_locked(worker* w, int from, const placement_note& note) noexcept;
  void loot_has_come(worker* w, int from, const loot_reason& why, std::size_t n);
  void queue_arrived(worker* w, queued_task* t, std::uint64_t key) noexcept;
  void note_departure(flexible_call& call, int to) noexcept;
  void note_arrival(flexible_call& call, int from) noexcept;
  void learn(atomic<std::int64_t>& mean, std::int64_t value) const noexcept;

  place_node& node_;
  scheduler& scheduler_;
  starving_places* const flags_;
  const bool seeded_;
  const std::uint64_t patience_;  // looks in vain that make a worker starve
  int near_group_ = 1;
  const std::unique_ptr<seat[]> seats_;

  atomic<std::size_t> count_{0};            // tasks in rings
  atomic<std::size_t> next_ring_{0};        // for the next one from elsewhere
  atomic<int> idle_{0};                     // workers that have starved
  mutable atomic<std::int64_t> points_{0};  // seeded: the time
  atomic<std::int64_t> last_taken_{0};
  atomic<std::int64_t> mean_task_;
  atomic<std::int64_t> rtt_;

  // What the policy wants to hear, as of its last decision; read without the lock.
  atomic<bool> wants_everything_{false};
  atomic<bool> wants_spawns_{false};
  atomic<bool> wants_any_work_{false};
  atomic<std::size_t> wants_below_{0};
  atomic<std::int64_t> wants_at_{k_never};

  std::mutex lock_;  // protects the rest, but for the counts
  std::unique_ptr<placement> policy_;
  std::vector<placement_event> events_;  // to be decided on, the first first
  std::vector<placement_action> actions_;
  bool decides_ = false;
  std::uint32_t run_ = 0;                              // the one that is under way here; 0: none
  std::uint32_t last_run_ = 0;                         // that has begun here
  std::vector<std::pair<int, placement_note>> early_;  // of runs that have not: by whom
  queued_task* spawned_ = nullptr;  // the task of the event that is decided on, which nobody else has yet
  placement_action fate_;           // and what is to become of it
  std::vector<std::pair<std::uint32_t, queued_task*>> held_;   // by nonces
  std::vector<std::pair<std::uint32_t, std::int64_t>> asked_;  // questions under way: their nonces, when they were put
  atomic<std::size_t> held_count_{0};  // of these, and of decisions to give that are being carried out

  live_placement_counts counts_;
};

/// The run function of a task that may move.
void run_flexible(queued_task* t, worker* w);

}  // namespace tactus::detail
