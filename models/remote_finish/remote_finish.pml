// SPDX-License-Identifier: Apache-2.0
// The protocol of docs/protocols/remote_finish.md between places: one finish F whose home is place 0, PLACES places, and all that
// tasks of F can do: spawn here and elsewhere, call at() (the body of an at() may call at() as well), move on to another place
// before they begin, end, with or without an exception; within the budgets below, in any order.
//
// One step is what the code does under one lock: that of a shard of the table of parts, or that of the ledger at home. What happens
// inside a place is the matter of models/remote_part, what happens inside home that of ledger.pml. Messages with tasks, and those
// of at(), may overtake each other; reports of one place come in the order of their cuts.
//
// The checker proves: when L is all zero, nothing of F is outside home but what a call of at() at home waits for (D4); F completes
// only then, with every exception, and nothing of F is ever heard of again; and no other state is without a next step.

#ifndef PLACES
#define PLACES 3
#endif
#ifndef SPAWNS
#define SPAWNS 3      /* of tasks */
#endif
#ifndef ATS
#define ATS 1         /* calls of at() */
#endif
#ifndef THROWS
#define THROWS 1
#endif
#ifndef MOVES
#define MOVES 1       /* of queued tasks to another place */
#endif
// Options that have to pass: SPLIT, a report comes in two messages, what ended in the last one; LATE, a spawn is counted at any time
// before its spawner ends; FREQUENT, places also report while tasks live there (only with -DATS=0: see FREQUENT_AT).

// Each of these takes away the line that keeps one invariant. Named with it is where it shows: D4, D8, or a hang.
//   UNORDERED        reports of one place may overtake each other                              D2 D4
//   MINUS_FIRST      a report in two messages, what ended in the first                         D3 D4
//   EACH_REPORTS     a task that ends is reported while others live at its place               D1 D4
//   COUNT_AFTER_END  a spawner may end before its spawn is counted                             D1 D4
//   HOME_UNCOUNTED   what is sent to home is counted by nobody                                 D4
//   SUM_ONLY         home looks at the sum of its ledger, not at each entry                    D4
//   TOKEN_ONCE       the ledger does not take the token again                                  D5 D4
//   AT_UNTOLD        the caller of at() is not told that the body has left something           D6 (hang)
//   AT_LATE          the caller counts that, but only after it may have ended                  D6 D4
//   AT_UNWOUND       a caller of at() goes on without the reply, which is then dropped         D6 (hang)
//   FREQUENT_AT      FREQUENT together with at()                                               D6 D4
//   MOVE_UNCOUNTED   a task that moves is neither counted as sent nor as ended                 D7 D4
//   EXCEPTIONS_APART exceptions come in messages of their own, which a report may overtake     D8
//   EXCEPTIONS_LEFT  the body of at() does not look whether an exception is kept               D8

#if defined(FREQUENT_AT)
#define FREQUENT
#endif
#if defined(COUNT_AFTER_END)
#define LATE
#endif

byte spawns = SPAWNS, ats = ATS, throws = THROWS, moves = MOVES;

// What each place keeps of F: its part. At home there is none; `live` is home's word there, without the ledger's token.
byte live[PLACES];               // sum: tasks and bodies of at() that have not ended
byte bodies[PLACES];             // of these, bodies of at()
byte blocked[PLACES];            // of these, those that wait for a reply
byte blocked_tasks[PLACES];      // of these, tasks
short arrived[PLACES];           // tasks that came, since the last cut
byte sent[PLACES * PLACES];      // tasks sent from, to, since the last cut
byte kept[PLACES];               // exceptions
byte uncounted[PLACES * PLACES]; // LATE, AT_LATE: to be counted as sent
byte coming[PLACES];             // messages with tasks on their way to a place

typedef Call { byte state; byte from; byte to; byte by; bit waits; bit left };
Call call[ATS + 2];              // by: the call whose body has made this one, 0: a task
#define REQUEST 1
#define BODY 2                   /* which `waits` if it has called at() itself */
#define REPLY 3
#define ENTERED 4                /* a reply that says: the body has left something */

