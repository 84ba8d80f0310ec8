// SPDX-License-Identifier: Apache-2.0
// The clock protocol of docs/protocols/clock.md: one barrier, WORKERS workers that steal from each other, one task that
// makes the barrier and brings up to MEMBERS - 1 others in, directly or by its children. What a member does is chosen
// freely at each step: bring a child in, arrive and wait, resume, wait after a resume, drop, go on without the barrier for
// long, end; so one model covers all such programs of up to PHASES phases. Beside the members there is a plain task.
//
// One Promela step holds at most one access to memory that other workers also access; what only the running worker touches
// is joined to the next such access. A deque is a set here, its entries are taken in any order: its own races are the
// matter of models/deque. A worker without work waits until it sees some: sleeping and waking are the matter of
// models/parking. Polling is the same steps as a resume and a wait after it. A compare-exchange loop that repeats with what
// it has seen last is the one step that succeeds.
//
// A task that is no member may take long: it does not end while a phase in which everybody has arrived has not turned. So
// an arrival that is kept across it shows: no step is left then, and process watch finds that not all is over.
//
// What is the task's alone elsewhere too (arrived, in_phase, credit) stands beside the ghost variables, which see everything
// at once: no step of the protocol depends on user, on_the_way, live, gone, or on what other tasks have there. Exploration
// stops touching the barrier where it ends: that it may be used again from then on is the assertion that nobody touches it
// (C5, in release() C8). A second barrier is left out: for the first one its members are tasks like others.

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef MEMBERS
#define MEMBERS 3
#endif
#ifndef PHASES
#define PHASES 2
#endif
#ifndef PLAIN
#define PLAIN 1      /* plain tasks: 0 or 1 */
#endif
#ifndef YIELDS
#define YIELDS 0     /* times that a member leaves its stack for another reason, as a parent whose child runs at once; others may steal it */
#endif
#ifndef MOST
#define MOST MEMBERS /* k_most: continuations in one claim */
#endif
#ifndef REFUSALS
#define REFUSALS 0   /* waits that may be refused for want of memory or of a stack: they throw, and the member goes on */
#endif

// Each of these takes away the line that keeps one invariant.
//   HAND_IN_FIRST       park() hands in before the continuation has left its stack                      C1
//   NO_REOPEN           wait_arrived() goes on the list without being pending again               C1
//   CHILD_LATE          spawn_member() queues the child before the barrier counts it              C2
//   CREDIT_AS_ARRIVAL   add_members() counts those to come as if they had arrived                 C2
//   TURN_WITHOUT_COUNT  turn() changes the phase first and who is pending in a second step        C3
//   PHASE_LATE          turn() writes phase_ after word_                                          C3
//   PHASE_BARE          phase() does not look at word_ (a refused wait: REFUSALS)                 C3
//   JOIN_TWO_STEPS      add_arrived_member() looks at the phase, then adds                        C4
//   END_TWICE           remove_arrived_member() ends the barrier if it was the last one           C5
//   NO_VERSION          a thief's claim is good if only next and end are as it saw them           C6
//   BLIND_CLAIM         take() reads the claim, then stores: no compare-exchange                  C6
//   RANGE_LATE          put() shortens the range after its claim is published                     C6
//   KEEP_ACROSS_TASK    hand_in_before() hands in nothing before a task that is no member                C7
//   KEEP_WHEN_DRY       next_work() looks elsewhere without having handed in                      C7
//   ONE_WALK            release() sends each range as it finds it                                 C8
//   COLLECT_LATE        turn() collects the ranges after word_ has changed                        C8

#define TASKS (MEMBERS + 1)         /* task ids are 1..MEMBERS; the plain task is TASKS */
#define CREDIT 2                    /* 63 in the code: some are left over */
#define NONE 15
#define LIST(x, k) (2 * (x) + (k) % 2)
#define BIT(x) (1 << (x))

// the barrier
byte ph, reg, pend;                 // word_
byte phase_;
byte count[2 * WORKERS];            // shares_[w].lists[phase & 1].count, as handed in
byte slot[2 * WORKERS * MEMBERS];   // their entries
byte first[WORKERS], length[WORKERS];   // shares_[w].range: entries, count

// what workers have released
byte next[WORKERS], end[WORKERS];   // claim_; the version is in `sees`
byte entries[WORKERS];              // entries_
byte more[WORKERS];                 // the mailbox: set of ranges
byte sees[WORKERS];                 // 1 + victim whose claim a thief has read, for as long as its version has not changed
byte deque[WORKERS];                // set of tasks that have not started

