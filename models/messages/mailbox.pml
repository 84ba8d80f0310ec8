// SPDX-License-Identifier: Apache-2.0
// The mailbox of one place, of docs/protocols/messages.md: two workers of that place, which sleep when they find nothing, senders of other
// places, and a stranger (an idle worker of another place, or the thread of progress) that takes the mailbox now and then. Messages are of
// two kinds: what is handled where it is taken out (immediate), and tasks, which go on the list of the place, from which only its workers take.
//
// One Promela step holds at most one access to what others also access, counting a lock and its first access as one. Sleeping and waking are
// those of models/parking, without its store buffers: a push is seen by all when the pusher looks for sleepers.
//
// As there, a lost wake-up has to show even where somebody would find the message later: a task may compute for as long as a worker
// sleeps beside something to do; and a stranger comes a few times only. So where no step is left, somebody sleeps beside a message
// (M1). Besides: messages of one sender are handled in the order in which they were sent, each once (M2).

#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef FIRST
#define FIRST 2       /* messages of the first sender */
#endif
#ifndef SECOND
#define SECOND 1      /* of the second */
#endif
#ifndef POLLS
#define POLLS 2       /* of the stranger */
#endif

// Each of these takes away the line that keeps one invariant.
//   NO_LOCK              whoever finds the mailbox full empties it, also while another delivers   M2
//   UNLOCK_FIRST         the lock is given back before the handlers have run                   M2
//   SEND_SILENT          who sends looks for no sleeper                                        M1
//   NOTIFY_FIRST         who sends looks for sleepers before the message is there              M1
//   MAILBOX_UNSEEN       who goes to sleep does not look at the mailbox                        M1
//   UNSEEN_WHILE_HELD    nor does it while somebody else has the lock                          M1
//   LIST_UNSEEN          who goes to sleep does not look at the list                           M1
//   LIST_SILENT          a stranger that has listed a task wakes nobody                        M1
//   LIST_LATE            it wakes first, and then lists                                        M1
//   NO_LAST_WAKE         the last searcher that has found something wakes nobody               M1

#define BIT(x) (1 << (x))
#define STRANGER WORKERS
#define NOBODY 255

chan mailbox = [4] of { byte, byte, bit };                    // sender, number, whether it is a task
chan taken[WORKERS + 1] = [4] of { byte, byte, bit };         // what a taker has in hand
byte holder = NOBODY;         // of the mailbox's lock
byte list;                    // tasks for the place's workers
byte idle = BIT(WORKERS) - 2, sleepers = WORKERS - 1, searching;
bit woken[WORKERS], asleep[WORKERS];

// ghost
byte handled[2];
byte ended, tasks, delivering;
hidden byte M1_lost, M2_lost; // never set: they name the invariant where an assertion fails

#if WORKERS > 1
#define SLEEPS (asleep[0] && !woken[0] || asleep[1] && !woken[1])
#else
#define SLEEPS (asleep[0] && !woken[0])
#endif
#define TO_DO (len(mailbox) + list > 0)

inline wake_one(asked) {      // under the lock of idle_
  if
  :: d_step { asked && (idle & 1) -> idle = idle & 254; sleepers--; searching++; woken[0] = 1 }
#if WORKERS > 1
  :: d_step { asked && (idle & 2) -> idle = idle & 253; sleepers--; searching++; woken[1] = 1 }
#endif
  :: d_step { !(asked) || idle == 0 -> skip }
  fi
}

inline notify() {
  if
  :: sleepers == 0
  :: else ->
     if
     :: searching > 0
     :: else -> wake_one(searching == 0)
     fi
  fi
}

#ifdef LIST_LATE
#define LATE(me) (me == STRANGER)
#else
#define LATE(me) false
#endif

