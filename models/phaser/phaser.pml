// SPDX-License-Identifier: Apache-2.0
// The phaser protocol of docs/protocols/phaser.md: one phaser, one task that makes it in mode FIRST and up to MEMBERS - 1 others
// that it brings in, directly or by its children, in any mode that the parent's covers. What a member does is chosen freely at each
// step: bring a child in, next, signal, wait, next_single, drop; so one model covers all such programs of up to PHASES phases.
//
// One Promela step holds at most one access to memory that others access without the lock (word_, given, special_, off_list_count_, closed_,
// users_, slowest_, roomless_, the members' waited); what is accessed with the lock alone is joined to it, and a step that needs the
// lock for itself alone takes it when it is free. A compare-exchange loop that repeats with what it has seen last is the one step that
// succeeds, but for turn_as_last(), which looks at special_ in between. The barrier's own matters (workers, their lists and what they
// keep back, phase_, credit of more than one, polling) are those of models/clock: here a member that waits is on the one list and has
// arrived in the same step. Tasks are processes; that one leaves its stack before others see it is the matter of models/suspension:
// here it waits until `up`. It may be up, and elsewhere, while the worker that handed in its arrival turns the phase: process turner.
// Accumulators are left out.
//
// What P6 needs in one order (waited and roomless_, on both sides) is seq_cst in the code: steps as they are here. The rest of it is
// weaker, and the model may ignore that, for:
//   slowest_ is a release and an acquire. It is written with the lock and only rises, so an old value is one that is too low: who has
//   room may look at the waiters in vain, which the first choice in wait_for_room() says. The second follows the caller's own store at
//   once: what has been stored since may as well come after it.
//   roomless_ is lowered relaxed. Who reads it too high looks in vain, which the choice in waiter_passed() says.
//
// `member`, `mode`, `slow`, `live`, `gone`, `holds`, `turning`, `called`, `ran`, `in_body` see everything at once; no step of the
// protocol depends on them, but on the caller's own mode.

#ifndef MEMBERS
#define MEMBERS 3
#endif
#ifndef PHASES
#define PHASES 2     /* that a task signals or waits for, at most */
#endif
#ifndef FIRST
#define FIRST 0      /* mode of the first member: 0 signal_wait_next, 1 signal_wait, 2 signal_only, 3 wait_only */
#endif
#ifndef MODES
#define MODES 15     /* set of modes that children may get */
#endif
#ifndef BOUND
#define BOUND 0      /* 0: none */
#endif
#ifndef SINGLES
#define SINGLES 1    /* whether there are calls of next_single */
#endif

// Each of these takes away the line that keeps one invariant.
//   FLAG_LATE           turn_once() sets the bits of signal_only members when it has released the lock       P1
//   JOIN_WITHOUT_LOCK   join() takes no lock for a signal_only child                                         P1 P8
//   LEAVE_WITHOUT_LOCK  leave() takes no lock for a signal_only member                                       P1 P8
//   SIGNAL_TWO_STEPS    signal() looks at the bit, then adds and clears                                      P1
//   SPECIAL_LATE        join() and hand_in_single() raise special_ after the word has changed                P2
//   SPECIAL_FIRST       turn_as_last() looks at special_, then at the word                                   P2
//   NO_MARK             add_arrived_member() leaves no mark in the word for a signal_only child              P2
//   ASIDE_UNCOUNTED     wait_for_turn() looks at the phase, then counts itself                               P3
//   ASIDE_FIRST         turn_as_last() looks at off_list_count_, then changes the word                                P3
//   CLOSE_UNLOCKED      turn_once() sets closed_ after it has taken off who waits off the list                      P3
//   PASS_BEFORE_SINGLE  turn() goes on after it has chosen who runs the body                                 P4
//   EACH_RUNS           turn_once() lets the other callers of next_single run their bodies, too              P4
//   ROOM_UNCHECKED      wait_for_slower() does not look again (BOUND, as all of P6)                          P6
//   ROOMLESS_LATE       wait_for_slower() raises roomless_ when it has looked                                P6
//   ROOMLESS_FIRST      waiter_passed() looks at roomless_, then says that it has passed                     P6
//   ROOMLESS_CLEARED    take_roomy_locked() leaves roomless_ at 0, whoever is left                           P6
//   ONE_FREED           take_roomy_locked() takes one off                                                    P6
//   LEAVE_SILENT        waiter_left() wakes nobody                                                           P6
//   LEAVE_LISTED        waiter_left() lets the member stay in the registry                                   P6
//   SLOWEST_UNLOCKED    wait_for_room() looks at the waiters without the lock                                P6
//   KNOWN_EARLY         find_slowest_locked() counts laggards also while nobody lacks room                  P6
//   KNOWN_KEPT          roomless_no_more_locked() goes on counting                                           P6
//   SLOWEST_UNSET       slowest_ says at the beginning that nobody waits                                     P6
//   TURNER_UNCOUNTED    turn() keeps the barrier by the members alone                                        P7
//   CORE_UNHELD         turn() leaves the core to the members and handles                                    P7
//   GUARD_MISSING       publish() without the guard                                                          P1 P8

