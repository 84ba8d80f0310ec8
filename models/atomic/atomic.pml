// SPDX-License-Identifier: Apache-2.0
// The lock of docs/protocols/atomic.md: TASKS tasks that run BLOCKS blocks each, and WHENS more that wait for a condition of their
// own. The blocks of task 0 make the first of these true, all but the last one if there are several; that one's is made true by
// the block of the waiter before it.
//
// One Promela step holds at most one access to state_ (held, woken, news: one word); what only the holder touches is joined
// to it. A compare-exchange loop that repeats with what it has seen last is the one step that succeeds. A task that spins
// may lose patience at any moment. That a task leaves its stack before others see it is the matter of models/suspension:
// here it waits until `up`.

#ifndef TASKS
#define TASKS 3
#endif
#ifndef BLOCKS
#define BLOCKS 2
#endif
#ifndef WHENS
#define WHENS 1
#endif
#define EVERYBODY (TASKS + WHENS)
#define NOBODY 255

// Each of these takes away the line that keeps one invariant.
//   TWO_STEPS        try_lock() looks, then stores                                                  A1
//   OWN_ANYWAY       a task that was only woken goes on as if it had been given the lock            A1
//   ASK_AND_FREE     a condition is asked, then the lock freed for its task to take                 A2
//   FORGET_ASKING    unasked_ is cleared when the lock goes to a task of the other queue            A3
//   NEVER_URGENT     who was woken in vain queues like anybody                                      A4
//   NO_WAKE          the lock is freed and nobody woken, though somebody queues                     A6
//   FORGET_NEWS      freeing the lock forgets who has come meanwhile                                A6
//   KEEP_MARK        who was woken in vain queues again and leaves the mark                         A6

bool held, woken;
chan news = [EVERYBODY] of { byte };        // oldest first
chan queue = [EVERYBODY] of { byte };       // for_lock_, but for those at its head who were woken in vain
chan urgent = [EVERYBODY] of { byte };
chan waits = [WHENS] of { byte };           // for_condition_
bool condition_was_last, unasked;
bool condition[EVERYBODY];                  // of the waiter with that number
bool owns[EVERYBODY], up[EVERYBODY], in_vain[EVERYBODY];

byte holder = NOBODY;                       // ghost
byte vain[EVERYBODY];                       // ghost
byte ended, ended_tasks;                    // ghost
hidden byte A1_lost, A2_lost, A3_lost, A4_lost, A6_lost;   // never set: they name the invariant

#ifdef NO_WAKE
#define FREE_ANYWAY 1
#else
#define FREE_ANYWAY 0
#endif
#define MAY_FREE (len(news) == 0)

inline own(me) { assert(holder == NOBODY || A1_lost); holder = me }
inline give(to) { assert(holder == me || A1_lost); holder = to; owns[to] = 1; up[to] = 1 }

// Everything from a lost patience to the lock. On the other stack: the lock if it is free, or a place among the newcomers.
inline wait_for_lock() {
  do
  :: atomic {
       if
       :: !held -> held = 1; own(me);
          if :: was_woken -> woken = 0; was_woken = 0 :: else fi;
          break
       :: else ->
          if
          :: was_woken ->
             vain[me]++;
             assert(vain[me] <= 1 || A4_lost);
#ifndef NEVER_URGENT
             in_vain[me] = 1;
#endif
#ifndef KEEP_MARK
             woken = 0;
#endif
             was_woken = 0
          :: else
          fi;
          news!me
       fi
     };
     atomic {
       up[me] -> up[me] = 0;
       if
       :: owns[me] -> owns[me] = 0; in_vain[me] = 0; vain[me] = 0; break
       :: else ->
#ifdef OWN_ANYWAY
          own(me); break
#else
          was_woken = 1
#endif
       fi
     }
  od
}

inline lock() {
  if
#ifdef TWO_STEPS
  :: !held -> atomic { held = 1; own(me) }
#else
  :: atomic { !held -> held = 1; own(me) }   // the first try, or one while it spins
#endif
  :: wait_for_lock()
  fi;
  vain[me] = 0
}

