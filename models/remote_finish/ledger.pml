// SPDX-License-Identifier: Apache-2.0
// The home of a finish F whose tasks are elsewhere as well: docs/protocols/remote_finish.md, "Inside home". Worker 0 runs the body, worker 1 a
// task of F and those that come home; both may send tasks to another place and let exceptions escape. Whoever takes the messages of home applies
// reports and brings tasks in. The other place is one process that does what the rest of the protocol allows.
//
// One Promela step holds at most one access to what others also access: the word of F, the word that F's exceptions or its ledger hang on,
// the table, the ledger under its lock.

#ifndef SENDS
#define SENDS 2       /* tasks that home sends */
#endif
#ifndef BACK
#define BACK 1        /* tasks that the other place sends home */
#endif
#ifndef THROWS
#define THROWS 1
#endif

// Each of these takes away the line that keeps one invariant.
//   ATTACH_BLIND       the ledger is hung up without a look whether that word has changed     D8 D9 D5
//   TABLE_LATE         the ledger is put into the table after it was hung up                  D9
//   TOKEN_LOCKED       the token is given back before the ledger's lock                        D9
//   ARRIVAL_AFTER      a task that comes home is counted after the ledger has done so          D5 D9
//   KEPT_AFTER_TOKEN   exceptions of a report are added after the token was given back         D8 D9
//   NO_TOKEN           the ledger has no token                                                 D5 D9

#define LEDGERS (THROWS + 4)   /* from 1 on; one more for each attempt */

// F
short sum = 1;        // word_.sum: the body's token
byte holders = 2;     // both workers
byte kept;            // exceptions, while no ledger hangs there
byte hung;            // the ledger
bit waiter, ready;    // the body has parked; goes on
bit f_alive = 1;

typedef Ledger { bit alive; bit in_table; bit locked; bit token; short away; short home; byte kept };
Ledger ledger[LEDGERS];
byte made;

byte sends = SENDS, back = BACK, throws = THROWS;
byte arrivals;        // tasks that came home, queued

// The other place, and what is under way.
byte coming, live, arrived, sent, escaped, part_of;
chan reports = [4] of { byte, byte, byte, byte };   // ledger, arrived, sent home, exceptions
chan to_home = [4] of { byte };
bit over;

byte thrown;          // ghost
byte outside;         // ghost: tasks of F that live elsewhere or are under way, and reports
hidden byte D5_lost, D8_lost, D9_lost;

#define touch_f() assert(f_alive || D9_lost)
#define touch(l) assert(ledger[l].alive || D9_lost)

inline complete() {   // {0, 0}
  d_step { assert(waiter && outside == 0 || D5_lost); assert(!ready || D5_lost); ready = 1 }
}

inline lock(l) {
  d_step { !ledger[l].locked -> touch(l); ledger[l].locked = 1 }
}

// Locked: the entries have changed. `give`: the token is to be given back.
inline settle(l) {
#ifndef NO_TOKEN
  if
  :: (ledger[l].away != 0 || ledger[l].home != 0) && !ledger[l].token -> ledger[l].token = 1; touch_f(); sum++
  :: ledger[l].away == 0 && ledger[l].home == 0 && ledger[l].token -> ledger[l].token = 0; give = 1
  :: else
  fi
#else
  skip
#endif
}

inline unlock_and_give(l) {
#ifndef TOKEN_LOCKED
  d_step { touch(l); ledger[l].locked = 0 };
#endif
  if
  :: give -> give = 0; d_step { touch_f(); sum--; zero = (sum == 0 && holders == 0) };
     if
     :: zero -> zero = 0; complete()
     :: else
     fi
  :: else
  fi;
#ifdef TOKEN_LOCKED
  d_step { touch(l); ledger[l].locked = 0 };
#endif
}

// key_of() and count_sent(), then the message goes out.
inline send_elsewhere() {
  do
  :: d_step { hung != 0 -> touch_f(); l = hung }; break
  :: d_step { hung == 0 -> touch_f(); seen = kept; made++; l = made; ledger[l].alive = 1; ledger[l].kept = seen };
#ifndef TABLE_LATE
     ledger[l].in_table = 1;
#endif
     if
#ifdef ATTACH_BLIND
     :: d_step { hung = l; kept = 0; seen = 0 };
        break
#else
     :: d_step { hung == 0 && kept == seen -> hung = l; kept = 0; seen = 0 };
#ifdef TABLE_LATE
        ledger[l].in_table = 1;
#endif
        break
     :: d_step { !(hung == 0 && kept == seen) -> ledger[l].in_table = 0; ledger[l].alive = 0; ledger[l].kept = 0; l = 0; seen = 0 }
#endif
     fi
  od;
  lock(l);
  d_step { ledger[l].away++; outside++; settle(l); ledger[l].locked = 0 };
  d_step { coming++; part_of = l; l = 0 }
}

