// SPDX-License-Identifier: Apache-2.0
// The rounds of docs/protocols/quiescence.md, over PLACES places that send each other bytes: what comes between a ledger that is all zero
// and tasks that are resumed in vain. Place 0 has the ledger. What a place tells goes to place 0 in order, and what that asks goes back in
// order; messages that wake come in any order. Foreign threads let handles go at any time. A cut is one step here: its insides are the
// matter of quiescence.pml.
//
// The checker proves: when a verdict is spoken, there was a moment in the round before at which the program was stuck (V1); nobody's waits
// are cancelled while a task of that place runs, and nobody goes on before all have cancelled (V2); and a stuck program is found and goes
// on: no other state is without a next step (V3). With OVERTAKEN, also: where foreign threads let the program go on while a verdict goes round,
// and its run ends, nobody's waits of the next run are cancelled (V4). There the root task is the only one that waits.

#ifndef PLACES
#define PLACES 2
#endif
#ifndef SENDS
#define SENDS 2       /* messages that wake */
#endif
#ifndef HANDLES
#define HANDLES 1     /* that foreign threads let go */
#endif
#ifndef OWNS
#define OWNS 0        /* promises that a foreign thread makes and fulfils itself, and no task waits for */
#endif

// Each of these takes away the line that keeps one invariant.
//   NO_ASK           who finds all zero speaks the verdict at once                      Q10 V1
//   ANSWER_AT_ONCE   a place answers when it is asked, not when it is idle again        Q10 V1
//   ZERO_UNSEEN      the last answer is enough, without a look at the ledger            Q10 V1
//   CANCEL_AT_ONCE   a place cancels when it is told to, not when it is idle            Q11 V2
//   CANCEL_AT_GO     there is no second round: a place cancels, and goes on, at once    Q11 V2
//   GO_EARLY         the first that has cancelled goes on                               Q11 V2
//   NO_SECOND_LOOK   a round in which somebody was active is not followed by another    Q12 V3 (hang)
//   ASK_IS_SILENT    who is asked is not woken to fall idle again                       Q12 V3 (hang)
//   LOOK_WITH_NEWS   place 0 does not look at the ledger when it has nothing to tell    Q12 V3 (hang)
//   STALE_SET        a place does not ask of which run it is told                       Q13 V4 (OVERTAKEN)
//   NUMBER_LATE      the number of the run goes up after its places have begun          Q13 V4 (OVERTAKEN)
//   ANSWER_FIRST     a place answers before it tells what it has sent and taken         Q12 V1

mtype = { QUIET, ANSWER, CONFIRMED, ASK, SET, GO };

byte sends = SENDS, handles = HANDLES;
bit awake[PLACES] = 1;          // some task runs there
bit nudged[PLACES];             // a worker looks again, and falls idle
byte mail[PLACES];
byte sent[PLACES * PLACES], taken[PLACES];
bit reached[PLACES];            // by a foreign thread, since the place told the last time
bit unset[PLACES];              // a promise is, that a foreign thread of that process has made: the place tells nothing and answers nothing
bit first[PLACES] = 1;
mtype asked[PLACES];
bit cancelled[PLACES], gone[PLACES];
short L[PLACES] = 1;
chan up[PLACES] = [6] of { mtype, byte, byte, byte, byte };   // sent to 0, 1, 2; taken
chan down[PLACES] = [3] of { mtype };

byte missing;                   // of the round that is under way
bit was_told;                   // somebody was active during it
bit round;                      // the first one is under way
bit was_stuck;                  // at some moment of it
bit spoken;
#ifdef OVERTAKEN
bit next_run, next_number;      // the run after it has begun, without a verdict; its number is there
bit dead[PLACES];               // a verdict has been set there
bit over;                       // that has ended, too
#define ENDS over
#else
#define ENDS (ALL(gone) == PLACES)
#endif

hidden byte V1_lost, V2_lost, V4_lost;   // never set: they name the invariant where an assertion fails

