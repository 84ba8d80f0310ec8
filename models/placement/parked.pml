// SPDX-License-Identifier: Apache-2.0
// Questions, answers and sleep: a place whose workers search, ask and park, and another that has tasks which it will never run itself
// (docs/protocols/placement.md, L1, with parking.md).
//
// The place has two or three workers. A message to it goes into its mailbox, and then somebody who sleeps is woken; who searches takes messages, and
// with POLLER a thread besides, at any time. The policy asks when a worker starves and, but for REACTIVE, ahead of that when one begins or ends a
// task and none waits. The other place decides on what it sees and gives later; meanwhile its own worker may have taken the task.
//
// Variants, each of which breaks an invariant:
//   ASK_EMPTY            L1  a give for a question that finds nothing is not answered
//   REFUSED_BEFORE_PARK  L1  a worker counts as idle when it sleeps, not from its event starved on
//   TAKEN_SILENTLY       L1  who takes the last task does not ask for a co-worker that sleeps (REACTIVE, 3 workers)
//   ARRIVED_SILENTLY     L1  tasks come, and the policy does not ask on for workers that are idle beyond them
//   NO_RECHECK           L1  parks without a look after it has said so
//   NOTIFY_FIRST         L1  wakes before the message is there
#ifndef SPAWNS
#define SPAWNS 2     /* that tasks here may do */
#endif
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef THERE
#define THERE 2      /* tasks that may come to be at the other place */
#endif

mtype = { ask, lifeline, refused, loot_asked, loot_edge };

chan mailbox = [4] of { mtype, byte };
chan to_other = [3] of { mtype };
byte ring = 1;
byte spawns = SPAWNS;
bool asking, edge;           // the policy's
bool idle[WORKERS], asleep[WORKERS], endless[WORKERS];
byte ring_there, to_come = THERE, promised;  // 1: for a question, 2: over the edge
bool waits_there, endless_there;
hidden byte L1_lost;

#if WORKERS > 2
#define anybody(word) (word[0] || word[1] || word[2])
#define idle_workers (idle[0] + idle[1] + idle[2])
#else
#define anybody(word) (word[0] || word[1])
#define idle_workers (idle[0] + idle[1])
#endif
#ifdef REFUSED_BEFORE_PARK
#define idle_here anybody(asleep)
#else
#define idle_here anybody(idle)
#endif

inline notify() {
  if
  :: atomic { asleep[0] -> asleep[0] = false }
  :: atomic { asleep[1] -> asleep[1] = false }
#if WORKERS > 2
  :: atomic { asleep[2] -> asleep[2] = false }
#endif
  :: atomic { !anybody(asleep) }
  fi
}

inline ask_once() {
  if
  :: !asking -> asking = true; to_other ! ask
  :: else
  fi
}

// Whom all lifelines know has nothing to say.
inline starved() {
  if
  :: !edge -> ask_once()
  :: else
  fi
}

inline look_ahead() {
#ifndef REACTIVE
  if
  :: ring == 0 -> ask_once()
  :: else
  fi
#else
  skip
#endif
}

// Who takes the last task asks for co-workers that sleep: they were not woken for it.
inline began() {
#if defined(REACTIVE) && !defined(TAKEN_SILENTLY)
  if
  :: ring == 0 && idle_here -> starved()
  :: else
  fi
#endif
  look_ahead()
}

// More workers are idle than tasks have come: those were not woken.
inline arrived() {
#ifndef ARRIVED_SILENTLY
  if
  :: idle_workers > ring -> starved()
  :: else
  fi
#else
  skip
#endif
}

// One message, of which tasks are shown before the policy hears of it. Who sent it wakes somebody.
inline hear() {
  atomic {
    n = 0;
    if
    :: what == refused ->
       asking = false;
       if
       :: idle_here && !edge -> edge = true; to_other ! lifeline
       :: else
       fi
    :: what == loot_asked -> asking = false; arrived()
    :: what == loot_edge -> edge = false; arrived()
    fi
  }
}

proctype worker(byte me) {
  mtype what;
  byte n;
  bool more;
search:
  if
  :: atomic { ring > 0 -> ring--; idle[me] = false; began(); more = (ring > 0) };   // began
     if
     :: more -> more = false; notify()                        // the rest is for others
     :: else
     fi;
     goto running
  :: atomic { ring == 0 && nempty(mailbox) -> mailbox ? what, n; ring = ring + n };
     hear();
     goto search
  :: atomic { ring == 0 && empty(mailbox) ->
       if
       :: !idle[me] -> idle[me] = true; starved()
       :: else
       fi }
  fi;
  asleep[me] = true;                                          // announces itself
#ifndef NO_RECHECK
  if
  :: ring > 0 || nempty(mailbox) -> asleep[me] = false; goto search
  :: ring == 0 && empty(mailbox)
  fi;
#endif
end_asleep:
  !asleep[me];
  goto search;
running:
  if
  :: atomic { spawns > 0 -> spawns--; ring++ }; notify(); goto running
  :: atomic { true -> look_ahead() }; goto search             // ended
  :: endless[me] = true
  fi;
end_endless:
  false
}

#ifdef POLLER
proctype poller() {
  mtype what;
  byte n;
end_poller:
  do
  :: atomic { mailbox ? what, n -> ring = ring + n }; hear()
  od
}
#endif

inline send(message, count) {
#ifdef NOTIFY_FIRST
  notify(); mailbox ! message, count
#else
  mailbox ! message, count; notify()
#endif
}

inline serve_there() {
  if
  :: waits_there && promised == 0 && ring_there > 0 -> waits_there = false; promised = 2
  :: else
  fi
}

proctype other() {
  byte half;
end_other:
  do
  :: atomic { to_come > 0 -> to_come--; ring_there++; serve_there() }
  :: atomic { ring_there > 0 && !endless_there -> ring_there-- }  // its worker takes it
  :: atomic { !endless_there -> endless_there = true }        // and has no time for more
  :: atomic { promised == 0 && to_other ?? [ask] && ring_there > 0 -> to_other ?? ask; promised = 1 }
  :: atomic { promised == 0 && to_other ?? [ask] && ring_there == 0 -> to_other ?? ask }; send(refused, 0)
  :: atomic { to_other ?? [lifeline] -> to_other ?? lifeline; waits_there = true; serve_there() }
  :: atomic { promised > 0 && ring_there > 0 -> half = (ring_there + 1) / 2; ring_there = ring_there - half };
     if
     :: promised == 1 -> send(loot_asked, half)
     :: else -> send(loot_edge, half)
     fi;
     atomic { half = 0; promised = 0; serve_there() }
  :: atomic { promised == 2 && ring_there == 0 -> promised = 0; waits_there = true }
  :: atomic { promised == 1 && ring_there == 0 -> promised = 0 };
#ifndef ASK_EMPTY
     send(refused, 0);
#endif
     atomic { serve_there() }
  od
}

// Nothing can move.
proctype watch() {
end_watch:
  atomic { timeout -> assert(!(anybody(asleep) && (ring > 0 || ring_there > 0)) || L1_lost) }
}

init {
  atomic {
    run worker(0); run worker(1); run other(); run watch();
#if WORKERS > 2
    run worker(2);
#endif
#ifdef POLLER
    run poller()
#endif
  }
}