chan report[PLACES] = [8] of { short, byte, byte, byte, byte };  // balance of own tasks; sent to 0, 1, 2; exceptions
chan apart = [4] of { byte };                                    // EXCEPTIONS_APART

// Home.
short L[PLACES];
bit token;
byte collected;
bit done;

// ghost
bit token_taken;                // TOKEN_ONCE
byte thrown;
hidden byte D4_lost, D8_lost;   // never set: they name the invariant where an assertion fails

#define PAIR(p, q) ((p) * PLACES + (q))
#define RUNNING(q) (live[q] > blocked[q])
#define TASKS(q) (live[q] - bodies[q] - blocked_tasks[q])        /* that run or are queued */
#define L_IS_ZERO (L[0] == 0 && L[1] == 0 && L[PLACES - 1] == 0)
#if PLACES > 2
#define OVER(a, q) (a[PAIR(q, 0)] + a[PAIR(q, 1)] + a[PAIR(q, 2)])
#define SENT_TO_2(q) sent[PAIR(q, 2)]
#define L_SUM (L[0] + L[1] + L[2])
#define ELSEWHERE (live[1] + live[2] + coming[0] + coming[1] + coming[2])
#define NO_REPORT (empty(report[1]) && empty(report[2]))
#else
#define OVER(a, q) (a[PAIR(q, 0)] + a[PAIR(q, 1)])
#define SENT_TO_2(q) 0
#define L_SUM (L[0] + L[1])
#define ELSEWHERE (live[1] + coming[0] + coming[1])
#define NO_REPORT empty(report[1])
#endif
#ifdef SUM_ONLY
#define LOOKS_ZERO (L_SUM == 0)
#else
#define LOOKS_ZERO L_IS_ZERO
#endif
#if defined(LATE) && !defined(COUNT_AFTER_END)
#define MAY_END(q) (OVER(uncounted, q) == 0)
#else
#define MAY_END(q) true
#endif
#define OWN(q) (live[q] - bodies[q] - arrived[q])                /* at an idle cut: -arrived */
#define TO_SAY(q) (OWN(q) != 0 || OVER(sent, q) > 0 || kept[q] > 0)
#ifdef FREQUENT
#define MAY_CUT(q) TO_SAY(q)
#else
#define MAY_CUT(q) (live[q] == 0 && TO_SAY(q))
#endif

inline settle_token() {
  if
  :: LOOKS_ZERO -> token = 0
#ifdef TOKEN_ONCE
  :: !LOOKS_ZERO && !token_taken -> token = 1; token_taken = 1
  :: !LOOKS_ZERO && token_taken
#else
  :: else -> token = 1
#endif
  fi;
  assert(!L_IS_ZERO || blocked[0] > 0 || OVER(uncounted, 0) > 0 || ELSEWHERE == 0 && NO_REPORT || D4_lost)
}

// After home's word, or the token in it, has become less.
inline complete_if_zero() {
  if
  :: live[0] == 0 && !token && !done ->
     done = 1;
     assert(ELSEWHERE == 0 && NO_REPORT || D4_lost);
     assert(collected == thrown || D8_lost)
  :: else
  fi
}

inline count(src, dst) {                                  // one task more is sent from src to dst
#ifdef HOME_UNCOUNTED
  if
  :: dst == 0 -> skip
  :: dst != 0 && src == 0 -> L[dst]++; settle_token()
  :: dst != 0 && src != 0 -> sent[PAIR(src, dst)]++
  fi
#else
  if
  :: src == 0 -> L[dst]++; settle_token()
  :: else -> sent[PAIR(src, dst)]++
  fi
#endif
}

inline another(q) {                                   // r becomes a place that is not q
  if
  :: q != 0 -> r = 0
  :: q != 1 -> r = 1
#if PLACES > 2
  :: q != 2 -> r = 2
#endif
  fi
}

