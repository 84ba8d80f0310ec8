// SPDX-License-Identifier: Apache-2.0
// The programs that finish.pml runs. fetch(t, pc) gives the operation `op` and its argument `arg` of task t at pc.
// Task 1 runs the root's body. SPAWN t, BEGIN f .. END a finish, GET u and SET u a future, RET the end
// of a task, STOP the end of the program.

#define TASK(t) :: x == t ->
#define OP(k, o, a) :: y == k -> op = o; arg = a

#if PROGRAM == 1
// finish { async S; finish { async X; finish { async A } } }: A waits for a future that S sets, so it is resumed by
// another worker while X waits in a deque; the three bodies are continuations that a thief may take.
#define M_CODE OP(0, BEGIN, 1) OP(1, SPAWN, 2) OP(2, BEGIN, 2) OP(3, SPAWN, 3) OP(4, BEGIN, 3) OP(5, SPAWN, 4) \
               OP(6, END, 0) OP(7, END, 0) OP(8, END, 0) OP(9, STOP, 0)
#define T2_CODE OP(0, SET, 0) OP(1, RET, 0)
#define T3_CODE OP(0, RET, 0)
#define T4_CODE OP(0, GET, 0) OP(1, RET, 0)
#elif PROGRAM == 2
// Escaping tasks: finish { async B { async D } ; async C { finish { async E { async G } } } }
#define M_CODE OP(0, BEGIN, 1) OP(1, SPAWN, 2) OP(2, SPAWN, 3) OP(3, END, 0) OP(4, STOP, 0)
#define T2_CODE OP(0, SPAWN, 4) OP(1, RET, 0)
#define T3_CODE OP(0, BEGIN, 2) OP(1, SPAWN, 5) OP(2, END, 0) OP(3, RET, 0)
#define T4_CODE OP(0, RET, 0)
#define T5_CODE OP(0, SPAWN, 6) OP(1, RET, 0)
#define T6_CODE OP(0, RET, 0)
#elif PROGRAM == 3
// A body that waits inside its finish, and a second finish after it:
// finish { async A { async B { set u } } ; get u } finish { async C }, all inside the root finish
#define M_CODE OP(0, BEGIN, 1) OP(1, BEGIN, 2) OP(2, SPAWN, 2) OP(3, GET, 0) OP(4, END, 0) OP(5, BEGIN, 3) \
               OP(6, SPAWN, 4) OP(7, END, 0) OP(8, END, 0) OP(9, STOP, 0)
#define T2_CODE OP(0, SPAWN, 3) OP(1, RET, 0)
#define T3_CODE OP(0, SET, 0) OP(1, RET, 0)
#define T4_CODE OP(0, RET, 0)
#elif PROGRAM == 4
// Tasks of two finishes that wait for each other's futures, both ways round, with a spawn after the wait:
// finish { async S { get u0; async Y; set u1 } ; finish { async A { set u0; get u1; async B } } }
#define M_CODE OP(0, BEGIN, 1) OP(1, SPAWN, 2) OP(2, BEGIN, 2) OP(3, SPAWN, 3) OP(4, END, 0) OP(5, END, 0) OP(6, STOP, 0)
#define T2_CODE OP(0, GET, 0) OP(1, SPAWN, 4) OP(2, SET, 1) OP(3, RET, 0)
#define T3_CODE OP(0, SET, 0) OP(1, GET, 1) OP(2, SPAWN, 5) OP(3, RET, 0)
#define T4_CODE OP(0, RET, 0)
#define T5_CODE OP(0, RET, 0)
#else
#error "no such PROGRAM"
#endif

#ifndef T5_CODE
#define T5_CODE OP(0, RET, 0)
#endif
#ifndef T6_CODE
#define T6_CODE OP(0, RET, 0)
#endif

inline fetch(x, y) {
  if
  TASK(1) if M_CODE fi
  TASK(2) if T2_CODE fi
  TASK(3) if T3_CODE fi
  TASK(4) if T4_CODE fi
  TASK(5) if T5_CODE fi
  TASK(6) if T6_CODE fi
  fi
}