#define NEXT 0
#define WAITS 1
#define ONLY 2
#define WAIT 3
#define NOBODY 255   /* k_nobody */
#define UNSEEN 254
#ifdef KNOWN_EARLY
#define KNOWN 1
#else
#define KNOWN (roomless > 0)
#endif
#define BIT(x) (1 << (x))
#define ME BIT(me)
#define COVERS(m, t) ((m) == (t) || (m) < ONLY && (m) < (t))
#define SIGNALS(i) (mode[i] != WAIT)
#define MAY_WAIT(i) (mode[i] != ONLY)
#define AT(i) (mode[i] == WAIT -> waited[i] : sig[i] - 1)   /* the phase that it waits for */
#define N (MEMBERS + 1)
#ifdef GUARD_MISSING
#define GUARD 0
#else
#define GUARD 1
#endif

// the barrier
byte ph, reg, pend;               // word_
bit mark;                         // in word_, too: a signal_only member has come since the phase began, by a parent that has arrived
byte list;                        // its waiters

// the core
bit locked, closed;
byte special, users = 1;
byte aside;
byte only;                        // signallers_only_
byte singles, off_list_points, without_room;
byte waiters;                     // waiters_, of a bounded phaser
#ifdef SLOWEST_UNSET
byte slowest = NOBODY;
#else
byte slowest;                     // how often the slowest of them has waited, or less
#endif
bit known;                        // slowest_known_
byte lags;                        // laggards_
byte roomless;                    // as many as without_room, or more

// members
byte mode[N], sig[N];             // sig: how often it has signalled; of a signal_only member, given
byte waited[N];                   // of wait_only members, and of all on a bounded phaser
byte noted[N];                    // seen: waited, as the core has seen it
byte counted;                     // the bit in given
byte arrived;                     // of signal_wait and signal_wait_next: has signalled, and not waited
byte up, runs;                    // made ready; runs_its_body
byte started = 2;
byte hands_in;                    // for the turner
byte made = 1;

// ghost
byte member = 2;                  // registered, as its task sees it
byte slow;                        // bounded: who has waited so often as `waited` says, and bounds the others
byte live = 1, holds = 1;
byte called, ran;                 // next_single in this phase
byte body_of;
bit gone, turning, in_body;
hidden byte P1_lost, P2_lost, P3_lost, P4_lost, P6_lost, P7_lost, P8_lost;   // never set: they name the invariant