#define PAIR(p, q) ((p) * PLACES + (q))
#if PLACES > 2
#define ALL(a) (a[0] + a[1] + a[2])
#define SENT_TO_2(q) sent[PAIR(q, 2)]
#else
#define ALL(a) (a[0] + a[1])
#define SENT_TO_2(q) 0
#endif
#define NEWS(q) (sent[PAIR(q, 0)] + sent[PAIR(q, 1)] + SENT_TO_2(q) + taken[q] + first[q] + reached[q] > 0)
#define STUCK (ALL(awake) == 0 && ALL(mail) == 0)
#define ALL_ZERO (L[0] == 0 && L[1] == 0 && L[PLACES - 1] == 0)

inline another(q) {
  if
  :: q != 0 -> r = 0
  :: q != 1 -> r = 1
#if PLACES > 2
  :: q != 2 -> r = 2
#endif
  fi
}

inline tell_all(what) {
  down[0]!what; down[1]!what;
#if PLACES > 2
  down[2]!what
#endif
}

inline speak() {
  assert(was_stuck || STUCK || V1_lost);
  spoken = 1; round = 0; missing = PLACES;
#ifdef CANCEL_AT_GO
  tell_all(GO)
#else
  tell_all(SET)
#endif
}

inline begin_round() {
#ifdef NO_ASK
  was_stuck = STUCK;
  speak()
#else
  round = 1; was_told = 0; was_stuck = STUCK; missing = PLACES;
  tell_all(ASK)
#endif
}

// At place 0.
inline look_at_ledger() {
  if
  :: ALL_ZERO && !round && !spoken && !unset[0] -> begin_round()
  :: else
  fi
}

inline tell(q) {
  if
  :: NEWS(q) ->
     up[q]!QUIET, sent[PAIR(q, 0)], sent[PAIR(q, 1)], SENT_TO_2(q), taken[q] + first[q];
     sent[PAIR(q, 0)] = 0; sent[PAIR(q, 1)] = 0;
#if PLACES > 2
     sent[PAIR(q, 2)] = 0;
#endif
     taken[q] = 0; first[q] = 0; reached[q] = 0
  :: else
  fi
}

inline cancel(q) {
  assert(!awake[q] || V2_lost);
#ifdef OVERTAKEN
  dead[q] = 1;
#endif
  cancelled[q] = 1
}

#ifdef OVERTAKEN
inline begin_next_run() {
  next_run = 1; dead[0] = 0; dead[1] = 0;
#if PLACES > 2
  dead[2] = 0
#endif
}
#endif

inline hear_set(q) {
#if defined(OVERTAKEN) && !defined(STALE_SET)
  if
  :: next_number                                               // of a run that is over
  :: else -> cancel(q)
  fi;
#else
  cancel(q);
#endif
  up[q]!CONFIRMED, 0, 0, 0, 0
}

