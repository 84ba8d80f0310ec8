// SPDX-License-Identifier: Apache-2.0
// Numbers of operations of a team, and the keys of its notes (docs/protocols/teams.md, N1, N2, T1).
//
// P members run OPERATIONS operations; which of them need not wait for all is chosen for each, once for all members. One that need
// not is a broadcast from rank 0: 0 sends, the others receive. One that must is a barrier by dissemination. Of two members the first
// operation or the second is split: a task of its own runs it while its member goes on. A member begins an operation when all that are
// SPAN numbers before it have ended there, and after AHEAD in a row that need not wait it begins a barrier first. The network keeps no
// order. Keys have numbers modulo NUMBERS.
//
// Each of these takes away the line that keeps one invariant.
//   NO_SPAN         waits for no operation that has begun SPAN numbers ago                        N2
//   NO_BARRIER      leaves out the barrier after AHEAD operations in a row that need not wait     N2
//   FEW_NUMBERS     has too few numbers                                                           N2
//   NO_SENDER       leaves the sender out of the key                                              N2
//   LOOK_THEN_WAIT  looks into the table and enters it as a waiter in two steps                   N1 (hang)

#ifndef P
#define P 3
#endif
#ifndef OPERATIONS
#define OPERATIONS 6
#endif
#define AHEAD 1
#define SPAN 2
#ifdef FEW_NUMBERS
#define NUMBERS 2
#else
#define NUMBERS 4
#endif
#ifdef NO_SENDER
#define KEYS NUMBERS
#define key(n, sender) ((n) % NUMBERS)
#else
#define KEYS (NUMBERS * P)
#define key(n, sender) (((n) % NUMBERS) * P + (sender))
#endif

// Of each operation, while some member has not begun it yet: 0 not chosen, 1 need not wait for all, 2 must.
byte kind[OPERATIONS];
byte begun[OPERATIONS];
byte split = OPERATIONS;  // which one it is

// At each member: the number of what the other task runs; 255: nothing.
byte aside[P] = 255;
bool aside_is_all[P];

// At each member: what lies there under a key, as the number of its operation; 255: nothing. And who waits.
byte there[P * KEYS + 16];
bool waiting[P * KEYS + 16];
bool woken[P * KEYS + 16];

// The network: notes under way, one for each key and member at most (N2). Some more entries than there are keys.
byte under_way[P * KEYS + 16];

byte ended = 0;
hidden byte N1_lost, N2_lost;  // never set: they name the invariant where an assertion fails

inline send(to, n) {
  atomic {
    assert(under_way[to * KEYS + key(n, rank)] == 255 || N2_lost);
    assert(there[to * KEYS + key(n, rank)] == 255 || N2_lost);
    under_way[to * KEYS + key(n, rank)] = n
  }
}

inline receive(n, from) {
  k = rank * KEYS + key(n, from);
#ifdef LOOK_THEN_WAIT
  if
  :: atomic { there[k] != 255 -> assert(!waiting[k] || N2_lost); assert(there[k] == n || N1_lost); there[k] = 255; k = 0 }
  :: there[k] == 255;
     atomic { assert(!waiting[k] || N2_lost); waiting[k] = true; woken[k] = false };
     woken[k];
     atomic { assert(there[k] == n || N1_lost); there[k] = 255; waiting[k] = false; k = 0 }
  fi
#else
  if
  :: atomic { there[k] != 255 -> assert(!waiting[k] || N2_lost); assert(there[k] == n || N1_lost); there[k] = 255; k = 0 }
  :: atomic { there[k] == 255 -> assert(!waiting[k] || N2_lost); waiting[k] = true; woken[k] = false };
     woken[k];
     atomic { assert(there[k] == n || N1_lost); there[k] = 255; waiting[k] = false; k = 0 }
  fi
#endif
}

#define D(x) \
  :: atomic { under_way[x] != 255 -> \
       assert(there[x] == 255 || N2_lost); \
       there[x] = under_way[x]; \
       under_way[x] = 255; \
       if \
       :: waiting[x] -> woken[x] = true \
       :: else \
       fi }
#define D4(x) D(x) D(x + 1) D(x + 2) D(x + 3)
#define D16(x) D4(x) D4(x + 4) D4(x + 8) D4(x + 12)

proctype network() {
end:
  do
  D16(0)
#if P * KEYS > 16
  D16(16)
#endif
#if P * KEYS > 32
  D16(32)
#endif
  od
}

// One operation, from its number on.
inline perform(n, all) {
  if
  :: all ->
     send((rank + 1) % P, n);
     receive(n, (rank + P - 1) % P);
#if P > 2
     send((rank + 2) % P, n);
     receive(n, (rank + P - 2) % P);
#endif
  :: else ->
     if
     :: rank == 0 ->
        other = 1;
        do
        :: other < P -> send(other, n); other++
        :: else -> break
        od
     :: else -> receive(n, 0)
     fi
  fi
}

// Of a split operation.
proctype other_task(byte rank) {
  byte other;
  byte n;
  short k;
end:
  do
  :: atomic { aside[rank] != 255 -> n = aside[rank] };
     perform(n, aside_is_all[rank]);
     atomic { aside[rank] = 255; n = 0; other = 0 }
  od
}

proctype member(byte rank) {
  byte next = 0;     // number
  byte since = 0;    // operations in a row that need not wait
  byte i = 0;
  byte other;
  bool all;
  short k;
  do
  :: i < OPERATIONS ->
     atomic {
       if
       :: kind[i] == 0 -> kind[i] = 1
       :: kind[i] == 0 -> kind[i] = 2
       :: else
       fi;
       all = kind[i] == 2;
       begun[i]++;
       if
       :: begun[i] == P -> kind[i] = 0
       :: else
       fi
     };
#ifndef NO_SPAN
     (aside[rank] == 255 || next - aside[rank] < SPAN);
#endif
#ifndef NO_BARRIER
     if
     :: !all && since == AHEAD ->
        perform(next, true);
        next++;
        since = 0
     :: else
     fi;
#endif
     if
     :: i == split -> atomic { aside_is_all[rank] = all; aside[rank] = next }
     :: else -> perform(next, all)
     fi;
     atomic {
       next++;
       if
       :: all -> since = 0
       :: else -> since++
       fi;
       i++;
       other = 0
     }
  :: else -> break
  od;
  (aside[rank] == 255);
  ended++
}

init {
  short i = 0;
  atomic {
    do
    :: i < P * KEYS + 16 -> there[i] = 255; under_way[i] = 255; i++
    :: else -> break
    od;
    i = 0;
#if P == 2
    if
    :: split = 0
    :: split = 1
    fi;
#endif
    run member(0);
    run member(1);
    run other_task(0);
    run other_task(1);
#if P > 2
    run member(2);
    run other_task(2);
#endif
    run network()
  }
}
