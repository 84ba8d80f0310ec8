// SPDX-License-Identifier: Apache-2.0
// A policy of placement at one place, as a pure object: events in, actions out. It has no clock, no thread and no I/O, and draws from
// its own generator, so that runtime and simulator run the same code, and a log of events replays. docs/protocols/placement.md.
#pragma once

#include <tactus/base/placement_policy.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tactus::detail {

class starving_places;

/// Later than any time of a host's clock.
inline constexpr std::int64_t k_never = std::numeric_limits<std::int64_t>::max();

/// How a place looks at the moment of an event; the host fills it in. Times are nanoseconds of a clock that is the host's own.
struct place_view {
  /// Workers, each from its event starved until it takes a task, parked or not; and in an event ended the one that ended it.
  int idle = 0;
  std::size_t flexible = 0;   ///< tasks that wait here and may leave, if perhaps not for each place
  std::size_t sensitive = 0;  ///< ready tasks that may not
  std::int64_t now = 0;
  std::int64_t last_taken = 0;      ///< when a worker of this place last took a flexible task
  std::int64_t youngest_began = 0;  ///< when the task began that began last of those that run; k_never if none runs
  std::int64_t mean_task = 1;       ///< how long a flexible task runs here
  std::int64_t mean_move = 0;       ///< what it costs to send one and to take it in
  std::int64_t rtt = 0;             ///< from a question to its answer
  std::int64_t poll = 0;            ///< from one look at messages to the next while all workers compute
  bool leaves = false;              ///< of the flexible tasks here fewer than 1 in 100 spawn flexible ones
};

/// What makes tasks move.
enum class move_cause : std::uint8_t { dealt, asked, lifeline };

struct place_load {
  std::size_t surplus = 0;  ///< ready tasks
  int idle = 0;             ///< workers
  std::int64_t speed = 0;   ///< tasks in a second

  friend bool operator==(const place_load&, const place_load&) = default;
};

struct placement_event {
  enum kind : std::uint8_t {
    /// A worker failed to find work, as often as failed_steals says, or is about to sleep; always before it does.
    starved,
    spawned,       ///< a flexible task, whose designated place is `designated`; if that is here it is queued already
    began,         ///< a worker took a flexible task; or, where that is of interest, one that had starved any task
    ended,         ///< a flexible task ended
    polled,        ///< nothing else: whoever looks for messages came by
    arrived,       ///< n flexible tasks of place `from`, which are queued already, for this cause and nonce
    asked,         ///< place `from` asks for tasks, once, whose load is `load`
    wanted,        ///< place `from` asks by its lifeline
    refused,       ///< place `from` had nothing when asked; for cause lifeline: it had nothing yet
    gave_nothing,  ///< a give to place `from`, for this cause and nonce, found nothing; n > 0: what waits may not go
    load_asked,    ///< place `from` asks what there is to do here
    load_told,     ///< place `from` answers that
    flagged,       ///< place `from` starves
    unflagged,     ///< place `from` starves no longer
  };

  kind what = polled;
  move_cause why = move_cause::dealt;
  int from = -1;
  int designated = -1;
  std::uint32_t nonce = 0;
  std::size_t n = 0;
  place_load load = {};

  friend bool operator==(const placement_event&, const placement_event&) = default;
};

struct placement_action {
  enum kind : std::uint8_t {
    hold,       ///< the spawned task: put it aside under `nonce` until keep or deal
    keep,       ///< what is held under `nonce`: to its designated place
    deal,       ///< what is held under `nonce`, or with nonce 0 the spawned task of this event: to place `to`
    give,       ///< up to n of the tasks that wait here, picked so, for this cause; the host reports gave_nothing
    ask,        ///< `to` gets an event asked, with `load`
    lifeline,   ///< `to` gets wanted
    refuse,     ///< `to` gets refused
    ask_load,   ///< `to` gets load_asked
    tell_load,  ///< `to` gets load_told
    flag,       ///< `to` gets flagged
    unflag,     ///< `to` gets unflagged
  };
  enum order : std::uint8_t {
    oldest,
    interleaved,  ///< every second one, the oldest first; if that is not enough, the oldest of the rest
  };

  kind what = keep;
  move_cause why = move_cause::dealt;
  order pick = oldest;
  int to = -1;
  std::uint32_t nonce = 0;
  std::size_t n = 0;
  place_load load = {};

  friend bool operator==(const placement_action&, const placement_action&) = default;
};

/// What a host need not report. All of starved, arrived and of what places say to each other has to be, always.
struct placement_interest {
  bool everything = false;         ///< report each spawned, began, ended, polled: somebody waits here
  bool spawns = false;             ///< report each spawned
  bool any_work = false;           ///< report began of whatever a worker takes that has starved
  std::size_t low = 0;             ///< report spawned, began and ended while fewer flexible tasks than this wait here
  std::int64_t poll_at = k_never;  ///< report polled at this time, or soon after it
};

struct placement_settings {
  int here = 0;
  int places = 1;
  int workers = 1;     ///< of each place
  int near_group = 1;  ///< so many places that follow each other reach each other faster than the rest; 1: none do
  std::uint64_t seed = 1;
  placement_tuning tuning = {};
  starving_places* flags =
      nullptr;  ///< one table for several places, or null: this place has its own, and tells others
};

/// One at each place. Calls of one object exclude each other: the host's lock.
class placement {
public:
  placement() = default;
  placement& operator=(const placement&) = delete;
  virtual ~placement() = default;

  /// Adds to `actions`, which the host carries out in their order.
  virtual void decide(const placement_event& event, const place_view& view, std::vector<placement_action>& actions) = 0;

  /// As of the last decide().
  [[nodiscard]] virtual placement_interest interest(const place_view& view) const = 0;

  /// A run has ended: whoever waits is forgotten. Messages of that run that come later are the host's to drop.
  virtual void reset() = 0;

  /// What it remembers, as hang reports show it; equal texts mean that nothing will be decided differently, random draws apart.
  [[nodiscard]] virtual std::string text() const = 0;

  [[nodiscard]] virtual std::unique_ptr<placement> clone() const = 0;

protected:
  placement(const placement&) = default;
};

/// Never null.
std::unique_ptr<placement> make_placement(placement_policy policy, const placement_settings& settings);

}  // namespace tactus::detail