proctype place(byte q) {
  byte r;
  do
  :: atomic { awake[q] && sends > 0 -> sends--; another(q); sent[PAIR(q, r)]++; mail[r]++; r = 0 }
  :: atomic { mail[q] > 0 -> mail[q]--; taken[q]++; awake[q] = 1 }
#ifdef OVERTAKEN
  :: atomic { awake[q] && !(q == 0 && gone[0]) -> awake[q] = 0; nudged[q] = 1 }
  :: atomic { q == 0 && next_run && !awake[0] -> awake[0] = 1 }    // what it waited for has come
#else
  :: atomic { awake[q] -> awake[q] = 0; nudged[q] = 1 }
#endif
  :: atomic { handles > 0 && !spoken -> was_stuck = was_stuck || STUCK; handles--; reached[q] = 1; awake[q] = 1 }
#ifdef OVERTAKEN
  :: atomic { q == 0 && handles > 0 && spoken && !next_run && !cancelled[0] -> handles--; reached[0] = 1; awake[0] = 1 }
  // The root task was the last of its run: the next one begins with it, or that is over, too.
#ifdef NUMBER_LATE
  :: atomic { q == 0 && spoken && ALL(awake) == awake[0] && awake[0] && ALL(mail) == 0 && !next_run -> begin_next_run() }
  :: atomic { q == 0 && next_run && !next_number -> next_number = 1 }
#else
  :: atomic { q == 0 && spoken && ALL(awake) == awake[0] && awake[0] && ALL(mail) == 0 && !next_number -> next_number = 1 }
  :: atomic { q == 0 && next_number && !next_run -> begin_next_run() }
#endif
  :: atomic { q == 0 && next_run && next_number && ALL(awake) == awake[0] && awake[0] && ALL(mail) == 0 && !over ->
       assert(ALL(dead) == 0 || V4_lost);
       over = 1 }
#endif
  // The cut.
  :: atomic { !awake[q] && nudged[q] && mail[q] == 0 && !unset[q] -> nudged[q] = 0;
#ifdef ANSWER_FIRST
       if
       :: asked[q] == ASK -> up[q]!ANSWER, 0, 0, 0, 0; asked[q] = 0
       :: else
       fi;
#endif
#ifndef LOOK_WITH_NEWS
       if
       :: q == 0 && !NEWS(0) && asked[0] == 0 -> look_at_ledger()
       :: else
       fi;
#endif
       tell(q);
       if
       :: asked[q] == ASK -> up[q]!ANSWER, 0, 0, 0, 0
       :: asked[q] == SET -> hear_set(q)
       :: else
       fi;
       asked[q] = 0 }
#if OWNS > 0
  :: atomic { !awake[q] && nudged[q] && mail[q] == 0 && unset[q] -> nudged[q] = 0;
       if
       :: asked[q] == SET -> hear_set(q); asked[q] = 0
       :: else                                                // who fulfils it wakes a worker
       fi }
#endif
  // What place 0 asks for.
  :: atomic { down[q]?ASK ->
#ifdef ANSWER_AT_ONCE
       up[q]!ANSWER, 0, 0, 0, 0
#else
       asked[q] = ASK;
#ifndef ASK_IS_SILENT
       nudged[q] = 1
#endif
#endif
     }
  :: atomic { down[q]?SET ->
#if defined(CANCEL_AT_ONCE)
       cancel(q); up[q]!CONFIRMED, 0, 0, 0, 0
#else
       asked[q] = SET; nudged[q] = 1
#endif
     }
  :: atomic { down[q]?GO ->
#ifdef CANCEL_AT_GO
       cancel(q);
#elif !defined(OVERTAKEN)
       assert((ALL(cancelled) == PLACES) || V2_lost);
#endif
#ifdef OVERTAKEN
       gone[q] = 1; awake[q] = awake[q] || (q == 0 && cancelled[0] && !next_number) }
#else
       gone[q] = 1; awake[q] = 1 }
#endif
  :: ENDS -> break
  od
}

proctype home() {
  byte q, a, b, c, t;
  mtype what;
  do
  :: atomic {
       if
       :: up[0]?what, a, b, c, t -> q = 0
       :: up[1]?what, a, b, c, t -> q = 1
#if PLACES > 2
       :: up[2]?what, a, b, c, t -> q = 2
#endif
       fi;
       if
       :: what == QUIET ->
          L[0] = L[0] + a; L[1] = L[1] + b;
#if PLACES > 2
          L[2] = L[2] + c;
#endif
          L[q] = L[q] - t;
          was_told = 1;
          look_at_ledger()
       :: what == ANSWER ->
          missing--;
          if
          :: missing > 0
          :: missing == 0 ->
#ifdef ZERO_UNSEEN
             speak()
#else
             if
             :: !was_told && ALL_ZERO && !unset[0] -> speak()
             :: else ->
                round = 0;
#ifndef NO_SECOND_LOOK
                look_at_ledger()
#endif
             fi
#endif
          fi
       :: what == CONFIRMED ->
          missing--;
          if
#ifdef GO_EARLY
          :: missing == PLACES - 1 -> tell_all(GO)
          :: missing < PLACES - 1
#else
          :: missing > 0
          :: missing == 0 -> tell_all(GO)
#endif
          fi
       fi;
       what = 0; a = 0; b = 0; c = 0; t = 0; q = 0
     }
  :: ENDS -> break
  od
}

#if OWNS > 0
proctype keeps_to_itself() {
  byte q, made;
  do
  :: made < OWNS && !spoken ->
     if :: q = 0 :: q = 1 fi;
     unset[q] = 1;
     d_step { unset[q] = 0; nudged[q] = 1; q = 0; made++ }
  :: made == OWNS || spoken -> break
  od
}
#endif

init {
  atomic {
#if OWNS > 0
    run keeps_to_itself();
#endif
    run place(0); run place(1);
#if PLACES > 2
    run place(2);
#endif
    run home()
  }
}
