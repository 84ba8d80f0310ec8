// SPDX-License-Identifier: Apache-2.0
// The verdict of docs/protocols/quiescence.md over PLACES places: nothing runs, and nothing ever will. A place is awake while one of its
// workers is not on idle_. Places send each other messages (a wake across places is one); their workers, or a stranger (an idle worker of
// another place, or the thread of progress), take them out of the place's mailbox and deliver them. Foreign threads let handles go, on
// which a task waits, and fulfil promises. Tasks wait for room of a window for one task, from place 0 to place 1. All in any order, within
// the budgets below.
//
// One step is what is done under one lock, with one message; but what a worker reads under the lock of idle_ before it cuts is read step
// by step, for neither a stranger nor a foreign thread takes that lock. Messages may overtake each other; reports of one place may not.
// How workers of one place sleep and wake is the matter of models/parking.
//
// The checker proves: a verdict is true (V1); and a program that is stuck is found: no other state is without a next step (V2).

#ifndef PLACES
#define PLACES 2
#endif
#ifndef SENDS
#define SENDS 2       /* messages that wake */
#endif
#ifndef ASKS
#define ASKS 0        /* messages that a handler answers, by a message that wakes, without waking anybody itself */
#endif
#ifndef HANDLES
#define HANDLES 0     /* that foreign threads let go */
#endif
#ifndef PROMISES
#define PROMISES 0    /* that a foreign thread fulfils; 0 or 1 */
#endif
#ifndef OWNS
#define OWNS 0        /* that it makes and fulfils itself, and no task waits for */
#endif
#ifndef PUTS
#define PUTS 0        /* tasks from place 0 to place 1, which take room */
#endif
#ifndef POLLS
#define POLLS 1       /* by the stranger */
#endif

// Each of these takes away the line that keeps one invariant. V1: the verdict is false. V2: a stuck program is not found.
//   ACTIVE_CUT          a place cuts while it is awake                                         Q1 V1
//   CUT_WHILE_POLLED    a place cuts while a stranger holds its mailbox                        Q1 V1
//   TAKEN_AFTER_LOOK    a place looks whether anything is in sight before it reads what it has taken      Q1 V1
//   SENT_BEFORE_LOOK    it reads what it has sent before it looks                              Q1 V1
//   UNORDERED           reports of one place overtake each other                               Q2 V1
//   TWO_MESSAGES        what was taken goes in a report of its own, first                      Q3 V1
//   SUM_ONLY            the sum of the ledger is looked at, not each entry                     Q4 V1
//   TAKEN_EARLY         a message is counted as taken before what it brings is there           Q5 V1
//   EXTERNAL_FORGOTTEN  places cut while a promise is unset                                    Q6 V1
//   REACHED_UNSEEN      the verdict does not ask whether a foreign thread has woken somebody   Q6 V1
//   REACHED_AFTER_LOOK  a place reads how often that was after it has looked                   Q6 V1
//   TOLD_FIRST          what a place has told of that is seen before its report is             Q6 V1
//   TOLD_LATE           that is seen after its report only                                     Q6 V2 (hang)
//   ZERO_FIRST          the verdict looks at the ledger before it asks that                    Q6 V1
//   NO_VISIT            the verdict does not keep foreign threads out                          Q6 V1
//   NO_FIRST            a place counts as passive before its first cut                         Q7 V1
//   DIRECT_WAKE         a task of another place is made ready without a message                Q8 V1
//   REACHED_BY_TASK     a task of another place is made ready as a foreign thread does it      Q8 V1
//   ANSWER_UNCOUNTED    what a stranger sends for a place is not counted there                 Q8 V2 (hang)
//   CREDIT_KEPT         a place cuts with a credit that somebody may wait for                  Q8 V1
//   CREDIT_UNCOUNTED    credits are not counted                                                Q8 V1
//   NO_CUT_AFTER_POLL   who wants to sleep does so while a stranger holds the mailbox          Q9 V2 (hang)
//   NO_FIRST_LOOK       who wants to sleep looks only after it has read what to tell           Q9 V2 (hang)
//   NO_WAKE_AT_ZERO     a foreign thread that has fulfilled the last promise wakes nobody      Q9 V2 (hang)
//   LOOK_WITH_REPORT    who has nothing new to tell does not look whether all is zero          Q9 V2 (hang)

