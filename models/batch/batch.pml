// SPDX-License-Identifier: Apache-2.0
// The open batch of docs/protocols/batch.md: an owner that adds tasks without a fence and then computes for ever, and two thieves that
// have found nothing else. Stores of the owner go through a buffer, which a thief's fence on all processors empties.
//
// One Promela step holds at most one access to shared memory.

// Each of these takes away the line that keeps one invariant.
//   NO_FENCE      a thief does not run the fence                                               B1
//   NO_BUSY       it does not ask whether the owner is adding                                  B1
//   NO_WANTED     the owner does not ask whether a thief is at it                              B1
//   WANTED_EARLY  the owner asks before it says that it is adding                              B1
//   NO_LOOK       a worker without work does not look for open batches                         B2 (hang)
//   TAKE_ANNOUNCED  a worker takes a batch before it says that it is awake                    B4
//   NO_SLEEPERS   who opens a batch or adds to it does not ask whether somebody sleeps         B2 (hang)

#ifndef TASKS
#define TASKS 3
#endif
#define THIEVES 2
#define ROOM 2
#define NONE 0

hidden byte B1_lost;  // never set, both: they name the invariant where an assertion fails
hidden byte B4_lost;

// Batches are numbered from 1; each is used once.
#define BATCHES 4
byte count[BATCHES];      // tasks in it; as memory has it
bit taken[BATCHES];       // it lies in a deque, or is being run
byte ran;                 // tasks run
byte batch = NONE;        // the open one; as memory has it
bit busy;                 // as memory has it
bit wanted;
byte deque;               // of the owner: tasks in published batches
bit asleep[THIEVES];
bit announced[THIEVES];
byte sleepers;            // attention_

// The owner's buffer: stores become visible in order, some time later.
chan buffer = [8] of { byte, byte, byte };
#define S_BUSY 1
#define S_COUNT 2
#define S_BATCH 3

inline apply(what, where, value) {
  if
  :: what == S_BUSY -> busy = value
  :: what == S_COUNT ->
     assert(!taken[where] || B1_lost);            // B1: nobody adds to a batch that somebody else has
     count[where] = value
  :: what == S_BATCH -> batch = value
  fi
}

byte over;

proctype memory() {
  byte what, where, value;
end:
  do
  :: d_step { buffer?what,where,value -> apply(what, where, value) }
  od
}

inline drain() {
  len(buffer) == 0
}

// A read-modify-write of the owner empties its buffer.
inline publish() {
  drain();
  d_step { mine = batch; batch = NONE };           // exchange
  open = NONE;
  if
  :: mine != NONE ->
     d_step { taken[mine] = 1; deque = deque + count[mine] };   // push
     if
     :: sleepers != 0 -> wake()                    // notify
     :: else -> skip
     fi
  :: else -> skip
  fi
}

inline wake() {
  d_step {
    if
    :: announced[0] -> announced[0] = 0; asleep[0] = 0; sleepers--
    :: !announced[0] && announced[1] -> announced[1] = 0; asleep[1] = 0; sleepers--
    :: else -> skip
    fi
  }
}

proctype owner() {
  byte next = 1, spawned, mine, open = NONE, n, seen;
  bit add;
  do
  :: spawned == TASKS -> break
  :: else ->
     // try_add()
#ifdef WANTED_EARLY
     seen = wanted;
     buffer!S_BUSY,0,1;
#else
     buffer!S_BUSY,0,1;
     seen = wanted;
#endif
#ifdef NO_WANTED
     seen = 0;
#endif
     add = 0;
     if
     :: !seen && open != NONE ->
        // the owner reads its own store of the batch, or that a thief has taken it away
        if
        :: batch == open || (batch == NONE && !taken[open]) -> add = 1
        :: else -> open = NONE
        fi
     :: else -> skip
     fi;
     if
     :: add ->
        n++;
        buffer!S_COUNT,open,n;
        spawned++;
        buffer!S_BUSY,0,0;
#ifndef NO_SLEEPERS
        if
        :: n == ROOM || sleepers != 0 -> publish()
        :: else -> skip
        fi
#else
        if
        :: n == ROOM -> publish()
        :: else -> skip
        fi
#endif
     :: else ->
        buffer!S_BUSY,0,0;
        publish();                                  // begin_batch()
        open = next;
        next++;
        n = 1;
        buffer!S_COUNT,open,1;
        spawned++;
        buffer!S_BATCH,0,open;
#ifndef NO_SLEEPERS
        if
        :: sleepers != 0 -> publish()
        :: else -> skip
        fi
#endif
     fi
  od;
  drain();                                          // any store becomes visible some time
  over = 1                                          // and now it computes: what is open stays so
}

inline take() {
  if
  :: batch == NONE -> skip
  :: else ->
     d_step { free = !wanted; wanted = 1 };         // exchange
     if
     :: !free -> skip                               // another thief is at it
     :: else ->
#ifndef NO_FENCE
        drain();                                    // the same
#endif
#ifdef NO_BUSY
        adding = 0;
#else
        adding = busy;
#endif
        if
        :: !adding ->
           d_step { b = batch; batch = NONE; if :: b != NONE -> taken[b] = 1 :: else -> skip fi };
           wanted = 0;
           if
           :: b != NONE ->
              // B4: on its way to a deque nobody sees it, and were we announced all could be
              assert(!announced[me] || B4_lost);
              d_step { ran = ran + count[b] }
           :: else -> skip
           fi
        :: else -> wanted = 0
        fi
     fi
  fi
}

inline withdraw() {
  d_step { awake = announced[me]; if :: announced[me] -> announced[me] = 0; sleepers-- :: else -> skip fi }
}

proctype thief(byte me) {
  byte b;
  bit adding, found, open, awake, free;
  do
  :: d_step { deque > 0 -> ran = ran + deque; deque = 0 }         // steals what is published, and runs it
  :: ran == TASKS -> break
  :: else ->
     d_step { announced[me] = 1; sleepers++ };      // announce()
     drain();                                       // its fence on all processors
     found = deque > 0;                             // work_in_sight()
     open = 0;
#ifndef NO_LOOK
     if
     :: !found -> open = batch != NONE              // open_batch_in_sight()
     :: else -> skip
     fi;
#endif
     if
     :: found || open ->
#ifdef TAKE_ANNOUNCED
        if
        :: open -> take()
        :: else -> skip
        fi;
        withdraw()
#else
        withdraw();
        if
        :: open && awake -> take()
        :: else -> skip                             // somebody has woken us: sleep() returns at once
        fi
#endif
     :: else ->
        d_step { asleep[me] = announced[me] };      // sleep()
        !asleep[me] || ran == TASKS
     fi
  od
}

init {
  byte i;
  atomic {
    run memory();
    run owner();
    for (i : 0 .. THIEVES - 1) { run thief(i) }
  }
}
