// SPDX-License-Identifier: Apache-2.0
// An exchange of ghosts between neighbours (docs/protocols/ghosts.md, G1 to G6).
//
// P places in a line, or with RING in a ring, run EXCHANGES exchanges. Each has one cell of its own and a ghost of each neighbour's. A send
// goes directly where the neighbour has begun, or is packed; packed ones may be on their way for a while (a message). Putting is two
// steps, so that others come between the look and the write. After send the cell is overwritten at once: what was sent was sent.
//
// With BOXES a second task of each place waits, in each exchange, for the ghost of one neighbour, and closes nothing; the next exchange begins
// when it has had it.
//
// Variants, each of which breaks an invariant:
//   NO_LOOK       G1 G2 puts without a look at whether the neighbour has begun
//   BEGIN_EARLY   G2  says that the next exchange has begun before the last ghost of this one was read
//   ONE_SLOT      G3  has one slot for each neighbour in place of two
//   NO_TOKEN      G3 G5  one way only, and nothing goes back
//   PACK_LATE     G1  packs when it waits
//   NO_SECOND_LOOK G4  goes to sleep without a look at the slots after it has said so (hang)
//   CLOSE_LATE    G3  empties the slots after the next send
// and with BOXES:
//   NO_END        G6  who waits for a box looks at slots only (hang)
//   SILENT_CLOSE  G6  who closes looks for no waiters (hang)
#ifndef P
#define P 2
#endif
#ifndef EXCHANGES
#define EXCHANGES 3
#endif
#ifdef ONE_SLOT
#define slot_of(e) 0
#else
#define slot_of(e) ((e) & 1)
#endif
#define LEFT 0
#define RIGHT 1
#define EMPTY 0
#define FULL 1
#define PLACED 2
#define ON_ITS_WAY 3
// The slot of place p for its neighbour on side s, for exchange e.
#define at(p, s, e) (((p) * 2 + (s)) * 2 + slot_of(e))

byte cell[P];
byte ghost[P * 2];
byte begun[P];
bool reads[P];  // its ghosts
byte state[P * 4];
byte packed[P * 4];
byte waiting[P];
bool asleep[P];
hidden byte G1_lost, G2_lost, G3_lost, G5_lost;  // never set: they name the invariant
#ifdef BOXES
byte sent[P];
byte ended[P];
byte box_had[P];
bool box_asleep[P];
#define box_side(p) ((p) > 0 -> LEFT : RIGHT)
#define box_has_come(p) (state[at(p, box_side(p), begun[p])] == FULL || state[at(p, box_side(p), begun[p])] == PLACED)
#ifdef NO_END
#define is_over(p, e) false
#else
#define is_over(p, e) (ended[p] >= (e))
#endif
#endif

#ifdef RING
#define has(s) true
#else
#define has(s) ((s) == LEFT && me > 0 || (s) == RIGHT && me < P - 1)
#endif
#define neighbour(s) ((s) == LEFT -> (me + P - 1) % P : (me + 1) % P)
#ifdef NO_TOKEN
#define none_empty(p) (!(state[at(p, RIGHT, begun[p])] == EMPTY || state[at(p, RIGHT, begun[p])] == ON_ITS_WAY) || !has_of(p, RIGHT))
#else
#define none_empty(p) (!(state[at(p, LEFT, begun[p])] == EMPTY || state[at(p, LEFT, begun[p])] == ON_ITS_WAY) || !has_of(p, LEFT)) && \
  (!(state[at(p, RIGHT, begun[p])] == EMPTY || state[at(p, RIGHT, begun[p])] == ON_ITS_WAY) || !has_of(p, RIGHT))
#endif
#ifdef RING
#define has_of(p, s) true
#else
#define has_of(p, s) ((s) == LEFT && (p) > 0 || (s) == RIGHT && (p) < P - 1)
#endif

// Who has filled a slot of q looks for a waiter there.
inline wake(q) {
  if
  :: waiting[q] > 0 ->
     if :: atomic { asleep[q] && none_empty(q) -> asleep[q] = false } :: else fi;
#ifdef BOXES
     if :: atomic { box_asleep[q] && (box_has_come(q) || is_over(q, begun[q])) -> box_asleep[q] = false } :: else fi
#else
     skip
#endif
  :: else
  fi
}

inline fill(s, e) {
  q = neighbour(s);
  i = at(q, 1 - s, e);
  if
  :: begun[q] > e -> assert(G5_lost)
  :: else
  fi;
  assert(state[i] == EMPTY || G3_lost);
  if
#ifdef NO_LOOK
  :: true ->
#else
  :: begun[q] == e ->
#endif
     skip;
     atomic { assert(!reads[q] || G2_lost); ghost[q * 2 + 1 - s] = now; state[i] = PLACED }
  :: true -> atomic { packed[i] = now; state[i] = FULL }
  :: true -> atomic { packed[i] = now; state[i] = ON_ITS_WAY }
  fi;
  wake(q)
}

