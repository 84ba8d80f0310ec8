# SPDX-License-Identifier: Apache-2.0
# The context moves for x86-64, System V ABI. Meaning: tactus/fiber/impl/context.hpp.
#
# Saved frame, from the saved stack pointer upwards: r15 r14 r13 r12 rbx rbp, return address. 48 bytes of registers leave
# the stack pointer 8 off 16-byte alignment, so a hook that is called on top of a frame needs 8 bytes of padding.

#if defined(__x86_64__) && !(defined(TACTUS_PORTABLE_CONTEXT) && TACTUS_PORTABLE_CONTEXT)

        .text

# void tactus_call(void* argument /*rdi*/, call_entry entry /*rsi*/, void* top /*rdx*/)
        .globl  tactus_call
        .type   tactus_call, @function
        .p2align 5
tactus_call:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r15, 0
        movq    %rsi, %rax
        movq    %rsp, %rsi              # entry's second argument: the saved context
        movq    %rdx, %rsp              # now on the other stack, which is empty: an unwinder stops here
        .cfi_remember_state
        .cfi_undefined rip
        callq   *%rax                   # call and ret pair up, so the return predictor stays right
        movq    %rax, %rsp              # back on our caller's stack
        .cfi_restore_state
        addq    $48, %rsp               # registers hold what the caller had: entry kept them (ABI)
        .cfi_adjust_cfa_offset -48
        .cfi_restore rbp
        .cfi_restore rbx
        .cfi_restore r12
        .cfi_restore r13
        .cfi_restore r14
        .cfi_restore r15
        retq
        .cfi_endproc
        .size   tactus_call, .-tactus_call

# void tactus_enter(void* argument /*rdi*/, enter_hook hook /*rsi*/, void* target /*rdx*/)
        .globl  tactus_enter
        .type   tactus_enter, @function
        .p2align 5
tactus_enter:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r15, 0
        movq    %rsi, %rax
        movq    %rsp, %rsi              # hook's second argument: the context that leaves
        movq    %rdx, %rsp              # the target's saved frame: the same layout, so the unwind rules above still hold
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        callq   *%rax
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        popq    %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore r15
        popq    %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore r14
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore r13
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore r12
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        retq
        .cfi_endproc
        .size   tactus_enter, .-tactus_enter

# void tactus_leave(void* target /*rdi*/)
        .globl  tactus_leave
        .type   tactus_leave, @function
        .p2align 5
tactus_leave:
        .cfi_startproc
        movq    %rdi, %rsp              # the target's saved frame
        .cfi_def_cfa rsp, 56
        .cfi_offset rip, -8
        .cfi_offset rbp, -16
        .cfi_offset rbx, -24
        .cfi_offset r12, -32
        .cfi_offset r13, -40
        .cfi_offset r14, -48
        .cfi_offset r15, -56
        popq    %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore r15
        popq    %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore r14
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore r13
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore r12
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        popq    %rcx
        .cfi_adjust_cfa_offset -8
        .cfi_register rip, rcx
        jmpq    *%rcx                   # not a return: what the processor keeps of calls is of the stack that is left
        .cfi_endproc
        .size   tactus_leave, .-tactus_leave

# void tactus_switch(void** saved /*rdi*/, void* target /*rsi*/)
        .globl  tactus_switch
        .type   tactus_switch, @function
        .p2align 5
tactus_switch:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        pushq   %rbx
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbx, 0
        pushq   %r12
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r12, 0
        pushq   %r13
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r13, 0
        pushq   %r14
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r14, 0
        pushq   %r15
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset r15, 0
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp              # the same layout, so the unwind rules above still hold
        popq    %r15
        .cfi_adjust_cfa_offset -8
        .cfi_restore r15
        popq    %r14
        .cfi_adjust_cfa_offset -8
        .cfi_restore r14
        popq    %r13
        .cfi_adjust_cfa_offset -8
        .cfi_restore r13
        popq    %r12
        .cfi_adjust_cfa_offset -8
        .cfi_restore r12
        popq    %rbx
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbx
        popq    %rbp
        .cfi_adjust_cfa_offset -8
        .cfi_restore rbp
        retq                            # predicted right where both were saved by the same call
        .cfi_endproc
        .size   tactus_switch, .-tactus_switch

# Stands for what a switch changes: scheduler/impl/worker.hpp.
        .data
        .globl  tactus_switches
        .type   tactus_switches, @object
        .size   tactus_switches, 4
        .p2align 2
tactus_switches:
        .long   0

#endif
        .section .note.GNU-stack,"",@progbits