// Empties the mailbox and handles all that was in it. `any`: there was something for the list.
inline deliver(me) {
  atomic {                                                    // take_all(): exchange
    delivering++;
    do
    :: mailbox?from, number, task -> taken[me]!from, number, task
    :: empty(mailbox) -> break
    od;
    from = 0; number = 0; task = 0
  };
#ifdef UNLOCK_FIRST
  holder = NOBODY;
#endif
  do
  :: d_step { nempty(taken[me]) ->
       taken[me]?from, number, task;
       assert(number == handled[from] + 1 || M2_lost);
       handled[from] = number;
       if
#ifdef LIST_LATE
       :: task && me == STRANGER -> any = 1; late++
#endif
       :: task && !(LATE(me)) -> any = 1; list++
       :: !task
       fi;
       from = 0; number = 0; task = 0 }
  :: empty(taken[me]) -> break
  od;
  delivering--;
#if !defined(UNLOCK_FIRST) && !defined(NO_LOCK)
  holder = NOBODY
#endif
}
#ifdef NO_LOCK
#define MAY_TAKE(me) (nempty(mailbox))
#define TAKE(me) skip
#else
#define MAY_TAKE(me) (holder == NOBODY && nempty(mailbox))
#define TAKE(me) holder = me
#endif

#if defined(MAILBOX_UNSEEN)
#define MAIL_IN_SIGHT false
#elif defined(UNSEEN_WHILE_HELD)
#define MAIL_IN_SIGHT (holder == NOBODY && nempty(mailbox))
#else
#define MAIL_IN_SIGHT nempty(mailbox)
#endif

proctype worker(byte w) {
  byte from, number, late;
  bit task, any, seen;

  if
  :: w == 0 -> goto compute
  :: else -> skip
  fi;
sleep:
  asleep[w] = 1;
  d_step { woken[w] -> woken[w] = 0; asleep[w] = 0 };

search: skip;
  if
  :: atomic { MAY_TAKE(w) -> TAKE(w) };                       // try-lock
     deliver(w);
     if
     :: any -> any = 0; notify()                              // finds this searcher
     :: else
     fi;
     goto search
  :: atomic { list > 0 -> list--; searching--; seen = (searching == 0) };   // end_search()
#ifndef NO_LAST_WAKE
     if
     :: seen -> seen = 0;
        if
        :: sleepers > 0 -> wake_one(searching == 0)
        :: else
        fi
     :: else
     fi;
#else
     seen = 0;
#endif
     goto compute
  :: goto park                                                // gives up at any moment
  fi;

compute: skip;
  if
  :: !TO_DO || !SLEEPS                                        // for as long as a worker sleeps beside something to do
  fi;
next: skip;
  if
  :: atomic { MAY_TAKE(w) -> TAKE(w) };
     deliver(w);
     if
     :: any -> any = 0; notify()
     :: else
     fi;
     goto next
  :: atomic { list > 0 -> list-- }; goto compute
  :: atomic { list == 0 -> searching++ }; goto search
  fi;

park: skip;
  d_step { idle = idle | BIT(w); sleepers++; searching-- };   // announce()
  seen = MAIL_IN_SIGHT;                                       // work_in_sight()
#ifndef LIST_UNSEEN
  seen = seen || list > 0;
#endif
  if
  :: seen -> seen = 0;
     if
     :: d_step { idle & BIT(w) -> idle = idle & (255 - BIT(w)); sleepers--; searching++ }; goto search
     :: d_step { !(idle & BIT(w)) -> skip }; goto sleep       // somebody has woken it already
     fi
  :: else -> goto sleep
  fi
}

proctype sender(byte from; byte messages) {
  byte number;
  bit task;
  do
  :: number < messages ->
#ifdef NOTIFY_FIRST
     notify();
#endif
     atomic { if :: task = 0 :: task = 1; tasks++ fi; number++; mailbox!from, number, task; task = 0 };   // push
#if !defined(SEND_SILENT) && !defined(NOTIFY_FIRST)
     notify()
#endif
  :: number == messages -> break
  od
}

proctype stranger() {
  byte from, number, polls, late;
  bit task, any;
  do
  :: polls < POLLS ->
     atomic { MAY_TAKE(STRANGER) -> TAKE(STRANGER); polls++ };
     deliver(STRANGER);
     if
     :: any -> any = 0;
#ifndef LIST_SILENT
        notify();
#endif
        list = list + late; late = 0
     :: else
     fi
  :: polls == POLLS -> break
  od
}

proctype watch() {
  timeout ->
  assert(!TO_DO && delivering == 0 && handled[0] == FIRST && handled[1] == SECOND || M1_lost)
}

init {
  byte k;
  atomic {
    for (k : 0 .. WORKERS - 1) { run worker(k) }
    k = 0;
    run sender(0, FIRST);
    run sender(1, SECOND);
    run stranger();
    run watch()
  }
}