byte sends = SENDS, asks_left = ASKS, puts_left = PUTS, handles = HANDLES;

bit awake[PLACES] = 1;          // not all workers on idle_
bit nudged[PLACES];             // a worker was woken to look again
byte mail[PLACES];              // in the mailbox: what wakes
byte asks[PLACES];              // what is answered
byte puts, credits;             // tasks for place 1; credits for place 0
bit held[PLACES];               // a stranger holds the mailbox
byte hand;                      // what it has taken and not yet delivered
byte half[PLACES];              // TAKEN_EARLY
byte ready[PLACES];             // in the inbox, from foreign threads
byte reached[PLACES];           // how often a foreign thread has put something there
byte told[PLACES];              // of these, how often when the place told the last time
byte sent[PLACES * PLACES], taken[PLACES];
bit first[PLACES];
bit room = 1, waits_for_room;   // of the window from place 0 to place 1
byte owed;                      // credits that place 1 holds back
byte promise;                   // 1 made, 2 being fulfilled, 3 fulfilled
byte unset;                     // promises that count as unset
bit waits[PLACES];              // a task here waits for it
bit visit;                      // foreign threads are kept out, or are in
short L[PLACES];
byte to_judge;                  // all was zero
bit verdict;
chan report[PLACES] = [6] of { byte, byte, byte, byte, byte };   // sent to 0, 1, 2; taken; reached

hidden byte V1_lost;            // never set: it names the invariant where an assertion fails

#define PAIR(p, q) ((p) * PLACES + (q))
#if PLACES > 2
#define SENT_BY(q) (sent[PAIR(q, 0)] + sent[PAIR(q, 1)] + sent[PAIR(q, 2)])
#define SENT_TO_2(q) sent[PAIR(q, 2)]
#define ALL(a) (a[0] + a[1] + a[2])
#define REACHED (reached[0] != told[0] || reached[1] != told[1] || reached[2] != told[2])
#define NUDGE_ALL nudged[0] = 1; nudged[1] = 1; nudged[2] = 1
#else
#define SENT_BY(q) (sent[PAIR(q, 0)] + sent[PAIR(q, 1)])
#define SENT_TO_2(q) 0
#define ALL(a) (a[0] + a[1])
#define NUDGE_ALL nudged[0] = 1; nudged[1] = 1
#endif
#define IN_MAIL(q) (mail[q] + asks[q] + (q == 0 -> credits : 0) + (q == 1 -> puts : 0))
#define UNDER_WAY (ALL(mail) + ALL(asks) + puts + credits + hand + ALL(half) + ALL(ready))
#define STUCK (ALL(awake) == 0 && UNDER_WAY == 0 && promise != 1 && promise != 2 && !waits_for_room)
#ifdef SUM_ONLY
#define ALL_ZERO (ALL(L) == 0)
#else
#define ALL_ZERO (L[0] == 0 && L[1] == 0 && L[PLACES - 1] == 0)
#endif
#if defined(CUT_WHILE_POLLED)
#define IN_SIGHT(q) (IN_MAIL(q) > 0 || ready[q] > 0)
#else
#define IN_SIGHT(q) (IN_MAIL(q) > 0 || ready[q] > 0 || held[q])
#endif
#ifdef NO_CUT_AFTER_POLL
#define SLEEPS_WHILE_HELD held[q]
#else
#define SLEEPS_WHILE_HELD false
#endif
#ifdef EXTERNAL_FORGOTTEN
#define MAY_COME false
#else
#define MAY_COME (unset > 0)
#endif

inline another(q) {
  if
  :: q != 0 -> r = 0
  :: q != 1 -> r = 1
#if PLACES > 2
  :: q != 2 -> r = 2
#endif
  fi
}

// notify(), after something has become visible at r: a worker looks, also if a stranger has it by then.
#define NOTIFY(r) nudged[r] = nudged[r] || !awake[r]

