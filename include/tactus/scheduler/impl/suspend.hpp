// SPDX-License-Identifier: Apache-2.0
// What a task asks of the scheduler that runs it: the one blocking primitive, suspend(), and its kin; visits from threads that are
// in no task; stretches in which a task must not suspend.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/scheduler/impl/worker.hpp>

#include <cstdint>

namespace tactus::detail {

/// Parks the calling task at `point` until make_ready(); the worker goes on with something else. If point.commit says that
/// the condition holds already, the task goes on as well, perhaps on another worker. Throws resource_error when a stack is
/// needed and refused, then nothing has happened, and deadlock_error when the program is stuck.
void suspend(wait_point& point);

/// The same for a wait that cannot be given up: it insists on a stack, and does not take part in deadlocks.
void suspend_for_finish(wait_point& point) noexcept;

/// Makes the task that waits at `point` ready, at its home. Any thread; `w` is the calling worker, null on a thread that is none.
/// The point may be gone afterwards.
void make_ready(worker* w, wait_point& point) noexcept;
void make_ready(wait_point& point) noexcept;

/// The same by a task of whatever place: to another place of its run goes a message, which is counted, since nothing else that is counted
/// need have made the two meet (quiescence Q8).
void make_ready_anywhere(wait_point& point) noexcept;

/// Parks the calling task at `point`, which the caller takes part in deadlocks for. Arrivals that the worker keeps stay kept: what
/// it runs next decides.
void park_here(worker* w, wait_point& point, stack_pool::at_limit mode);

/// A member that has ended at the bottom of a stack, on which `on_stack` lies, makes place for the next continuation of the block that its
/// barrier has released. Returns if there is none, or if something else has to come first.
TACTUS_API void leave_for_next_of_block(worker* w, const void* on_stack);

/// Hands over what is left of the loop shares that the calling task is an element of: it is about to wait.
void hand_over_loop_rests(worker* w);

/// Lets what is ready on this worker go first. Throws resource_error where there is no stack, unless it insists.
TACTUS_API void yield_now(stack_pool::at_limit mode = stack_pool::at_limit::exceed);

/// The same, without a look beyond this worker; not where there is no stack.
void let_ready_work_go_first(worker* w) noexcept;

/// yield_now(), also when nothing seems to be ready here: the throttled spawner of the adaptive policy.
void go_behind_ready_work(stack_pool::at_limit mode = stack_pool::at_limit::exceed);

/// The worker of the calling thread, also while it is restricted; null outside tasks.
worker* any_worker() noexcept;

/// Held by a thread while it reaches into a run that it is no worker of: that run's schedulers do not go away meanwhile.
class foreign_visit {
public:
  foreign_visit();
  ~foreign_visit();
  foreign_visit(const foreign_visit&) = delete;
  foreign_visit& operator=(const foreign_visit&) = delete;
};

/// The same, unless the caller is a task of that runtime: held from before waiters are taken off until they are ready, so that the
/// verdict on a stuck program finds all or none of them (parking P4).
class visit_from_outside {
public:
  TACTUS_ALWAYS_INLINE explicit visit_from_outside(std::uint64_t home_number) noexcept {
    const worker* const w = current_worker();
    if (w == nullptr || w->home_number != home_number) [[unlikely]] {
      visits_ = begin(home_number);
    }
  }
  TACTUS_ALWAYS_INLINE ~visit_from_outside() {
    if (visits_) [[unlikely]] {
      end();
    }
  }
  visit_from_outside(const visit_from_outside&) = delete;
  visit_from_outside& operator=(const visit_from_outside&) = delete;

private:
  TACTUS_NOINLINE static bool begin(
      std::uint64_t home_number) noexcept;  // false: a task of it, whose worker is restricted
  TACTUS_NOINLINE static void end() noexcept;

  bool visits_ = false;
};

/// Names the worker of the calling thread.
void set_this_worker(worker* w) noexcept;

/// What a call asks about: where it runs, or the task that runs.
enum class asked : std::uint8_t { worker, task };

/// The same; throws usage_error, which names the call, outside tasks. Who asks about the task gets it in the function of an accumulator, too:
/// whoever turns a phase calls that, perhaps between two tasks.
TACTUS_API worker* any_worker_for(const char* call, asked about = asked::worker);

/// The same for a call that may wait for a lock, as blocks in blocks do: throws also in the function of an accumulator, which whoever
/// turns a phase calls, perhaps with no task, and inside of mpi::call, which holds the lock of all messages.
worker* locking_worker_for(const char* call);

/// Why current_worker() is null although a task runs.
enum class restriction : std::uint8_t { in_block, in_condition, in_step, in_combine, in_mpi_call };

/// Restricts `w`, the worker of the calling thread, and shows it again; a step of lockstep around it stays one.
TACTUS_API void restrict_worker(worker* w, restriction why) noexcept;
TACTUS_API void unrestrict_worker() noexcept;

/// While it lives, the calling task has no worker as far as operations can see: whatever spawns, waits or signals finds itself on
/// its error path, at no cost for everybody else.
class TACTUS_API restricted_scope {
public:
  explicit restricted_scope(restriction why) noexcept;
  ~restricted_scope();
  restricted_scope(const restricted_scope&) = delete;
  restricted_scope& operator=(const restricted_scope&) = delete;

private:
  bool was_restricted_;
  restriction was_because_;
};

/// While it lives, a restricted worker is shown again, for what the library itself does: wait for a lock, say. Goes with the task.
class TACTUS_API unrestricted_scope {
public:
  unrestricted_scope() noexcept;
  ~unrestricted_scope();
  unrestricted_scope(const unrestricted_scope&) = delete;
  unrestricted_scope& operator=(const unrestricted_scope&) = delete;

private:
  bool was_restricted_;
  restriction was_because_;
};

/// Whether the calling task is inside a step of lockstep, and in no atomic block there.
[[nodiscard]] TACTUS_API bool in_step() noexcept;

/// Whether the calling thread asks the condition of a when.
[[nodiscard]] bool in_condition() noexcept;

}  // namespace tactus::detail
