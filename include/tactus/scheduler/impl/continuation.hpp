// SPDX-License-Identifier: Apache-2.0
// A task and a computation that can stop. The task is what the program means, the continuation is where it stands.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/fiber/impl/exception_state.hpp>
#include <tactus/fiber/impl/sanitizer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace tactus::detail {

class barrier;
class finish_scope;
class scheduler;
struct profiled_spawn;
struct profiled_task;
struct worker;

/// A value that belongs to one task, in the list that its frame heads: of a task_local object, or the name of the task.
struct local_value {
  std::uint64_t key;
  void (*destroy)(local_value*) noexcept;
  local_value* next;
  const finish_scope* ends_with = nullptr;  ///< a finish of the task, with whose body it ends; else with the task
};

/// A key that no other local value of the process has.
[[nodiscard]] TACTUS_API std::uint64_t next_local_key() noexcept;

/// The same for the memberships of a clock, a phaser or an accumulator that is made at `place`: one number names it at all places.
inline constexpr int k_serial_bits = 44;
[[nodiscard]] std::uint64_t next_handle_key(int place) noexcept;

/// The part of such a key that people are shown.
[[nodiscard]] constexpr std::uint64_t serial_of(std::uint64_t key) noexcept {
  return key & ((std::uint64_t{1} << k_serial_bits) - 1);
}

/// Keys of the library's own values, none of which next_local_key() gives.
enum class library_value : std::uint64_t {
  name = 0,
  traced = ~std::uint64_t{0},
  elsewhere = ~std::uint64_t{1},
  of_body = ~std::uint64_t{2},
  flexible = ~std::uint64_t{3}
};

/// Made at the spawn, goes to the child.
struct task_name : local_value {
  static constexpr auto k_key = static_cast<std::uint64_t>(library_value::name);

  explicit task_name(std::string name)
      : local_value{k_key, [](local_value* v) noexcept { delete static_cast<task_name*>(v); }, nullptr},
        text(std::move(name)) {}

  std::string text;
};

/// Of the body of an at(), whose task has the text.
struct lent_name : local_value {
  static constexpr auto k_key = static_cast<std::uint64_t>(library_value::of_body);

  const char* text = nullptr;  ///< null: there is no name
};

/// What the timeline knows of a task, while that runs; on the stack that runs it.
struct traced_task : local_value {
  static constexpr auto k_key = static_cast<std::uint64_t>(library_value::traced);

  traced_task(const char* made_from, std::uint64_t since_spawn) noexcept
      : local_value{k_key, [](local_value* v) noexcept { static_cast<traced_task*>(v)->is_listed = false; }, nullptr},
        label(made_from),
        number(since_spawn) {}

  const char* label;      ///< a name; before the begin, what the compiler says of the closure's type
  std::uint64_t number;   ///< of the task; before the begin 0 if its spawn was not noted
  bool is_listed = true;  ///< among the task's values; the root task's go before its end

  // In a profile.
  /// It itself; what it has spawned; what it does at another place, by at(); what its result does at home.
  enum class role : std::uint8_t { body, sub_task, visit, after };
  profiled_task* counts_for = nullptr;  ///< whose time it is; null: nobody's
  role counts_as = role::sub_task;
  const profiled_spawn* spawns = nullptr;  ///< what it says of the next child, at a site
};

/// What is left of a share of a parallel loop while one of its elements runs. When that element has to wait, the rest must not
/// wait with it: it is handed over as a task of its own.
struct loop_rest {
  void (*hand_over)(loop_rest&, worker*) noexcept;
};

/// Identity of a running task: lives on the stack that runs it, for as long as the task does.
struct task_frame {
  local_value* locals = nullptr;  ///< owned by the task; empty for most
  task_frame* below = nullptr;    ///< the task that ends a finish on the same stack and runs this one on top of itself
  std::uint32_t spawned = 0;      ///< asyncs while the deque was long; evidence for the adaptive policy
  std::uint32_t is_element =
      0;  ///< whether this is an element_frame; as wide as its neighbour, so that one store clears both

  /// Null if the task has none.
  [[nodiscard]] TACTUS_API const char* name() const noexcept;

  /// Null if the timeline knows nothing of it.
  [[nodiscard]] const traced_task* traced() const noexcept;
};

/// Destroys the values of a task, newest first. Runs user code.
TACTUS_API void destroy_locals(task_frame& frame) noexcept;

/// Destroys those that end with the body of `scope`.
void destroy_locals_of(const finish_scope& scope, task_frame& frame) noexcept;

/// Takes a value out of the list; it is the caller's then.
void unlink_local(task_frame& frame, local_value* v) noexcept;

/// Of an element of a parallel loop or of a batch. There is always a frame below it.
struct element_frame : task_frame {
  explicit element_frame(loop_rest* rest_of_share) noexcept : rest(rest_of_share) { is_element = 1; }
  loop_rest* const rest;
};

/// A computation that has stopped: all a worker needs to go on with it. Lives on the stopped stack itself, so it is gone as
/// soon as somebody does: a continuation that was published is not touched again by the publisher.
struct continuation {
  struct made_by_spawn {};

  continuation() noexcept
      : finish(nullptr), context(nullptr), task(nullptr), next(nullptr), child(nullptr), in_vain_since(k_not_in_vain) {}

  /// Leaves to the spawn what it sets anyway.
  explicit continuation(made_by_spawn) noexcept {}

  finish_scope* finish;  ///< innermost finish, held by the worker that goes on (finish R)
  void* context;         ///< saved by tactus_call or tactus_enter
  task_frame* task;
  continuation* next;  ///< in a mailbox, a backlog or a list of waiters
  const void* child;   ///< of a spawner: the child that runs on top of it, while that has not ended; else null
  std::uint64_t
      in_vain_since;  ///< of a waiter at a barrier that will never turn the phase in which it has arrived: that phase
  context_sanitizer sanitizer;

  static constexpr std::uint64_t k_not_in_vain = ~std::uint64_t{0};

  [[nodiscard]] bool is_in_vain() const noexcept { return in_vain_since != k_not_in_vain; }
};

struct wait_point;

/// A way to wait: all its wait points share one, which lasts as long as the process.
struct wait_kind {
  static constexpr std::ptrdiff_t k_none = -1;

  /// Appends "future of 'name'", "promise", ..., for hang reports and deadlock errors.
  void (*describe)(const wait_point&, std::string&);

  /// The same in short, for debuggers, which cannot call anything in a core dump; and where the object that is waited for
  /// keeps its report_number and its name, a std::string.
  const char* what;
  std::ptrdiff_t number_at = k_none;
  std::ptrdiff_t name_at = k_none;

  /// Of waits that a deadlock does not end: whether reports tell of this one all the same, because what it waits for happens at
  /// another place. Null: never.
  bool (*is_for_another_place)(const wait_point&) = nullptr;
};

/// What a parked task waits for.
struct wait_point : continuation {
  /// Publishes the point where somebody will find it. Called on another stack, when this one may be resumed. False: the
  /// condition holds already, nothing was published.
  bool (*commit)(wait_point&) = nullptr;

  /// Takes every waiter off the object waited for. Only while no worker runs (deadlock).
  void (*cancel)(wait_point&) = nullptr;

  const wait_kind* kind = nullptr;  ///< null: that what is ready before it goes first

  scheduler* home = nullptr;    ///< whose workers go on with it; set when the task leaves its stack
  void* object = nullptr;       ///< what is waited for
  const barrier* at = nullptr;  ///< whose members it waits for, if that is what it does: reports say which
  bool deadlocked = false;      ///< set before it is resumed in vain
};

}  // namespace tactus::detail
