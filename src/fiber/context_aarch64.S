// SPDX-License-Identifier: Apache-2.0
// The context moves for AArch64, AAPCS64. Meaning: tactus/fiber/impl/context.hpp.
//
// Saved frame, from the saved stack pointer upwards: x29 x30, x19 to x28, d8 to d15, 160 bytes. The return address is x30.

#if defined(__aarch64__) && !(defined(TACTUS_PORTABLE_CONTEXT) && TACTUS_PORTABLE_CONTEXT)

#define FRAME 160

        .text

.macro save_frame
        sub     sp, sp, #FRAME
        .cfi_adjust_cfa_offset FRAME
        stp     x29, x30, [sp, #0]
        .cfi_rel_offset x29, 0
        .cfi_rel_offset x30, 8
        stp     x19, x20, [sp, #16]
        .cfi_rel_offset x19, 16
        .cfi_rel_offset x20, 24
        stp     x21, x22, [sp, #32]
        .cfi_rel_offset x21, 32
        .cfi_rel_offset x22, 40
        stp     x23, x24, [sp, #48]
        .cfi_rel_offset x23, 48
        .cfi_rel_offset x24, 56
        stp     x25, x26, [sp, #64]
        .cfi_rel_offset x25, 64
        .cfi_rel_offset x26, 72
        stp     x27, x28, [sp, #80]
        .cfi_rel_offset x27, 80
        .cfi_rel_offset x28, 88
        stp     d8, d9, [sp, #96]
        .cfi_rel_offset d8, 96
        .cfi_rel_offset d9, 104
        stp     d10, d11, [sp, #112]
        .cfi_rel_offset d10, 112
        .cfi_rel_offset d11, 120
        stp     d12, d13, [sp, #128]
        .cfi_rel_offset d12, 128
        .cfi_rel_offset d13, 136
        stp     d14, d15, [sp, #144]
        .cfi_rel_offset d14, 144
        .cfi_rel_offset d15, 152
.endm

.macro forget_saved
        .cfi_restore x29
        .cfi_restore x30
        .cfi_restore x19
        .cfi_restore x20
        .cfi_restore x21
        .cfi_restore x22
        .cfi_restore x23
        .cfi_restore x24
        .cfi_restore x25
        .cfi_restore x26
        .cfi_restore x27
        .cfi_restore x28
        .cfi_restore d8
        .cfi_restore d9
        .cfi_restore d10
        .cfi_restore d11
        .cfi_restore d12
        .cfi_restore d13
        .cfi_restore d14
        .cfi_restore d15
        .cfi_adjust_cfa_offset -FRAME
.endm

.macro load_frame
        ldp     x19, x20, [sp, #16]
        ldp     x21, x22, [sp, #32]
        ldp     x23, x24, [sp, #48]
        ldp     x25, x26, [sp, #64]
        ldp     x27, x28, [sp, #80]
        ldp     d8, d9, [sp, #96]
        ldp     d10, d11, [sp, #112]
        ldp     d12, d13, [sp, #128]
        ldp     d14, d15, [sp, #144]
        ldp     x29, x30, [sp, #0]
        add     sp, sp, #FRAME
        forget_saved
.endm

// void tactus_call(void* argument /*x0*/, call_entry entry /*x1*/, void* top /*x2*/)
        .globl  tactus_call
        .type   tactus_call, %function
        .p2align 5
tactus_call:
        .cfi_startproc
        save_frame
        mov     x3, x1
        mov     x1, sp                  // entry's second argument: the saved context
        mov     sp, x2                  // now on the other stack, which is empty: an unwinder stops here
        .cfi_remember_state
        .cfi_undefined x30
        blr     x3                      // call and ret pair up, so the return predictor stays right
        mov     sp, x0                  // back on our caller's stack
        .cfi_restore_state
        ldr     x30, [sp, #8]           // the others hold what the caller had: entry kept them (ABI)
        add     sp, sp, #FRAME
        forget_saved
        ret
        .cfi_endproc
        .size   tactus_call, .-tactus_call

// void tactus_enter(void* argument /*x0*/, enter_hook hook /*x1*/, void* target /*x2*/)
        .globl  tactus_enter
        .type   tactus_enter, %function
        .p2align 5
tactus_enter:
        .cfi_startproc
        save_frame
        mov     x3, x1
        mov     x1, sp                  // hook's second argument: the context that leaves
        mov     sp, x2                  // the target's saved frame: the same layout, so the unwind rules above still hold
        blr     x3
        load_frame
        ret
        .cfi_endproc
        .size   tactus_enter, .-tactus_enter

// void tactus_leave(void* target /*x0*/)
        .globl  tactus_leave
        .type   tactus_leave, %function
        .p2align 5
tactus_leave:
        .cfi_startproc
        mov     sp, x0                  // the target's saved frame
        .cfi_def_cfa sp, FRAME
        .cfi_offset x29, -160
        .cfi_offset x30, -152
        .cfi_offset x19, -144
        .cfi_offset x20, -136
        .cfi_offset x21, -128
        .cfi_offset x22, -120
        .cfi_offset x23, -112
        .cfi_offset x24, -104
        .cfi_offset x25, -96
        .cfi_offset x26, -88
        .cfi_offset x27, -80
        .cfi_offset x28, -72
        .cfi_offset d8, -64
        .cfi_offset d9, -56
        .cfi_offset d10, -48
        .cfi_offset d11, -40
        .cfi_offset d12, -32
        .cfi_offset d13, -24
        .cfi_offset d14, -16
        .cfi_offset d15, -8
        load_frame
        br      x30                     // not a return: what the processor keeps of calls is of the stack that is left
        .cfi_endproc
        .size   tactus_leave, .-tactus_leave

// void tactus_switch(void** saved /*x0*/, void* target /*x1*/)
        .globl  tactus_switch
        .type   tactus_switch, %function
        .p2align 5
tactus_switch:
        .cfi_startproc
        save_frame
        mov     x2, sp
        str     x2, [x0]
        mov     sp, x1                  // the same layout, so the unwind rules above still hold
        load_frame
        ret                             // predicted right where both were saved by the same call
        .cfi_endproc
        .size   tactus_switch, .-tactus_switch

// Stands for what a switch changes: scheduler/impl/worker.hpp.
        .data
        .globl  tactus_switches
        .type   tactus_switches, %object
        .size   tactus_switches, 4
        .p2align 2
tactus_switches:
        .word   0

#endif
        .section .note.GNU-stack,"",%progbits