#if MEMBERS == 2
#define ALL(f, k) (f(1, k) && f(2, k))
#define ANY(f, k) (f(1, k) || f(2, k))
#define SUM(f) (f(1) + f(2))
#elif MEMBERS == 3
#define ALL(f, k) (f(1, k) && f(2, k) && f(3, k))
#define ANY(f, k) (f(1, k) || f(2, k) || f(3, k))
#define SUM(f) (f(1) + f(2) + f(3))
#else
#define ALL(f, k) (f(1, k) && f(2, k) && f(3, k) && f(4, k))
#define ANY(f, k) (f(1, k) || f(2, k) || f(3, k) || f(4, k))
#define SUM(f) (f(1) + f(2) + f(3) + f(4))
#endif
#define HAS_SIGNALLED(i, k) (!(member & BIT(i)) || !SIGNALS(i) || sig[i] > k)
#define IS_ONLY(i, k) (member & BIT(i) && mode[i] == ONLY)
#define IS_SINGLE(i) ((singles & BIT(i)) != 0)
#define NOT_TOO_SLOW(i, k) (!(slow & BIT(i)) || (k) + 1 - waited[i] <= BOUND)
#if BOUND
#define IN_BOUND(k) (ALL(NOT_TOO_SLOW, k))
#else
#define IN_BOUND(k) 1
#endif
#define HAS_ROOM(k) (slowest == NOBODY || slowest <= (k) + 1 && (k) + 1 - slowest <= BOUND)   /* has_room(): slowest_ load */
#define FORGOTTEN(i, k) (off_list_points & BIT(i) && (closed || AT(i) < ph))
#define FORGOTTEN_ROOM(i, k) (without_room & BIT(i) && IN_BOUND(sig[i]))
#define PASSED(k) (closed || ph > (k))
#define OVER (live == 0 && gone)

inline touch() { assert(!gone && holds > 0 || P7_lost) }

// join(): a child waits as often as its parent, and so may lag with it. d_step.
inline join_waiters() {
  slow = slow | BIT(c);
  waiters = waiters | BIT(c);
  if
  :: known ->
     noted[c] = waited[c];
     if :: waited[c] == slowest -> lags++ :: else fi
  :: else
  fi
}

// Nobody is pending: the one that changes the word is alone, and all have signalled. d_step.
inline check_turn() {
  assert(ALL(HAS_SIGNALLED, ph) || P8_lost);
  assert(called == 0 && ran == 0 || ran == 1 && !in_body || P4_lost);
  called = 0;
  ran = 0
}

// The caller has waited for phase k. d_step.
#define pass(k)                                             \
  assert(PASSED(k) && ALL(HAS_SIGNALLED, (k)) || P8_lost);  \
  assert(!in_body || body_of != (k) || P4_lost)

inline let_go() {
  d_step {
    assert(users > 0 && holds > 0 || P7_lost);
    users--;
    if
    :: users == 0 ->
       assert(!gone && !turning && list == 0 && off_list_points == 0 && singles == 0 || P7_lost);
       assert(reg == 0 && pend == 0 || P1_lost);
       gone = 1                                                 // barrier::end()
    :: else
    fi;
    holds--                                                     // the shared_ptr
  }
}

// ---- with the lock ----

// take_off_list_locked(). d_step.
inline take_off_list(all) {
  i = 1;
  do
  :: i <= MEMBERS ->
     if
     :: off_list_points & BIT(i) && (all || AT(i) < ph) ->
        off_list_points = off_list_points & ~BIT(i);
        aside--;
        chain = chain | BIT(i)
     :: else
     fi;
     i++
  :: else -> break
  od;
  i = 0
}

// Nobody asks for them any more: fewer states. d_step.
inline forget_laggards() {
  lags = 0;
  i = 1;
  do
  :: i <= MEMBERS -> noted[i] = 0; i++
  :: else -> break
  od;
  i = 0
}

// find_slowest_locked(). In any order: each has waited so often at least as when it is looked at. Who is seen among the slowest lags.
inline find_slowest() {
  d_step { todo = waiters; least = NOBODY; lags = 0 };
  do
  :: todo ->
     d_step {                                                   // find_slowest_locked(): waited load, seq_cst
       i = 1;
       do :: !(todo & BIT(i)) -> i++ :: else -> break od;
       todo = todo & ~BIT(i);
       noted[i] = waited[i];
       if
       :: waited[i] < least -> least = waited[i]; lags = 1
       :: waited[i] == least -> lags++
       :: else
       fi;
       i = 0
     }
  :: else -> break
  od;
  slowest = least;                                              // find_slowest_locked(): slowest_ store, release
  d_step { known = KNOWN; least = 0; if :: !known -> forget_laggards() :: else fi }
}