inline send_credit() {
  owed--;
  credits++;
  NOTIFY(0);
#ifndef CREDIT_UNCOUNTED
  sent[PAIR(1, 0)]++
#else
  skip
#endif
}

// The report, with t messages taken and h visits of foreign threads.
inline cut(q) {
#ifndef CREDIT_KEPT
  if
  :: q == 1 && owed > 0 -> send_credit()
  :: else
  fi;
#endif
  if
  :: t + SENT_BY(q) + first[q] == 0 && h == told[q] ->        // nothing to say
#ifndef LOOK_WITH_REPORT
     to_judge = to_judge || ALL_ZERO                          // whoever found that first may have met a promise
#else
     skip
#endif
  :: else ->
#ifdef TWO_MESSAGES
     report[q]!0, 0, 0, t + first[q], h;
     if
     :: SENT_BY(q) > 0 -> report[q]!sent[PAIR(q, 0)], sent[PAIR(q, 1)], SENT_TO_2(q), 0, h
     :: else
     fi;
#else
     report[q]!sent[PAIR(q, 0)], sent[PAIR(q, 1)], SENT_TO_2(q), t + first[q], h;
#endif
#ifdef TOLD_FIRST
     told[q] = h;
#endif
     taken[q] = taken[q] - t; first[q] = 0; sent[PAIR(q, 0)] = 0; sent[PAIR(q, 1)] = 0;
#if PLACES > 2
     sent[PAIR(q, 2)] = 0
#endif
  fi;
  t = 0; h = 0
}

// A promise has gone. At 0 one worker of each place looks again.
inline is_gone() {
  d_step { unset--; last = unset == 0 };
#ifndef NO_WAKE_AT_ZERO
  if
  :: d_step { last && !visit -> NUDGE_ALL }
  :: !last
  fi;
#endif
  last = 0
}

