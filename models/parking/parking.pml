// SPDX-License-Identifier: Apache-2.0
// The parking protocol of docs/protocols/parking.md: WORKERS workers with a store buffer each, and foreign threads that
// set external promises. What a task does is chosen freely at each step (push a task, wait for an external promise, make
// one, wait for ever, end), within the budgets below, so one model covers all small programs.
//
// One Promela step holds at most one access to shared memory, counting a lock and its first access as one, and its last
// access and the unlock (a lock moves later, an unlock earlier, without a visible difference). The publishing store of a
// push goes to the store buffer of its worker and reaches memory at any later moment (process memory); a locked operation
// waits until the buffer of its worker is empty, and the fence on all processors waits for the moment at which the buffer
// of each worker is empty, one by one.
//
// A lost wake-up must show even where the pusher would find its own task later. So a task may compute for as long as a
// worker sleeps beside a ready task: if that worker sleeps for ever, the computation never ends, and process watch finds
// that no step is left and the run is not over.
//
// The bounded search may miss what others have (it gives up at any moment): only the look after the announcement has to be
// complete. The backlog is left out: it is one more place to look at. Exploration stops where the run ends or the deadlock
// is reported: what wakes workers for those ends (wake, wake_all, leave_requested) is not modelled.

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef PUSHES
#define PUSHES 1       /* tasks that tasks may push */
#endif
#ifndef EXTERNALS
#define EXTERNALS 1    /* external promises that tasks may make */
#endif
// HANDLE: tasks may wait for what ends when a foreign thread lets its last handle go: a plain promise, a stream.
// AWAKE: the others search when the run starts; else they sleep. PLAIN_FENCES: as without sys_membarrier.

// Each of these takes away the line that keeps one invariant.
//   NO_RECHECK          park() sleeps without looking again                                  P1
//   RECHECK_FIRST       park() looks again before it announces itself                        P1
//   NO_FENCE            announce() has no fence                                              P1
//   NO_LAST_WAKE        the last searcher that finds work wakes nobody                       P1
//   LATE_UNSEARCH       park() leaves searching_ only after it looked again                  P1
//   NO_SELF_REMOVAL     who sees work leaves without taking itself off idle_                 P2 P3
//   WAKER_UNCOUNTED     the waker does not count the woken worker; that counts itself        P2
//   WAKE_KEPT           who was taken off idle_ while looking does not consume woken         P3
//   EXTERNAL_FIRST      the count of unset promises goes down before the waiters are in the inbox       P4
//   NO_SECOND_LOOK      who withdrew as the last one does not look at the queues again       P4
//   NO_CENSUS           nor does it ask whether anybody left idle_ meanwhile                 P4
//   CENSUS_BY_SIZE      it asks whether all others are on idle_ now, not who left            P4
//   NO_VISIT            the verdict does not keep foreign threads out                        P4
//   VISIT_LATE          who lets a handle go takes the waiters off before its visit          P4
//   EXTERNAL_NO_WAKE    an external promise without waiters wakes nobody                     P5

#ifdef AWAKE
#define AT_START(a, b) b
#else
#define AT_START(a, b) a
#endif

#define BIT(x) (1 << (x))
#define ALL (BIT(WORKERS) - 1)
#define FOREIGN WORKERS

byte visible[WORKERS];    // tasks in a worker's deque that every worker can see
byte buffered[WORKERS];   // tasks whose publishing store is still in the worker's store buffer
byte inbox;               // tasks made ready by foreign threads
byte sleepers = AT_START(WORKERS - 1, 0);   // attention_
byte searching = AT_START(0, WORKERS - 1);  // searching_
byte idle = AT_START(ALL - 1, 0);           // idle_, a set
byte census;              // departures_, as far as it is asked: 1 + the worker that withdrew as the last one, 0 once
                          // anybody left after it
byte unset;               // external_count::unset_, of the run and of the process
bit locked;               // mutex_
bit woken[WORKERS];
bit asleep[WORKERS];      // blocked in the kernel until woken is set

byte promise[EXTERNALS + 1];  // 0 not made, 1 unset, 2 set; 0 is not used
byte waiting[EXTERNALS + 1];  // tasks on its list
byte beside;                  // tasks that wait for what ends with the handle
bit gone;                     // the handle
bit visit;                    // g_foreign_mutex
bit over;                     // the root finish is complete, or the deadlock was reported

// ghost
byte tasks = 1;               // not ended, wherever they are
byte running = 1;             // workers that run a task
byte moving;                  // ready tasks on their way from one queue to another
byte pushes = PUSHES;
hidden byte P1_lost, P2_lost, P3_lost, P4_lost, P5_lost;  // never set: they name the invariant where an assertion fails

#if WORKERS == 2
#define SLEEPS (asleep[0] && !woken[0] || asleep[1] && !woken[1])
#define QUEUED (visible[0] + buffered[0] + visible[1] + buffered[1] + inbox + moving)
#define COUNT(s) ((s & 1) + ((s >> 1) & 1))
#else
#define SLEEPS (asleep[0] && !woken[0] || asleep[1] && !woken[1] || asleep[2] && !woken[2])
#define QUEUED (visible[0] + buffered[0] + visible[1] + buffered[1] + visible[2] + buffered[2] + inbox + moving)
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
  assert(sleepers == COUNT(idle) || P2_lost);
