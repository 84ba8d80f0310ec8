// SPDX-License-Identifier: Apache-2.0
// The finish protocol of docs/protocols/finish.md, run by WORKERS workers on one small program (PROGRAM, in
// programs.pml). Every spawn chooses work_first or help_first freely, so each program covers all mixtures of policies.
//
// One Promela step holds at most one access to memory that other workers also access: the word of a finish, a deque, the
// list of a future. What only the running worker touches (balances, held_, the continuation it runs) is joined to the next such
// access. A deque operation is one step here; its own races are the matter of models/deque.
//
// Ghost variables (ghost, heldby, alive, ancestors) see everything at once; no step of the protocol depends on them.
// The checker proves: all assertions, and that the only state without a further step is the one in which the program is
// complete (an invalid end state is a hang). Without -DLTL the graph of steps has no cycle, so "no hang" is "it ends".

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef PROGRAM
#define PROGRAM 1
#endif

// Each of these takes away the line that keeps one invariant.
//   NO_ENTER            hold() does not count the holder                                      F1 F3
//   TWO_WORDS           flush_all() changes sum and holders as two words                      F2 F4
//   HOLDER_STAYS        flush_all() leaves holders as it is                                   F5 (hang)
//   NO_DRY_FLUSH        a worker without work keeps what it holds                             F5 (hang)
//   NO_TURN_FLUSH       hold() forgets the finish it turns away from                          F5
//   ONE_LEVEL_FLUSH     flush_all() gives back the innermost finish only                      F5 (hang)
//   PARENT_AFTER        flush_all() reads parent_ after its last operation on the word        F4
//   SUM_ONLY            end_of_body() looks at the sum and not at the holders                 F2
//   HOLDERS_ONLY        end_of_body() looks at the holders and not at the sum                 F2
//   PARKED_UNCOUNTED    a parked continuation is no outstanding work (figure 10 and suspension)     F1
//   COUNTED_BY_PARENT   work_first: whoever goes on with the parent counts the child          F1 F2
//   WAITER_LATE         park_body() sets waiter_ after the token was given back               F6
//   NO_HOLD_OWN         an entry of the worker's own deque is run without hold()              R
//   NO_HOLD_PARENT      completing a finish held by slot_ does not enter the parent           R

#define NONE 0
#define FINISHES 5   /* finish ids are 1..FINISHES-1 */
#define TASKS 7      /* task ids are 1..TASKS-1; task 1 runs the body of the root finish */
#define SLOTS 6      /* room of a deque and of the list of a future */
#define ROOT 1

typedef Finish {
  byte parent;     // parent_
  short sum;       // word_.sum
  byte holders;    // word_.holders
  short home;      // local_: balance of the home worker
  byte waiter;     // waiter_: the parked continuation of the body
  // ghost
  byte ghost;      // tokens: the body and every task of this finish that has not ended
  byte ancestors;  // set of this finish and those around it
  byte heldby;     // set of workers that hold it
  bit alive;       // its frame exists
};
Finish F[FINISHES];

typedef Worker {
  byte held;           // held_
  byte slot;           // slot_
  short slot_balance;  // slot_balance_
  byte dq[SLOTS];      // own deque; [0] is the thieves' end
  byte n;
};
Worker W[WORKERS];

typedef Task {
  byte fin;      // innermost enclosing finish of the continuation
  byte pc;
  byte below;    // continuation whose stack this task runs on (end_of_body() ran it inline)
  byte frees;    // finish whose frame ends when this continuation goes on
  bit started;   // a started task in a deque is a continuation
  bit owes;      // COUNTED_BY_PARENT only
};
Task T[TASKS];

typedef Future { bit ready; byte list[SLOTS]; byte n };
Future U[2];

bit done;
hidden byte F1_lost, F2_lost, F3_lost, F4_lost, F5_lost, F6_lost, R_lost;  // never set: they name the invariant

#define SPAWN 1
#define BEGIN 2
#define END   3
#define GET   4
#define SET   5
#define RET   6
#define STOP  7
#include "programs.pml"

#define BIT(x) (1 << (x))
#define AT_SLOT (W[w].slot != NONE && W[w].held == W[w].slot)
#define BALANCE (AT_SLOT -> W[w].slot_balance : F[W[w].held].home)

