// SPDX-License-Identifier: Apache-2.0
// What one place keeps of a finish whose home is elsewhere: the part of docs/protocols/remote_finish.md, with two workers, whoever takes the
// place's messages, and the table in which the part lies. Tasks spawn here and elsewhere, wait and go on, throw and end, within the budgets
// below; each entry that is ready may be taken by either worker, as own work or as a thief.
//
// One Promela step holds at most one access to what other workers also access: the word of a part, the lock of the shard with the first
// access under it, the last access with its unlocking. The word and the balances are those of models/finish.
//
// The checker proves: all assertions; and that in the end there is no part, every task that came and every body that left something has been
// reported as ended, everything sent and every exception was told.

#ifndef TASKS
#define TASKS 2       /* messages with tasks */
#endif
#ifndef BODIES
#define BODIES 1      /* requests of at() */
#endif
#ifndef SPAWNS
#define SPAWNS 1      /* here */
#endif
#ifndef REMOTE
#define REMOTE 1      /* spawns elsewhere */
#endif
#ifndef THROWS
#define THROWS 0
#endif
#ifndef WAITS
#define WAITS 1       /* tasks stop, and go on later */
#endif

// Each of these takes away the line that keeps one invariant.
//   ARRIVAL_UNLOCKED   who brings a task in looks the part up without the lock                        D1 D9
//   COUNTED_UNLOCKED   who brings a task in counts it only after it has given the lock back           D1 D9
//   ONE_LOOK           idle() does not look at the word again under the lock                          D1 D9
//   IDLE_BY_POINTER    idle() goes to the part that the worker has flushed, not to the one of the key D9
//   KEY_AFTER          flush_all() reads the key after its operation on the word                      D9
//   SENT_AFTER_END     a spawn elsewhere is counted after its spawner has ended                       D1 D9
//   REPORT_UNLOCKED    the report goes out after the lock was given back                              D2
//   FREED_FIRST        the part leaves the table after the lock was given back                        D9
//   BALANCE_KEPT       the end of a body of at() does not hand the worker's balance in first          D6
//   WORD_UNSEEN        it does not look at the word                                                   D6 D9
//   SENT_UNSEEN        it does not look at what was sent                                              D6
//   BODY_ARRIVED       it says that it has left something, and does not count itself                  D6
//   KEPT_UNSEEN        it does not look whether an exception is kept                                  D8

#define WORKERS 2
#define PARTS 4       /* parts are 1..PARTS-1; the lowest that is free is the next one's memory */

typedef Part {
  short sum;          // word_.sum
  byte holders;       // word_.holders
  byte arrived;
  byte sent;
  byte kept;          // exceptions
  bit alive;          // ghost: its memory is a part's
  byte number;        // ghost: of the cut that ends it
};
Part part[PARTS];
byte table;           // the part of the key, or 0
bit locked;           // the shard of the table
byte queued[PARTS], bodies[PARTS];  // entries that are ready, by their finish

byte tasks = TASKS, requests = BODIES, spawns = SPAWNS, remote = REMOTE, throws = THROWS, waits = WAITS;

// ghost
byte live;            // tasks and bodies that have not ended
byte cuts, reported;  // cuts made; the last one whose report is on the channel
byte ended, told, thrown, told_thrown;    // by reports
byte sent_all, entered;
hidden byte D1_lost, D2_lost, D6_lost, D8_lost, D9_lost;  // never set: they name the invariant where an assertion fails

#define ZERO(x) (part[x].sum == 0 && part[x].holders == 0)

inline touch(x) { assert(part[x].alive || D9_lost) }

inline lock() { d_step { !locked -> locked = 1 } }

// Under the lock: the part of the key becomes x, made if there is none.
inline find_or_make(x) {
  if
  :: table != 0 -> x = table
  :: else ->
     x = 1;
     do
     :: part[x].alive -> x++
     :: else -> break
     od;
     part[x].alive = 1; part[x].sum = 0; part[x].holders = 0; part[x].arrived = 0; part[x].sent = 0; part[x].kept = 0;
     table = x
  fi
}

// What is told of an idle part, and the part is gone.
inline report_of(x) {
  cuts++;
  part[x].number = cuts
}

