// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/run.hpp>

#include <tactus/base/error.hpp>
#include <tactus/scheduler/impl/finish_scope.hpp>
#include <tactus/task/impl/spawn.hpp>
#include <tactus/task/task_local.hpp>

#include "base/probe.hpp"
#include "scheduler/remote_side.hpp"
#include "scheduler/run_control.hpp"

#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tactus {
namespace detail {
namespace {

struct root_task {
  void (*body)(void*);
  void* argument;
  finish_scope scope;
};

// What ends with the root task, when all others have ended. What that spawns is of the run as well, and so are the place_locals that it ends.
void end_root_values(finish_scope& root) {
  if (current_worker()->task->locals == nullptr) {
    return;
  }
  finish_scope last;
  last.open(current_worker());
  run_control& run = current_worker()->owner->run();
  run.set_root_finish(&last);
  destroy_locals(*current_worker()->task);
  // close() counts it at once, and it is none of the program's. Before that: the task may be on another worker afterwards.
  current_worker()->counters.finishes -= 1;
  last.close();
  run.set_root_finish(&root);
  root.add_failures_of(last);
}

void run_in_root_finish(void* argument) {
  auto& root = *static_cast<root_task*>(argument);
  root.scope.open(current_worker());
  current_worker()->owner->run().set_root_finish(&root.scope);
  try {
    root.body(root.argument);
  } catch (...) {
    root.scope.add_failure(std::current_exception());
  }
  end_with_root(*current_worker()->task);
  root.scope.close();
  end_root_values(root.scope);
}

void run_traced_in_root_finish(void* argument) { run_traced("root task", run_in_root_finish, argument); }

bool is_deadlock(const std::exception_ptr& e) {
  if (e == nullptr) {  // of a multiple_exceptions that the program has made
    return false;
  }
  try {
    std::rethrow_exception(e);
  } catch (const deadlock_error&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Everything that escaped but the deadlock errors that the library threw from waits.
std::vector<std::exception_ptr> others(std::vector<std::exception_ptr> escaped) {
  if (escaped.empty()) {
    return escaped;
  }
  std::vector<std::exception_ptr> leaves = multiple_exceptions(std::move(escaped)).flattened();
  std::erase_if(leaves, is_deadlock);
  return leaves;
}

}  // namespace

namespace {

// Elsewhere than at place 0: the root task waits there.
struct far_end {
  remote_side& others;
  run_outcome outcome;
};

void wait_for_end(void* argument) {
  auto& end = *static_cast<far_end*>(argument);
  end.outcome = end.others.wait_for_end_of_run();
}

[[noreturn]] void throw_does_not_travel(int rank) {
  throw place_error("tactus::run: what the body returned is at place 0, and of a type that does not travel to place " +
                    std::to_string(rank) + "; return what travels, or nothing");
}

void run_elsewhere(run_control& control, remote_side& others, const run_result* result) {
  far_end end{others, {}};
  root_task root{wait_for_end, &end, {}};
  bool has_begun = false;
  control.run_root(run_in_root_finish, &root, has_begun);
  others.leave_run();
  gather_stats(control);
  if (const failures escaped = root.scope.take_failures(); !escaped.exceptions.empty()) {
    std::rethrow_exception(escaped.exceptions.front());  // nothing could be made of what place 0 has told
  }
  if (end.outcome.failure != nullptr) {
    std::rethrow_exception(end.outcome.failure);
  }
  if (result != nullptr) {
    if (result->load == nullptr) {
      throw_does_not_travel(control.home().place());
    }
    result->load(result->object, end.outcome.result, end.outcome.order);
  }
}

// Throws what the run leaves; or, if it has not begun, why.
void run_here(run_control& control, void (*body)(void*), void* argument, bool& has_begun) {
  root_task root{body, argument, {}};
  control.run_root(notes_tasks(control.options()) ? run_traced_in_root_finish : run_in_root_finish, &root, has_begun);
  failures escaped = root.scope.take_failures();  // here, where no memory for them can be told
  if (control.options().stats && control.processes() == nullptr) {
    report_stats(control);
  }
  if (control.deadlocked()) {
    throw deadlock_error(control.deadlock_text(), others(std::move(escaped.exceptions)));
  }
  if (!escaped.exceptions.empty()) {
    throw multiple_exceptions(std::move(escaped.exceptions), escaped.from);
  }
}

}  // namespace

void run_root_task(run_control& control, void (*body)(void*), void* argument, const run_result* result) {
  bool has_begun = false;
  if (control.processes() == nullptr) {
    run_here(control, body, argument, has_begun);
    return;
  }
  remote_side& others = *control.home().remote();
  if (control.home().place() != 0) {
    run_elsewhere(control, others, result);
    return;
  }
  run_outcome outcome;
  try {
    run_here(control, body, argument, has_begun);
    if (result != nullptr && result->save != nullptr) {
      outcome.result = result->save(result->object);
    }
  } catch (...) {
    outcome.failure = std::current_exception();
  }
  if (!has_begun) {
    std::rethrow_exception(outcome.failure);  // the others wait for a run that does
  }
  others.end_run(outcome);
  gather_stats(control);
  if (control.options().stats) {
    report_stats(control);
  }
  if (outcome.failure != nullptr) {
    std::rethrow_exception(outcome.failure);
  }
}

}  // namespace detail

namespace {

std::unique_ptr<detail::run_control> make_run_control(const config& values, const detail::launch& process) {
  try {
    return std::make_unique<detail::run_control>(values, process);
  } catch (const std::bad_alloc&) {
    throw resource_error("tactus: no memory to start " + std::to_string(values.threads) +
                         " workers; lower threads (TACTUS_THREADS), or raise the limit on virtual memory (ulimit -v)");
  }
}

}  // namespace

runtime::runtime(const config& options, int argc, char* const* argv, const detail::communicator* processes)
    : options_(detail::resolve_options(options, argc, argv, processes)),
      run_(make_run_control(options_.values, options_.process)) {}

runtime::~runtime() {
  // A task calls exit, which destroys this object on the stack of the task; or exit comes from a thread beside the run. The workers
  // cannot end, so all of it is left to the end of the process.
  if (run_->is_running()) {
    static_cast<void>(run_.release());
  }
}

}  // namespace tactus
