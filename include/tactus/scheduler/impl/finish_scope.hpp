// SPDX-License-Identifier: Apache-2.0
// The counting half of a finish: how many tasks are outstanding, counted locally by each worker.
//
// Protocol, invariants and models: docs/protocols/finish.md. In short: a worker that spawns or ends tasks under a finish holds
// it and keeps a plain balance (spawned - ended); it hands the balance in when it turns to another finish or runs dry. The
// finish is complete when nobody holds it and the sum of what was handed in is zero. After work-stealing.txt, section 4.3,
// figure 10, which counts workers too but whose tasks never stop half-way.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/platform.hpp>
#include <tactus/deque/impl/work_deque.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace tactus::detail {

struct worker;
struct wait_point;

/// sum and holders in one word, balances in units of k_one_task, so that one atomic operation changes both. sum is signed, in the upper 48 bits: a worker may
/// hand in ends before another hands in the spawns. A process has fewer than 2^16 workers and 2^47 tasks.
struct finish_word {
  static constexpr std::int64_t k_one_holder = 1;
  static constexpr std::int64_t k_one_task = std::int64_t{1} << 16;

  /// Of a finish of which only the body is outstanding, and one worker holds it.
  static constexpr std::int64_t k_body_and_holder = k_one_task + k_one_holder;
};

/// One exception that escaped under a finish.
struct failure {
  failure() = default;
  failure(std::exception_ptr e, std::string where) noexcept : exception(std::move(e)), from(std::move(where)) {}
  failure(const failure&) = delete;
  failure& operator=(const failure&) = delete;
  virtual ~failure() = default;

  /// The exception, once. Of one that has come from another place it is made here, which runs user code.
  virtual std::exception_ptr take() { return std::move(exception); }

  std::exception_ptr exception;
  std::string from;  // "task 'reader'", or another place that texts can name; else empty
  failure* next = nullptr;
};

/// What a finish knows of its tasks at other places: hangs on it from the first of them on. docs/protocols/remote_finish.md.
class remote_ledger {
public:
  remote_ledger() = default;
  virtual ~remote_ledger() = default;
  remote_ledger(const remote_ledger&) = delete;
  remote_ledger& operator=(const remote_ledger&) = delete;

  /// The finish is closed and nobody else knows of this any more: it goes.
  virtual void finish_closed() noexcept = 0;

  /// What it waits for at other places, as far as these have told, for reports: "place 2: 3 tasks, place 3: 1 task"; empty: nothing.
  [[nodiscard]] virtual std::string text() = 0;

private:
  friend class finish_scope;
  atomic<failure*> failures_{nullptr};  // those of the finish, from now on
};

/// What escaped, and from where: as multiple_exceptions takes it.
struct failures {
  std::vector<std::exception_ptr> exceptions;
  std::vector<std::string> from;
};

/// Lives in the frame of the task that executes the finish.
class finish_scope {
public:
  // Leaves to open() what that sets. NOLINTNEXTLINE(modernize-use-equals-default): = default would clear it in finish_scope{}
  finish_scope() noexcept {}
  finish_scope(const finish_scope&) = delete;
  finish_scope& operator=(const finish_scope&) = delete;

  /// Makes this the innermost finish of what runs on `w`, inside the one that w holds now.
  inline void open(worker* w) noexcept;

  /// Ends the body: returns when every task spawned under it, transitively, has ended. Runs own tasks on this stack, else
  /// suspends. The task may be on another worker afterwards. Where no stack can be had to suspend to, the process ends:
  /// the tasks may use what the caller's frame holds.
  TACTUS_API void close() noexcept;

  /// close(), then throws what was collected, if anything, as one multiple_exceptions. Else take_failures() has to follow close().
  TACTUS_API void close_and_throw();

  /// Keeps an exception that escaped from the body or a task of this finish: the running one. Any worker that holds it.
  TACTUS_API void add_failure(std::exception_ptr e) noexcept;

  /// The same, of what texts know by another name than that of the task.
  void add_failure(std::exception_ptr e, std::string from) noexcept;

  /// What texts call the calling task, if it has a name.
  [[nodiscard]] static std::string where_from() noexcept;

  /// The same, of one that was made before; it is the finish's then.
  void add_failure(failure* f) noexcept { push(f); }

  /// All of them, those of one worker in the order in which it kept them; only after close(), and once. std::bad_alloc:
  /// they are lost.
  failures take_failures();

  /// Takes over those of a finish inside, after its close(); by a worker that holds this one.
  TACTUS_API void add_failures_of(finish_scope& inner) noexcept;

  /// Counts a task that is about to be queued by a worker that need not hold this finish. Only while something is outstanding.
  void count_from_outside() noexcept {
    word_.fetch_add(finish_word::k_one_task, memory_order_relaxed);  // relaxed: as a holder that enters (F3)
  }