inline put_on_channel(x) {
  assert(part[x].number == reported + 1 || D2_lost);
  reported = part[x].number;
  ended = ended + part[x].arrived;
  told = told + part[x].sent;
  told_thrown = told_thrown + part[x].kept;
  part[x].alive = 0; part[x].arrived = 0; part[x].sent = 0; part[x].kept = 0; part[x].number = 0; part[x].sum = 0; part[x].holders = 0
}

// Locked, with the word of x found at {0, 0}: the cut, and the lock is given back.
inline cut_and_unlock(x) {
#if defined(REPORT_UNLOCKED)
  d_step { touch(x); assert(live == 0 || D1_lost); table = 0; report_of(x); locked = 0 };
  d_step { put_on_channel(x); x = 0 }
#elif defined(FREED_FIRST)
  d_step { touch(x); assert(live == 0 || D1_lost); report_of(x); put_on_channel(x); locked = 0 };
  d_step { table = 0; x = 0 }
#else
  d_step { touch(x); assert(live == 0 || D1_lost); table = 0; report_of(x); put_on_channel(x); locked = 0; x = 0 }
#endif
}

// A worker has left {0, 0} in the word of a part.
inline idle() {
#ifdef IDLE_BY_POINTER
  d_step { !locked -> locked = 1; x = flushed; flushed = 0 };
#else
  d_step { !locked -> locked = 1; x = table };                // by the key
#endif
  if
  :: x == 0 -> locked = 0
#ifndef ONE_LOOK
  :: d_step { x != 0 && !ZERO(x) -> touch(x); locked = 0; x = 0 }   // word_.load, acquire
  :: d_step { x != 0 && ZERO(x) -> touch(x) };
#else
  :: x != 0 ->
#endif
     cut_and_unlock(x)
  fi
}

inline flush_all() {
  d_step { touch(held); key = 1 };                            // parent_, before the word
  d_step {                                                    // word_.fetch_add
    touch(held);
    part[held].sum = part[held].sum + balance;
    part[held].holders--;
    zero = ZERO(held);
#if defined(IDLE_BY_POINTER) || defined(KEY_AFTER)
    flushed = held;
#endif
    held = 0; balance = 0; key = 0
  };
#ifdef KEY_AFTER
  d_step { touch(flushed); flushed = 0 };
#endif
  if
  :: zero -> zero = 0; idle()
  :: else ->
#ifdef IDLE_BY_POINTER
     flushed = 0
#endif
  fi
}

inline hold(to) {
  if
  :: held == to
  :: else ->
     if
     :: held != 0 -> flush_all()
     :: else
     fi;
     d_step { touch(to); part[to].holders++; held = to; balance = 0 }
  fi
}

