// SPDX-License-Identifier: Apache-2.0

#include "fiber/overflow.hpp"

#include <tactus/base/impl/atomic.hpp>

#include "base/signal_text.hpp"
#include "fiber/guarded_ranges.hpp"

#include <csignal>
#include <mutex>

#include <sys/mman.h>
#include <unistd.h>

namespace tactus::detail {
namespace {

constexpr std::size_t k_alternate_bytes = 64 * 1024;
constexpr std::size_t k_most_of_a_name = 200;  // of 512 bytes: what helps comes behind it

struct sigaction g_previous_segv;
struct sigaction g_previous_bus;
overflow_answers g_answers;  // written once, before the handler is installed

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = signal == SIGBUS ? g_previous_bus : g_previous_segv;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
  } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
  } else {
    ::signal(signal, SIG_DFL);  // the faulting instruction runs again and ends the process the usual way
    if (info->si_code <= 0) {
      ::raise(signal);  // somebody sent it: nothing would run again
    }
  }
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (!guarded_ranges::is_guard(info->si_addr)) {
    pass_on(signal, info, context);
    return;
  }
  const char* const name = g_answers.task_name();
  signal_text text;
  text << "tactus: stack overflow in ";
  if (name != nullptr) {
    (text << "task '").clipped(name, k_most_of_a_name) << "'";
  } else {
    text << "an unnamed task";
  }
  text << ": it needs more stack than a task can rely on (stack_bytes = " << g_answers.stack_bytes()
       << "; the root task has 8 MiB); raise config.stack_bytes or TACTUS_STACK_BYTES\n";
  text.write();
  ::signal(signal, SIG_DFL);  // the faulting instruction runs again and ends the process
}

void install(const overflow_answers& answers) {
  static std::once_flag once;
  std::call_once(once, [&answers] {
    g_answers = answers;
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGSEGV, &action, &g_previous_segv);
    ::sigaction(SIGBUS, &action, &g_previous_bus);
  });
}

}  // namespace

overflow_reporting::overflow_reporting(const overflow_answers& answers) {
  install(answers);
  stack_t now{};
  if (::sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_DISABLE) == 0) {
    return;
  }
  void* const p = ::mmap(nullptr, k_alternate_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) {
    return;  // an overflow still ends the process, without our message
  }
  stack_t ours{};
  ours.ss_sp = p;
  ours.ss_size = k_alternate_bytes;
  ::sigaltstack(&ours, nullptr);
  memory_ = p;
}

overflow_reporting::~overflow_reporting() {
  if (memory_ != nullptr) {
    stack_t now{};
    if (::sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_) {  // else the program has another by now
      stack_t none{};
      none.ss_flags = SS_DISABLE;
      ::sigaltstack(&none, nullptr);
    }
    ::munmap(memory_, k_alternate_bytes);
  }
}

}  // namespace tactus::detail