inline send(e) {
#ifndef BEGIN_EARLY
  begun[me] = e;
#endif
  now = cell[me];
#ifndef PACK_LATE
  if :: has(LEFT) -> fill(LEFT, e) :: else fi;
#ifdef NO_TOKEN
  skip;
#else
  if :: has(RIGHT) -> fill(RIGHT, e) :: else fi;
#endif
#endif
  cell[me] = 200
}

inline take(s, e) {
  i = at(me, s, e);
  if
  :: state[i] == FULL -> atomic { ghost[me * 2 + s] = packed[i]; state[i] = PLACED }
  :: state[i] == PLACED
  fi
}

inline wait(e) {
#ifdef PACK_LATE
  now = cell[me];
  if :: has(LEFT) -> fill(LEFT, e) :: else fi;
  if :: has(RIGHT) -> fill(RIGHT, e) :: else fi;
#endif
  if
  :: none_empty(me)
  :: else ->
#ifdef NO_SECOND_LOOK
     waiting[me]++; asleep[me] = true;
#else
     waiting[me]++;
     atomic { if :: none_empty(me) :: else -> asleep[me] = true fi };
#endif
     !asleep[me];
     waiting[me]--
  fi;
#ifndef NO_TOKEN
  if :: has(LEFT) -> take(LEFT, e) :: else fi;
#endif
  if :: has(RIGHT) -> take(RIGHT, e) :: else fi
}

inline close(e) {
  state[at(me, LEFT, e)] = EMPTY;
  state[at(me, RIGHT, e)] = EMPTY;
#ifdef BOXES
  ended[me] = e;
#ifndef SILENT_CLOSE
  wake(me);
#endif
#endif
  skip
}

proctype place_of(byte me) {
  byte e, q, i, now;
  for (e : 1 .. EXCHANGES) {
#ifdef BOXES
    box_had[me] == e - 1;
#endif
    cell[me] = e;
    send(e);
#ifdef BOXES
    sent[me] = e;
#endif
#ifdef CLOSE_LATE
    if :: e > 1 -> close(e - 1) :: else fi;
#endif
    wait(e);
    reads[me] = true;
#ifndef CLOSE_LATE
    close(e);
#endif
#ifndef NO_TOKEN
    assert(!has(LEFT) || ghost[me * 2 + LEFT] == e || G1_lost);
#endif
    assert(!has(RIGHT) || ghost[me * 2 + RIGHT] == e || G1_lost);
#ifdef BEGIN_EARLY
    if :: e < EXCHANGES -> begun[me] = e + 1 :: else fi;
#endif
    skip;  // it still reads
    reads[me] = false
  }
}

#ifdef BOXES
proctype box_of(byte me) {
  byte e, i;
  for (e : 1 .. EXCHANGES) {
    sent[me] == e;
    i = at(me, box_side(me), e);
    do
    :: box_has_come(me) || is_over(me, e) ->
       if
       :: atomic { state[i] == FULL -> ghost[me * 2 + box_side(me)] = packed[i]; state[i] = PLACED }; break
       :: state[i] == PLACED -> break
       :: else -> if :: is_over(me, e) -> break :: else fi  // emptied since
       fi
    :: else ->
       waiting[me]++;
       atomic { if :: box_has_come(me) || is_over(me, e) :: else -> box_asleep[me] = true fi };
       !box_asleep[me];
       waiting[me]--
    od;
    assert(ghost[me * 2 + box_side(me)] == e || G1_lost);
    box_had[me] = e
  }
}
#endif

#define BRINGS(k) \
  :: atomic { (P * 4 > k) && state[k] == ON_ITS_WAY -> state[k] = FULL; q = k / 4 }; \
     wake(q)

// Messages come when they come.
proctype network() {
  byte q;
end:
  do
  BRINGS(0) BRINGS(1) BRINGS(2) BRINGS(3) BRINGS(4) BRINGS(5) BRINGS(6) BRINGS(7)
#if P > 2
  BRINGS(8) BRINGS(9) BRINGS(10) BRINGS(11)
#endif
  od
}

init {
  atomic {
    byte p;
#ifdef BEGIN_EARLY
    for (p : 0 .. P - 1) { begun[p] = 1 }
#endif
    for (p : 0 .. P - 1) { run place_of(p) }
#ifdef BOXES
    for (p : 0 .. P - 1) { run box_of(p) }
#endif
    run network()
  }
}
