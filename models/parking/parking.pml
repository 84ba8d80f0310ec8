// SPDX-License-Identifier: Apache-2.0
// The parking protocol of docs/protocols/parking.md: WORKERS workers with a store buffer each, and foreign threads that
// set external promises. What a task does is chosen freely at each step (push a task, wait for an external promise, make
// one, wait for ever, end), within the budgets below, so one model covers all small programs.
//
// One Promela step holds at most one access to shared memory, counting a lock and its first access as one, and its last
// access and the unlock (a lock moves later, an unlock earlier, without a visible difference). The publishing store of a push goes to the store buffer of
// its worker and reaches memory at any later moment (process memory); a locked operation waits until the buffer of its
// worker is empty, and the heavy fence waits for the moment at which the buffer of each worker is empty, one by one.
//
// A lost wake-up must show even where the pusher would find its own task later. So a task may compute for as long as a
// worker sleeps beside a ready task: if that worker sleeps for ever, the computation never ends, and process watch finds
// that no step is left and the run is not over.
//
// The bounded search may miss anything (it gives up at any moment): only the look after the announcement has to be
// complete. Exploration stops where the run ends or the deadlock is reported.

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef PUSHES
#define PUSHES 1       /* tasks that tasks may push */
#endif
#ifndef EXTERNALS
#define EXTERNALS 1    /* external promises made by tasks; promise 0 is run() itself */
#endif

// Each of these takes away the line that keeps one invariant.
//   NO_RECHECK          park() sleeps without looking again                                  P1
//   RECHECK_FIRST       park() looks again before it announces itself                        P1
//   NO_FENCE            park() has no heavy fence                                            P1
//   NO_LAST_WAKE        the last searcher that finds work wakes nobody                       P1
//   LATE_UNSEARCH       park() leaves searching_ only after it looked again                  P1
//   NO_SELF_REMOVAL     who sees work leaves without taking itself off idle_                 P2 P3
//   WAKER_UNCOUNTED     wake_one() does not count the woken worker; it counts itself         P2
//   WAKE_KEPT           who was taken off idle_ while looking does not consume wake_         P3
//   EXTERNAL_FIRST      external_unset_-- before the waiters are in the inbox                P4
//   EXTERNAL_NO_WAKE    an external promise without waiters wakes nobody                     P5
//   UNSET_AFTER         the unset promises are read after the last look at the queues        P4
//   NO_SECOND_LOOK      who withdrew as the last one does not look at the queues again       P4
//   NO_CENSUS           nor does it ask whether anybody left idle_ meanwhile                 P4
//   CENSUS_BY_SIZE      it asks whether all others are in idle_ now, not who left            P4

#ifdef AWAKE           /* starts with the first task in the inbox and all workers searching */
#define AT_START(a, b) b
#else                  /* starts with all workers asleep and run() about to put the first task in the inbox */
#define AT_START(a, b) a
#endif

#define BIT(x) (1 << (x))
#define ALL (BIT(WORKERS) - 1)
#define FOREIGN WORKERS

byte visible[WORKERS];    // tasks in a worker's deque that every worker can see
byte buffered[WORKERS];   // tasks whose publishing store is still in the worker's store buffer
byte inbox = AT_START(0, 1);  // tasks made ready by foreign threads
byte sleepers = AT_START(WORKERS, 0);   // sleepers_
byte searching = AT_START(0, WORKERS);  // searching_
byte idle = AT_START(ALL, 0);           // idle_, a set
byte census;              // census_: the worker (+1) that withdrew when all were in idle_; 0 after anybody else left
byte unset = AT_START(1, 0);  // external_unset_; promise 0 is run() itself
bit locked;               // the mutex of idle_
bit wake[WORKERS];        // wake_
bit asleep[WORKERS];      // blocked in the kernel until wake_ is set

byte promise[EXTERNALS + 1];  // 0 not made, 1 unset, 2 set
byte waiting[EXTERNALS + 1];  // tasks on its list
bit over;                     // the root finish is complete, or the deadlock was reported

// ghost
byte tasks = 1;               // not ended, wherever they are
byte running;                 // workers that run a task
byte pushes = PUSHES;

#if WORKERS == 2
#define SLEEPS (asleep[0] && !wake[0] || asleep[1] && !wake[1])
#define QUEUED (visible[0] + buffered[0] + visible[1] + buffered[1] + inbox)
#define COUNT(s) ((s & 1) + ((s >> 1) & 1))
#else
#define SLEEPS (asleep[0] && !wake[0] || asleep[1] && !wake[1] || asleep[2] && !wake[2])
#define QUEUED (visible[0] + buffered[0] + visible[1] + buffered[1] + visible[2] + buffered[2] + inbox)
#define COUNT(s) ((s & 1) + ((s >> 1) & 1) + ((s >> 2) & 1))
#endif

