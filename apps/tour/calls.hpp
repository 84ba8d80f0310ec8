// SPDX-License-Identifier: Apache-2.0
// The first stop: a task for every call of fib, without a cutoff. Each form is written as its own documentation would.
#pragma once

#include <cstdint>
#include <functional>

namespace tour {

/// Computes fib(n); a runtime or a team of threads behind it is made once, with the form.
using fib_form = std::function<std::uint64_t(int n)>;

fib_form calls_plainly();            ///< no tasks
fib_form calls_tactus(int threads);  ///< one finish per level
fib_form calls_onetbb(int threads);  ///< one task_group per level, with one context for all, which is faster
fib_form calls_openmp(int threads);  ///< task and taskwait in one parallel region
fib_form calls_std_async();          ///< a thread of the system for each task, as std::async(std::launch::async) has it

/// How many calls fib(n) makes: the unit of the measurement.
constexpr std::uint64_t calls_of(int n) { return n < 2 ? 1 : 1 + calls_of(n - 1) + calls_of(n - 2); }

}  // namespace tour
