// SPDX-License-Identifier: Apache-2.0
// Numbers of operations of a team, and the keys of its notes (docs/protocols/teams.md, N1, N2, T1).
//
// P members run OPERATIONS operations; which of them need not wait for all is chosen for each, once for all members. One that need
// not is a broadcast from rank 0: 0 sends, the others receive. One that must is a barrier by dissemination. Each member may have AHEAD
// under way (split): it begins so many before it ends the oldest. The network keeps no order. Keys have numbers modulo NUMBERS.
//
// Each of these takes away the line that keeps one invariant.
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

bool waits_for_all[OPERATIONS];
bool chosen = false;

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
    assert(under_way[to * KEYS + key(n, _pid - 1)] == 255 || N2_lost);
    assert(there[to * KEYS + key(n, _pid - 1)] == 255 || N2_lost);
    under_way[to * KEYS + key(n, _pid - 1)] = n
  }
}

inline receive(n, from) {
  k = (_pid - 1) * KEYS + key(n, from);
#ifdef LOOK_THEN_WAIT
  if
  :: atomic { there[k] != 255 -> assert(there[k] == n || N1_lost); there[k] = 255; k = 0 }
  :: there[k] == 255;
     atomic { waiting[k] = true; woken[k] = false };
     woken[k];
     atomic { assert(there[k] == n || N1_lost); there[k] = 255; waiting[k] = false; k = 0 }
  fi
#else
  if
  :: atomic { there[k] != 255 -> assert(there[k] == n || N1_lost); there[k] = 255; k = 0 }
  :: atomic { there[k] == 255 -> waiting[k] = true; woken[k] = false };
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

proctype member(byte rank) {
  byte next = 0;     // number
  byte since = 0;    // operations in a row that need not wait
  byte i = 0;
  byte other;
  short k;
  chosen;
  do
  :: i < OPERATIONS ->
#ifndef NO_BARRIER
     if
     :: !waits_for_all[i] && since == AHEAD ->
        perform(next, true);
        next++;
        since = 0
     :: else
     fi;
#endif
     perform(next, waits_for_all[i]);
     next++;
     if
     :: waits_for_all[i] -> since = 0
     :: else -> since++
     fi;
     i++
  :: else -> break
  od;
  ended++
}

init {
  short i = 0;
  atomic {
    do
    :: i < P * KEYS + 16 -> there[i] = 255; under_way[i] = 255; i++
    :: else -> break
    od;
    run member(0);
    run member(1);
#if P > 2
    run member(2);
#endif
    run network();
    i = 0;
    do
    :: i < OPERATIONS ->
       if
       :: waits_for_all[i] = true
       :: waits_for_all[i] = false
       fi;
       i++
    :: else -> break
    od;
    chosen = true
  }
}
