// SPDX-License-Identifier: Apache-2.0
// Tasks that are registered on two phasers at once, of docs/protocols/phaser.md: each of TASKS tasks has any mode on each of them, or
// none. It calls next (advance_all) or next_single up to PHASES times, goes through its phasers in any order, and may drop any between
// two calls; so one model covers all such programs, but that nobody is brought in later. How a phaser turns is the matter of
// phaser.pml: here a phase has turned when all have signalled it that signal, and a body of next_single has ended, if there were calls.

#ifndef TASKS
#define TASKS 3
#endif
#ifndef PHASES
#define PHASES 2
#endif

// Each of these takes away the line that keeps the invariant.
//   ONE_BY_ONE     next signals one phaser and waits there, then the other      P9
//   SINGLE_FIRST   next_single signals the other phaser after its own wait      P9

#define NEXT 0
#define ONLY 1
#define WAIT 2
#define NONE 3
#define AT(i, p) (2 * (i) + (p))
#define OF(p, k) (PHASES * (p) + (k))
#define MAY_SIGNAL(i, p) (mode[AT(i, p)] <= ONLY)
#define MAY_WAIT(i, p) (mode[AT(i, p)] == NEXT || mode[AT(i, p)] == WAIT)
#define MODES_OF(i) (3 * mode[AT(i, 0)] + mode[AT(i, 1)])
#define HAS_SIGNALLED(i, p, k) (!MAY_SIGNAL(i, p) || sig[AT(i, p)] > (k))
#if TASKS == 2
#define COMPLETE(p, k) (HAS_SIGNALLED(0, p, k) && HAS_SIGNALLED(1, p, k))
#else
#define COMPLETE(p, k) (HAS_SIGNALLED(0, p, k) && HAS_SIGNALLED(1, p, k) && HAS_SIGNALLED(2, p, k))
#endif
#define TURNED(p, k) (COMPLETE(p, k) && called[OF(p, k)] == ran[OF(p, k)])

byte mode[2 * TASKS], sig[2 * TASKS];   // sig: how often it has said next there
bit called[2 * PHASES], chosen[2 * PHASES], ran[2 * PHASES];
byte ended;
hidden byte P9_lost;                    // never set: it names the invariant

inline signal(p) {
  sig[AT(me, p)]++
}

inline wait(p) {
  if
  :: MAY_WAIT(me, p) -> TURNED(p, sig[AT(me, p)] - 1)
  :: else
  fi
}

proctype task(byte me) {
  byte n, first;
  do
  :: n < PHASES ->                                              // next
     n++;
     if :: first = 0 :: first = 1 fi;
     signal(first);
#ifdef ONE_BY_ONE
     wait(first);
#endif
     signal(1 - first);
#ifndef ONE_BY_ONE
     wait(first);
#endif
     wait(1 - first);
     first = 0
  :: n < PHASES && (mode[AT(me, 0)] == NEXT || mode[AT(me, 1)] == NEXT) ->   // next_single
     n++;
     if
     :: mode[AT(me, 0)] == NEXT -> first = 0
     :: mode[AT(me, 1)] == NEXT -> first = 1
     fi;
#ifndef SINGLE_FIRST
     signal(1 - first);
#endif
     d_step { signal(first); called[OF(first, sig[AT(me, first)] - 1)] = 1 };
     if
     :: d_step { COMPLETE(first, n - 1) && !chosen[OF(first, n - 1)] -> chosen[OF(first, n - 1)] = 1 };
        ran[OF(first, n - 1)] = 1
     :: TURNED(first, n - 1)
     fi;
#ifdef SINGLE_FIRST
     signal(1 - first);
#endif
     wait(1 - first);
     first = 0
  :: mode[AT(me, 0)] != NONE -> mode[AT(me, 0)] = NONE          // drop
  :: mode[AT(me, 1)] != NONE -> mode[AT(me, 1)] = NONE
  :: n == PHASES && mode[AT(me, 0)] == NONE && mode[AT(me, 1)] == NONE -> break
  od;
  ended++
}

// No step is left: then all is over, or somebody waits for ever.
proctype watch() { timeout -> assert(ended == TASKS || P9_lost) }

// A task in mode signal_wait is one in signal_wait_next that does not call next_single, and one that is not registered has dropped at
// once; which task has which modes does not matter.
init {
  byte i;
  atomic {
    for (i : 0 .. 2 * TASKS - 1) {
      if :: mode[i] = NEXT :: mode[i] = ONLY :: mode[i] = WAIT fi
    }
    for (i : 0 .. TASKS - 2) {
      if :: MODES_OF(i) <= MODES_OF(i + 1) fi
    }
    i = 0;
    for (i : 0 .. TASKS - 1) { run task(i) }
    run watch()
  }
}
