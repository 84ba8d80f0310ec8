// SPDX-License-Identifier: Apache-2.0
// The context moves by ucontext: for targets without assembly, and for the tests that compare both.
// Correct everywhere glibc is, and slow: each swapcontext asks the kernel for the signal mask.

#include <tactus/fiber/impl/context.hpp>

#if TACTUS_PORTABLE_CONTEXT

#include <tactus/base/impl/assert.hpp>

#include <ucontext.h>

namespace tactus::detail {
namespace {

// What the side that is entered has to do first. Lives on the stack of the side that leaves.
struct handover {
  void* argument;
  enter_hook hook;   // set by tactus_enter
  call_entry entry;  // set by tactus_call
  void* left;
};

thread_local handover* t_handover = nullptr;

// A thread-local address must not be kept across a switch, so it is reached through calls that cannot be inlined.
TACTUS_NOINLINE void put_handover(handover* h) {
  t_handover = h;
  asm volatile("" ::: "memory");
}

TACTUS_NOINLINE handover* take_handover() {
  handover* const h = t_handover;
  t_handover = nullptr;
  asm volatile("" ::: "memory");
  return h;
}

// Runs where a saved context goes on: nothing to do after a plain return of entry, the hook after tactus_enter.
TACTUS_NO_SANITIZE void arrive() {
  if (handover* const h = take_handover(); h != nullptr) {
    h->hook(h->argument, h->left);
  }
}

TACTUS_NO_SANITIZE void bottom() {
  handover* const h = take_handover();
  void* const back = h->entry(h->argument, h->left);
  put_handover(nullptr);
  ::setcontext(static_cast<ucontext_t*>(back));
}

}  // namespace

extern "C" TACTUS_NO_SANITIZE void tactus_call(void* argument, call_entry entry, void* top) {
  // makecontext wants a stack from its lowest address; all that matters is where it ends.
  constexpr std::size_t k_claimed = 8 * 1024;
  ucontext_t self;
  ucontext_t fresh;
  handover h{argument, nullptr, entry, &self};
  ::getcontext(&fresh);
  fresh.uc_stack.ss_sp = static_cast<char*>(top) - k_claimed;
  fresh.uc_stack.ss_size = k_claimed;
  fresh.uc_link = nullptr;
  ::makecontext(&fresh, bottom, 0);
  put_handover(&h);
  ::swapcontext(&self, &fresh);
  arrive();
}

extern "C" TACTUS_NO_SANITIZE void tactus_enter(void* argument, enter_hook hook, void* target) {
  ucontext_t self;
  handover h{argument, hook, nullptr, &self};
  put_handover(&h);
  ::swapcontext(&self, static_cast<ucontext_t*>(target));
  arrive();
}

extern "C" TACTUS_NO_SANITIZE void tactus_leave(void* target) {
  put_handover(nullptr);
  ::setcontext(static_cast<ucontext_t*>(target));
}

extern "C" TACTUS_NO_SANITIZE void tactus_switch(void** saved, void* target) {
  ucontext_t self;
  *saved = &self;
  put_handover(nullptr);
  ::swapcontext(&self, static_cast<ucontext_t*>(target));
  arrive();
}

}  // namespace tactus::detail

#endif