// From here on `me` may be anywhere: what follows touches nothing of the holder's once it has given the lock away.
inline hand_over() {
  do
  :: atomic {
       do
       :: news?p -> if :: in_vain[p] -> urgent!p :: else -> queue!p fi
       :: len(news) == 0 -> break
       od;
       p = NOBODY;
       if
       :: condition_was_last && (len(urgent) > 0 || len(queue) > 0) ->
#ifdef FORGET_ASKING
          unasked = 0
#else
          skip
#endif
       :: else ->
          k = (unasked -> len(waits) : 0);
          do
          :: k > 0 ->
             k--;
             waits?p_asked;
             if
             :: p == NOBODY && condition[p_asked] -> p = p_asked
             :: else -> waits!p_asked
             fi
          :: else -> break
          od;
          unasked = (p != NOBODY);
          p_asked = 0
       fi;
       seen = woken
     };
     if
     :: p != NOBODY ->
#ifdef ASK_AND_FREE
        atomic { condition_was_last = 1; held = 0; holder = NOBODY; up[p] = 1; break }
#else
        atomic { condition_was_last = 1; give(p); break }
#endif
     :: p == NOBODY && len(urgent) > 0 ->
        atomic { condition_was_last = 0; urgent?p; give(p); break }
     :: p == NOBODY && len(urgent) == 0 && (len(queue) == 0 || seen || FREE_ANYWAY) ->
        atomic {
          if
#ifdef FORGET_NEWS
          :: woken == seen ->
             do :: news?_ :: len(news) == 0 -> break od;
#else
          :: MAY_FREE && woken == seen ->
#endif
             condition_was_last = 0; held = 0; holder = NOBODY; break
          :: else
          fi
        }
     :: p == NOBODY && len(urgent) == 0 && len(queue) > 0 && !seen && !FREE_ANYWAY ->
        atomic {
          if
          :: MAY_FREE && !woken -> condition_was_last = 0; queue?p; woken = 1; held = 0; holder = NOBODY
          :: else
          fi
        };
        if
        :: p != NOBODY -> up[p] = 1; break
        :: else
        fi
     fi
  od
}

inline unlock() {
  atomic { assert(holder == me || A1_lost); unasked = 1 };
  if
  :: atomic { len(queue) == 0 && len(urgent) == 0 && len(waits) == 0 && held && !woken && len(news) == 0 -> held = 0; holder = NOBODY }
  :: hand_over()
  fi
}

proctype task(byte me) {
  byte n, p, p_asked, k;
  bool seen, was_woken;
  do
  :: n < BLOCKS ->
     lock();
     atomic { assert(holder == me || A1_lost); if :: me == 0 -> condition[TASKS] = 1; condition[TASKS + WHENS / 2] = 1 :: else fi };
     unlock();
     n++
  :: else -> break
  od;
  atomic { ended++; ended_tasks++ }
}

proctype waits_for_condition(byte me) {
  byte p, p_asked, k;
  bool seen, was_woken;
  lock();
  if
  :: atomic { condition[me] -> assert(holder == me || A1_lost) }
  :: else ->
     waits!me;
     hand_over();
     atomic { up[me] -> up[me] = 0; assert(owns[me] && holder == me || A2_lost); owns[me] = 0 }
  fi;
  atomic {
    assert(condition[me] || A2_lost);
    if :: me == EVERYBODY - 2 -> condition[EVERYBODY - 1] = 1 :: else fi
  };
  unlock();
  ended++
}

// No step is left: then all is over, or somebody waits for ever; for the condition alone, if nobody asks any more.
proctype watch() {
  timeout -> assert(ended_tasks < TASKS || len(waits) == 0 || len(news) + len(queue) + len(urgent) > 0 || A3_lost);
  assert(ended == EVERYBODY || A6_lost)
}

init {
  atomic {
    byte i;
    for (i : 0 .. TASKS - 1) { run task(i) }
    for (i : TASKS .. EVERYBODY - 1) { run waits_for_condition(i) }
    run watch()
  }
}
