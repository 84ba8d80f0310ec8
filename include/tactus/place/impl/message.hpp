// SPDX-License-Identifier: Apache-2.0
// What goes from place to place. Inside of a process a message is a descriptor of a task, whose closure begins with a header.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/scheduler/impl/queued_task.hpp>
#include <tactus/scheduler/impl/worker.hpp>
#include <tactus/task/impl/help_first.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tactus::detail {

/// What a message is; the numbers are those of frames between processes.
enum class message_kind : std::uint8_t {
  task = 1,        ///< a task, of a finish
  at_request = 2,  ///< the body of an at()
  at_reply = 3,    ///< its end
  report = 4,      ///< of a part to the home of its finish
  credit = 8,      ///< room for so many bytes of tasks is there again
  quiet = 10,      ///< a place has fallen idle: what it has sent and taken
  stuck = 11,      ///< a step of the round before a verdict
  end = 12,        ///< to another process: the run has ended
  note = 17,       ///< of an operation of a team, for who waits for it
  channel = 18,    ///< of objects at different places that know each other; or a task that waits goes on
  loot = 19,       ///< place-flexible tasks that nobody has started
  placement = 20,  ///< what policies of placement tell each other
  inquiry = 21,    ///< to another process: it is to say who waits there for what
  join = 30,       ///< to the first process: this one is in the run, too
};

/// At the begin of a message's storage.
struct message_header {
  message_header(message_kind what, int sender, std::uint64_t of_finish = 0) noexcept
      : kind(what), from(static_cast<std::uint16_t>(sender)), key(of_finish) {}

  message_kind kind;
  bool entered : 1 = false;   ///< at_reply: the body has left something of the finish where it ran
  bool failed : 1 = false;    ///< note: of an exception
  std::uint8_t call : 3 = 0;  ///< note: a team_call
  bool flexible : 1 = false;  ///< task: it may go on to other places
  bool framed : 1 = false;    ///< behind this stands a pointer to its bytes, which say all else
  bool several : 1 = false;   ///< task: the bytes are those of `key` tasks
  std::uint16_t from;         ///< the place that has sent it
  std::uint32_t bytes = 0;    ///< task: what it takes of the room there
  union {
    std::uint64_t key;    ///< of the finish; of a note; credit: how much room is free again
    finish_scope* scope;  ///< task, at_request: what holds it where it has arrived
  };
};

[[nodiscard]] inline message_header& header_of(queued_task* m) noexcept {
  return *std::launder(reinterpret_cast<message_header*>(m->storage));
}

/// By the task of a message, when it begins: what it took is free again.
TACTUS_API void give_room_back(const message_header& header) noexcept;

/// The closure of a task that comes from another place.
template <class Fn>
struct arriving {
  template <class F>
  arriving(message_header h, F&& f) : header(h), function(std::forward<F>(f)) {}

  void operator()() {
    give_room_back(header);
    function();
  }

  message_header header;
  Fn function;
};

/// Makes a message of f; throws what that throws.
template <class F>
queued_task* make_arriving(message_header h, F&& f) {
  using Fn = std::decay_t<F>;
  static_assert(fits_queued<arriving<Fn>>);
  arriving<Fn> made(h, std::forward<F>(f));  // before the worker is asked for: a copy may suspend
  return make_queued<arriving<Fn>>(current_worker(), std::move(made));
}

/// Throws place_error if `to` is no place of the run of `w`.
TACTUS_API void check_target(const worker* w, int to, const char* call);

/// A task of the calling task's finish on its way to another place: has room there, and is counted. Taken back where it is not sent.
class remote_spawn {
public:
  /// Waits for the room. Suspends; throws what suspend() throws, and std::bad_alloc.
  TACTUS_API remote_spawn(int to, std::uint32_t bytes);
  TACTUS_API ~remote_spawn();
  remote_spawn(const remote_spawn&) = delete;
  remote_spawn& operator=(const remote_spawn&) = delete;

  [[nodiscard]] const message_header& header() const noexcept { return header_; }

  TACTUS_API void send(queued_task* m) noexcept;

private:
  const int to_;
  message_header header_;
  bool sent_ = false;
};

}  // namespace tactus::detail