// tasks
bit arrived[TASKS + 1];             // of a membership; also while the continuation waits
byte in_phase[TASKS + 1];           // arrived_in, or the phase that the member is in
byte credit[TASKS + 1];
bit plain[TASKS + 1];               // its entry is not entry::member()
byte refusals = REFUSALS;
byte yields = YIELDS;
byte made = 1;                      // members so far

// ghost
bit member[TASKS + 1];              // registered, as its task sees it
bit on_the_way[TASKS + 1];          // released, has not gone on
byte user[TASKS + 1];               // 1 + worker that runs on its stack
byte runs[WORKERS];                 // continuation that the worker runs
byte live = 1 + PLAIN;              // tasks that have not ended
bit gone;                           // the barrier may be used again
hidden byte C1_lost, C2_lost, C3_lost, C4_lost, C5_lost, C6_lost, C7_lost, C8_lost;  // never set: they name the invariant

#if MEMBERS == 2
#define ALL(f) (f(1) && f(2))
#define MISSING (!HAS_ARRIVED(1) + !HAS_ARRIVED(2))
#define USED ((user[1] != 0) + (user[2] != 0) + (user[3] != 0))
#elif MEMBERS == 3
#define ALL(f) (f(1) && f(2) && f(3))
#define MISSING (!HAS_ARRIVED(1) + !HAS_ARRIVED(2) + !HAS_ARRIVED(3))
#define USED ((user[1] != 0) + (user[2] != 0) + (user[3] != 0) + (user[4] != 0))
#else
#define ALL(f) (f(1) && f(2) && f(3) && f(4))
#define MISSING (!HAS_ARRIVED(1) + !HAS_ARRIVED(2) + !HAS_ARRIVED(3) + !HAS_ARRIVED(4))
#define USED ((user[1] != 0) + (user[2] != 0) + (user[3] != 0) + (user[4] != 0) + (user[5] != 0))
#endif
#if WORKERS == 2
#define IDLE ((runs[0] == 0) + (runs[1] == 0))
#else
#define IDLE ((runs[0] == 0) + (runs[1] == 0) + (runs[2] == 0))
#endif

#define me runs[w]
#define HAS_ARRIVED(i) (!member[i] || arrived[i] && in_phase[i] == ph)
#define NOT_BEHIND(i) (!member[i] || in_phase[i] == in_phase[me] && arrived[i] || in_phase[i] == in_phase[me] + 1)
#define NO_MEMBER(i) (!member[i])
#define COMPLETE (!gone && ALL(HAS_ARRIVED))
#define OVER (gone && live == 0)

inline touch() { assert(!gone || C5_lost) }

// ---- continuations and workers ----

inline one_each() {
  assert(USED + IDLE == WORKERS);   // running + idle = threads
  assert(me == 0 || user[me] == w + 1)
}

inline leave() { user[me] = 0; me = 0; one_each() }

// The caller has waited for its phase to turn, and it has.
inline pass() {
  assert(ph == in_phase[me] + 1 && pend > 0 && ALL(NOT_BEHIND) || C3_lost);
  in_phase[me]++;
  arrived[me] = 0
}

// ---- released continuations ----

// released_work::put(): continuations f to f + n - 1. No thief can have a claim that is still good, for the version is new.
inline put() {
  entries[w] = f;                                               // put(): entries_ store
  d_step {                                                      // put(): claim_ store, release
    next[w] = 0;
    end[w] = n;
    f = 0;
    n = 0;
    if :: sees[0] == w + 1 -> sees[0] = 0 :: else fi;
    if :: sees[1] == w + 1 -> sees[1] = 0 :: else fi
#if WORKERS == 3
    ; if :: sees[2] == w + 1 -> sees[2] = 0 :: else fi
#endif
  }
}

inline send_to(x, i) { d_step { assert(!(more[x] & BIT(i)) || C6_lost); more[x] = more[x] | BIT(i) } }   // more.send()

