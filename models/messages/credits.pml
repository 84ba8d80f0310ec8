// SPDX-License-Identifier: Apache-2.0
// The windows of docs/protocols/messages.md: two places send each other tasks of different sizes, and each task may send more, until the
// budget is used up. What is sent takes room of the window of its direction; the receiver gives it back, a quarter of the window at least at a
// time, when the tasks have started. A task that finds no room waits in a line.
//
// One step is what is done under the lock of one window. The checker proves: in the end nobody waits for room (M5); what lies at
// a place and has not started never exceeds its bound (M6).

#ifndef SENDS
#define SENDS 4       /* of each place */
#endif
#ifndef WINDOW
#define WINDOW 8
#endif
#define QUARTER (WINDOW / 4)
#ifndef SMALL
#define SMALL 3       /* sizes */
#endif
#ifndef LARGE
#define LARGE 12
#endif
// Option: BUSY, a task of place 1 ends only when place 0 has sent all it wants, so that place 1 is never passive.

// Each of these takes away the line that keeps one invariant.
//   CREDIT_AT_END       room is given back when a task has ended                               M5
//   CREDIT_ON_TAKE      room is given back when the message is taken out of the mailbox        M6
//   KEPT_BACK           more than a quarter of the window is held back                         M5
//   LARGE_WAITS         a message larger than three quarters waits until all of it fits        M5
//   ADMIT_ONE           a credit lets one task of the line go on, not as many as fit           M5
//   JOIN_BLINDLY        who found no room joins the line without looking again under its lock  M5

// Of the two directions: 0 from place 0 to place 1, 1 back.
byte used[2], kept[2], credit[2];
byte sends[2] = SENDS;
chan line[2] = [5] of { byte };     // who waits for room, by size
chan mailbox[2] = [9] of { byte };
chan queued[2] = [9] of { byte };   // taken out, not started
chan unpaid[2] = [9] of { byte };   // CREDIT_AT_END
byte running[2] = 2;                // tasks at a place
byte unstarted[2];                  // ghost: the sum of mailbox and queued
hidden byte M5_lost, M6_lost;

#define BOUND (QUARTER + LARGE > WINDOW -> QUARTER + LARGE : WINDOW)
#ifdef LARGE_WAITS
#define FITS(d, s) (used[d] + s <= WINDOW)
#else
#define FITS(d, s) (used[d] + s <= WINDOW || s > 3 * QUARTER && used[d] <= QUARTER)
#endif
#ifdef KEPT_BACK
#define DUE(d) (kept[d] >= 2 * QUARTER)
#else
#define DUE(d) (kept[d] >= QUARTER)
#endif

inline post(d, s) {
  used[d] = used[d] + s;
  mailbox[d]!s;
  unstarted[d] = unstarted[d] + s;
  assert(unstarted[d] <= BOUND || M6_lost)
}

inline give_back(d, s) {
  kept[d] = kept[d] + s;
  if
  :: DUE(d) -> credit[d] = credit[d] + kept[d]; kept[d] = 0
  :: else
  fi
}

proctype place(byte p) {
  byte s, o;
  o = 1 - p;
  do
  // async_at(): a task that runs sends one.
  :: running[p] > 0 && sends[p] > 0 ->
#ifdef JOIN_BLINDLY
     atomic { running[p] > 0 && sends[p] > 0 -> sends[p]--; if :: s = SMALL :: s = LARGE fi;
       if
       :: len(line[p]) == 0 && FITS(p, s) -> post(p, s); s = 0
       :: else
       fi };
     if
     :: s > 0 -> atomic { line[p]!s; running[p]--; s = 0 }
     :: else
     fi
#else
     atomic { running[p] > 0 && sends[p] > 0 -> sends[p]--; if :: s = SMALL :: s = LARGE fi;
       if
       :: len(line[p]) == 0 && FITS(p, s) -> post(p, s)
       :: else -> line[p]!s; running[p]--
       fi;
       s = 0 }
#endif
#ifdef BUSY
  :: d_step { p == 1 && running[1] == 1 && (sends[0] > 0 || len(line[0]) > 0) -> skip }
  :: d_step { running[p] > 1 || running[p] == 1 && !(p == 1 && (sends[0] > 0 || len(line[0]) > 0)) -> running[p]--;
#else
  :: d_step { running[p] > 0 -> running[p]--;                 // a task ends
#endif
#ifdef CREDIT_AT_END
       if
       :: len(unpaid[o]) > 0 -> unpaid[o]?s; give_back(o, s); s = 0
       :: else
       fi
#endif
     }
  :: d_step { len(mailbox[o]) > 0 -> mailbox[o]?s; queued[o]!s;
#ifdef CREDIT_ON_TAKE
       give_back(o, s);
#endif
       s = 0 }
  :: d_step { len(queued[o]) > 0 -> queued[o]?s; running[p]++; unstarted[o] = unstarted[o] - s;   // a worker is always to be had
#if defined(CREDIT_AT_END)
       unpaid[o]!s;
#elif !defined(CREDIT_ON_TAKE)
       give_back(o, s);
#endif
       s = 0 }
  od
}

// Whoever takes the credits of a direction.
proctype taker(byte p) {
  byte s;
  do
  :: atomic { credit[p] > 0 ->                                // CREDIT comes
       used[p] = used[p] - credit[p];
       credit[p] = 0;
       do
       :: len(line[p]) > 0 ->
          line[p]?<s>;
          if
          :: FITS(p, s) -> line[p]?s; post(p, s); running[p]++
          :: else -> break
          fi;
#ifdef ADMIT_ONE
          break
#endif
       :: len(line[p]) == 0 -> break
       od;
       s = 0 }
  od
}

proctype watch() {
  timeout ->
  assert(len(line[0]) + len(line[1]) + len(queued[0]) + len(queued[1]) == 0 || M5_lost)
}

init {
  atomic { run place(0); run place(1); run taker(0); run taker(1); run watch() }
}
