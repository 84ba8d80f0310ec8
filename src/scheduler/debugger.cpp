// SPDX-License-Identifier: Apache-2.0
#include "scheduler/debugger.hpp"

#include "scheduler/run_control.hpp"
#include "scheduler/scheduler.hpp"

#include <tactus/base/impl/api.hpp>

#include <string>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // where bases are not virtual, compilers know the offset
#elif defined(__clang__)
#pragma clang diagnostic ignored "-Winvalid-offsetof"
#endif

extern "C" {
TACTUS_API extern tactus::detail::debugger_root tactus_debugger_root;
}

namespace tactus::detail {

#define TACTUS_OFFSET(type, member) {#type "." #member, offsetof(type, member)}

// A friend of what it looks into.
struct debugger_layout {
  static const debugger_fact k_facts[];
};

constinit const debugger_fact debugger_layout::k_facts[] = {
    TACTUS_OFFSET(run_control, places_),
    TACTUS_OFFSET(scheduler, workers_),
    TACTUS_OFFSET(scheduler, stacks_),
    TACTUS_OFFSET(scheduler, barriers_),
    {"scheduler.sent", offsetof(scheduler, inbox_.strands_.head_)},
    {"scheduler.shared", offsetof(scheduler, shared_.size_)},

    TACTUS_OFFSET(stack_pool, singles_),
    TACTUS_OFFSET(stack_pool, slabs_),
    TACTUS_OFFSET(stack_pool, cold_),
    TACTUS_OFFSET(stack_pool, stride_),
    TACTUS_OFFSET(stack_pool, page_colours_),
    {"slab.size", sizeof(stack_pool::slab)},
    {"slab.base", offsetof(stack_pool::slab, base)},
    {"slab.carved", offsetof(stack_pool::slab, carved)},
    {"colour.page_bytes", stack_pool::k_page_bytes},
    {"colour.lines", stack_pool::k_line_colours},
    {"colour.line_bytes", stack_pool::k_line_colour_bytes},
    {"fiber_stack.size", sizeof(fiber_stack)},
    TACTUS_OFFSET(fiber_stack, low),
    TACTUS_OFFSET(fiber_stack, parked),

    TACTUS_OFFSET(worker, task),
    TACTUS_OFFSET(worker, seat),
    TACTUS_OFFSET(worker, sleeps),
    {"worker.deque_top", offsetof(worker, deque.top_)},
    {"worker.deque_bottom", offsetof(worker, deque.bottom_)},
    {"worker.deque_slots", offsetof(worker, deque.slots_)},
    {"worker.deque_mask", offsetof(worker, deque.mask_)},
    {"worker.yielded", offsetof(worker, yielded.first_)},
    {"worker.affine", offsetof(worker, affine.size_)},
    {"worker.released_claim", offsetof(worker, released.claim_)},
    {"worker.released_entries", offsetof(worker, released.entries_)},
    {"worker.released_more", offsetof(worker, released.more.head_)},
    {"worker.waits_on", offsetof(worker, deferred.list)},
    {"worker.wait_next", offsetof(worker, deferred.wait_next)},
    {"worker.run_next", offsetof(worker, deferred.run_next)},
    {"worker.run_end", offsetof(worker, deferred.run_end)},
    {"released.next_shift", released_work::k_next_shift},
    {"released.most", released_work::k_most},
    TACTUS_OFFSET(released_range, entries),
    TACTUS_OFFSET(released_range, count),
    TACTUS_OFFSET(released_range, next),

    TACTUS_OFFSET(continuation, context),
    TACTUS_OFFSET(continuation, task),
    TACTUS_OFFSET(continuation, next),
    TACTUS_OFFSET(wait_point, kind),
    TACTUS_OFFSET(wait_point, object),
    TACTUS_OFFSET(wait_point, at),
    TACTUS_OFFSET(wait_kind, what),
    TACTUS_OFFSET(wait_kind, number_at),
    TACTUS_OFFSET(wait_kind, name_at),
    TACTUS_OFFSET(task_frame, locals),
    TACTUS_OFFSET(task_frame, below),
    TACTUS_OFFSET(local_value, key),
    TACTUS_OFFSET(local_value, next),
    {"task_name.key", task_name::k_key},
    TACTUS_OFFSET(task_name, text),
    {"lent_name.key", static_cast<std::int64_t>(lent_name::k_key)},
    TACTUS_OFFSET(lent_name, text),

    TACTUS_OFFSET(barrier, word_),
    TACTUS_OFFSET(barrier, phase_),
    TACTUS_OFFSET(barrier, key_),
    TACTUS_OFFSET(barrier, hook_),
    TACTUS_OFFSET(barrier, shares_),
    TACTUS_OFFSET(phase_hook, is_clock),
    {"barrier.phase_shift", barrier_word::k_phase_shift},
    {"barrier.serial_bits", k_serial_bits},
    {"share.size", sizeof(barrier::share)},
    {"share.lists", offsetof(barrier::share, lists)},
    {"share.worker", offsetof(barrier::share, range.target)},
    {"waiter_list.size", sizeof(waiter_list)},
    TACTUS_OFFSET(waiter_list, entries_),
    TACTUS_OFFSET(waiter_list, count_),

#if TACTUS_PORTABLE_CONTEXT
    {"context.is_ucontext", 1},
#else
    {"context.is_ucontext", 0},
#endif
#ifdef _LIBCPP_VERSION
    {"string.is_libcxx", 1},
#else
    {"string.is_libcxx", 0},
#endif
    {"", 0},
};

#undef TACTUS_OFFSET

namespace {

// Of the calling thread, as debuggers know it.
const std::byte* thread_pointer() noexcept {
  const std::byte* p = nullptr;
#if defined(__x86_64__)
  asm("mov %%fs:0, %0" : "=r"(p));
#elif defined(__aarch64__)
  asm("mrs %0, tpidr_el0" : "=r"(p));
#endif
  return p;
}

}  // namespace

void show_debuggers(const std::vector<run_control*>& active_runs) noexcept {
  tactus_debugger_root.active_runs = &active_runs;
  tactus_debugger_root.this_worker = reinterpret_cast<const std::byte*>(&tactus_this_worker) - thread_pointer();
}

}  // namespace tactus::detail

extern "C" {
// Used by the script alone, which link-time optimisation cannot see.
__attribute__((used)) constinit tactus::detail::debugger_root tactus_debugger_root{
    tactus::detail::debugger_layout::k_facts, nullptr, 0};
}

// The script goes wherever the library does, and gdb loads it from there.
asm(".pushsection .debug_gdb_scripts, \"MS\", %progbits, 1\n"
    ".byte 4\n"  // that it is in Python, and here
    ".ascii \"gdb.inlined-tactus\\n\"\n"
    ".incbin \"" TACTUS_GDB_SCRIPT
    "\"\n"
    ".byte 0\n"
    ".popsection");
