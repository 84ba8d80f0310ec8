// SPDX-License-Identifier: Apache-2.0
// How the finish over places counts a task that waits at one place and moves to another (docs/protocols/placement.md, M1 and M2).
//
// Place 0 is home and keeps an entry for each place. Places hand in what they counted when nothing of the finish lives there any more; reports of
// one place come in their order. A move is end here and spawn there, in one cut, before the task is sent; the receiver counts a live
// task, and nothing else.
//
// Variants, each of which breaks an invariant:
//   MOVE_UNCOUNTED    M2  nothing is counted
//   MOVE_TWO_CUTS     M1  the end here is handed in apart from the spawn there
//   COUNT_AFTER_SEND  M1  the spawn is counted after the task was sent
//   COUNT_AT_RECEIVER M1  the receiver counts the spawn
#define PLACES 3
#ifndef TASKS
#define TASKS 3
#endif
#ifndef MOVES
#define MOVES 2
#endif

chan parcels[PLACES] = [TASKS + MOVES] of { bit };
chan reports[PLACES] = [6] of { short, short, short };
byte live[PLACES];     // tasks of the finish at a place
byte waiting[PLACES];  // of these, in its ring
short entry[PLACES * PLACES];  // what the first has counted for the second and not handed in
short ledger[PLACES];
byte to_spawn = TASKS, to_move = MOVES;
byte alive = 1;        // ghost
bool released;
hidden byte M1_lost, M2_lost;

#define of(p, q) entry[(p) * PLACES + (q)]

inline cut(p) {
  reports[p] ! of(p, 0), of(p, 1), of(p, 2);
  of(p, 0) = 0; of(p, 1) = 0; of(p, 2) = 0
}

inline cut_if_dead(p) {
  if
  :: live[p] == 0 -> cut(p)
  :: else
  fi
}

inline any_other(q, p) {
  if
  :: q = (p + 1) % PLACES
  :: q = (p + 2) % PLACES
  fi
}

proctype place(byte me) {
  byte to, owed, owed_to;
  do
  :: atomic { live[me] > 0 && to_spawn > 0 -> to_spawn--; alive++; of(me, me)++; live[me]++; waiting[me]++ }
  :: atomic { waiting[me] > 0 -> waiting[me]-- }              // a worker takes it
  :: atomic { waiting[me] < live[me] -> live[me]--; alive--; of(me, me)--; cut_if_dead(me) }  // one that runs ends
  :: atomic { waiting[me] > 0 && to_move > 0 && owed == 0 ->
       to_move--; any_other(to, me); waiting[me]--; live[me]--;
#if defined(MOVE_UNCOUNTED)
       parcels[to] ! 0;
#elif defined(MOVE_TWO_CUTS)
       of(me, me)--; cut_if_dead(me); of(me, to)++; cut(me); parcels[to] ! 0;
#elif defined(COUNT_AFTER_SEND)
       of(me, me)--; parcels[to] ! 0; cut_if_dead(me); owed = 1; owed_to = to;
#elif defined(COUNT_AT_RECEIVER)
       of(me, me)--; parcels[to] ! 1; cut_if_dead(me);
#else
       of(me, me)--; of(me, to)++; cut_if_dead(me); parcels[to] ! 0;
#endif
       to = 0 }
  :: atomic { owed == 1 -> of(me, owed_to)++; owed = 0; owed_to = 0; cut_if_dead(me) }
  :: atomic { parcels[me] ? to -> live[me]++; waiting[me]++;
       if
       :: to == 1 -> of(me, me)++
       :: else
       fi;
       to = 0 }
  od
}

proctype home() {
  short a, b, c;
  do
  :: atomic {
       if
       :: reports[0] ? a, b, c
       :: reports[1] ? a, b, c
       :: reports[2] ? a, b, c
       fi;
       ledger[0] = ledger[0] + a; ledger[1] = ledger[1] + b; ledger[2] = ledger[2] + c;
       a = 0; b = 0; c = 0;
       if
       :: ledger[0] == 0 && ledger[1] == 0 && ledger[2] == 0 -> assert(alive == 0 || M1_lost); released = true
       :: else
       fi }
  od
}

// Nothing can move.
proctype watch() {
end_watch:
  atomic { timeout -> assert(released == (alive == 0) || M2_lost) }
}

init {
  atomic {
    ledger[0] = 1; live[0] = 1;
    run place(0); run place(1); run place(2); run home(); run watch()
  }
}
