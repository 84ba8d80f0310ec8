// SPDX-License-Identifier: Apache-2.0
// lockstep: regular loops in lock step, without a stack per task.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/atomic.hpp>
#include <tactus/base/impl/cache_line.hpp>
#include <tactus/scheduler/impl/finish_scope.hpp>
#include <tactus/task/loops.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tactus {
namespace detail {

/// The tasks that carry out a lockstep: the caller leads, one share for each other worker helps. The elements are cut into as many
/// chunks; a chunk whose share does not come for it is taken by another. docs/protocols/lockstep.md.
class lockstep_crew {
public:
  lockstep_crew(const lockstep_crew&) = delete;
  lockstep_crew& operator=(const lockstep_crew&) = delete;

protected:
  explicit lockstep_crew(std::uint64_t elements) noexcept : elements_(elements) {}
  TACTUS_API ~lockstep_crew();

  /// Runs `rounds`, the leader's loop, with helpers; ends when all tasks that steps have spawned have ended. Throws what was
  /// collected.
  TACTUS_API void lead(void (*rounds)(lockstep_crew&));

  /// Carries out one step for all elements. By the leader.
  TACTUS_API void step(std::size_t which);

  /// An element whose step throws takes no further part. Where there is no memory to note that, no step follows.
  TACTUS_API void fail(std::uint64_t element) noexcept;
  [[nodiscard]] bool has_failed(std::uint64_t element) const noexcept {
    // relaxed: set in an earlier step, or by this very chunk
    return failed_[element].load(memory_order_relaxed);
  }
  [[nodiscard]] bool any_failed() const noexcept {
    return any_failed_.load(memory_order_acquire);  // acquire: the array; pairs with fail()
  }
  /// Between steps. False of a range that is empty.
  [[nodiscard]] bool all_failed() const noexcept {
    // relaxed: ordered by the end of the chunks (L1)
    return failures_.load(memory_order_relaxed) == elements_ && elements_ != 0;
  }

private:
  struct alignas(k_cache_line) chunk {
    atomic<std::uint64_t> taken{0};  // the last phase in which somebody came for it
    atomic<bool> attended{false};    // its share has begun; written by it
  };
  struct nap;

  virtual void run(std::size_t which, std::uint64_t low, std::uint64_t high) noexcept = 0;

  /// What the program calls an element.
  [[nodiscard]] virtual std::string index_text(std::uint64_t element) const = 0;

  void help(std::size_t share);
  bool try_chunk(std::size_t c, std::uint64_t phase) noexcept;
  void work(std::size_t share, std::uint64_t phase) noexcept;
  void wait_for_phase_after(std::uint64_t phase);
  void wait_for_chunks();
  void announce(std::uint64_t phase) noexcept;
  void wake_sleepers() noexcept;
  void note_failed(std::uint64_t element);
  static bool sleep_until_phase(wait_point& p);
  static bool sleep_until_done(wait_point& p);

  static constexpr std::uint64_t k_over = ~std::uint64_t{0};

  const std::uint64_t elements_;
  std::size_t shares_ = 1;
  bool leads_only_ = false;  // its stack has no room for a step: each chunk has a share then
  std::unique_ptr<chunk[]> chunks_;
  finish_scope all_;
  std::size_t which_ = 0;                                 // the step of this phase; by the leader, before phase_
  alignas(k_cache_line) atomic<std::uint64_t> phase_{0};  // by the leader; k_over at the end
  atomic<wait_point*> sleepers_{nullptr};                 // helpers that wait for the next phase
  alignas(k_cache_line) atomic<std::uint64_t> left_{0};   // chunks of this phase that are not done
  atomic<wait_point*> leader_{nullptr};                   // while it sleeps
  atomic<bool> any_failed_{false};
  atomic<std::uint64_t> failures_{0};       // elements that have failed
  std::unique_ptr<atomic<bool>[]> failed_;  // one per element, from the first failure on
  atomic<bool> making_failed_{false};
  atomic<bool> out_of_memory_{false};  // an element has failed that failed_ does not know
};

template <class Index, class First, class GoOn, class... Steps>
class lockstep_loop final : lockstep_crew {
public:
  lockstep_loop(First first, std::uint64_t elements, GoOn& go_on, Steps&... steps) noexcept
      : lockstep_crew(elements), first_(first), go_on_(go_on), steps_(steps...) {}