// take_roomy_locked(), by one who has the lock; then free_all().
inline free_roomy() {
  d_step {                                                      // count_down_locked()
    if :: known && noted[me] == slowest -> noted[me] = UNSEEN; lags-- :: else fi
  };
  if
  :: !known || lags > 0 -> locked = 0                           // nobody lacks room, or others lag as well
  :: known && lags == 0 -> slowest_got_on()
  fi
}

inline slowest_got_on() {
  find_slowest();
  d_step {                                                      // take_if(): roomless_ fetch_sub for each; others ask for 0 only
    i = 1;
    do
    :: i <= MEMBERS ->
       if
#ifdef ONE_FREED
       :: without_room & BIT(i) && HAS_ROOM(sig[i]) && !chain ->
#else
       :: without_room & BIT(i) && HAS_ROOM(sig[i]) ->
#endif
          without_room = without_room & ~BIT(i);
          roomless--;
          chain = chain | BIT(i)
       :: else
       fi;
       i++
    :: else -> break
    od;
    i = 0;
#ifdef ROOMLESS_CLEARED
    roomless = 0;
#endif
#ifndef KNOWN_KEPT
    if :: roomless == 0 -> known = 0; forget_laggards() :: else fi;   // roomless_no_more_locked()
#endif
    locked = 0
  };
  d_step { up = up | chain; chain = 0 }
}

inline waiter_passed() {
#if BOUND
#ifdef ROOMLESS_FIRST
  if
  :: roomless == 0 -> waited[me]++
  :: waited[me]++; atomic { !locked -> locked = 1 }; free_roomy()
  fi
#else
  waited[me]++;                                                 // waiter_passed(): waited store, seq_cst
  if
  :: roomless == 0 -> skip                                      // waiter_passed(): roomless_ load, seq_cst
  :: atomic { !locked -> locked = 1 }; free_roomy()             // in any case: the value may be an old one
  fi
#endif
#else
  skip
#endif
}

inline waiter_left() {
  atomic {
    !locked ->
    d_step {
      locked = 1;
      slow = slow & ~ME;
#ifndef LEAVE_LISTED
      waiters = waiters & ~ME
#endif
    }
  };
#ifdef LEAVE_SILENT
  locked = 0
#else
  free_roomy()
#endif
}

// The caller is about to signal.
inline wait_for_room() {
#if BOUND
  if
  :: HAS_ROOM(sig[me]) -> skip
  ::                                                            // in any case: the value may be an old one
#ifdef SLOWEST_UNLOCKED
     find_slowest();
#else
     atomic { !locked -> locked = 1 };
     if
     :: known
     :: !known -> find_slowest()
     fi;
     locked = 0;
#endif
     if
     :: HAS_ROOM(sig[me]) -> skip
     :: !HAS_ROOM(sig[me]) -> wait_for_slower()
     fi
  fi
#else
  skip
#endif
}

inline wait_for_slower() {
#ifdef ROOMLESS_LATE
  atomic { !locked -> locked = 1 };
#else
  atomic { !locked -> d_step { locked = 1; roomless++ } };      // roomless_ fetch_add, seq_cst
#endif
#ifndef ROOM_UNCHECKED
  if
  :: known
  :: !known -> find_slowest()
  fi;
#endif
#ifdef ROOMLESS_LATE
  roomless++;
#endif
  if
#ifndef ROOM_UNCHECKED
  :: d_step {                                                   // roomless_no_more_locked()
       HAS_ROOM(sig[me]) -> roomless--; if :: roomless == 0 -> known = 0; forget_laggards() :: else fi; locked = 0
     }
  :: d_step { !HAS_ROOM(sig[me]) -> without_room = without_room | ME; locked = 0 };
#else
  :: d_step { without_room = without_room | ME; locked = 0 };
#endif
     d_step { up & ME -> up = up & ~ME }
  fi
}

// ---- the phase turns ----