proctype memory() provided (!over) {
end:
  do
  :: d_step { buffered[0] > 0 -> buffered[0]--; visible[0]++ }
  :: d_step { buffered[1] > 0 -> buffered[1]--; visible[1]++ }
#if WORKERS > 2
  :: d_step { buffered[2] > 0 -> buffered[2]--; visible[2]++ }
#endif
  od
}

// The last access of a critical section stands in the same step.
inline unlock() {
  assert(sleepers == COUNT(idle));                            // P2
  assert(running + searching + sleepers == WORKERS);          // P2
  locked = 0
}

inline leave_idle(x) {
  assert(idle & BIT(x));
  idle = idle & (255 - BIT(x));
  census = 0;
  sleepers--
}

inline wake_locked() {
  if
  :: d_step { idle & 1 -> v = 0; leave_idle(v) }
  :: d_step { idle & 2 -> v = 1; leave_idle(v) }
#if WORKERS > 2
  :: d_step { idle & 4 -> v = 2; leave_idle(v) }
#endif
  fi;
#ifdef WAKER_UNCOUNTED
  locked = 0;
#else
  d_step { searching++; unlock() };                           // wake_locked(): on behalf of the woken
#endif
  d_step { assert(!wake[v]); wake[v] = 1; v = 0 }             // wake_locked(): woken store, futex wake (P3)
}

inline wake_unless_searched() {
  if
  :: d_step { !locked && (idle == 0 || searching > 0) -> skip }
  :: d_step { !locked && idle != 0 && searching == 0 -> locked = 1 }; wake_locked()
  fi
}

inline wake_one_for_sure() {
  if
  :: d_step { !locked && idle == 0 -> skip }
  :: d_step { !locked && idle != 0 -> locked = 1 }; wake_locked()
  fi
}

inline notify(me) {
  if                                                          // notify(): light fence, attention_ load
  :: sleepers == 0
  :: else ->
     if                                                       // notify_slowly(): searching_ load
     :: searching > 0
     :: else -> (me == FOREIGN || buffered[me % WORKERS] == 0); wake_unless_searched()          // the lock empties the store buffer
     fi
  fi
}

inline look() {                                               // the look at every deque, the inbox and the backlog
  seen = (visible[0] > 0);
  seen = seen || (visible[1] > 0);
#if WORKERS > 2
  seen = seen || (visible[2] > 0);
#endif
  seen = seen || (inbox > 0)
}