proctype place(byte q) {
  byte r;
  byte t, h;
#ifdef UNORDERED
  byte a, b, c;
#endif
  do
  // What a task or a body does.
  :: atomic { awake[q] && sends > 0 -> sends--; another(q);
#if defined(DIRECT_WAKE)
       awake[r] = 1;
#elif defined(REACHED_BY_TASK)
       reached[r]++; ready[r]++; NOTIFY(r);
#else
       sent[PAIR(q, r)]++; mail[r]++; NOTIFY(r);              // counted before it is seen
#endif
       r = 0 }
#if ASKS > 0
  :: atomic { awake[q] && asks_left > 0 -> asks_left--; another(q); sent[PAIR(q, r)]++; asks[r]++; NOTIFY(r); r = 0 }
  :: atomic { awake[q] && !held[q] && asks[q] > 0 -> asks[q]--; taken[q]++; another(q); sent[PAIR(q, r)]++; mail[r]++; NOTIFY(r); r = 0 }
#endif
#if PUTS > 0
  :: d_step { q == 0 && awake[0] && puts_left > 0 && room -> puts_left--; room = 0; sent[PAIR(0, 1)]++; puts++; NOTIFY(1) }
  :: d_step { q == 0 && awake[0] && puts_left > 0 && !room -> waits_for_room = 1 }
  :: d_step { q == 1 && awake[1] && owed > 0 -> send_credit() }
  :: d_step { q == 1 && awake[1] && !held[1] && puts > 0 -> puts--; taken[1]++; owed++ }
  :: d_step { q == 0 && awake[0] && !held[0] && credits > 0 -> credits--; room = 1; waits_for_room = 0;
#ifndef CREDIT_UNCOUNTED
       taken[0]++
#endif
     }
#endif
#if PROMISES > 0
  :: d_step { awake[q] && promise == 0 -> promise = 1; unset++ }
  :: d_step { awake[q] && promise == 1 -> waits[q] = 1 }
#endif
  // Its workers take a message from the mailbox, a continuation from the inbox.
  :: d_step { awake[q] && !held[q] && mail[q] > 0 -> mail[q]--; taken[q]++;
#ifdef TAKEN_EARLY
       half[q]++
#endif
     }
#ifdef TAKEN_EARLY
  :: d_step { half[q] > 0 -> half[q]--; awake[q] = 1 }
#endif
  :: d_step { awake[q] && ready[q] > 0 -> ready[q]-- }
  // The last one joins idle_, and looks; then, with the lock of idle_, it reads what to tell, and looks again.
  :: atomic { awake[q] || nudged[q] -> awake[q] = 0; nudged[q] = 0 };
#ifdef NO_FIRST_LOOK
     if
     :: true ->
#else
     if
     :: d_step { IN_SIGHT(q) -> awake[q] = !(IN_MAIL(q) + ready[q] == 0 && SLEEPS_WHILE_HELD) }
     :: !IN_SIGHT(q) ->
#endif
#if defined(TAKEN_AFTER_LOOK)
        h = reached[q];
#elif defined(REACHED_AFTER_LOOK)
        t = taken[q];
#else
        d_step { t = taken[q]; h = reached[q] };
#endif
#ifdef SENT_BEFORE_LOOK
        r = sent[PAIR(q, 1 - q)];                             // two places only
#endif
        if
        :: d_step { IN_SIGHT(q) || MAY_COME -> t = 0; h = 0 } // sleeps, and says nothing: whoever brought it wakes one
#if defined(TAKEN_AFTER_LOOK) || defined(REACHED_AFTER_LOOK)
        :: !IN_SIGHT(q) && !MAY_COME -> skip;
           atomic {
#if defined(TAKEN_AFTER_LOOK)
             t = taken[q];
#else
             h = reached[q];
#endif
#else
        :: atomic { !IN_SIGHT(q) && !MAY_COME ->
#endif
#ifdef SENT_BEFORE_LOOK
             report[q]!(q == 0 -> 0 : r), (q == 0 -> r : 0), 0, t + first[q], h;
             sent[PAIR(q, 1 - q)] = sent[PAIR(q, 1 - q)] - r; taken[q] = taken[q] - t; first[q] = 0; t = 0; h = 0
#else
             cut(q)
#endif
           }
        fi;
        r = 0
     fi
#ifdef ACTIVE_CUT
  :: atomic { awake[q] && taken[q] + SENT_BY(q) + first[q] > 0 -> t = taken[q]; h = reached[q]; cut(q) }
#endif
#ifdef UNORDERED
  :: atomic { len(report[q]) > 1 -> report[q]?a, b, c, t, h; report[q]!a, b, c, t, h; a = 0; b = 0; c = 0; t = 0; h = 0 }
#endif
  :: verdict -> break
  od
}

// Takes other places' mail.
proctype stranger() {
  byte q, wake, ask, put, credit, polls, r;
  byte t, h;
  do
  :: polls < POLLS ->
     atomic {
       if
       :: !held[0] && IN_MAIL(0) > 0 -> q = 0
       :: !held[1] && IN_MAIL(1) > 0 -> q = 1
#if PLACES > 2
       :: !held[2] && IN_MAIL(2) > 0 -> q = 2
#endif
       :: verdict -> goto over
       fi;
       polls++;
       held[q] = 1 };
     atomic {
       wake = mail[q]; mail[q] = 0;
       ask = asks[q]; asks[q] = 0;
       if
       :: q == 0 -> credit = credits; credits = 0
       :: q == 1 -> put = puts; puts = 0
       :: else
       fi;
       hand = wake + ask + put + credit;
#ifdef CREDIT_UNCOUNTED
       taken[q] = taken[q] + wake + ask + put
#else
       taken[q] = taken[q] + hand                             // the earliest moment at which it may be counted
#endif
     };
     do
     :: d_step { wake > 0 -> wake--; hand--; ready[q]++; NOTIFY(q) }   // on the place's list
     :: atomic { ask > 0 -> ask--; hand--; another(q); mail[r]++; NOTIFY(r);
#ifndef ANSWER_UNCOUNTED
          sent[PAIR(q, r)]++;
#endif
          r = 0 }
     :: d_step { put > 0 -> put--; hand--; owed++; ready[q]++; NOTIFY(q) }
     :: d_step { credit > 0 -> credit--; hand--; room = 1;
          if
          :: waits_for_room -> waits_for_room = 0; ready[q]++; NOTIFY(q)
          :: else
          fi }
     :: wake + ask + put + credit == 0 -> break
     od;
     atomic { held[q] = 0; q = 0 }
  :: polls == POLLS || verdict -> break
  od;
over: skip
}

#if HANDLES > 0
proctype lets_go() {
  byte q;
  do
  :: handles > 0 && !verdict ->
#ifndef NO_VISIT
     d_step { !visit -> visit = 1 };
#endif
     atomic { handles--; if :: q = 0 :: q = 1 fi; if :: !verdict -> skip :: else -> visit = 0; break fi };
     d_step { reached[q]++; ready[q]++; NOTIFY(q); q = 0; visit = 0 }    // counted before it can be taken
  :: handles == 0 || verdict -> break
  od
}
#endif

#if PROMISES > 0
proctype foreign() {
  bit last;
  if
  :: d_step { promise == 1 && !visit -> promise = 2; visit = 1 }
  :: verdict -> goto over
  fi;
  d_step { if :: waits[0] -> waits[0] = 0; reached[0]++; ready[0]++; NOTIFY(0) :: else fi };
  d_step { if :: waits[1] -> waits[1] = 0; reached[1]++; ready[1]++; NOTIFY(1) :: else fi };
  d_step { promise = 3; visit = 0 };
  is_gone();
over: skip
}
#endif

#if OWNS > 0
proctype keeps_to_itself() {
  byte made;
  bit last;
  do
  :: made < OWNS && !verdict ->
     unset++;                                                 // nobody keeps it from that, also while a verdict is made
     is_gone();
     made++
  :: made == OWNS || verdict -> break
  od
}
#endif

// The ledger, and the verdict.
proctype home() {
  byte q, a, b, c, t, h;
  do
  :: atomic {
       if
       :: report[0]?a, b, c, t, h -> q = 0
       :: report[1]?a, b, c, t, h -> q = 1
#if PLACES > 2
       :: report[2]?a, b, c, t, h -> q = 2
#endif
       fi;
       L[0] = L[0] + a;
       L[1] = L[1] + b;
#if PLACES > 2
       L[2] = L[2] + c;
#endif
       L[q] = L[q] - t;
       to_judge = ALL_ZERO;
#ifdef TOLD_LATE
       a = 0; b = 0; c = 0; t = 0
     };
     d_step { told[q] = h; q = 0; h = 0 }
#else
       told[q] = h;
       q = 0; a = 0; b = 0; c = 0; t = 0; h = 0
     }
#endif
  :: verdict -> break
  od
}