inline set_bits() {
  do
  :: todo ->
     d_step {                                                   // turn_once(): given compare_exchange
       i = 1;
       do :: !(todo & BIT(i)) -> i++ :: else -> break od;
       todo = todo & ~BIT(i);
       if
       :: sig[i] <= ph -> counted = counted | BIT(i)
       :: else -> guard++
       fi;
       i = 0
     }
  :: else -> break
  od;
  skip
}

inline turn_once() {
  atomic { !locked -> locked = 1 };
  d_step {                                                      // publish(): word_ compare_exchange
    touch();
    check_turn();
    ph++;
    guard = GUARD;
    pend = reg + guard;
    mark = 0;
    last = (reg == 0);
    chain = list;                                               // collect()
    list = 0;
    todo = only
  };
#ifndef FLAG_LATE
  set_bits();
#endif
  d_step {
    touch();
    if
    :: !last ->
       chain = chain | singles;
#ifdef EACH_RUNS
       runs = runs | singles;
#endif
       n = SUM(IS_SINGLE);
       singles = 0;
       take_off_list(0)
    :: else
    fi;
    locked = 0
  };
#ifdef FLAG_LATE
  set_bits();
#endif
  if
#ifdef CLOSE_UNLOCKED
  :: last -> atomic { !locked -> d_step { touch(); take_off_list(1) } }; closed = 1
#else
  :: last -> atomic { !locked -> d_step { touch(); closed = 1; take_off_list(1) } }
#endif
  :: else
  fi;
  if
  :: n -> d_step { touch(); special = special - n; n = 0 }
  :: else
  fi;
  d_step { up = up | chain; chain = 0 };                        // release(), free_all()
  d_step {                                                      // remove_guard(): word_ fetch_sub, acq_rel
    touch();
    assert(pend >= guard || P1_lost);
    nobody = (pend == guard && !last);
    pend = pend - guard;
    guard = 0;
    last = 0;
    if :: !nobody -> turning = 0 :: else fi
  }
}

// phaser_core::turn(), but for what it begins and ends with.
inline turn() {
  nobody = 1;
  do
  :: nobody ->
     nobody = 0;
     atomic {
       !locked ->
       d_step {
         touch();
         if
         :: singles ->
            i = 1;
            do :: !(singles & BIT(i)) -> i++ :: else -> break od;
            singles = singles & ~BIT(i);
            runs = runs | BIT(i);
            up = up | BIT(i);
            chosen = 1;
            i = 0
         :: else
         fi
       }
     };
     if
#ifdef PASS_BEFORE_SINGLE
     :: chosen -> chosen = 0; turn_once()
#else
     :: chosen -> chosen = 0; break
#endif
     :: else -> turn_once()
     fi
  :: else -> break
  od;
  skip
}

inline keep() {
#ifndef TURNER_UNCOUNTED
  users++;
#endif
#ifndef CORE_UNHELD
  holds++;
#endif
  touch()
}

inline let_go_after_turn() {
#ifdef TURNER_UNCOUNTED
  d_step { holds-- }
#elif defined(CORE_UNHELD)
  d_step { touch(); users--; if :: users == 0 -> gone = 1 :: else fi }
#else
  let_go()
#endif
}

// A worker that hands in what tasks left that have left their stacks.
proctype turner() {
  byte guard, chain, todo, n, i;
  bit last, nobody, chosen;
  do
  :: d_step { hands_in -> hands_in = 0; keep() };
     turn();
     let_go_after_turn()
  od
}

// What leaves nobody pending. d_step.
inline subtract(a, r) {
  touch();
  assert(pend >= a && reg >= r || P1_lost);
  pend = pend - a;
  reg = reg - r;
  last = (pend == 0);
  if
  :: last -> assert(!turning || P8_lost); turning = 1
  :: else
  fi
}

inline start_child() {
  d_step { users++; holds++; live++; started = started | BIT(c); c = 0; t = 0 }   // keep(); the task is spawned
}

// What a child in mode t has of its parent's place. d_step, at the change of the word that counts it.
inline is_member() {
  mode[c] = t;
  member = member | BIT(c)
}

