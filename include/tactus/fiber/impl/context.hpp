// SPDX-License-Identifier: Apache-2.0
// The context switch: two moves that run a function on the other side before anything else happens there, and two plain ones.
//
// A saved context is a stack pointer; below it lie the callee-saved registers and a return address. All save the same
// frame, so a context saved by one may be entered by another. Floating-point control words are not in it: float_environment.hpp.
// Architecture page: "work-first spawn". x86-64 in context_x86_64.S, AArch64 in context_aarch64.S, every other target in
// context_portable.cpp.
#pragma once

#include <tactus/base/impl/api.hpp>
#include <tactus/base/impl/platform.hpp>

#include <cstddef>

namespace tactus::detail {

extern "C" {

/// What runs first on a stack entered by tactus_call: gets the argument and the caller's saved context.
/// It returns exactly that saved context, while nobody has entered it, or never returns.
using call_entry = void* (*)(void* argument, void* saved);

/// Saves the caller and runs entry(argument, saved) on the empty stack that ends at `top` (16-byte aligned).
/// When entry returns, its caller goes on and no register is reloaded: the ABI already kept them. That is what makes a spawn
/// cheap, and why entry may not return another context. A caller whose context is entered by tactus_enter goes on there instead.
TACTUS_API void tactus_call(void* argument, call_entry entry, void* top);

/// What runs first when a context is entered by tactus_enter, on that context's own stack: gets the argument and the context that left.
using enter_hook = void (*)(void* argument, void* left);

/// Saves the caller, enters `target`, runs hook(argument, saved) there, and goes on where target was saved.
void tactus_enter(void* argument, enter_hook hook, void* target);

/// Goes on where `target` was saved. The caller's stack is left for good.
/// Never returns, which compilers are not told: they take what leads to such a call for cold.
void tactus_leave(void* target);

/// Saves the caller in `*saved` and goes on where `target` was saved. For callers whose saved context nobody can enter yet.
void tactus_switch(void** saved, void* target);

}  // extern "C"

/// Alignment of a stack pointer at a call (System V and AAPCS64 agree).
inline constexpr std::size_t k_stack_alignment = 16;

}  // namespace tactus::detail