#ifndef LATE_UNSEARCH
  assert(running + searching + sleepers == WORKERS || P2_lost);
#endif
  locked = 0
}

inline leave_idle(x) {                                        // idle_.erase, ++departures_, attention_ fetch_sub
  assert(idle & BIT(x));
  idle = idle & (255 - BIT(x));
  census = 0;
  sleepers--
}

// Lock, and take one off idle_ (the model takes any); what is asked for before is under the lock too.
inline wake_locked(asked) {
  atomic {
    !locked && idle != 0 && asked -> locked = 1;
    if
    :: d_step { idle & 1 -> v = 0; leave_idle(v) }
    :: d_step { idle & 2 -> v = 1; leave_idle(v) }
#if WORKERS > 2
    :: d_step { idle & 4 -> v = 2; leave_idle(v) }
#endif
    fi
  };
#ifndef WAKER_UNCOUNTED
  searching++;                                                // wake_locked(): on behalf of the woken one
#endif
  d_step { assert(!woken[v] || P3_lost); woken[v] = 1; v = 0; unlock() }
}

inline wake_unless_searched() {
  if
  :: d_step { !locked && (idle == 0 || searching > 0) -> skip }
  :: wake_locked(searching == 0)
  fi
}

inline wake_one_for_sure() {
  if
  :: d_step { !locked && idle == 0 -> skip }
  :: wake_locked(true)
  fi
}

#define DRAINED(me) (me == FOREIGN || buffered[me % WORKERS] == 0)   /* a locked operation of `me` may go on */

inline notify(me) {
  if                                                          // notify(): light fence, attention_ load
#ifdef PLAIN_FENCES
  :: d_step { DRAINED(me) && sleepers == 0 -> skip }          // notify_slowly(): attention_ fetch_add of 0
  :: d_step { DRAINED(me) && sleepers > 0 -> skip };
#else
  :: sleepers == 0
  :: else ->
#endif
     if                                                       // notify_slowly(): searching_ load
     :: searching > 0
     :: else -> DRAINED(me); wake_unless_searched()
     fi
  fi
}

inline steal(victim) {                                        // one that is run, or a batch of two
  d_step { visible[victim] > 0 -> visible[victim]-- };
  if
  :: d_step { visible[victim] > 0 && victim != w -> visible[victim]--; moving++ };
     d_step { moving--; buffered[w]++ }
  :: true
  fi
}

inline take_inbox() {
  d_step { inbox > 0 -> k = inbox; moving = moving + k; inbox = 0 };
  d_step { moving = moving - k; buffered[w] = buffered[w] + k; k = 0 }
}

inline look() {                                               // work_in_sight()
  seen = (visible[0] > 0);
  seen = seen || (visible[1] > 0);
#if WORKERS > 2
  seen = seen || (visible[2] > 0);
#endif
  seen = seen || (inbox > 0)
}