#if SINGLES
#define MAY_CALL_SINGLE (mode[me] == NEXT)
#else
#define MAY_CALL_SINGLE 0
#endif
#define MAY_MAKE (made < MEMBERS)
#define CHILD(m) :: d_step { COVERS(mode[me], m) && (MODES & BIT(m)) -> t = m; made++; c = made }
#define PENDING (SIGNALS(me) && mode[me] != ONLY && !(arrived & ME))
#define ARRIVED (arrived & ME)
#ifdef SPECIAL_FIRST
#define IS_SPECIAL sees
#else
#define IS_SPECIAL (special != 0)
#endif
#ifdef JOIN_WITHOUT_LOCK
#define FREE_TO_JOIN 1
#define HOLD skip
#define RELEASE skip
#else
#define FREE_TO_JOIN (!locked)
#define HOLD locked = 1
#define RELEASE locked = 0
#endif

proctype task(byte me) {
  byte guard, chain, todo, n, i, t, c, seen;
  bit last, nobody, chosen, seen_mark, leaves, sees;
#if BOUND
  byte least;
#endif

  started & ME;

act:
  if
  // ---- next, as on a clock ----
  :: PENDING && !BOUND && sig[me] < PHASES -> goto plain_next
  // ---- next, in two steps ----
  :: PENDING && sig[me] < PHASES ->
     wait_for_room();
     d_step {                                                   // resume_member()
       assert(ph == sig[me] && IN_BOUND(sig[me]) || P6_lost);
       sig[me]++;
       arrived = arrived | ME;
       subtract(1, 0)
     };
     goto handed_in
  :: ARRIVED ->
     if
     :: d_step { ph >= sig[me] -> pass(sig[me] - 1) }           // has_turned_soon()
     :: ph < sig[me] -> goto wait_off_list
     fi;
     goto passed
  // ---- signal_only ----
  :: mode[me] == ONLY && sig[me] < PHASES ->
     wait_for_room();
#ifdef SIGNAL_TWO_STEPS
     sees = (counted & ME) != 0;
#endif
     d_step {                                                   // signal(): given compare_exchange, acq_rel
       assert(IN_BOUND(sig[me]) || P6_lost);
#ifndef SIGNAL_TWO_STEPS
       sees = (counted & ME) != 0;
#endif
       counted = counted & ~ME;
       sig[me]++
     };
     if
     :: sees -> d_step { sees = 0; subtract(1, 0) }; goto handed_in
     :: else -> goto act
     fi
  // ---- wait_only ----
  :: mode[me] == WAIT && waited[me] < PHASES ->
     if
     :: d_step { PASSED(waited[me]) -> pass(waited[me]) }       // has_passed(): word_ load, acquire
     :: !PASSED(waited[me]) -> goto wait_off_list
     fi;
     goto passed
  // ---- next_single ----
  :: PENDING && MAY_CALL_SINGLE && sig[me] < PHASES ->
     wait_for_room();
     atomic {                                                   // hand_in_single(): special_ fetch_add; then with the lock
       !locked ->
#ifndef SPECIAL_LATE
       special++;
#endif
       singles = singles | ME
     };
     d_step {
       assert(ph == sig[me] && IN_BOUND(sig[me]) || P6_lost);
       sig[me]++;
       arrived = arrived | ME;
       called++;
       subtract(1, 0);
       if :: last -> hands_in = 1; last = 0 :: else fi
     };
#ifdef SPECIAL_LATE
     special++;
#endif
     if
     :: d_step { up & ME && runs & ME -> up = up & ~ME; runs = runs & ~ME; arrived = arrived & ~ME };
        d_step { ran++; in_body = 1; body_of = sig[me] - 1; assert(ph == body_of && ran == 1 || P4_lost) };
        d_step { in_body = 0; body_of = 0; special-- };                      // ~single_in_progress()
        turn_once();
        assert(!nobody);
        waiter_passed();
        goto act
     :: d_step { up & ME && !(runs & ME) -> up = up & ~ME; pass(sig[me] - 1) };
        goto passed
     fi
  // ---- a child ----
  :: atomic { MAY_MAKE -> if CHILD(NEXT) CHILD(WAITS) CHILD(ONLY) CHILD(WAIT) :: else -> goto act fi };
     if
     :: t == WAIT ->                                            // join(): the registry, with the lock
        atomic {
          !locked ->
          d_step {
            is_member();
            waited[c] = (mode[me] == WAIT -> waited[me] : (ARRIVED -> sig[me] - 1 : sig[me]));
            if :: BOUND -> join_waiters() :: else fi
          }
        }
     :: t != WAIT && PENDING ->
        d_step { touch(); reg++; pend++ };                      // refill_credit(): word_ fetch_add
        atomic {                                                // the parent is pending, so all that matters is that it happens
          !locked ->
          d_step {
            assert(ph == sig[me]);
            is_member();
            sig[c] = sig[me];
            waited[c] = sig[me];
            if
            :: t == ONLY -> special++; only = only | BIT(c); counted = counted | BIT(c)
            :: BOUND && t != ONLY -> join_waiters()
            :: else
            fi
          }
        }
     :: t < ONLY && ARRIVED ->
        if
        :: BOUND ->
           atomic {
             !locked -> d_step { mode[c] = t; waited[c] = sig[me] - 1; join_waiters() }
           }
        :: else
        fi;
        d_step {                                                // add_arrived_member(): word_ compare_exchange
          touch();
          is_member();
          sig[c] = sig[me];
          arrived = arrived | BIT(c);
          reg++;
          if :: ph >= sig[me] -> pend++ :: else fi
        }
     :: t == ONLY && ARRIVED ->
        atomic { FREE_TO_JOIN -> HOLD };
#ifndef SPECIAL_LATE
        special++;
#endif
        d_step {                                                // add_arrived_member(): word_ compare_exchange, release
          touch();
          is_member();
          sig[c] = sig[me];
          reg++;
          if
          :: ph >= sig[me] -> pend++; sees = 1
          :: else ->
#ifndef NO_MARK
             mark = 1
#else
             skip
#endif
          fi
        };
#ifdef SPECIAL_LATE
        special++;
#endif
        d_step { only = only | BIT(c); if :: sees -> counted = counted | BIT(c); sees = 0 :: else fi; RELEASE }
     :: mode[me] == ONLY ->
        atomic { FREE_TO_JOIN -> HOLD; special++ };             // special already, for the parent is
        sees = (counted & ME) != 0;                             // join(): given load
        d_step {                                                // add_members(), add_member_ahead()
          touch();
          is_member();
          sig[c] = sig[me];
          reg++;
          if :: sees -> pend++ :: else fi
        };
        d_step { only = only | BIT(c); if :: sees -> counted = counted | BIT(c); sees = 0 :: else fi; RELEASE }
     fi;
     start_child();
     goto act
  // ---- the end, or drop ----
  :: leaves = 1;
#if BOUND
     if
     :: MAY_WAIT(me) -> waiter_left()
     :: else
     fi;
#endif
     if
     :: d_step { ARRIVED && ph < sig[me] -> touch(); member = member & ~ME; reg-- }   // remove_arrived_member()
     :: d_step { ARRIVED && ph >= sig[me] -> member = member & ~ME; subtract(1, 1) }
     :: d_step { PENDING -> member = member & ~ME; subtract(1, 1) }
     :: d_step { mode[me] == WAIT -> member = member & ~ME }
     :: mode[me] == ONLY ->
#ifdef LEAVE_WITHOUT_LOCK
        d_step { only = only & ~ME; sees = (counted & ME) != 0 };
        if :: !sees -> d_step { touch(); member = member & ~ME; reg-- } :: else fi;
#else
        atomic {
          !locked ->
          d_step {
            touch();
            only = only & ~ME;
            sees = (counted & ME) != 0;
            if :: !sees -> member = member & ~ME; reg-- :: else fi   // remove_member_ahead(): word_ fetch_sub, release
          }
        };
#endif
        if
        :: sees -> d_step { sees = 0; member = member & ~ME; subtract(1, 1) }
        :: else
        fi
     fi;
     goto handed_in
  fi;

plain_next:                                                     // wait_as_pending()
#ifdef SPECIAL_FIRST
  sees = special != 0;
#endif
  if
  :: d_step { pend == 1 -> touch(); seen = reg; seen_mark = mark };   // turn_as_last(): word_ load, acquire
#ifdef ASIDE_FIRST
     sees = aside != 0;
#endif
     if
     :: !IS_SPECIAL ->
        if
        :: d_step {                                             // turn_as_last(): word_ compare_exchange, seq_cst
             pend == 1 && reg == seen && mark == seen_mark ->
             seen = 0;
             seen_mark = 0;
             touch();
             sig[me]++;
             assert(!ANY(IS_ONLY, 0) && called == 0 || P2_lost);
             check_turn();
             ph++;
             pend = reg;
             pass(sig[me] - 1);
             chain = list;                                      // collect()
             list = 0
           };
           d_step { up = up | chain; chain = 0 };               // release()
           if
#ifdef ASIDE_FIRST
           :: sees ->
#else
           :: aside != 0 ->                                     // has_off_list()
#endif
              atomic { !locked -> d_step { touch(); take_off_list(0); up = up | chain; chain = 0 } }   // free_off_list()
           :: else
           fi;
           sees = 0;
           goto act
        :: d_step { !(pend == 1 && reg == seen && mark == seen_mark) -> seen = 0; seen_mark = 0 };
           sees = 0;
           goto plain_next
        fi
     :: IS_SPECIAL -> d_step { seen = 0; seen_mark = 0; sees = 0 }
     fi
  :: skip
  fi;
  d_step {                                                      // append(), hand_in()
    assert(ph == sig[me]);
    sees = 0;
    sig[me]++;
    list = list | ME;
    subtract(1, 0);
    if :: last -> hands_in = 1; last = 0 :: else fi
  };
  d_step { up & ME -> up = up & ~ME; pass(sig[me] - 1) };
  goto act;

wait_off_list:                                                     // wait_for_turn()
#ifdef ASIDE_UNCOUNTED
  atomic { !locked -> locked = 1; sees = PASSED(AT(me)) };
  aside++;
#else
  atomic { !locked -> locked = 1; aside++ };                    // off_list_count_ fetch_add, seq_cst
  sees = PASSED(AT(me));                                        // has_passed(): closed_, word_ load, seq_cst
#endif
  if
  :: sees -> d_step { aside--; locked = 0; sees = 0; pass(AT(me)) }
  :: else ->
     d_step { off_list_points = off_list_points | ME; locked = 0 };
     d_step { up & ME -> up = up & ~ME; pass(AT(me)) }
  fi;

passed:
  arrived = arrived & ~ME;
  if
  :: BOUND -> waiter_passed()
  :: !BOUND && mode[me] == WAIT -> waited[me]++
  :: else
  fi;
  goto act;

handed_in:
  if
  :: last -> d_step { last = 0; keep() }; turn(); let_go_after_turn()
  :: else
  fi;
  if
  :: !leaves -> goto act
  :: else
  fi;
  if
  :: mode[me] == ONLY -> d_step { special--; leaves = 0 }
  :: else -> leaves = 0
  fi;
  d_step { arrived = arrived & ~ME; sig[me] = 0; waited[me] = 0; counted = counted & ~ME };
  let_go();
  live--
}

// No step is left: then all is over, or somebody waits for ever.
proctype watch() {
  timeout ->
  assert(!ANY(FORGOTTEN, 0) || P3_lost);
  assert(!ANY(FORGOTTEN_ROOM, 0) || P6_lost);
  assert(live != 0 || gone || P7_lost);
  assert(OVER || P1_lost)
}

init {
  d_step {
    mode[1] = FIRST;
    if
    :: FIRST == WAIT -> closed = 1
    :: else -> reg = 1; pend = 1
    fi;
    if
    :: FIRST == ONLY -> only = 2; counted = 2; special = 1
    :: else
    fi;
    if :: BOUND && FIRST != ONLY -> slow = 2; waiters = 2 :: else fi
  };
  atomic {
    run task(1);
    run task(2);
#if MEMBERS >= 3
    run task(3);
#endif
#if MEMBERS >= 4
    run task(4);
#endif
    run turner();
    run watch()
  }
}
