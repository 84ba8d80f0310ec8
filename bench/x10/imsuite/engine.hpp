// SPDX-License-Identifier: Apache-2.0
// The IMSuite kernels (uclocks.txt, figure 14) and the one interface through which all forms of them run.
//
// A kernel simulates n nodes that compute in rounds. What it does stands once, as a function template over an engine;
// the engine decides whether the steps of a round are separated by a clock, by the end of a finish, or by nothing:
//
//     engine.round(n, hint::lazy, step0, step1, ..., stepm)
//         n logical tasks, one for each node i in [0, n): step0(i), barrier, step1(i), ..., barrier, stepm(i). All are
//         joined before round returns. Each task makes m advances. Given std::array<hint, m> there is a hint for
//         each barrier.
//     engine.each(n, f)
//         f(i) for each node in a task of its own, all joined: one finish without a barrier.
//     engine.persistent(n, alive, hint::lazy, step0, ..., stepm)
//         one set of tasks for the whole computation, of which task i is
//             while (alive(i)) { step0(i); barrier; ...; barrier; stepm(i); }
//         and leaves the barrier when it ends. Nothing separates stepm from the step0 of the next iteration. alive(i)
//         may read only what task i wrote itself. Engines without persistent tasks fork all n nodes for every step,
//         ask alive(i) once in an iteration, in the task of the first step, and look serially for the end.
//     engine.atomic(f)
//         f() in mutual exclusion with all other atomic blocks of the kernel.
//
// Obligations of a kernel: steps are called concurrently through a const reference, so what a task carries from one
// step to the next lives in the record of its node; two tasks of one step touch the same datum only in atomic or if
// neither writes; steps take the node's index as std::size_t. round, each and persistent are called from the thread
// or task that runs the kernel, never from a step.
//
// Kernel KK is the header kk.hpp (and kk.cpp) with
//     class kk_state { public: explicit kk_state(kk_input input, std::uint64_t load = 0); void reset(); ... };
//     template <class Engine> void run_kk(Engine& engine, kk_state& state);   // from a state just made or reset
//     void verify_kk(const kk_state& state);                                  // throws wrong_answer
// and calls burn(load) at the end of the last step of each round's task.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace bench::imsuite {

/// How a kernel would wait at a barrier, after the table of figure 14: eager where the others are about to arrive,
/// lazy where only the last arrival matters. Engines without a clock have no use for it.
enum class hint { eager, lazy };

/// The same hint for all barriers of a round.
template <std::size_t M>
constexpr std::array<hint, M> same_hint(hint h) {
  std::array<hint, M> all{};
  all.fill(h);
  return all;
}

/// Calls f(k, step) for each of the steps in order; k is std::integral_constant<std::size_t, 0>, 1, ...
template <class F, class... Steps>
constexpr void for_each_step(const F& f, const Steps&... steps) {
  [&]<std::size_t... K>(std::index_sequence<K...> /*positions*/) {
    (f(std::integral_constant<std::size_t, K>{}, steps), ...);
  }(std::index_sequence_for<Steps...>{});
}

/// The optional work of a task: an empty loop that the compiler has to keep (IMSuite's option -lfon).
inline void burn(std::uint64_t iterations) {
  for (std::uint64_t i = 0; i < iterations; ++i) asm volatile("" : : "r"(i));
}

namespace archetype {
struct step {
  void operator()(std::size_t node) const;
};
struct alive {
  bool operator()(std::size_t node) const;
};
struct block {
  void operator()() const;
};
}  // namespace archetype

/// What a kernel may ask for; the meaning stands at the top of this file.
template <class E>
concept engine = requires(E& e, std::size_t n, archetype::step step, archetype::alive alive, archetype::block block) {
  e.each(n, step);
  e.round(n, hint::eager, step);
  e.round(n, hint::eager, step, step);
  e.round(n, std::array{hint::eager, hint::lazy}, step, step, step);
  e.persistent(n, alive, hint::lazy, step, step);
  e.persistent(n, alive, std::array{hint::eager, hint::lazy}, step, step, step);
  e.atomic(block);
};

}  // namespace bench::imsuite