// The report goes onto the channel, and the part is gone. (FREQUENT: what lives stays, as if it had just come.)
inline cut(q) {
#ifdef EXCEPTIONS_APART
  if
  :: kept[q] > 0 -> apart!kept[q]; kept[q] = 0
  :: else
  fi;
#endif
#if defined(MINUS_FIRST)
  report[q]!OWN(q), 0, 0, 0, kept[q];
  if
  :: OVER(sent, q) > 0 -> report[q]!0, sent[PAIR(q, 0)], sent[PAIR(q, 1)], SENT_TO_2(q), 0
  :: else
  fi;
#elif defined(SPLIT)
  if
  :: OVER(sent, q) > 0 -> report[q]!0, sent[PAIR(q, 0)], sent[PAIR(q, 1)], SENT_TO_2(q), 0
  :: else
  fi;
  report[q]!OWN(q), 0, 0, 0, kept[q];
#else
  report[q]!OWN(q), sent[PAIR(q, 0)], sent[PAIR(q, 1)], SENT_TO_2(q), kept[q];
#endif
  arrived[q] = live[q] - bodies[q];
  kept[q] = 0;
  sent[PAIR(q, 0)] = 0;
  sent[PAIR(q, 1)] = 0;
#if PLACES > 2
  sent[PAIR(q, 2)] = 0
#endif
}

inline call_at(q, who) {                              // by the body of the call `who`, or by a task
  another(q);
  call[ats].state = REQUEST;
  call[ats].from = q;
  call[ats].to = r;
  call[ats].by = who;
  blocked[q]++;
  ats--;
  r = 0
}

inline caller_goes_on(q, c) {
  blocked[q]--;
  if
  :: call[c].by == 0 -> blocked_tasks[q]--
  :: else -> call[call[c].by].waits = 0
  fi
}

inline end_of_body(q, c) {
  bodies[q]--;
  if
  :: q == 0 -> live[0]--; call[c].state = REPLY; complete_if_zero()
#ifdef EXCEPTIONS_LEFT
  :: q != 0 && bodies[q] == 0 && live[q] == 1 && arrived[q] == 0 && OVER(sent, q) == 0 ->
     kept[q] = 0;                                     // the part goes, and what it keeps
#else
  :: q != 0 && bodies[q] == 0 && live[q] == 1 && arrived[q] == 0 && OVER(sent, q) == 0 && kept[q] == 0 ->
#endif
     live[q]--; call[c].state = REPLY
  :: else -> arrived[q]++; live[q]--; call[c].state = ENTERED
  fi
}

inline reply_comes(q, c) {
  if
  :: call[c].left -> skip                             // AT_UNWOUND: nobody is there to count
  :: else ->
     caller_goes_on(q, c);
     if
     :: call[c].state == ENTERED ->
#if defined(AT_LATE)
        uncounted[PAIR(q, call[c].to)]++
#elif !defined(AT_UNTOLD)
        r = call[c].to; count(q, r); r = 0
#else
        skip
#endif
     :: else
     fi
  fi;
  call[c].state = 0; call[c].from = 0; call[c].to = 0; call[c].by = 0; call[c].left = 0
}

#define ONE_CALL(q, c) \
  :: d_step { call[c].state == REQUEST && call[c].to == q ->     /* a strand under the part; arrived stays */ \
       assert(!done || D4_lost); call[c].state = BODY; live[q]++; bodies[q]++ } \
  :: d_step { call[c].state == BODY && call[c].to == q && !call[c].waits && MAY_END(q) -> end_of_body(q, c) } \
  :: d_step { call[c].state >= REPLY && call[c].from == q -> reply_comes(q, c) } \
  :: atomic { call[c].state == BODY && call[c].to == q && !call[c].waits && ats > 0 -> call[c].waits = 1; call_at(q, c) }

