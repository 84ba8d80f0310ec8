// SPDX-License-Identifier: Apache-2.0
// Places that ask each other for flexible tasks by lifelines (docs/protocols/placement.md, rules a to h; L1, L2, L3).
//
// PLACES places in a line, which is the worst case for relays, or with RING in a ring; each has one worker. Whoever looks for messages handles
// them while the worker runs, too. A task may have no end: so "never" shows as a state in which nothing moves. Questions at random are left
// out: who is refused is as if he had not asked. With TWO_STEP a decision is made on what was seen, and carried out later. With LATE each
// place enters the run when it likes, and may be asked before: places of several processes.
//
// Variants, each of which breaks an invariant:
//   NO_RELAY             L1  a busy place does not ask on behalf of those that wait at it
//   PUSH_AT_SPAWN_ONLY   L1  who waits is served at spawns, as in the paper
//   RESERVE_ONE          L1  a busy place keeps a task for ever
//   EDGE_KEPT            L1  loot does not clear the request
//   REFUSED              L1  who cannot be served at once is not remembered
//   NO_SERVE_AFTER_LOOT  L1  what came is not passed on
//   ONE_EDGE             L1  the last place has no lifeline: the graph is not connected
//   EMPTY_GIVE_LOST      L1  who was to be served and got nothing is forgotten (TWO_STEP)
//   EARLY_DROPPED        L1  a place that is not in the run yet forgets who asks (LATE)
//   DECIDES_EARLY        L1  a place that is not in the run yet asks, and is not heard (LATE)
//   PASS_AT_ONCE         L2  between busy places that wait at each other on behalf of others, tasks never rest (RING, PROGRESS)
//   GIVE_LAST            L2  a place that idles gives what its own worker is about to take: tasks travel for ever (PROGRESS)
#ifndef PLACES
#define PLACES 3
#endif
#ifndef TASKS
#define TASKS 4      /* that may be spawned, besides the first */
#endif
#define PAIRS (PLACES * PLACES)

mtype = { lifeline, loot };

chan inbox[PLACES] = [PLACES + 2] of { mtype, byte, byte };  // from, tasks
byte ring[PLACES];
bool runs[PLACES];
bool endless[PLACES];        // its task has no end
bool asked[PAIRS];           // by the first, of the second
bool waits[PAIRS];           // at the first, the second
byte through[PLACES];        // of its ring, what came while its task ran
bool resting[PLACES];        // it has passed on some of those: the others wait until an interval is over
byte promised[PLACES];       // TWO_STEP: whom it has decided to serve, + 1
#ifdef LATE
bool in_run[PLACES];
bool early[PAIRS];           // at the first, who was not in the run, the second has asked
#define is_in_run(p) in_run[p]
#else
#define is_in_run(p) true
#endif
byte to_spawn = TASKS;
byte begun, under_way;       // ghosts
hidden byte L1_lost, L3_lost;

#define of(p, q) ((p) * PLACES + (q))
#ifdef ONE_EDGE
#define has_edge(p, q) ((q) == 0 && (p) != 0 && (p) < PLACES - 1)
#elif defined(RING)
#define has_edge(p, q) (((p) + 1) % PLACES == (q) || ((q) + 1) % PLACES == (p))
#else
#define has_edge(p, q) ((p) + 1 == (q) || (q) + 1 == (p))
#endif

#if PLACES > 3
#define somebody_waits(p) (waits[of(p, 0)] || waits[of(p, 1)] || waits[of(p, 2)] || waits[of(p, 3)])
#define in_rings (ring[0] + ring[1] + ring[2] + ring[3])
#define somebody_sleeps (sleeps(0) || sleeps(1) || sleeps(2) || sleeps(3))
#else
#define somebody_waits(p) (waits[of(p, 0)] || waits[of(p, 1)] || waits[of(p, 2)])
#define in_rings (ring[0] + ring[1] + ring[2])
#define somebody_sleeps (sleeps(0) || sleeps(1) || sleeps(2))
#endif
#define sleeps(p) (!runs[p] && ring[p] == 0)

// Rule e.
#ifdef NO_RELAY
#define wants(p) (!runs[p])
#else
#define wants(p) (!runs[p] || somebody_waits(p))
#endif

// Rule c, when nothing is fresh any more.
#ifdef GIVE_LAST
#define spare(p) (ring[p])
#elif defined(RESERVE_ONE)
#define spare(p) (runs[p] && ring[p] > 1 -> ring[p] - 1 : 0)
#else
#define spare(p) (runs[p] -> ring[p] - (resting[p] -> through[p] : 0) : (ring[p] > 1 -> ring[p] - 1 : 0))
#endif

