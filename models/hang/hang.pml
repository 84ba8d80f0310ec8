// SPDX-License-Identifier: Apache-2.0
// The gate of docs/protocols/hang.md: a task that goes on after its wait, the turn of a phase, and two reports. Stores of the
// workers go through a buffer of one entry each, which a report's fence on all processors empties.
//
// One Promela step holds at most one access to shared memory.

// Each of these takes away the line that keeps one invariant.
//   NO_GATE     a wait that ends does not look at the gate                                   H1
//   GATE_FIRST  it looks at the gate before `parked` is null                                 H1
//   NO_FENCE    a report does not run the fence                                              H1
//   LOOK_FIRST  a report looks before it has raised the gate                                 H1
//   NO_WAKE     a report lowers the gate and wakes nobody                                    H2 (hang)

#ifndef WORKERS
#define WORKERS 2
#define REPORTS 2
#endif

hidden byte H1_lost;  // never set: it names the invariant where an assertion fails

byte gate;             // reports under way
bit parked[WORKERS] = 1;
bit buffered[WORKERS]; // a store of null to parked is still in the worker's buffer
bit alive[WORKERS] = 1;
bit asleep[WORKERS];
byte over;

// A buffered store reaches memory at any time.
proctype memory(byte w) {
  do
  :: d_step { buffered[w] -> parked[w] = 0; buffered[w] = 0 }
  :: over == WORKERS + REPORTS -> break
  od
}

inline wait_at_gate(w, seen) {
  do
  :: seen = gate;
     if
     :: seen == 0 -> break
     :: else ->
        d_step { if :: gate == seen -> asleep[w] = 1 :: else -> skip fi };   // futex: sleeps only if the word has not changed
        asleep[w] == 0
     fi
  od
}

proctype worker(byte w) {
  byte seen;
#ifdef GATE_FIRST
  wait_at_gate(w, seen);                      // leave_wait()
  buffered[w] = 1;
#else
  buffered[w] = 1;                            // leave_wait(): parked = nullptr, relaxed
#ifndef NO_GATE
  wait_at_gate(w, seen);                      // report_gate::pass()
#endif
#endif
  alive[w] = 0;                               // the frame is left
  over++
}

proctype report() {
  byte i;
  bit found[WORKERS];
#ifdef LOOK_FIRST
  for (i : 0 .. WORKERS - 1) { found[i] = parked[i] }
  gate++;
#else
  gate++;                                     // report_gate::raise()
#ifndef NO_FENCE
  for (i : 0 .. WORKERS - 1) {                // fence_all_processors(): one processor after the other
    d_step { if :: buffered[i] -> parked[i] = 0; buffered[i] = 0 :: else -> skip fi }
  }
#endif
  for (i : 0 .. WORKERS - 1) { found[i] = parked[i] }
#endif
  for (i : 0 .. WORKERS - 1) {
    if
    :: found[i] -> assert(alive[i] || H1_lost)                      // H1
    :: else -> skip
    fi
  }
  gate--;                                     // report_gate::lower()
#ifndef NO_WAKE
  for (i : 0 .. WORKERS - 1) { asleep[i] = 0 }
#endif
  over++
}

init {
  byte i;
  atomic {
    for (i : 0 .. WORKERS - 1) { run worker(i); run memory(i) }
    for (i : 1 .. REPORTS) { run report() }
  }
}