// worker::adopt(): the ranges of set `got`. As soon as a claim is published, its range may be filled again by whoever turns the
// next phase.
inline adopt() {
  do
  :: got == 0 -> break
  :: else ->
     d_step {
       r = 0;
       do :: !(got & BIT(r)) -> r++ :: else -> break od;
       got = got & ~BIT(r)
     };
     if
     :: next[w] == end[w] ->
        d_step {
          f = first[r];
          n = (length[r] > MOST -> MOST : length[r]);
#ifdef RANGE_LATE
          taken = n
        };
        put();
        d_step { first[r] = first[r] + taken; length[r] = length[r] - taken; taken = 0 };
        if :: length[r] != 0 -> send_to(w, r) :: else fi
#else
          first[r] = first[r] + n;
          length[r] = length[r] - n;
          rest = length[r] != 0;
          if :: !rest -> first[r] = 0 :: else fi
        };
        put();
        if :: rest -> rest = 0; send_to(w, r) :: else fi
#endif
     :: else -> send_to(w, r)
     fi;
     r = 0
  od
}

// ---- the phase turns ----

// release(), first walk: one list after the other.
inline collect(k) {
  l = 0;
  do
  :: l < WORKERS ->
     d_step {
#ifdef ONE_WALK
       assert(!gone || !sent || C8_lost);   // COLLECT_LATE alone is not meant
#else
       assert(!gone || C8_lost);
#endif
       if
       :: count[LIST(l, k)] != 0 ->
          first[l] = LIST(l, k) * MEMBERS;
          length[l] = count[LIST(l, k)];
          n = 0;
          do
          :: n < length[l] ->
             assert(!on_the_way[slot[first[l] + n]] || C6_lost);
             on_the_way[slot[first[l] + n]] = 1;
             n++
          :: else -> break
          od;
          n = 0;
          count[LIST(l, k)] = 0;
          chain = chain | BIT(l)
       :: else
       fi;
       l++
     }
#ifdef ONE_WALK
     ;
     if
     :: chain & BIT(w) -> d_step { chain = 0; got = BIT(w); sent = 1 }; adopt()
     :: chain & ~BIT(w) -> d_step { chain = 0; sent = 1 }; send_to(l - 1, l - 1)
     :: else
     fi
#endif
  :: else -> break
  od;
#ifdef ONE_WALK
  sent = 0;
#endif
  l = 0
}

// release(), second walk.
inline send() {
  do
  :: chain & ~BIT(w) ->
     d_step {
       l = 0;
       do :: !(chain & BIT(l)) || l == w -> l++ :: else -> break od;
       chain = chain & ~BIT(l)
     };
     send_to(l, l);
     l = 0
  :: else -> break
  od;
  if
  :: chain -> d_step { got = chain; chain = 0 }; adopt()
  :: else
  fi
}

// Nobody but members that have arrived is left.
inline check_turn() { assert(ALL(HAS_ARRIVED) || C2_lost) }

inline finish_barrier() {
  d_step { assert(!gone && ALL(NO_MEMBER) || C5_lost); gone = 1 }   // end()
}

inline turn() {
  d_step {                                                      // turn(): phase_ + 1
    touch();
    p = phase_;
#ifndef PHASE_LATE
    phase_++
#endif
  };
#if !defined(COLLECT_LATE) && !defined(ONE_WALK)
  collect(p);
#endif
  if
  :: reg == 0 -> finish_barrier()                               // turn(): word_ load, acquire
  :: d_step {                                                   // turn(): word_ compare_exchange, release
       reg != 0 ->
       touch();
       check_turn();
       ph++;
#ifndef TURN_WITHOUT_COUNT
       pend = reg
#endif
     };
#ifdef TURN_WITHOUT_COUNT
     pend = reg;
#endif
#ifdef PHASE_LATE
     phase_ = p + 1;
#endif
#if defined(COLLECT_LATE) || defined(ONE_WALK)
     collect(p);
#endif
     send()
  fi;
  p = 0
}

inline close() { ka = 0; kr = 0; kl = NONE; kn = 0 }

// hand_in(). The list is not looked at before somebody is last.
inline hand_in() {
  if
  :: kl != NONE -> count[kl] = kn                               // hand_in(): list->count store
  :: else
  fi;
  d_step {                                                      // hand_in(): word_ fetch_sub, acq_rel
    touch();
    last = pend == ka;
    nobody = reg == kr;
    pend = pend - ka;
    reg = reg - kr;
    close()
  };
  if
  :: last && nobody -> d_step { last = 0; nobody = 0 }; finish_barrier()
  :: last && !nobody -> last = 0; turn()
  :: else -> nobody = 0
  fi
}