proctype worker(byte w) {
  byte held;          // the part that it holds, by `slot`
  short balance;
  byte e;             // the finish of the entry in hand
  byte x, flushed;
  bit body, key, zero, owes;

loop:
  if
  :: d_step { queued[1] > 0 -> queued[1]--; e = 1 }
  :: d_step { queued[2] > 0 -> queued[2]--; e = 2 }
  :: d_step { queued[3] > 0 -> queued[3]--; e = 3 }
  :: d_step { bodies[1] > 0 -> bodies[1]--; e = 1; body = 1 }
  :: d_step { bodies[2] > 0 -> bodies[2]--; e = 2; body = 1 }
  :: d_step { bodies[3] > 0 -> bodies[3]--; e = 3; body = 1 }
  :: held != 0 -> flush_all(); goto loop                      // runs dry, or turns to another finish
  :: held == 0 && live == 0 && tasks == 0 && requests == 0 && !locked -> goto over
  fi;
  hold(e);
  e = 0;

go_on:
  if
  :: d_step { spawns > 0 -> spawns--; live++; balance++; queued[held]++ }; goto go_on        // async()
#ifdef SENT_AFTER_END
  :: d_step { remote > 0 && !owes -> remote--; sent_all++; owes = 1 }; goto go_on
#else
  :: d_step { remote > 0 -> remote--; sent_all++; touch(held); part[held].sent++ }; goto go_on   // async_at()
#endif
  :: d_step { waits > 0 ->                                    // waits, and is ready again: stays counted
       waits--;
       if
       :: body -> bodies[held]++
       :: else -> queued[held]++
       fi;
       body = 0 };
     goto loop
  :: d_step { !body && throws > 0 -> throws--; thrown++; touch(held); part[held].kept++; balance--; live-- }
  :: d_step { !body -> balance--; live-- }                    // ends
  :: body -> body = 0; goto end_of_body
  fi;
#ifdef SENT_AFTER_END
  if
  :: owes -> d_step { touch(held); part[held].sent++; owes = 0 }
  :: else
  fi;
#endif
  goto loop;

end_of_body: skip;
  // The balance goes in first; the body itself is still counted, so this leaves no {0, 0}.
#ifdef BALANCE_KEPT
#define ONLY_THIS(x) (part[x].sum == 1 && part[x].holders == 1)
#define LEAVE(x) part[x].sum = part[x].sum + balance - 1; part[x].holders--; held = 0; balance = 0
  d_step { !locked -> locked = 1; touch(held); x = held };
#else
#define ONLY_THIS(x) (part[x].sum == 1 && part[x].holders == 0)
#define LEAVE(x) part[x].sum--
  d_step {
    touch(held);
    part[held].sum = part[held].sum + balance;
    part[held].holders--;
    assert(!ZERO(held) || D6_lost);
    x = held; held = 0; balance = 0
  };
  d_step { !locked -> locked = 1; touch(x) };
#endif
#if defined(WORD_UNSEEN)
#define LEFT_NOTHING(x) (part[x].arrived == 0 && part[x].sent == 0 && part[x].kept == 0)
#elif defined(SENT_UNSEEN)
#define LEFT_NOTHING(x) (ONLY_THIS(x) && part[x].arrived == 0 && part[x].kept == 0)
#elif defined(KEPT_UNSEEN)
#define LEFT_NOTHING(x) (ONLY_THIS(x) && part[x].arrived == 0 && part[x].sent == 0)
#else
#define LEFT_NOTHING(x) (ONLY_THIS(x) && part[x].arrived == 0 && part[x].sent == 0 && part[x].kept == 0)
#endif
  if
  :: d_step { LEFT_NOTHING(x) ->                              // as if nothing of this finish had been here
       touch(x);
       assert(live == 1 && part[x].sent == 0 || D6_lost);
       assert(part[x].kept == 0 || D8_lost);
       live--;
       table = 0;
       part[x].alive = 0; part[x].sum = 0; part[x].holders = 0;
#ifdef BALANCE_KEPT
       held = 0; balance = 0;
#endif
       locked = 0; x = 0 }
  :: d_step { !LEFT_NOTHING(x) ->                             // the reply says so, and the caller counts it
       entered++;
#ifndef BODY_ARRIVED
       part[x].arrived++;
#endif
       live--;
       LEAVE(x);                                              // word_.fetch_sub
       zero = ZERO(x) };
     if
     :: zero -> zero = 0; cut_and_unlock(x)
     :: else -> d_step { locked = 0; x = 0 }
     fi
  fi;
  goto loop;

over: skip
}

// Whoever takes the messages of this place: one at a time.
proctype poller() {
  byte x;
  do
  :: tasks > 0 ->
#ifdef ARRIVAL_UNLOCKED
     d_step { find_or_make(x) };
     d_step { touch(x); tasks--; live++; part[x].arrived++; part[x].sum++ };
#elif defined(COUNTED_UNLOCKED)
     lock();
     d_step { find_or_make(x); locked = 0 };
     d_step { touch(x); tasks--; live++; part[x].arrived++; part[x].sum++ };
#else
     lock();
     d_step { find_or_make(x); tasks--; live++; part[x].arrived++; part[x].sum++; locked = 0 };
#endif
     d_step { queued[x]++; x = 0 }                            // queued when it is counted
  :: requests > 0 ->
     lock();
     d_step { find_or_make(x); requests--; live++; part[x].sum++; locked = 0 };
     d_step { bodies[x]++; x = 0 }
  :: tasks == 0 && requests == 0 -> break
  od
}

// No step is left.
proctype watch() {
  timeout ->
  assert(live == 0 && table == 0 && queued[1] + queued[2] + queued[3] + bodies[1] + bodies[2] + bodies[3] == 0 || D1_lost);
  assert(told == sent_all || D1_lost);
  assert(ended == TASKS + entered || D6_lost);
  assert(told_thrown == thrown || D8_lost)
}

init {
  atomic { run worker(0); run worker(1); run poller(); run watch() }
}
