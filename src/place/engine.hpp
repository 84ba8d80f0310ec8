// SPDX-License-Identifier: Apache-2.0
// What carries messages from place to place, where that is not a mailbox of this process. docs/protocols/messages.md, "Engines".
#pragma once

#include <tactus/place/impl/message.hpp>

#include "place/ranges.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace tactus::detail {

class run_control;

class engine {
public:
  engine() = default;
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;
  virtual ~engine() = default;

  /// Before anything is sent. std::system_error.
  virtual void start() = 0;

  /// Whether the calling thread may be the first worker of a run. config_error, usage_error.
  virtual void check_that_a_run_may_begin() const {}

  /// By the first worker's thread, around each run of this process; between runs nothing is sent or taken.
  virtual void begin_run() noexcept {}
  virtual void end_run() noexcept {}

  /// Whether only the first worker's thread may poll, which then does so also while it sleeps.
  [[nodiscard]] virtual bool is_of_one_thread() const noexcept { return false; }

  /// Carries `m` to place `to`, where it ends in place_node::receive(). Any thread; does not wait. Control messages from one place to one
  /// other get numbers here, 1 and up, and arrive in that order.
  virtual void send(int from, int to, queued_task* m) noexcept = 0;

  /// Takes what has come from other processes, for place_node::bring(), and sends on what waits here; returns whether there was anything.
  /// `w`: the calling worker, or null on the progress thread.
  virtual bool poll(worker* w) noexcept {
    static_cast<void>(w);
    return false;
  }

  /// Whether it takes frames with long ranges. Then receive_range() receives one to where its task wants it, and ends in
  /// place_node::bring_range(). Any thread.
  [[nodiscard]] virtual bool carries_ranges() const noexcept { return false; }
  virtual void receive_range(range_wait& wait) noexcept { static_cast<void>(wait); }

  /// Receives those for nobody, since their sender keeps them until they have left. Any thread. std::bad_alloc.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): who receives them keeps it
  virtual void drop_ranges(unwanted_ranges what) { static_cast<void>(what); }

  /// How often workers have polled, as far as they got to look; it wraps. Any thread.
  [[nodiscard]] virtual std::uint32_t looks() const noexcept { return 0; }

  /// What it still has arrives. Nothing is sent any more.
  virtual void stop() noexcept = 0;

  /// For reports of who hangs, in lines: what has come and waits for what has not. Any thread. std::bad_alloc.
  [[nodiscard]] virtual std::string text() { return {}; }
};

/// Null: mailboxes are enough.
using engine_maker = std::unique_ptr<engine> (*)(run_control& run);

/// That of the runtimes made from now on in one process, but for seeded ones; null, as it is at first: none. For tests.
void use_engine(engine_maker maker) noexcept;

/// Whether places of odd numbers play machines of the other byte order, in the runtimes made from now on. For tests, in programs that are
/// compiled with TACTUS_PLAYS_SWAPPED.
void let_odd_places_play_swapped(bool they_do) noexcept;

/// By that maker.
[[nodiscard]] std::unique_ptr<engine> make_engine(run_control& run);

/// Whether messages of one pair of places keep their order.
[[nodiscard]] inline bool is_control(message_kind kind) noexcept {
  return kind != message_kind::task && kind != message_kind::at_request && kind != message_kind::note &&
         kind != message_kind::channel && kind != message_kind::loot && kind != message_kind::placement;
}

/// Whether it may make a passive place active. The others say that a place is passive, or ask.
[[nodiscard]] inline bool counts_as_work(message_kind kind) noexcept {
  return kind < message_kind::quiet || kind == message_kind::note || kind == message_kind::channel ||
         kind == message_kind::loot;
}

// The number of a control message lies behind its header and what that says of.
inline constexpr std::size_t k_number_at = sizeof(message_header) + sizeof(void*);
static_assert(k_number_at + sizeof(std::uint32_t) <= sizeof(queued_task::storage));

inline void set_control_number(queued_task* m, std::uint32_t number) noexcept {
  std::memcpy(m->storage + k_number_at, &number, sizeof number);
}
[[nodiscard]] inline std::uint32_t control_number(const queued_task* m) noexcept {
  std::uint32_t number = 0;
  std::memcpy(&number, m->storage + k_number_at, sizeof number);
  return number;
}

}  // namespace tactus::detail