proctype worker(byte w) provided (!over) {
  byte v;         // whom wake_one() wakes
  byte x;         // what was read from external_unset_
  bit seen, left;

#ifdef AWAKE
  goto search;
#endif
sleep:
  asleep[w] = 1;
  d_step { wake[w] -> wake[w] = 0; asleep[w] = 0 };           // sleep(): futex wait until woken is set, consume it
#ifdef WAKER_UNCOUNTED
  searching++;
#endif

search:
  if                                                          // search(): own deque, victims, inbox
  :: d_step { visible[0] > 0 -> visible[0]-- }
  :: d_step { visible[1] > 0 -> visible[1]-- }
#if WORKERS > 2
  :: d_step { visible[2] > 0 -> visible[2]-- }
#endif
  :: d_step { inbox > 0 -> inbox-- }
  :: goto park                                                // search(): gives up, here or although there is work
  fi;
  d_step { searching--; running++; left = (searching == 0) }; // end_search(): searching_ fetch_sub
#ifndef NO_LAST_WAKE
  if
  :: left ->
     left = 0;
     if                                                       // end_search(): the last one hands the search on
     :: sleepers > 0 -> wake_unless_searched()
     :: else
     fi
  :: else
  fi;
#else
  left = 0;
#endif

task: skip;
  if
  :: d_step { pushes > 0 -> pushes--; tasks++; buffered[w]++ };  // push(): bottom_ store release
     notify(w);
     goto task
  :: true -> QUEUED == 0 || !SLEEPS; goto task                // computes while a worker sleeps beside a ready task (P1)
  :: skip                                                     // waits for ever
#if EXTERNALS > 0
  :: d_step { promise[1] == 0 -> promise[1] = 1; unset++ }; goto task   // promise<T>(external): counted when made
  :: d_step { promise[1] == 1 -> waiting[1]++ }               // get(): parked on the list
#endif
#if EXTERNALS > 1
  :: d_step { promise[2] == 0 -> promise[2] = 1; unset++ }; goto task
  :: d_step { promise[2] == 1 -> waiting[2]++ }
#endif
  :: d_step { tasks--; if :: tasks == 0 -> over = 1 :: else fi }  // ends; with the last the run ends
  fi;
  if                                                          // pop(): bottom_ store seq_cst empties the buffer
  :: d_step { buffered[w] == 0 && visible[w] > 0 -> visible[w]-- }; goto task
  :: d_step { buffered[w] == 0 && visible[w] == 0 -> running--; searching++ }  // begin_search(): searching_.fetch_add
  fi;
  goto search;

park: skip;
#ifdef RECHECK_FIRST
  look();
#endif
announce: skip;
  d_step { !locked -> locked = 1; idle = idle | BIT(w); sleepers++ };   // announce(): lock, join idle_
  d_step {
#ifdef LATE_UNSEARCH
    locked = 0
#else
    searching--;
    unlock()
#endif
  };
#ifndef NO_FENCE
  buffered[0] == 0;                                           // announce(): fence on all processors
  buffered[1] == 0;
#if WORKERS > 2
  buffered[2] == 0;
#endif
#endif
#if defined(NO_RECHECK)
  seen = 0;
#elif !defined(RECHECK_FIRST)
  look();                                                     // park(): work_in_sight()
#endif
#ifdef LATE_UNSEARCH
  if
  :: !seen -> searching--
  :: else
  fi;
#endif
  if
  :: seen ->
     seen = 0;
#ifdef NO_SELF_REMOVAL
     searching++;
     goto search
#else
     if
     :: d_step { !locked && (idle & BIT(w)) -> locked = 1; leave_idle(w) };   // withdraw()
        d_step {
#ifndef LATE_UNSEARCH
          searching++;
#endif
          unlock()
        };
        goto search
     :: d_step { !locked && !(idle & BIT(w)) -> skip };       // a waker has counted us: its woken is ours to consume
#ifdef WAKE_KEPT
        goto search
#else
        goto sleep
#endif
     fi
#endif
  :: unset > 0 -> goto sleep                                  // park(): stuck_possible()
  :: else -> skip
  fi;
  if
  :: d_step { !locked && idle != ALL -> skip }; goto sleep
  :: d_step { !locked && idle == ALL -> locked = 1; leave_idle(w); census = w + 1 };   // withdraw_if_all_asleep()
     d_step { searching++; unlock() }
  fi;
#ifndef UNSET_AFTER
  x = unset;                                                  // park(): stuck_possible(), before the look (P4)
#endif
#ifndef NO_SECOND_LOOK
  look();                                                     // park(): work_in_sight()
#endif
#ifdef UNSET_AFTER
  x = unset;
#endif
  if
#if defined(NO_CENSUS)
  :: x == 0 && !seen ->
#elif defined(CENSUS_BY_SIZE)
  :: d_step { !locked && x == 0 && !seen && (idle | BIT(w)) == ALL } ->
#else
  :: d_step { !locked && x == 0 && !seen && census == w + 1 } ->  // still_alone(): nobody left, so nothing ran (P4)
#endif
     d_step {
       assert(running == 0 && QUEUED == 0 && unset == 0);     // P4: never false
       over = 1
     }
#if defined(NO_CENSUS)
  :: else ->
#elif defined(CENSUS_BY_SIZE)
  :: d_step { !locked && !(x == 0 && !seen && (idle | BIT(w)) == ALL) } ->
#else
  :: d_step { !locked && !(x == 0 && !seen && census == w + 1) } ->
#endif
     d_step { x = 0; seen = 0 };
     goto announce
  fi
}

// A foreign thread: sets promise p once it was made. For p == 0 that is run(), which puts the root task in the inbox.
proctype foreign(byte p) provided (!over) {
  byte v, k;
  bit last;
end:
  d_step { promise[p] == 1 -> promise[p] = 2; k = waiting[p]; waiting[p] = 0 };
#define DONE d_step { unset--; last = (unset == 0) }
#ifdef EXTERNAL_FIRST
  DONE;
#endif
  if                                                          // set_value(): the waiters first (P4)
  :: k > 0 -> d_step { inbox = inbox + k; k = 0 }; notify(FOREIGN)
  :: else
#ifdef EXTERNAL_NO_WAKE
     -> unset--; goto set
#endif
  fi;
#ifndef EXTERNAL_FIRST
  DONE;                                                       // external_promise_done(): g_external_unset fetch_sub
#endif
  if
  :: last -> wake_one_for_sure()                              // even without waiters: the check must run again (P5)
  :: else
  fi;
set: skip
}

// No step is left: then the run is over, or somebody sleeps for ever.
proctype watch() { timeout -> assert(over) }

init {
  byte k;
  atomic {
    d_step { promise[0] = AT_START(1, 2); waiting[0] = AT_START(1, 0) };
    run memory();
    do
    :: k < WORKERS -> run worker(k); k++
    :: else -> k = 0; break
    od;
    do
    :: k <= EXTERNALS -> if :: promise[k] != 2 -> run foreign(k) :: else fi; k++
    :: else -> k = 0; break
    od;
    run watch()
  }
}