inline touch(x) { assert(F[x].alive || F4_lost) }

inline add_balance(d) {
  if
  :: AT_SLOT -> W[w].slot_balance = W[w].slot_balance + (d)
  :: else -> touch(W[w].held); F[W[w].held].home = F[W[w].held].home + (d)
  fi
}

inline push(x) {
  assert(W[w].n < SLOTS);
  W[w].dq[W[w].n] = x;
  W[w].n++
}

inline pop_to(x) {
  W[w].n--;
  x = W[w].dq[W[w].n];
  W[w].dq[W[w].n] = 0
}

// The continuation of a body goes on: the frame of its finish ends here, at the earliest moment the code could end it.
inline goes_on(x) {
  if
  :: T[x].frees != NONE -> F[T[x].frees].alive = 0; T[x].frees = NONE
  :: else
  fi
}

inline steal_from(v) {
  d_step {
    e = W[v].dq[0];
    i = 0;
    do
    :: i + 1 < W[v].n -> W[v].dq[i] = W[v].dq[i + 1]; i++
    :: else -> break
    od;
    W[v].n--;
    W[v].dq[W[v].n] = 0;
    i = 0;
    goes_on(e)
  }
}

// F1, and the count of holders itself. Called inside the step that changes the word.
inline check_word(x) {
  assert(F[x].holders != 0 || F[x].sum == F[x].ghost || F1_lost)
}

inline complete(x) {
  // complete(): the word is {0,0}; the frame lasts until the continuation goes on
  d_step {
    touch(x);
    assert(F[x].ghost == 0 || F2_lost);   // never early
    assert(F[x].heldby == 0 || F2_lost);
    assert(F[x].waiter != NONE || F6_lost);
    T[F[x].waiter].frees = x;
    T[F[x].waiter].fin = F[x].parent;
    push(F[x].waiter);
    F[x].waiter = NONE                    // a second completion fails here (F2)
  }
}

inline flush_all() {
  do
  :: W[w].held == NONE -> break
  :: else ->
     d_step {
       f = W[w].held;
       touch(f);
#ifdef PARENT_AFTER
       p = (f == W[w].slot)
#else
       p = (f == W[w].slot -> NONE : F[f].parent)       // flush_all(): parent_ is read first (F4)
#endif
     }
#ifdef TWO_WORDS
     d_step { touch(f); F[f].sum = F[f].sum + BALANCE };
#endif
     d_step {                                           // flush_all(): word_.fetch_add, acq_rel
       touch(f);
#ifndef TWO_WORDS
       F[f].sum = F[f].sum + BALANCE;
#endif
#if defined(NO_ENTER)
       if
       :: f != W[w].slot -> F[f].holders--
       :: else
       fi;
#elif !defined(HOLDER_STAYS)
       F[f].holders--;
#endif
       F[f].heldby = F[f].heldby & (255 - BIT(w));
#ifdef TWO_WORDS
       h = (F[f].holders == 0);
#else
       last = (F[f].sum == 0 && F[f].holders == 0);
#endif
       check_word(f);
       F[f].home = (f == W[w].slot -> F[f].home : 0);  // dead from here on; cleared to join states
       if
       :: f == W[w].slot -> W[w].slot = NONE; W[w].slot_balance = 0
       :: else
       fi;
#ifndef PARENT_AFTER
#ifdef ONE_LEVEL_FLUSH
       p = NONE;
#endif
       W[w].held = p;
       p = 0
#endif
     };
#ifdef PARENT_AFTER
     d_step {
       if
       :: p -> W[w].held = NONE
       :: else -> touch(f); W[w].held = F[f].parent
       fi;
       p = 0
     };
#endif
#ifdef TWO_WORDS
     d_step { if :: h -> touch(f); last = (F[f].sum == 0); h = 0 :: else fi };
#endif
     if
     :: last -> complete(f); last = 0
     :: else
     fi;
     f = 0
  od
}

