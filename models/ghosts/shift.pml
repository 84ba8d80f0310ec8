// SPDX-License-Identifier: Apache-2.0
// An exchange by shift (docs/protocols/ghosts.md, "Shift": S1 to S4; G1, G3).
//
// Four places in a grid of two by two run EXCHANGES exchanges. Each has one cell of its own, and a ghost of the neighbour along x, of that
// along y, and of the one across. Stage 0 brings the first along x; stage 1 brings the others along y, where the one across is forwarded. A
// message is filled in by who sends it, or with MESSAGES by the network, when it comes; that one completes the stage in the name of the place
// that it has filled a slot of. After send the cell is overwritten, and a ghost that was waited for by itself may be, too.
//
// Variants, each of which breaks an invariant:
//   PACK_LATE      S1  packs its own cell for stage 1 when that is sent
//   FORWARD_EARLY  S2  sends stage 1 with stage 0
//   ONE_COUNT      S2  counts what is missing in both parities together
//   NO_SEND        S2  stage 0 is complete when all has come, though its own send has not been
//   LOOK_THEN_SEND S2 S3 counts down, then looks whether it was the last
//   CLOSE_EARLY    S4  closes when all has come, though it may be being forwarded (hang)
//   FROM_GHOSTS    S4  forwards from ghosts
#ifndef EXCHANGES
#define EXCHANGES 2
#endif
#define P 4
#define EMPTY 0
#define FULL 1
#define ON_ITS_WAY 2
#define OVERWRITTEN 200
#define FREED 100
#define along_x(p) ((p) ^ 1)
#define along_y(p) ((p) ^ 2)
// Slots of place p for exchange e, of stage k.
#define at(p, k, e) (((p) * 2 + (k)) * 2 + ((e) & 1))
#ifdef ONE_COUNT
#define count(p, k, e) (((p) * 2 + (k)) * 2)
#else
#define count(p, k, e) at(p, k, e)
#endif
#ifdef NO_SEND
#define AT_FIRST 1
#else
#define AT_FIRST 2  // the neighbour's message, and this place's send
#endif

hidden byte S1_lost, S2_lost, S3_lost, S4_lost, G3_lost;  // never set: they name the invariant

byte cell[P];
byte begun[P];
byte own[P];      // packed for stage 1
byte ghost_x[P];  // for FROM_GHOSTS; else it is what came in the slot
byte state[P * 4];
byte first[P * 4];   // of the message in a slot: the sender's cell
byte across[P * 4];  // in stage 1: what it forwards
byte missing[P * 4];

// Fills the slot of place p, stage k, for exchange e, whose message is there; then counts down.
inline fill(p, k, e) {
  state[at(p, k, e)] = FULL;
  count_down(p, k, e)
}
inline count_down(p, k, e) {
#ifdef LOOK_THEN_SEND
  missing[count(p, k, e)]--;
  last = (missing[count(p, k, e)] == 0);
#else
  atomic { missing[count(p, k, e)]--; last = (missing[count(p, k, e)] == 0) }
#endif
}

// Puts a message into the slot of p, or on its way to it.
inline hand_over(p, k, e, c, a) {
  atomic {
    assert(state[at(p, k, e)] == EMPTY || S3_lost);
    first[at(p, k, e)] = c;
    across[at(p, k, e)] = a;
#ifdef MESSAGES
    state[at(p, k, e)] = ON_ITS_WAY
#endif
  }
}

// Stage 0 of p is complete.
inline send_stage_1(p, e) {
  q = along_y(p);
  atomic {
#ifdef FROM_GHOSTS
    value = ghost_x[p];
#else
    assert(state[at(p, 0, e)] == FULL || S2_lost);
    value = first[at(p, 0, e)];
#endif
    assert(begun[p] == e || S2_lost)
  };
#ifdef PACK_LATE
  hand_over(q, 1, e, cell[p], value);
#else
  hand_over(q, 1, e, own[p], value);
#endif
#ifndef MESSAGES
  fill(q, 1, e);
#endif
  count_down(p, 1, e)
}

inline send(e) {
  atomic { own[me] = cell[me]; begun[me] = e; q = along_x(me) };
  hand_over(q, 0, e, cell[me], 0);
#ifdef FORWARD_EARLY
  send_stage_1(me, e);
#endif
#ifndef MESSAGES
#ifdef FROM_GHOSTS
  ghost_x[q] = first[at(q, 0, e)];
#endif
  fill(q, 0, e);
#ifndef FORWARD_EARLY
  if :: last -> to = q; send_stage_1(to, e) :: else fi;
#endif
#endif
#ifndef NO_SEND
  count_down(me, 0, e);
#ifndef FORWARD_EARLY
  if :: last -> send_stage_1(me, e) :: else fi;
#endif
#endif
  atomic { cell[me] = OVERWRITTEN; q = 0; to = 0; value = 0; last = false }  // what is not needed makes no states
}

proctype place_of(byte me) {
  byte e, q, to, value;
  bool last;
  for (e : 1 .. EXCHANGES) {
    cell[me] = e;
    send(e);
#ifdef FROM_GHOSTS
    if
    :: state[at(me, 0, e)] == FULL -> ghost_x[me] = OVERWRITTEN  // it has been waited for by itself
    :: true
    fi;
#endif
    state[at(me, 0, e)] == FULL && state[at(me, 1, e)] == FULL;
#ifndef CLOSE_EARLY
    missing[count(me, 1, e)] == 0;
#endif
    assert(first[at(me, 0, e)] == e || S1_lost);
    assert(first[at(me, 1, e)] == e || S1_lost);
    assert(across[at(me, 1, e)] == e || S4_lost);
    atomic { state[at(me, 0, e)] = EMPTY; first[at(me, 0, e)] = FREED };
    atomic { state[at(me, 1, e)] = EMPTY; first[at(me, 1, e)] = FREED; across[at(me, 1, e)] = FREED };
    atomic { missing[count(me, 0, e)] = AT_FIRST; missing[count(me, 1, e)] = 2 }
  }
}

#ifdef MESSAGES
#define BRINGS(p, k) \
  :: atomic { state[at(p, k, 0)] == ON_ITS_WAY -> bring(p, k, 0) } \
  :: atomic { state[at(p, k, 1)] == ON_ITS_WAY -> bring(p, k, 1) }
inline bring(p, k, par) {
  to = p; stage = k;
  e = begun[to] + ((begun[to] & 1) != par);
  fill(to, stage, e);
  if :: last && stage == 0 -> send_stage_1(to, e) :: else fi;
  e = 0; q = 0; value = 0; to = 0; stage = 0; last = false
}

// Messages come when they come. What bringing one consists of is seen step by step without MESSAGES.
proctype network() {
  byte e, q, value, to, stage;
  bool last;
end:
  do
  BRINGS(0, 0) BRINGS(0, 1) BRINGS(1, 0) BRINGS(1, 1) BRINGS(2, 0) BRINGS(2, 1) BRINGS(3, 0) BRINGS(3, 1)
  od
}
#endif

init {
  atomic {
    byte p;
    for (p : 0 .. P - 1) {
      missing[at(p, 0, 0)] = AT_FIRST; missing[at(p, 0, 1)] = AT_FIRST;
      missing[at(p, 1, 0)] = 2; missing[at(p, 1, 1)] = 2
    }
    for (p : 0 .. P - 1) { run place_of(p) }
#ifdef MESSAGES
    run network()
#endif
  }
}