// phase(). A poller that was refused may read it while another worker in turn_as_last() has written it and will take it back;
// so the lowest bits of word_, which stay while the caller has not arrived, decide.
inline read_phase() {
  touch();
#if REFUSALS && !defined(PHASE_BARE)
  assert((phase_ == in_phase[me] || phase_ == in_phase[me] + 1) && ph == in_phase[me] || C3_lost)
#else
  assert(phase_ == in_phase[me] || C3_lost)
#endif
}

inline open() {
  if
  :: kl == NONE -> kl = LIST(w, in_phase[me]); kn = count[LIST(w, in_phase[me])]
  :: else
  fi
}

inline append() {
  assert(kn < MEMBERS);
  slot[kl * MEMBERS + kn] = me;
  kn++;
  ka++
}

// ---- what a worker does ----

#define TAKE(x, t) :: d_step { deque[x] & BIT(t) -> deque[x] = deque[x] & ~BIT(t); e = t }
#if MEMBERS == 2
#define TAKE_ANY(x) TAKE(x, 1) TAKE(x, 2) TAKE(x, 3)
#elif MEMBERS == 3
#define TAKE_ANY(x) TAKE(x, 1) TAKE(x, 2) TAKE(x, 3) TAKE(x, 4)
#else
#define TAKE_ANY(x) TAKE(x, 1) TAKE(x, 2) TAKE(x, 3) TAKE(x, 4) TAKE(x, 5)
#endif

#define THROUGH (block == block_end && next[w] == end[w])   /* with what was released, but for the mailbox */
#ifdef KEEP_WHEN_DRY
#define DRY THROUGH
#else
#define DRY (THROUGH && ka + kr == 0)
#endif

// try_steal() from worker x: a task, or what was released. Three looks at most; the claim is taken at label steal.
#define TRY_STEAL(x)                                                                     \
  :: atomic { DRY && deque[x] -> if TAKE_ANY(x) fi }; goto hand_in_before                       \
  :: d_step { DRY && more[x] -> got = more[x]; more[x] = 0 }; goto adopt_ranges          \
  :: d_step { DRY && next[x] != end[x] -> v = x; sn = next[x]; se = end[x]; sees[w] = x + 1 }; goto steal

inline queue_child() { d_step { member[e] = 1; in_phase[e] = in_phase[me]; deque[w] = deque[w] | BIT(e) } }

#ifdef JOIN_TWO_STEPS
#define JOINS_HERE n
#else
#define JOINS_HERE (ph == in_phase[me])
#endif
#ifdef NO_VERSION
#define SAME_VERSION true
#else
#define SAME_VERSION (sees[w] == v + 1)
#endif

