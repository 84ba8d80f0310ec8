// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/run.hpp>

#include <tactus/base/error.hpp>
#include <tactus/base/probe.hpp>
#include <tactus/scheduler/finish_scope.hpp>
#include <tactus/task/spawn.hpp>
#include <tactus/task/task_local.hpp>

#include "scheduler/run_control.hpp"

#include <vector>

namespace tactus {
namespace detail {
namespace {

struct root_task {
  void (*body)(void*);
  void* argument;
  std::vector<std::exception_ptr> failures;
};

void run_in_root_finish(void* argument) {
  auto& root = *static_cast<root_task*>(argument);
  finish_scope scope;
  scope.open(current_worker());
  try {
    root.body(root.argument);
  } catch (...) {
    scope.add_failure(std::current_exception());
  }
  scope.close();
  destroy_locals(*current_worker()->task);
  root.failures = scope.take_failures();
}

void run_traced_in_root_finish(void* argument) { run_traced("root task", run_in_root_finish, argument); }

bool is_deadlock(const std::exception_ptr& e) {
  try {
    std::rethrow_exception(e);
  } catch (const deadlock_error&) {
    return true;
  } catch (...) {
    return false;
  }
}

// Everything that escaped but the deadlock errors that the library threw from waits.
std::vector<std::exception_ptr> others(std::vector<std::exception_ptr> failures) {
  if (failures.empty()) {
    return failures;
  }
  std::vector<std::exception_ptr> leaves = multiple_exceptions(std::move(failures)).flattened();
  std::erase_if(leaves, is_deadlock);
  return leaves;
}

}  // namespace

void run_root_task(run_control& r, void (*body)(void*), void* argument) {
  root_task root{body, argument, {}};
  r.run_root(r.options().trace.empty() ? run_in_root_finish : run_traced_in_root_finish, &root);
  if (r.options().stats) {
    report_stats(r);
  }
  if (r.deadlocked()) {
    throw deadlock_error(r.deadlock_text(), others(std::move(root.failures)));
  }
  if (!root.failures.empty()) {
    throw multiple_exceptions(std::move(root.failures));
  }
}

}  // namespace detail

runtime::runtime(const config& options, int argc, char* const* argv)
    : options_(detail::resolve_options(options, argc, argv)),
      run_(std::make_unique<detail::run_control>(options_.values)) {}

runtime::~runtime() {
  // A task calls exit, which destroys this object on the stack of the task; or exit comes from a thread beside the run. The workers
  // cannot end, so all of it is left to the end of the process.
  if (run_->is_running()) {
    static_cast<void>(run_.release());
  }
}

}  // namespace tactus