// hold(w, x) before the worker runs code whose innermost finish is x
inline hold(x) {
  if
  :: W[w].held == (x) -> skip
  :: else ->
#ifdef NO_TURN_FLUSH
     d_step { W[w].held = NONE; W[w].slot = NONE; W[w].slot_balance = 0 }
#else
     flush_all();
#endif
     if
     :: (x) == NONE -> skip                             // the root's continuation after the root finish
     :: else ->
        d_step {                                        // hold(): word_.fetch_add{0, +1}
          touch(x);
          assert(F[x].ghost > 0 || F3_lost);
#ifndef NO_ENTER
          F[x].holders++;
#endif
          F[x].heldby = F[x].heldby | BIT(w);
          W[w].held = (x);
          W[w].slot = (x);
          W[w].slot_balance = 0
        }
     fi
  fi
}

// F5: what this worker holds is the finish it runs and those around it, nothing else.
inline check_holds() {
  d_step {
    assert(W[w].held == T[cur].fin || R_lost);
    i = 1;
    do
    :: i < FINISHES ->
       assert(!(F[i].heldby & BIT(w)) || (T[cur].fin != NONE && (F[T[cur].fin].ancestors & BIT(i))) || F5_lost);
       i++
    :: else -> break
    od;
    i = 0
  }
}

inline check_idle() {
  d_step {
    i = 1;
    do
    :: i < FINISHES -> assert(!(F[i].heldby & BIT(w)) || F5_lost); i++
    :: else -> break
    od;
    i = 0
  }
}

