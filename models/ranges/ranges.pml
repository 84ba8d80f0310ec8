// SPDX-License-Identifier: Apache-2.0
// Long ranges that go beside their frames from one process to another (docs/protocols/ranges.md, R1, R2, R4).
//
// One process sends FRAMES frames, each with RANGES long ranges; a task of the other process begins for each, in any order, and receives
// its ranges one after the other, or fails after some of them. What is sent under one tag is matched in the order of sending and of
// receiving. There are TAGS tags. A process that watches looks for a verdict that the program is stuck.
//
// Variants, each of which has to fail:
//   NEXT_TAG R1 tags are taken in turn, while fewer frames are under way than there are tags
//   COPIED R1 a range has left for its sender before anybody receives it, as MPI_Isend may have it
//   UNCOUNTED R2 while a task waits for a range no message counts as under way
//   NO_SKIP R4 a task that fails leaves its other ranges (hang)

#ifndef FRAMES
#define FRAMES 4
#endif
#ifndef TAGS
#define TAGS 2
#endif
#ifndef RANGES
#define RANGES 2
#endif

// Sent under a tag and not received: 16 x frame + range.
chan lies[TAGS] = [FRAMES * RANGES] of { byte };
byte unsent[FRAMES];  // ranges that have not left for their sender
byte uses[TAGS];      // frames of which that holds
bool here[FRAMES];  // the frame has come
byte tag_of[FRAMES];
byte unmatched = 0;  // frames of which some range has not left
byte sent = 0;       // messages
byte taken = 0;
byte running = 0;  // tasks, and the sender
byte waiting = 0;  // tasks, for a range
byte ended = 0;
bool started = false;
hidden byte R1_lost, R2_lost;  // never set: they name the invariant

inline leaves(g) {
  unsent[g] = unsent[g] - 1;
  if
  :: unsent[g] == 0 -> unmatched = unmatched - 1; uses[tag_of[g]] = uses[tag_of[g]] - 1
  :: else
  fi
}

proctype sender() {
  byte f = 0;
  byte t = 0;
  byte r = 0;
  do
  :: f < FRAMES ->
#ifdef NEXT_TAG
     atomic {
       unmatched < TAGS;
       t = f % TAGS;
#else
     atomic {
       if
       :: uses[0] == 0 -> t = 0
       :: uses[1] == 0 -> t = 1
       fi;
#endif
       tag_of[f] = t;
       unmatched = unmatched + 1;
       unsent[f] = RANGES;
       uses[t] = uses[t] + 1;
       sent = sent + 1;
       r = 0
     };
     do
     :: r < RANGES ->
        atomic {
          lies[t] ! 16 * f + r;
#ifdef COPIED
          leaves(f);
#endif
          r = r + 1
        }
     :: else -> break
     od;
     here[f] = true;
     f = f + 1
  :: else -> break
  od;
  running = running - 1
}

proctype task(byte f) {
  byte r = 0;
  byte x = 0;
  bool fails = false;
  atomic { here[f]; taken = taken + 1; running = running + 1 };
  do
  :: r < RANGES ->
     if
     :: fails = true
     :: skip
     fi;
#ifdef NO_SKIP
     if
     :: fails -> break
     :: else
     fi;
#endif
     atomic {
#ifndef UNCOUNTED
       sent = sent + 1;
#endif
       running = running - 1;
       waiting = waiting + 1
     };
     atomic {
       lies[tag_of[f]] ? x;
       assert(x == 16 * f + r || R1_lost);
#ifndef COPIED
       leaves(x / 16);
#endif
#ifndef UNCOUNTED
       taken = taken + 1;
#endif
       waiting = waiting - 1;
       running = running + 1
     };
     r = r + 1
  :: else -> break
  od;
  atomic { running = running - 1; ended = ended + 1 }
}

active proctype main() {
  byte i = 0;
  atomic {
    running = 1;
    run sender();
    do
    :: i < FRAMES -> run task(i); i = i + 1
    :: else -> break
    od;
    started = true
  };
  // A verdict may be said when nothing runs and all that was sent was taken: then nobody may wait for a range.
  atomic {
    (started && running == 0 && sent == taken && waiting > 0) || (ended == FRAMES && unmatched == 0) ->
    assert(waiting == 0 || R2_lost)
  }
}