inline let_escape() {
  do
  :: d_step { hung == 0 -> touch_f(); seen = kept };
     if
     :: d_step { hung == 0 && kept == seen -> kept++; seen = 0 }; break
     :: d_step { !(hung == 0 && kept == seen) -> seen = 0 }
     fi
  :: d_step { hung != 0 -> touch_f(); touch(hung); ledger[hung].kept++ }; break
  od
}

proctype body() {     // worker 0
  short own = 1;    // it has spawned the task that worker 1 runs
  byte l, seen;
  bit give, zero;
  do
  :: d_step { sends > 0 -> sends-- }; send_elsewhere()
  :: d_step { throws > 0 -> throws--; thrown++ }; let_escape()
  :: break
  od;
  if
  :: atomic { holders == 1 && sum + own == 1 -> assert(outside == 0 || D5_lost) }  // nobody else: completed in place
  :: d_step { !(holders == 1 && sum + own == 1) -> waiter = 1; own-- };
     d_step { sum = sum + own; holders--; own = 0; zero = (sum == 0 && holders == 0) };
     if
     :: zero -> zero = 0; complete()
     :: else
     fi;
     ready
  fi;
  d_step {            // close(): what was kept, and the ledger goes
    assert(outside == 0 || D5_lost);
    assert(kept + (hung != 0 -> ledger[hung].kept : 0) == thrown || D8_lost);
    f_alive = 0;
    l = hung
  };
  if
  :: l != 0 -> ledger[l].in_table = 0; d_step { ledger[l].alive = 0; ledger[l].kept = 0 }
  :: else
  fi;
  over = 1
}

proctype task() {     // worker 1
  short balance;
  byte l, seen;
  bit give, zero;
again: skip;
  do
  :: d_step { sends > 0 -> sends-- }; send_elsewhere()
  :: d_step { throws > 0 -> throws--; thrown++ }; let_escape()
  :: break
  od;
  balance--;
  d_step { touch_f(); sum = sum + balance; holders--; balance = 0; zero = (sum == 0 && holders == 0) };   // runs dry
  if
  :: zero -> zero = 0; complete()
  :: else
  fi;
  if
  :: atomic { arrivals > 0 -> arrivals--; touch_f(); holders++ }; goto again
  :: over
  fi
}

proctype taker() {    // of home's messages
  byte l, a, s, e;
  bit give, zero;
  do
  :: reports?l, a, s, e ->
     assert(ledger[l].in_table || D9_lost);
#ifndef KEPT_AFTER_TOKEN
     d_step { touch(l); ledger[l].kept = ledger[l].kept + e; e = 0 };
#endif
     lock(l);
     d_step { touch(l); ledger[l].away = ledger[l].away - a; ledger[l].home = ledger[l].home + s; outside--; settle(l); a = 0; s = 0 };
     unlock_and_give(l);
#ifdef KEPT_AFTER_TOKEN
     if
     :: e > 0 -> d_step { touch(l); ledger[l].kept = ledger[l].kept + e; e = 0 }
     :: else
     fi;
#endif
     l = 0
  :: to_home?l ->
     assert(ledger[l].in_table || D9_lost);
#ifndef ARRIVAL_AFTER
     d_step { touch_f(); sum++; arrivals++ };
#endif
     lock(l);
     d_step { touch(l); ledger[l].home--; outside--; settle(l) };
     unlock_and_give(l);
#ifdef ARRIVAL_AFTER
     d_step { touch_f(); sum++; arrivals++ };
#endif
     l = 0
  :: over -> break
  od
}

// `outside` counts tasks under way or live there, those on their way home, and a part that has yet to be told.
proctype elsewhere() {
  do
  :: d_step { coming > 0 -> coming--; arrived++; live++ }
  :: d_step { live > 0 && back > 0 -> back--; sent++; outside++; to_home!part_of }
  :: d_step { live > 0 -> live-- }
  :: d_step { live > 0 && throws > 0 -> throws--; thrown++; escaped++; live-- }
  :: d_step { live == 0 && arrived > 0 -> reports!part_of, arrived, sent, escaped;
       outside = outside - arrived + 1; arrived = 0; sent = 0; escaped = 0 }
  :: over -> break
  od
}

init {
  atomic { run body(); run task(); run taker(); run elsewhere() }
}
