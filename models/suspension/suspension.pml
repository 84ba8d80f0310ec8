// SPDX-License-Identifier: Apache-2.0
// The suspension protocol of docs/protocols/suspension.md: two continuations wait for one future while a third sets it, on three
// workers; whoever is free goes on with a continuation that became ready. At any moment the deadlock check may also break the
// wait of all that stand on the list, which in the runtime happens only while nothing runs: the model grants it more.
//
// One Promela step holds at most one access to shared memory. Nothing here cycles for ever but a failed compare-exchange,
// and that fails only after another one succeeded.

// Each of these takes away the line that keeps one invariant.
//   COMMIT_FIRST   suspend() publishes the continuation before it has left its stack              S1
//   TOUCH_AFTER    suspend() writes to the continuation's node after it was published             S2
//   NEXT_AFTER     set_value() reads a node's next_ after it made the continuation ready          S2
//   BLIND_PUSH     the waiter checks, then stores: no compare-exchange                      S3 (hang)
//   STORE_READY    set_value() reads the list, then stores: no exchange                     S3 (hang)
//   VALUE_LATE     set_value() writes the value after the exchange                          S4
//   NO_CLAIM       the deadlock check resumes the waiters without taking the list           S5 S3

#define WORKERS 3
#define READY 9
#define NOBODY 7

byte state;             // state_ of the future: 0, the first node of the list (the number of its continuation), or READY
bit value;              // the future's value
byte next[3];           // next_ of a node; nodes live on the stacks of continuations 1 and 2
bit node[3];            // the node exists
byte user[3] = NOBODY;  // worker that runs on a continuation's stack
byte ready[3];          // continuations in a deque
bit broken[3];          // resumed by the deadlock check
byte ended[3];
hidden byte S1_lost, S2_lost, S3_lost, S4_lost;  // never set: they name the invariant where an assertion fails

#define ENDED (ended[1] == 1 && ended[2] == 1)

inline make_ready(i) { d_step { ready[i]++; assert(ready[i] == 1 || S3_lost) } }   // once

// A continuation goes on after its wait and ends.
inline go_on(i) {
  d_step { assert(user[i] == NOBODY || S1_lost); user[i] = w };
  d_step {
    assert(value || broken[i] || S4_lost);
    node[i] = 0;
    ended[i]++;
    assert(ended[i] == 1 || S3_lost);
    user[i] = NOBODY
  }
}

inline get(i) {
  user[i] = w;
  if
  :: state == READY -> user[i] = NOBODY; go_on(i)              // get(): state_ load, acquire
  :: else ->
     d_step { node[i] = 1;
#ifndef COMMIT_FIRST
       user[i] = NOBODY                                        // suspend(): on another stack from here (S1)
#endif
     };
     do                                                        // commit()
     :: s = state;
        if
        :: s == READY -> break                                 // already true: the continuation goes on at once
        :: else ->
           next[i] = s;                                        // commit(): not visible to others yet
#ifdef BLIND_PUSH
           state = i; s = 0; break
#else
           if                                                  // commit(): state_ compare_exchange, acq_rel
           :: d_step { state == s -> state = i; s = 0 }; break
           :: d_step { state != s -> s = 0 }
           fi
#endif
        fi
     od;
#ifdef COMMIT_FIRST
     user[i] = NOBODY;
#endif
     if
     :: s == READY -> s = 0; go_on(i)
     :: else
#ifdef TOUCH_AFTER
        -> assert(node[i] || S2_lost)                          // the continuation may have gone on and ended
#endif
     fi
  fi
}

// Walks a list that was taken from the future.
inline wake_all() {
  do
  :: s == 0 || s == READY -> s = 0; break
  :: else ->
#ifdef NEXT_AFTER
     make_ready(s);
     d_step { assert(node[s] || S2_lost); n = next[s] };
#else
     d_step { assert(node[s] || S2_lost); n = next[s] };       // wake_all(): next_ first
     make_ready(s);
#endif
     d_step { s = n; n = 0 }
  od
}

inline set_value() {
#ifndef VALUE_LATE
  value = 1;                                                   // set_value(): before the exchange (S4)
#endif
#ifdef STORE_READY
  s = state;
  state = READY;
#else
  d_step { s = state; state = READY };                         // set_value(): state_ exchange, acq_rel
#endif
  wake_all();
#ifdef VALUE_LATE
  value = 1
#endif
}

proctype worker(byte w) {
  byte s, n;
  if
  :: w == 0 -> get(1)
  :: w == 1 -> get(2)
  :: else -> set_value()
  fi;
loop:
  if
  :: d_step { ready[1] > 0 -> ready[1]-- }; go_on(1); goto loop
  :: d_step { ready[2] > 0 -> ready[2]-- }; go_on(2); goto loop
  :: ENDED
  fi
}

proctype deadlock_check() {
  byte s, n;
  if
  :: skip
  :: d_step {
       state != READY -> s = state;                            // break_waits(): state_ exchange with "no waiters" (S5)
#ifndef NO_CLAIM
       state = 0;
#endif
       if
       :: s == 1 || s == 2 -> broken[s] = 1; if :: next[s] != 0 -> broken[next[s]] = 1 :: else fi
       :: else
       fi
     };
     wake_all()
  fi
}

// No step is left: then both continuations have ended, or one waits for ever.
proctype watch() { timeout -> assert(ENDED) }

init {
  atomic { run worker(0); run worker(1); run worker(2); run deadlock_check(); run watch() }
}