  /// Takes that back, by whoever knows that it may be the last; the body goes on then. `w` is the calling worker, null on a thread
  /// that is none. The finish may be gone afterwards.
  void uncount_from_outside(worker* w) noexcept;

  // ---- tasks at other places (docs/protocols/remote_finish.md) ----

  /// The ledger; null where no task was sent to another place yet.
  [[nodiscard]] remote_ledger* ledger() const noexcept {
    const std::uintptr_t kept = kept_.load(memory_order_acquire);  // acquire: what it consists of; pairs with attach()
    return (kept & k_is_ledger) != 0 ? ledger_in(kept) : nullptr;
  }

  /// Hangs `l` on it, unless somebody else was faster; returns the one that hangs there now. Only while something is outstanding.
  remote_ledger* attach(remote_ledger* l) noexcept;

  /// Whether this is what another place keeps of a finish, and then the key of that.
  [[nodiscard]] bool is_part() const noexcept { return is_part(parent_); }
  [[nodiscard]] std::uint64_t part_key() const noexcept { return key_in(parent_); }

  /// The same for what ends with the body, so that the end of the body takes notice of it; and its end. Only in the body.
  void count_in_body() noexcept { count_from_outside(); }
  void uncount_in_body() noexcept {
    word_.fetch_sub(finish_word::k_one_task,
                    memory_order_relaxed);  // relaxed: the body is outstanding, this completes nothing
  }

protected:
  struct of_part {
    std::uint64_t key;
  };

  /// What a place keeps of a finish that is at home elsewhere: nobody holds it and nothing is counted yet. It has no body, and is
  /// neither opened nor closed.
  explicit finish_scope(of_part part) noexcept
      : parent_(reinterpret_cast<finish_scope*>(part.key << 1U | k_is_ledger)), word_(0) {}

  /// Of a part: {holders, tasks} as far as handed in.
  [[nodiscard]] bool is_idle() const noexcept {
    return word_.load(memory_order_acquire) ==
           0;  // acquire: what holders did that have left; pairs with flush_all() (F2)
  }
  [[nodiscard]] bool has_one_task_only() const noexcept {
    return word_.load(memory_order_acquire) == finish_word::k_one_task;  // acquire: as above
  }

  /// Of a part: one task less; true if it is idle then.
  [[nodiscard]] bool uncount_of_part() noexcept {
    // acq_rel: as in flush_all() (F2)
    return word_.fetch_sub(finish_word::k_one_task, memory_order_acq_rel) == finish_word::k_one_task;
  }

  /// Of a part that goes: what escaped, the oldest first; the caller's then.
  failure* take_oldest_first() noexcept;

  /// Whether something has escaped, of a part.
  [[nodiscard]] bool has_failures() const noexcept {
    return kept_.load(memory_order_relaxed) != 0;  // relaxed: who asks has seen the ends of all that add
  }

private:
  friend struct worker;

  static constexpr std::uintptr_t k_is_ledger = 1;  // in kept_, and in parent_ of a part

  static bool is_part(const finish_scope* parent) noexcept {
    return (reinterpret_cast<std::uintptr_t>(parent) & k_is_ledger) != 0;
  }
  static std::uint64_t key_in(const finish_scope* parent) noexcept {
    return reinterpret_cast<std::uintptr_t>(parent) >> 1U;
  }
  static remote_ledger* ledger_in(std::uintptr_t kept) noexcept {
    return reinterpret_cast<remote_ledger*>(kept & ~k_is_ledger);
  }

  /// Whether something was kept: exceptions, or a ledger; only after close().
  [[nodiscard]] bool has_kept() const noexcept {
    return kept_.load(memory_order_relaxed) !=
           0;  // relaxed: close() saw the completion, which every add happens before
  }

  bool closed_at_once(worker* w) noexcept;
  void end_body() const noexcept;
  void close_by_tasks();
  TACTUS_NOINLINE void close_slowly();
  void push(failure* f) noexcept;
  TACTUS_NOINLINE void throw_failures();
  TACTUS_NOINLINE void close_slowly_and_throw();
  TACTUS_NOINLINE void close_with(work_deque::claim newest);
  TACTUS_NOINLINE void close_with_care();
  bool completed_by_body(worker* w) noexcept;
  void wait_for_the_rest();
  bool completes_in_place(worker* w) noexcept;
  static bool give_token_back(wait_point& body);

  finish_scope* parent_;         // immutable after open(); of a part its key
  std::int64_t local_ = 0;       // balance of the worker that opened it, while that worker holds it (F1)
  std::int64_t* outer_balance_;  // where the opening worker counted for parent_
  atomic<std::int64_t> word_{
      finish_word::k_body_and_holder};  // all holders; starts with the body's token and the opener
  wait_point* body_;                    // written before the token goes back, read by whoever completes
  atomic<std::uintptr_t> kept_{
      0};  // a list of failure, or a ledger that has the list: any holder pushes, close() reads
};

}  // namespace tactus::detail
