// SPDX-License-Identifier: Apache-2.0
// Exchanges whose cells are kept: of sender and receiver, who comes second copies (docs/protocols/ghosts.md, "Kept": K1, K2; G1 to G3).
//
// P places, two that are neighbours or a ring of three, run EXCHANGES exchanges. In each one a place keeps its cell or not, as it likes. Who
// does not, packs where the neighbour has not begun and overwrites the cell at once; who does offers it, and overwrites it after wait. A copy
// is two steps, a read and a write, so that others come between.
//
// Variants, each of which breaks an invariant:
//   NO_LEAVING     K1  waits for its own ghosts only, and not until its cell has been copied
//   NO_LOOK_AGAIN  K2  does not look at the neighbour again after it has offered: nobody copies (hang)
//   NO_CLAIM       K2  who begins does not look at what was offered before (hang)
//   LOOK_FIRST     K2  looks at what is offered before it says that it has begun (hang)
//   CLAIM_TWICE    K2  copies what is offered without compare and swap: both do
//   NO_LOOK        G2  copies at once, without a look at whether the neighbour has begun
//   ONE_SLOT       G3  has one slot for each neighbour in place of two
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
#define SIDES (P - 1)
#define EMPTY 0
#define OFFERED 1
#define FULL 2
#define BUSY 3
#define PLACED 4
#define OVERWRITTEN 200
// The slot of place p for its neighbour on side s, for exchange e. Side s of p is place p + 1 + s, whose side back(s) is p.
#define at(p, s, e) (((p) * SIDES + (s)) * 2 + slot_of(e))
#define neighbour(p, s) (((p) + 1 + (s)) % P)
#define back(s) (SIDES - 1 - (s))

hidden byte K1_lost, K2_lost, G2_lost, G3_lost;  // never set: they name the invariant

byte cell[P];
byte ghost[P * SIDES];
byte begun[P];
bool reads[P];  // its ghosts
byte state[P * SIDES * 2];
byte packed[P * SIDES * 2];
byte leaving[P];

// From q's cell to the ghost of p on side s: p's slot i.
inline copy(p, s, q) {
  v = cell[q];
  atomic { assert(!reads[p] || G2_lost); ghost[p * SIDES + s] = v }
}

inline claim(p, s, e) {
  i = at(p, s, e);
#ifdef CLAIM_TWICE
  mine = (state[i] == OFFERED);
  if :: mine -> state[i] = BUSY :: else fi;
#else
  atomic { mine = (state[i] == OFFERED); if :: mine -> state[i] = BUSY :: else fi };
#endif
  if
  :: mine ->
     q = neighbour(p, s);
     copy(p, s, q);
     state[i] = PLACED;
     atomic { assert(leaving[q] > 0 || K2_lost); leaving[q]-- }
  :: else
  fi
}

inline fill(s, e) {
  r = neighbour(me, s);
  i = at(r, back(s), e);
  assert(state[i] == EMPTY || G3_lost);
  if
#ifdef NO_LOOK
  :: true ->
#else
  :: begun[r] == e ->
#endif
     copy(r, back(s), me);
     state[i] = PLACED
  :: begun[r] != e && keeps ->
     leaving[me]++;
     state[i] = OFFERED;
#ifndef NO_LOOK_AGAIN
     if
     :: begun[r] == e -> claim(r, back(s), e)
     :: else
     fi
#endif
  :: begun[r] != e && !keeps -> atomic { packed[i] = cell[me]; state[i] = FULL }
  fi
}

inline claim_all(e) {
  claim(me, 0, e);
#if P > 2
  claim(me, 1, e);
#endif
}

inline send(e) {
  if :: keeps = true :: keeps = false fi;
#ifdef LOOK_FIRST
  claim_all(e);
#endif
  begun[me] = e;
  fill(0, e);
#if P > 2
  fill(1, e);
#endif
#if !defined(NO_CLAIM) && !defined(LOOK_FIRST)
  claim_all(e);
#endif
  if :: keeps :: else -> cell[me] = OVERWRITTEN fi
}

#define come(s, e) (state[at(me, s, e)] == FULL || state[at(me, s, e)] == PLACED)
inline take(s, e) {
  i = at(me, s, e);
  if
  :: state[i] == FULL -> atomic { ghost[me * SIDES + s] = packed[i]; state[i] = PLACED }
  :: else
  fi
}

inline wait(e) {
  come(0, e);
#if P > 2
  come(1, e);
#endif
#ifndef NO_LEAVING
  leaving[me] == 0;
#endif
  take(0, e);
#if P > 2
  take(1, e);
#endif
  atomic {
    state[at(me, 0, e)] = EMPTY;
#if P > 2
    state[at(me, 1, e)] = EMPTY;
#endif
    reads[me] = true
  }
}

proctype place_of(byte me) {
  byte e, i, q, r, v;
  bool keeps, mine;
  for (e : 1 .. EXCHANGES) {
    cell[me] = e;
    reads[me] = false;
    send(e);
    wait(e);
    cell[me] = OVERWRITTEN;
    assert(ghost[me * SIDES] == e || K1_lost);
#if P > 2
    assert(ghost[me * SIDES + 1] == e || K1_lost)
#endif
  }
}

init {
  atomic {
    byte p;
    for (p : 0 .. P - 1) { reads[p] = true; run place_of(p) }
  }
}
