// SPDX-License-Identifier: Apache-2.0

#include <tactus/task/run.hpp>

#include <tactus/base/error.hpp>
#include <tactus/scheduler/impl/finish_scope.hpp>
#include <tactus/task/impl/spawn.hpp>
#include <tactus/task/task_local.hpp>

#include "base/probe.hpp"
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

void run_in_root_finish(void* argument) {
  auto& root = *static_cast<root_task*>(argument);
  root.scope.open(current_worker());
  current_worker()->owner->run().set_root_finish(&root.scope);
  try {
    root.body(root.argument);
  } catch (...) {
    root.scope.add_failure(std::current_exception());
  }
  root.scope.close();
  destroy_locals(*current_worker()->task);
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
std::vector<std::exception_ptr> others(std::vector<std::exception_ptr> escaped) {
  if (escaped.empty()) {
    return escaped;
  }
  std::vector<std::exception_ptr> leaves = multiple_exceptions(std::move(escaped)).flattened();
  std::erase_if(leaves, is_deadlock);
  return leaves;
}

}  // namespace

void run_root_task(run_control& control, void (*body)(void*), void* argument) {
  root_task root{body, argument, {}};
  control.run_root(control.options().trace.empty() ? run_in_root_finish : run_traced_in_root_finish, &root);
  failures escaped = root.scope.take_failures();  // here, where no memory for them can be told
  if (control.options().stats) {
    report_stats(control);
  }
  if (control.deadlocked()) {
    throw deadlock_error(control.deadlock_text(), others(std::move(escaped.exceptions)));
  }
  if (!escaped.exceptions.empty()) {
    throw multiple_exceptions(std::move(escaped.exceptions), escaped.from);
  }
}

}  // namespace detail

namespace {

std::unique_ptr<detail::run_control> make_run_control(const config& values) {
  try {
    return std::make_unique<detail::run_control>(values);
  } catch (const std::bad_alloc&) {
    throw resource_error("tactus: no memory to start " + std::to_string(values.threads) +
                         " workers; lower threads (TACTUS_THREADS), or raise the limit on virtual memory (ulimit -v)");
  }
}

}  // namespace

runtime::runtime(const config& options, int argc, char* const* argv)
    : options_(detail::resolve_options(options, argc, argv)), run_(make_run_control(options_.values)) {}

runtime::~runtime() {
  // A task calls exit, which destroys this object on the stack of the task; or exit comes from a thread beside the run. The workers
  // cannot end, so all of it is left to the end of the process.
  if (run_->is_running()) {
    static_cast<void>(run_.release());
  }
}

}  // namespace tactus