proctype worker(byte w) {
  byte ka, kr, kl = NONE, kn;       // kept: arrivals and registrations of sum; list; waiters on it
  byte block, block_end;            // run_next, run_end
  byte e, p, l, n, r, f, v, sn, se, sx, got, chain;
  bit last, nobody, polls, rest;
#ifdef RANGE_LATE
  byte taken;
#endif
#ifdef ONE_WALK
  bit sent;
#endif

  if
  :: w == 0 -> d_step { me = 1; user[1] = 1 }; goto act         // clock::make()
  :: else
  fi;

loop:                                                           // scheduler_loop(), next_work()
  if
  :: d_step {                                                   // next_released(): a continuation of its own block
       block != block_end ->
       e = slot[block];
       slot[block] = 0;
       block++;
       if :: block == block_end -> block = 0; block_end = 0 :: else fi;
       assert(user[e] == 0 || C1_lost);
       assert(on_the_way[e] || C6_lost);
       on_the_way[e] = 0;
       user[e] = w + 1;
       me = e;
       e = 0;
       one_each();
       pass()
     };
     goto act
#ifdef BLIND_CLAIM
  :: d_step { block == block_end && next[w] != end[w] -> sn = next[w]; se = end[w] };
     d_step {
       block = entries[w] + sn;
       block_end = block + 1;
       next[w] = sn + 1;
       end[w] = se;
       sn = 0;
       se = 0
     };
     goto loop
#else
  :: atomic {                                                   // claim_released(): take(), claim_ compare_exchange, acq_rel
       block == block_end && next[w] != end[w] ->
       block = entries[w] + next[w];
       if
       :: block_end = block + 1; next[w]++
       :: end[w] - next[w] > 1 -> block_end = block + end[w] - next[w]; next[w] = end[w]
       fi;
       if :: next[w] == end[w] -> next[w] = 0; end[w] = 0 :: else fi
     };
     goto loop
#endif
  :: d_step { THROUGH && more[w] -> got = more[w]; more[w] = 0 };   // claim_released(): more.take_all()
     goto adopt_ranges
  :: atomic { THROUGH && deque[w] -> if TAKE_ANY(w) fi };       // next_work(): deque.pop()
     goto hand_in_before
#ifndef KEEP_WHEN_DRY
  :: atomic { THROUGH && ka + kr != 0 -> skip };                // next_work(): there is nothing more that follows
     hand_in();
     goto loop
#endif
#if WORKERS == 2
  TRY_STEAL(1 - w)
#else
  TRY_STEAL((w + 1) % 3)
  TRY_STEAL((w + 2) % 3)
#endif
  :: OVER -> goto done
  fi;

adopt_ranges:
  adopt();
  goto loop;

steal:                                                          // steal(): claim_ has been read
  sx = entries[v];                                              // steal(): entries_ load
  d_step {                                                      // steal(): claim_ compare_exchange, acq_rel
    if
    :: next[v] == sn && end[v] == se && SAME_VERSION ->
       n = (se - sn + 1) / 2;
       f = sx + se - n;
       end[v] = end[v] - n;
       if :: next[v] == end[v] -> next[v] = 0; end[v] = 0 :: else fi
    :: else
    fi;
    sees[w] = 0;
    v = 0;
    sn = 0;
    se = 0;
    sx = 0
  };
  if
  :: n != 0 -> put()                                            // adopt(): a range of its own
  :: else
  fi;
  goto loop;

hand_in_before:
#ifndef KEEP_ACROSS_TASK
  if
  :: ka + kr != 0 && plain[e] -> hand_in()                      // hand_in_before(): what follows may take long
  :: else
  fi;
#else
  skip;
#endif
  d_step {                                                      // run_from_loop()
    assert(user[e] == 0);
    user[e] = w + 1;
    me = e;
    e = 0;
    one_each()
  };
  if
  :: member[me] -> skip
  :: else -> goto without
  fi;

act:                                                            // the task `me` runs, and is a member
  if
  :: d_step { !arrived[me] && in_phase[me] < PHASES && made < MEMBERS -> made++; live++; e = made };   // spawn_member()
#ifdef CHILD_LATE
     queue_child();
#endif
     if
     :: credit[me] == 0 ->
        d_step {                                                // refill_credit(): word_ fetch_add
          touch();
          reg = reg + CREDIT;
#ifndef CREDIT_AS_ARRIVAL
          pend = pend + CREDIT;
#endif
          credit[me] = CREDIT
        }
     :: else
     fi;
     credit[me]--;
#ifndef CHILD_LATE
     queue_child();                                             // spawn_member(): deque.push_at()
#endif
     e = 0;
     goto act
  :: d_step { arrived[me] && made < MEMBERS -> made++; live++; e = made };   // register_child()
#ifdef JOIN_TWO_STEPS
     n = (ph == in_phase[me]);
#endif
     d_step {                                                   // add_arrived_member(): word_ compare_exchange
       touch();
       reg++;
       if :: !JOINS_HERE -> pend++ :: else fi;
       member[e] = 1;
       plain[e] = 1;
       arrived[e] = 1;
       in_phase[e] = in_phase[me];
       assert(pend >= MISSING || C4_lost);
       n = 0
     };
     d_step { deque[w] = deque[w] | BIT(e); e = 0 };            // deque.push()
     goto act
  :: !arrived[me] && in_phase[me] < PHASES ->                   // wait_slowly(): phase_
     d_step {
       read_phase();
       ka = ka + credit[me];                                    // return_credit()
       kr = kr + credit[me];
       credit[me] = 0;
       arrived[me] = 1;
       open()
     };
     if
     :: d_step {                                                // wait_slowly(): refused
          refusals != 0 ->
          refusals--;
          arrived[me] = 0;
          if :: ka + kr == 0 -> close() :: else fi
        };
        goto act
     :: goto wait_as_pending
     fi
  :: !arrived[me] && in_phase[me] < PHASES ->                   // resume_member(): phase_
     d_step {
       read_phase();
       ka = ka + credit[me] + 1;                                // return_credit()
       kr = kr + credit[me];
       credit[me] = 0;
       arrived[me] = 1
     };
     if :: refusals != 0 -> polls = 1 :: skip fi;                // wait_slowly(): polls
     hand_in();
     if :: polls -> goto wait_arrived :: else -> goto act fi
  :: arrived[me] ->                                             // wait_arrived()
     goto wait_arrived
#if YIELDS
  :: d_step { yields != 0 -> yields-- };                        // go_behind_ready_work(), or call_child()
     if :: ka + kr != 0 -> hand_in() :: else fi;
     d_step { plain[me] = 1; deque[w] = deque[w] | BIT(me); leave() };
     goto loop
#endif
  :: !arrived[me] ->                                            // end of the task, or drop(), by one that has not arrived
     d_step {
       ka = ka + credit[me] + 1;
       kr = kr + credit[me] + 1;
       credit[me] = 0;
       member[me] = 0
     };
     if
     :: !plain[me] -> goto over                                 // membership::end(): leaves_later
     :: skip -> hand_in(); goto without
     fi
  :: arrived[me] ->                                             // remove_arrived_member()
     d_step {                                                   // remove_arrived_member(): word_ compare_exchange
       touch();
       member[me] = 0;
       if
       :: ph == in_phase[me] ->
          assert(ka + kr == 0 || C7_lost);                      // so nothing is handed in here
          reg--;
          last = (reg == 0)
       :: else -> ka++; kr++
       fi
     };
     if
     :: ka + kr != 0 -> hand_in()
     :: else
     fi;
#ifdef END_TWICE
     if :: last -> finish_barrier() :: else fi;
#endif
     last = 0;
     goto without
  fi;

wait_arrived:
  if
  :: d_step { ph != in_phase[me] -> touch(); pass(); polls = 0 }; goto act   // reopen(): word_ load, acquire
#ifdef NO_REOPEN
  :: d_step { ph == in_phase[me] -> open(); append(); ka--; count[kl] = kn; if :: ka + kr == 0 -> close() :: else fi };
     d_step { leave() };
     goto loop
#else
  :: d_step { ph == in_phase[me] && pend != 0 -> touch(); pend++; open() }   // reopen(): word_ compare_exchange
#endif
  fi;
  if
  :: d_step { refusals != 0 -> refusals--; ka++ };              // wait_arrived(): refused
     hand_in();
     if
     :: !polls -> goto act
     :: d_step { polls && ph != in_phase[me] -> pass(); polls = 0 }; goto act   // wait_slowly(): refused; reopen()
     :: d_step { polls && ph == in_phase[me] && pend != 0 -> touch(); pend++; polls = 0; arrived[me] = 0 };
        goto act
     fi
  :: polls = 0
  fi;

wait_as_pending:
  if
  :: block == block_end && pend == ka + 1 ->                    // turn_as_last(): word_ load, acquire
     phase_++;                                                  // turn_as_last(): before the word
     if
     :: d_step {                                                // turn_as_last(): word_ compare_exchange, seq_cst
          pend == ka + 1 ->
          touch();
          check_turn();
          p = ph;
          ph++;
          reg = reg - kr;
          pend = reg;
          count[kl] = kn;
          close()
        };
        collect(p);
        send();
        p = 0;
        d_step { pass() };
        goto act
     :: else -> phase_--
     fi
  :: else
  fi;
#ifdef HAND_IN_FIRST
  d_step { append() };
  hand_in();
  d_step { leave() };
#else
  d_step { append(); leave() };                                 // go_on_with_next(), or park() and enlist()
#endif
  goto loop;

without:                                                        // the task goes on without the barrier
  !COMPLETE;
over:
  atomic { live--; in_phase[me] = 0; arrived[me] = 0; plain[me] = 0; leave() };
  goto loop;

done:
  skip
}

// No step is left: then all is over, or somebody waits for ever.
#ifndef NO_REOPEN
proctype watch() { timeout -> assert(OVER || C7_lost) }
#else
proctype watch() { timeout }   // a waiter that comes too late is lost, too; here the one that goes on too early is looked for
#endif

init {
  d_step {
    reg = 1;                                                    // begin()
    pend = 1;
    member[1] = 1;
#if PLAIN
    plain[TASKS] = 1;
    deque[0] = BIT(TASKS)
#endif
  };
  atomic {
    run worker(0);
    run worker(1);
#if WORKERS == 3
    run worker(2);
#endif
    run watch()
  }
}
