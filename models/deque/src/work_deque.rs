// SPDX-License-Identifier: Apache-2.0
// The steps of work_deque with the memory orders of the C++ code.
//
// loom treats a sequentially consistent load or store as acquire or release and knows sequentially consistent fences only.
// Where the C++ code needs the order between a store to bottom_ and a load of top_ (pop) and between a load of top_ and a
// load of bottom_ (steal), a fence stands here between the two. docs/protocols/deque.md says why that is the same.
use loom::sync::atomic::{fence, AtomicUsize, Ordering::*};
use std::cell::Cell;

/// The line that is taken away, and the invariant it keeps.
#[derive(Clone, Copy, PartialEq)]
pub enum Fault {
    None,
    RelaxedPush,    // push() publishes relaxed (I2)
    RelaxedPop,     // pop() stores bottom_ relaxed: a thief that reads that value has acquired nothing (I2)
    NoOrderInPop,   // release store and acquire load, nothing between (I1)
    NoOrderInSteal, // two acquire loads, nothing between (I1)
    BottomFirst,    // steal() reads bottom_ before top_ (I1)
    NoCasOnLast,    // pop() takes the last entry without competing for it (I1)
    NoRestore,      // pop() leaves bottom_ below top_ after the last entry (I3)
    BatchByOneCas,  // top_ -> top_ + k at once (I1)
    BatchOldBottom, // bottom_ is not read again before each further CAS (I1)
    ZeroIsEntry,    // a slot of a retired ring is believed (I5)
    NoCopy,         // grow() forgets the entries (I3 or I5)
}

pub enum Steal {
    Empty,
    Lost,
    Taken,
}

struct Ring {
    slots: Vec<AtomicUsize>,
}

impl Ring {
    fn new(capacity: usize) -> Self {
        Ring { slots: (0..capacity).map(|_| AtomicUsize::new(0)).collect() }
    }
    fn at(&self, index: usize) -> &AtomicUsize {
        &self.slots[index % self.slots.len()]
    }
}

pub struct WorkDeque {
    top: AtomicUsize,
    bottom: AtomicUsize,
    ring: AtomicUsize,      // which of rings; in C++ a pointer
    rings: [Ring; 2],       // the second has twice the size
    top_cache: Cell<usize>, // owner only
    fault: Fault,
}

// top_cache is touched by the owner alone.
unsafe impl Send for WorkDeque {}
unsafe impl Sync for WorkDeque {}

impl WorkDeque {
    pub fn new(capacity: usize, fault: Fault) -> Self {
        WorkDeque {
            top: AtomicUsize::new(1), // from 1, so that bottom - 1 never underflows
            bottom: AtomicUsize::new(1),
            ring: AtomicUsize::new(0),
            rings: [Ring::new(capacity), Ring::new(2 * capacity)],
            top_cache: Cell::new(1),
            fault,
        }
    }

    /// Owner.
    pub fn push(&self, entry: usize) {
        let b = self.bottom.load(Relaxed); // only the owner writes bottom_
        let mut ring = &self.rings[self.ring.load(Relaxed)]; // only the owner writes ring_
        if b - self.top_cache.get() >= ring.slots.len() {
            self.top_cache.set(self.top.load(Acquire));
            if b - self.top_cache.get() >= ring.slots.len() {
                ring = self.grow(self.top_cache.get(), b);
            }
        }
        ring.at(b).store(entry, Relaxed);
        self.bottom.store(b + 1, if self.fault == Fault::RelaxedPush { Relaxed } else { Release });
    }

    fn grow(&self, t: usize, b: usize) -> &Ring {
        let (old, new) = (&self.rings[0], &self.rings[1]);
        if self.fault != Fault::NoCopy {
            (t..b).for_each(|i| new.at(i).store(old.at(i).load(Relaxed), Relaxed));
        }
        self.ring.store(1, Release);
        old.slots.iter().for_each(|s| s.store(0, Relaxed)); // its pages are given back: a late thief may read 0
        new
    }

    /// Owner.
    pub fn pop(&self) -> Option<usize> {
        let b = self.bottom.load(Relaxed) - 1;
        if self.top.load(Relaxed) > b {
            return None;
        }
        self.bottom.store(b, if self.fault == Fault::RelaxedPop { Relaxed } else { Release });
        if self.fault != Fault::NoOrderInPop {
            fence(SeqCst);
        }
        let t = self.top.load(Acquire);
        let ring = &self.rings[self.ring.load(Relaxed)];
        if t < b {
            return Some(ring.at(b).load(Relaxed));
        }
        let mut entry = None;
        if t == b {
            let won = self.fault == Fault::NoCasOnLast || self.top.compare_exchange(t, t + 1, AcqRel, Relaxed).is_ok();
            if won {
                entry = Some(ring.at(b).load(Relaxed));
            }
        }
        if self.fault == Fault::NoCasOnLast && entry.is_some() {
            self.top.store(t + 1, Release);
        }
        if self.fault != Fault::NoRestore {
            self.bottom.store(b + 1, Release);
        }
        entry
    }

    /// Thief.
    pub fn steal_batch(&self, out: &mut Vec<usize>, max: usize) -> Steal {
        let (mut t, mut b);
        if self.fault == Fault::BottomFirst {
            b = self.bottom.load(Acquire);
            fence(SeqCst);
            t = self.top.load(Acquire);
        } else {
            t = self.top.load(Acquire);
            if self.fault != Fault::NoOrderInSteal {
                fence(SeqCst);
            }
            b = self.bottom.load(Acquire);
        }
        if t >= b {
            return Steal::Empty;
        }
        let wanted = max.min((b - t + 1) / 2);
        if self.fault == Fault::BatchByOneCas {
            let ring = &self.rings[self.ring.load(Acquire)];
            let entries: Vec<_> = (t..t + wanted).map(|i| ring.at(i).load(Relaxed)).collect();
            if self.top.compare_exchange(t, t + wanted, AcqRel, Relaxed).is_err() {
                return Steal::Lost;
            }
            out.extend(entries);
            return Steal::Taken;
        }
        while out.len() < wanted {
            if !out.is_empty() && self.fault != Fault::BatchOldBottom {
                fence(SeqCst); // the CAS on top_ before, the load of bottom_ after: both are seq_cst in C++
                b = self.bottom.load(Acquire);
                if t >= b {
                    break;
                }
            }
            let ring = &self.rings[self.ring.load(Acquire)];
            let entry = ring.at(t).load(Relaxed);
            if entry == 0 && self.fault != Fault::ZeroIsEntry {
                break;
            }
            if self.top.compare_exchange(t, t + 1, AcqRel, Relaxed).is_err() {
                break;
            }
            out.push(entry);
            t += 1;
        }
        if out.is_empty() { Steal::Lost } else { Steal::Taken }
    }
}