  void run_all() {
    lead([](lockstep_crew& crew) {
      auto& self = static_cast<lockstep_loop&>(crew);
      while (!self.all_failed() && self.go_on_()) {
        for (std::size_t s = 0; s < sizeof...(Steps); ++s) {
          self.step(s);
        }
      }
    });
  }

private:
  void run(std::size_t which, std::uint64_t low, std::uint64_t high) noexcept override {
    run_step(which, low, high, std::index_sequence_for<Steps...>{});
  }

  [[nodiscard]] std::string index_text(std::uint64_t element) const override {
    return std::to_string(number_of(index_at<Index>(first_, element)));
  }

  template <std::size_t... S>
  void run_step(std::size_t which, std::uint64_t low, std::uint64_t high, std::index_sequence<S...>) noexcept {
    static_cast<void>(((which == S && (run_elements(std::get<S>(steps_), low, high), true)) || ...));
  }

  template <class Step>
  void run_elements(Step& step, std::uint64_t low, std::uint64_t high) noexcept {
    for (std::uint64_t i = low; i < high; ++i) {
      try {
        if (any_failed()) {
          for (; i < high; ++i) {
            if (!has_failed(i)) {
              step(index_at<Index>(first_, i));
            }
          }
        } else {
          for (; i < high; ++i) {
            step(index_at<Index>(first_, i));
          }
        }
      } catch (...) {
        fail(i);
      }
    }
  }

  const First first_;
  GoOn& go_on_;
  const std::tuple<Steps&...> steps_;
};

struct lockstep_verb {
  template <loop_index First, loop_index Last, std::predicate GoOn, std::invocable<index_of<First, Last>>... Steps>
    requires(sizeof...(Steps) > 0)
  void operator()(First first, Last last, GoOn&& go_on, Steps&&... steps) const {
    static_cast<void>(worker_for("lockstep"));
    lockstep_loop<index_of<First, Last>, First, std::remove_reference_t<GoOn>, std::remove_reference_t<Steps>...> loop(
        first, count_between(first, last), go_on, steps...);
    loop.run_all();
  }
};

}  // namespace detail

/// Runs a logical task for each i of [first, last): while go_on() says so, step(i) of the first step, a barrier, the next step,
/// and so on, with a barrier after the last one too. The same as clocked tasks whose bodies are loops, without a stack each: the
/// workers run through their chunks of the range. Tasks that a step spawns are joined at the end of lockstep. task_local values
/// are those of the task that runs the chunk.
/// \param first, last integers of any type of at most 64 bits
/// \param go_on called by the calling task, once before each round; it sees all that earlier rounds did
/// \param steps one or more, called as step(i). A step may not wait, but for an atomic block.
/// Errors: a logical task whose step throws takes no further part, the others go on, and where none is left there is no further
/// round; multiple_exceptions at the end, whose text names the step, counted from 1, and i. What would have to wait in a step is a
/// usage_error there, which counts as its exception. usage_error outside a task.
/// Suspends: may, and goes on on any worker.
/// Visibility: what any task did in a step happens before every later step.
/// Cost: that of the loops, and per step two atomic operations per worker; nothing is allocated after the start, but
/// for a byte per element when the first one fails; where there is no memory for that, std::bad_alloc is among the
/// exceptions, and no step follows.
/// Source: uclocks.txt, section 2, for regular loops.
/// \snippet 09_lockstep.cpp lockstep
/// \ingroup clocks
#ifdef DOXYGEN
template <std::integral First, std::integral Last, class GoOn, class... Steps>
void lockstep(First first, Last last, GoOn&& go_on, Steps&&... steps);
#else
inline constexpr detail::lockstep_verb lockstep{};
#endif

}  // namespace tactus