inline give(p, q) {
  half = (spare(p) + 1) / 2;
  ring[p] = ring[p] - half;
  under_way = under_way + half;
  inbox[q] ! loot(p, half);
  half = 0;
  if
  :: through[p] > ring[p] ->
     through[p] = ring[p];
#ifndef PASS_AT_ONCE
     resting[p] = true
#endif
  :: else
  fi
}

// Rule b.
#ifdef TWO_STEP
inline serve(p) {
  if
  :: promised[p] == 0 && spare(p) > 0 && somebody_waits(p) ->
     do
     :: q < PLACES && !waits[of(p, q)] -> q++
     :: else -> break
     od;
     waits[of(p, q)] = false;
     promised[p] = q + 1;
     q = 0
  :: else
  fi
}
#else
inline serve(p) {
  do
  :: q < PLACES && waits[of(p, q)] && spare(p) > 0 -> waits[of(p, q)] = false; give(p, q); q++
  :: q < PLACES && !(waits[of(p, q)] && spare(p) > 0) -> q++
  :: q == PLACES -> break
  od;
  q = 0
}
#endif

#ifdef DECIDES_EARLY
#define ask_early(q) atomic { !in_run[me] && has_edge(me, q) && !asked[of(me, q)] -> asked[of(me, q)] = true }
#endif
#define ask(q) atomic { is_in_run(me) && ring[me] == 0 && wants(me) && has_edge(me, q) && !asked[of(me, q)] -> asked[of(me, q)] = true; inbox[q] ! lifeline(me, 0) }

proctype place(byte me) {
  byte from, n, q, half;
  do
  :: atomic { runs[me] && !endless[me] -> runs[me] = false }  // ended
  :: atomic { runs[me] && to_spawn > 0 -> to_spawn--; ring[me]++; serve(me) }
#ifdef LATE
  :: atomic { !in_run[me] ->
       in_run[me] = true;
       do
       :: q < PLACES -> waits[of(me, q)] = early[of(me, q)]; early[of(me, q)] = false; q++
       :: else -> break
       od;
       q = 0;
       serve(me) }
  :: atomic { !in_run[me] && inbox[me] ?? [lifeline, _, _] ->
       inbox[me] ?? lifeline(from, _);
#ifndef EARLY_DROPPED
       early[of(me, from)] = true;
#endif
       from = 0 }
#endif
#ifdef DECIDES_EARLY
  :: ask_early(0)
  :: ask_early(1)
  :: ask_early(2)
#endif
  :: atomic { !runs[me] && ring[me] > 0 && is_in_run(me) ->
progress_began:
       ring[me]--; runs[me] = true; begun++; through[me] = 0; resting[me] = false;
       if
       :: endless[me] = true
       :: skip
       fi;
#ifndef PUSH_AT_SPAWN_ONLY
       serve(me)
#endif
     }
  :: resting[me] && through[me] > 0 && somebody_waits(me) ->  // rule c: the interval is over
progress_passes:
     atomic { resting[me] = false; serve(me) }
#ifdef TWO_STEP
  :: atomic { promised[me] > 0 ->
       if
       :: spare(me) > 0 -> give(me, promised[me] - 1); promised[me] = 0; serve(me)
#ifdef EMPTY_GIVE_LOST
       :: else -> promised[me] = 0
#else
       :: else -> waits[of(me, promised[me] - 1)] = true; promised[me] = 0   // rule h
#endif
       fi }
#endif
  :: atomic { is_in_run(me) && inbox[me] ?? [lifeline, _, _] ->
       inbox[me] ?? lifeline(from, _);
#ifdef REFUSED
       if
       :: spare(me) > 0 -> waits[of(me, from)] = true
       :: else
       fi;
#else
       waits[of(me, from)] = true;                            // rule a
#endif
#ifndef PUSH_AT_SPAWN_ONLY
       serve(me);
#endif
       from = 0 }
  :: atomic { inbox[me] ?? loot(from, n) ->
       ring[me] = ring[me] + n;
       through[me] = through[me] + (runs[me] -> n : 0);
       under_way = under_way - n;
#ifndef EDGE_KEPT
       asked[of(me, from)] = false;                           // rule d
#endif
#ifndef NO_SERVE_AFTER_LOOT
       serve(me);
#endif
       from = 0; n = 0 }
  :: ask(0)
  :: ask(1)
  :: ask(2)
#if PLACES > 3
  :: ask(3)
#endif
  od
}

// Nothing can move.
proctype watch() {
end_watch:
  atomic { timeout ->
    assert(under_way == 0 && begun + in_rings + to_spawn == TASKS + 1 || L3_lost);
    assert(!(somebody_sleeps && in_rings > 0) || L1_lost)
  }
}

init {
  byte p;
  atomic {
    ring[0] = 1;
    do
    :: p < PLACES -> run place(p); p++
    :: else -> break
    od;
    run watch()
  }
}