proctype place(byte q) {
  byte r;
#ifdef UNORDERED
  short o;
  byte a, b, x, e;
#endif
  do
  :: d_step { RUNNING(q) && spawns > 0 -> spawns--; live[q]++ }                        // async()
  :: atomic { RUNNING(q) && spawns > 0 -> spawns--; another(q); coming[r]++;           // async_at()
#ifdef LATE
       uncounted[PAIR(q, r)]++;
#else
       count(q, r);
#endif
       r = 0 }
#if defined(LATE) || defined(AT_LATE)
  :: atomic { OVER(uncounted, q) > 0 ->
       if
       :: uncounted[PAIR(q, 0)] > 0 -> r = 0
       :: uncounted[PAIR(q, 1)] > 0 -> r = 1
#if PLACES > 2
       :: uncounted[PAIR(q, 2)] > 0 -> r = 2
#endif
       fi;
       uncounted[PAIR(q, r)]--; count(q, r); complete_if_zero(); r = 0 }
#endif
  :: atomic { TASKS(q) > 0 && ats > 0 -> blocked_tasks[q]++; call_at(q, 0) }           // at()
  :: atomic { TASKS(q) > 0 && moves > 0 && MAY_END(q) -> moves--; another(q); coming[r]++;   // a queued task moves on
#ifdef MOVE_UNCOUNTED
       arrived[q]--;
#else
       count(q, r);
#endif
       live[q]--; r = 0;
       if
       :: q == 0 -> arrived[0] = 0; complete_if_zero()
       :: else
       fi }
  :: d_step { TASKS(q) > 0 && MAY_END(q) -> live[q]--;                                 // a task ends,
       if
       :: q == 0 -> complete_if_zero()
       :: else
#ifdef EACH_REPORTS
          if
          :: live[q] > 0 && nfull(report[q]) -> report[q]!-1, 0, 0, 0, 0; arrived[q]--
          :: else
          fi
#endif
       fi }
  :: atomic { TASKS(q) > 0 && MAY_END(q) && throws > 0 -> throws--; thrown++;          // and throws: kept before it ends
       if
       :: q == 0 -> collected++
       :: else -> kept[q]++
       fi;
       live[q]--;
       if
       :: q == 0 -> complete_if_zero()
       :: else
       fi }
  :: d_step { coming[q] > 0 -> coming[q]--; assert(!done || D4_lost); live[q]++;       // arrival
       if
       :: q != 0 -> arrived[q]++
#ifdef HOME_UNCOUNTED
       :: else
#else
       :: else -> L[0]--; settle_token()              // the task was counted before the token may go
#endif
       fi }
  ONE_CALL(q, 1)
#if ATS > 1
  ONE_CALL(q, 2)
#endif
#if ATS > 2
  ONE_CALL(q, 3)
#endif
#ifdef AT_UNWOUND
  :: d_step { call[1].state != 0 && call[1].from == q && !call[1].left -> call[1].left = 1; caller_goes_on(q, 1) }
#endif
  :: atomic { q != 0 && MAY_CUT(q) -> cut(q) }
#ifdef UNORDERED
  :: atomic { len(report[q]) > 1 -> report[q]?o, a, b, x, e; report[q]!o, a, b, x, e; o = 0; a = 0; b = 0; x = 0; e = 0 }
#endif
  :: done -> break
  od
}

// Whoever takes home's messages.
proctype home() {
  short o;
  byte a, b, c, e, q;
  do
  :: atomic {
       if
       :: report[1]?o, a, b, c, e -> q = 1
#if PLACES > 2
       :: report[2]?o, a, b, c, e -> q = 2
#endif
       fi;
       assert(!done || D4_lost);
       collected = collected + e;                     // exceptions before the token
       L[q] = L[q] + o;
       L[0] = L[0] + a;
       L[1] = L[1] + b;
#if PLACES > 2
       L[2] = L[2] + c;
#endif
       o = 0; a = 0; b = 0; c = 0; e = 0; q = 0;
       settle_token();
       complete_if_zero()
     }
#ifdef EXCEPTIONS_APART
  :: atomic { apart?e -> collected = collected + e; e = 0 }
#endif
  :: done -> break
  od
}

init {
  byte p;
  atomic {
    live[0] = 1;                                      // the body, which is a task to this model
    run home();
    for (p : 0 .. PLACES - 1) { run place(p) }
    p = 0
  }
}