proctype worker(byte w) {
  byte cur;    // continuation that runs on this worker
  byte e;      // entry in hand
  byte f, p, i, op, arg;
  short s;
  byte h;
  bit last;

loop:
  cur = NONE;
  if
  :: atomic { W[w].n > 0 -> pop_to(e); goes_on(e) };
#ifdef NO_HOLD_OWN
     if
     :: W[w].held == NONE -> hold(T[e].fin)
     :: else
     fi;
     goto start
#else
     goto enter
#endif
  :: atomic { W[w].n == 0 -> skip };
#ifndef NO_DRY_FLUSH
     if
     :: W[w].held != NONE -> flush_all(); goto loop     // a completed finish may have made its continuation ready
     :: else
     fi;
     check_idle();                                      // F5
#endif
     if
     :: atomic { W[0].n > 0 && w != 0 -> steal_from(0) }
     :: atomic { W[1].n > 0 && w != 1 -> steal_from(1) }
#if WORKERS > 2
     :: atomic { W[2].n > 0 && w != 2 -> steal_from(2) }
#endif
     :: atomic { done -> goto finished }
     fi
  fi;

enter:
  hold(T[e].fin);
start: skip;
  d_step { cur = e; e = NONE; T[cur].started = 1 };

go_on: skip;
  check_holds();
  d_step {
    fetch(cur, T[cur].pc);
    T[cur].pc++
  };
  if
  :: op == SPAWN ->
     d_step {
       T[arg].fin = T[cur].fin;
       F[T[cur].fin].ghost++;
#ifndef COUNTED_BY_PARENT
       add_balance(1)                                   // spawn(): counted before anything is visible
#endif
     };
     if
     :: d_step { push(arg); arg = 0; op = 0 };          // help_first: push the child
#ifdef COUNTED_BY_PARENT
        add_balance(1);
#endif
     :: d_step {                                        // work_first: push the continuation, run the child
          push(cur);
#ifdef COUNTED_BY_PARENT
          T[cur].owes = 1;
#endif
          cur = arg; T[cur].started = 1; arg = 0; op = 0 }
     fi;
     goto go_on

  :: op == BEGIN ->
     d_step {                                           // finish_scope(): made by the worker that runs the body
       assert(!F[arg].alive);
       F[arg].alive = 1;
       F[arg].parent = T[cur].fin;
       F[arg].ancestors = BIT(arg) | (T[cur].fin == NONE -> 0 : F[T[cur].fin].ancestors);
       F[arg].sum = 1;
       F[arg].holders = 1;
       F[arg].home = 0;
       F[arg].ghost = 1;
       F[arg].heldby = BIT(w);
       W[w].held = arg;
       T[cur].fin = arg;
       arg = 0; op = 0
     };
     goto go_on

  :: op == END -> goto end_of_body

  :: op == GET ->
#ifdef PARKED_UNCOUNTED
     d_step {
       if
       :: !U[arg].ready -> add_balance(-1)
       :: else
       fi };
#endif
     if
     :: d_step { U[arg].ready -> arg = 0; op = 0 }; goto go_on
     :: d_step { !U[arg].ready ->                       // suspend(): on another stack, commit the continuation to the list
          U[arg].list[U[arg].n] = cur; U[arg].n++; cur = NONE; arg = 0; op = 0 }; goto loop
     fi

  :: op == SET ->
     d_step {                                           // set_value(): exchange, then each waiter is made ready
       U[arg].ready = 1;
       i = 0;
       do
       :: i < U[arg].n -> push(U[arg].list[i]); U[arg].list[i] = 0; i++
       :: else -> break
       od;
       U[arg].n = 0; i = 0; arg = 0; op = 0
     };
     goto go_on

  :: op == RET ->
     d_step {                                           // end_of_task()
       op = 0;
       F[T[cur].fin].ghost--;
       add_balance(-1);
       cur = T[cur].below
     };
     if
     :: cur != NONE -> goto end_of_body                 // it ran on the stack of a body
     :: else -> goto loop
     fi

  :: op == STOP -> d_step { op = 0; done = 1 }; goto loop
  fi;

end_of_body: skip;
  d_step { op = 0; assert(W[w].held == T[cur].fin || R_lost); f = T[cur].fin };
  d_step { touch(f); s = F[f].sum; h = F[f].holders };  // end_of_body(): word_.load, acquire
  if
#if defined(SUM_ONLY)
  :: s + BALANCE == 1 ->
#elif defined(HOLDERS_ONLY)
  :: h == 1 ->
#else
  :: h == 1 && s + BALANCE == 1 ->
#endif
     d_step {                                           // complete without atomics
       s = 0; h = 0;
       touch(f);
       assert(F[f].ghost == 1 || F2_lost);              // never early: only the body's own token is left
       F[f].ghost = 0;
       F[f].heldby = F[f].heldby & (255 - BIT(w));
       assert(F[f].heldby == 0 || F2_lost);
       F[f].alive = 0;
       T[cur].fin = F[f].parent;
       if
       :: W[w].slot == f -> W[w].slot = NONE; W[w].slot_balance = 0; W[w].held = NONE
       :: else -> W[w].held = F[f].parent
       fi;
       f = 0
     };
#ifndef NO_HOLD_PARENT
     hold(T[cur].fin);
#endif
     goto go_on
  :: else ->
     d_step { s = 0; h = 0; f = 0 };
     if
     :: atomic { W[w].n > 0 -> pop_to(e) };
        if
        :: T[e].fin == T[cur].fin && !T[e].started ->   // a queued task of this finish: run it on this stack
           d_step { T[e].below = cur; cur = e; e = NONE; T[cur].started = 1 };
           goto go_on
        :: else -> d_step { push(e); e = NONE }          // an entry of something else goes back
        fi
     :: atomic { W[w].n == 0 -> skip }
     fi
  fi;

#ifndef LTL  // which would want the choice to be fair
  if
  :: goto end_of_body                                   // completes_in_place(): the body looks again
  :: skip
  fi;
#endif

  // park_body(): already on another stack
  d_step {
    f = T[cur].fin;
    touch(f);
#ifndef WAITER_LATE
    F[f].waiter = cur;
#endif
    F[f].ghost--;
    add_balance(-1);                                    // the body's token
#ifndef WAITER_LATE
    cur = NONE; f = NONE
#endif
  };
#ifdef WAITER_LATE
  flush_all();
  skip;
  d_step { F[T[cur].fin].waiter = cur; cur = NONE }
#endif
  goto loop;

finished:
  skip
}

init {
  atomic {
    d_step {
      T[1].started = 0;
      W[0].dq[0] = 1;                                   // the root task; it begins the root finish itself
      W[0].n = 1
    };
    byte k = 0;
    do
    :: k < WORKERS -> run worker(k); k++
    :: else -> break
    od
  }
}

#ifdef LTL
ltl ends { <> done }
#endif