// Whoever has found all zero.
proctype judge() {
  bit x;
  do
  :: atomic { to_judge && !visit -> to_judge = 0;
#ifndef NO_VISIT
       visit = 1;
#endif
#ifdef ZERO_FIRST
       x = !ALL_ZERO
#endif
     };
#ifndef REACHED_UNSEEN
     x = x || reached[0] != told[0];
     x = x || reached[1] != told[1];
#if PLACES > 2
     x = x || reached[2] != told[2];
#endif
#endif
     d_step {
#ifdef ZERO_FIRST
       if
       :: !x && !MAY_COME -> verdict = 1; assert(STUCK || V1_lost)
#else
       if
       :: !x && ALL_ZERO && !MAY_COME -> verdict = 1; assert(STUCK || V1_lost)
#endif
       :: else
       fi;
#ifndef NO_VISIT
       visit = 0;
#endif
       x = 0 }
  :: verdict -> break
  od
}

init {
  byte p;
  atomic {
    for (p : 0 .. PLACES - 1) {
#ifndef NO_FIRST
      first[p] = 1; L[p] = 1;                                 // nobody is passive that has not said so
#endif
      run place(p)
    }
    p = 0;
    run home();
    run judge();
#if HANDLES > 0
    run lets_go();
#endif
#if PROMISES > 0
    run foreign();
#endif
#if OWNS > 0
    run keeps_to_itself();
#endif
#if POLLS > 0
    run stranger()
#endif
  }
}