proctype worker(byte w) provided (!over) {
  byte v;         // whom wake_locked() wakes
  byte k;         // what take_inbox() took
  bit x;          // whether a promise was unset
  bit seen, left;

  if
  :: w == 0 -> goto task                                      // run_root()
#ifdef AWAKE
  :: else -> goto search
#else
  :: else -> skip
#endif
  fi;
sleep:
  asleep[w] = 1;
  d_step { woken[w] -> woken[w] = 0; asleep[w] = 0 };         // sleep(): futex wait until woken is set, consume it
#ifdef WAKER_UNCOUNTED
  searching++;
#endif

search:
  if
  :: take_inbox(); goto search                                // its notify() finds this searcher and does nothing
  :: steal(0)                                                 // pop(), or a victim
  :: steal(1)
#if WORKERS > 2
  :: steal(2)
#endif
  :: DRAINED(w) && visible[w] == 0 -> goto park               // pop() found nothing; others may have work
  fi;
  d_step { DRAINED(w) -> searching--; running++; left = (searching == 0) };   // end_search(): searching_ fetch_sub
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
  if                                                          // search(): the rest of the batch
  :: visible[w] > 0 -> notify(w)
  :: else
  fi;

task:
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
#ifdef HANDLE
  :: d_step { !gone -> beside++ }                             // get() or pop(): parked on the list
#endif
#if EXTERNALS > 1
  :: d_step { promise[2] == 0 -> promise[2] = 1; unset++ }; goto task
  :: d_step { promise[2] == 1 -> waiting[2]++ }
#endif
  :: d_step { tasks--; if :: tasks == 0 -> over = 1 :: else fi }  // ends; with the last the run ends
  fi;
next:
  if                                                          // next_work()
  :: take_inbox(); notify(w); goto next
  :: d_step { DRAINED(w) && visible[w] > 0 -> visible[w]-- }; goto task       // pop(): seq_cst store empties the buffer
  :: d_step { DRAINED(w) && visible[w] == 0 -> running--; searching++ }       // begin_search()
  fi;
  goto search;

park:
#ifdef RECHECK_FIRST
  look();
#endif
  atomic {                                                    // announce(): lock, join idle_, attention_ fetch_add
    !locked && DRAINED(w) -> locked = 1;
    assert(!woken[w] || P3_lost);
    idle = idle | BIT(w);
    sleepers++
  };
  d_step {                                                    // announce(): searching_ fetch_sub
#ifndef LATE_UNSEARCH
    searching--;
#endif
    unlock()
  };
#if !defined(NO_FENCE) && !defined(PLAIN_FENCES)
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
#ifdef LATE_UNSEARCH
        searching--;
#endif
#ifdef WAKE_KEPT
        goto search
#else
        goto sleep
#endif
     fi
#endif
  :: else
  fi;
  if
  :: unset > 0 -> goto sleep                                  // park(): is_on_its_own()
  :: else
  fi;
  if                                                          // withdraw_if_all_asleep()
  :: d_step { !locked && idle != ALL -> skip }; goto sleep
  :: d_step { !locked && idle == ALL -> locked = 1; leave_idle(w); census = w + 1 };
     d_step { searching++; unlock() }
  fi;
#ifndef NO_VISIT
  d_step { !visit -> visit = 1 };                             // resolve_if_stuck(): nobody_reaches_in (P4)
#endif
  x = (unset > 0);                                            // resolve_if_stuck(): is_on_its_own()
#ifndef NO_SECOND_LOOK
  if
  :: !x -> look()                                             // park(): work_in_sight()
  :: else
  fi;
#endif
#if defined(NO_CENSUS)
#define ALONE true
#elif defined(CENSUS_BY_SIZE)
#define ALONE ((idle | BIT(w)) == ALL)
#else
#define ALONE (census == w + 1)                               /* park(): nobody_left_since() (P4) */
#endif
  if
  :: d_step { x || seen -> x = 0; seen = 0 }
  :: d_step { !x && !seen && !locked && !ALONE -> skip }
  :: d_step {
       !x && !seen && !locked && ALONE ->
       assert(running == 0 && QUEUED == 0 && unset == 0 || P4_lost);   // resolve_deadlock()
       over = 1
     }
  fi;
#ifndef NO_VISIT
  visit = 0;
#endif
  goto park
}

// A foreign thread: sets promise p once it was made.
proctype foreign(byte p) provided (!over) {
  byte v, k;
  bit last;
end:
#ifdef EXTERNAL_FIRST
  d_step { promise[p] == 1 -> promise[p] = 2; moving = moving + waiting[p]; unset--; last = (unset == 0) };
  d_step { !visit -> visit = 1 };
  d_step { k = waiting[p]; waiting[p] = 0 };
#else
  d_step { promise[p] == 1 && !visit -> visit = 1 };          // publish_promise(): foreign_visit
  d_step {                                                    // wake_waiters(): exchange
    promise[p] = 2; k = waiting[p]; moving = moving + k; waiting[p] = 0
  };
#endif
#ifdef EXTERNAL_NO_WAKE
  if
  :: k == 0 -> unset--; visit = 0; goto set
  :: else
  fi;
#endif
  do
  :: d_step { k > 0 -> k--; moving--; inbox++ }; notify(FOREIGN)   // wake_waiters(): send(), before the next (P4)
#ifdef EXTERNAL_FIRST
  :: d_step { k == 0 -> visit = 0 }; break
#else
  :: d_step { k == 0 -> visit = 0 }; d_step { unset--; last = (unset == 0) }; break   // external_count::done(): unset_ fetch_sub
#endif
  od;
  if
  :: last -> wake_one_for_sure()                              // even without waiters: somebody has to ask again (P5)
  :: else
  fi;
set: skip
}

#ifdef HANDLE
// A foreign thread that lets the last handle go, at any moment.
proctype letting_go() provided (!over) {
  byte v, k;
#ifndef VISIT_LATE
  d_step { !visit -> visit = 1 };                             // foreign_visit
#endif
  d_step { gone = 1; k = beside; moving = moving + k; beside = 0 };
#ifdef VISIT_LATE
  d_step { !visit -> visit = 1 };
#endif
  do
  :: d_step { k > 0 -> k--; moving--; inbox++ }; notify(FOREIGN)
  :: k == 0 -> break
  od;
  visit = 0
}
#endif

// No step is left: then the run is over, or somebody sleeps for ever: beside work, or beside a deadlock that nobody reports.
proctype watch() {
  timeout ->
  assert(over || QUEUED == 0 || P1_lost);
  assert(over || P5_lost)
}

init {
  byte k = 1;
  atomic {
    run memory();
    do
    :: k <= WORKERS -> run worker(k - 1); k++
    :: else -> k = 1; break
    od;
    do
    :: k <= EXTERNALS -> run foreign(k); k++
    :: else -> k = 0; break
    od;
#ifdef HANDLE
    run letting_go();
#endif
    run watch()
  }
}
