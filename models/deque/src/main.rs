// SPDX-License-Identifier: Apache-2.0
// The work-stealing deque of docs/protocols/deque.md under the C++11 memory model, as far as loom knows it. The steps of
// work_deque.rs are those of include/tactus/deque/impl/work_deque.hpp; a Fault takes one of its lines away.
//
//   deque list      prints "passes NAME" or "fails NAME" for each search
//   deque NAME      searches all executions; prints how many; status 1 and the broken invariant if one is wrong
mod work_deque;

use loom::cell::UnsafeCell;
use loom::thread;
use std::panic::{catch_unwind, set_hook, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use work_deque::{Fault, Steal, WorkDeque};

const ENTRIES: usize = 4;

/// What the tasks carry: written before push(), read by whoever takes the entry. loom reports a read that does not
/// happen after the write.
struct Tasks {
    payload: [UnsafeCell<usize>; ENTRIES + 1],
    taken: [AtomicUsize; ENTRIES + 1], // of std: counts without ordering anything
}

impl Tasks {
    fn new() -> Self {
        Tasks {
            payload: std::array::from_fn(|_| UnsafeCell::new(0)),
            taken: std::array::from_fn(|_| AtomicUsize::new(0)),
        }
    }

    fn take(&self, entry: usize) {
        assert!(entry != 0, "I5: an empty slot was taken");
        let before = self.taken[entry].fetch_add(1, Ordering::Relaxed);
        assert!(before == 0, "I1: an entry was taken twice");
        self.payload[entry].with(|p| assert!(unsafe { *p } == entry, "I2: the payload is missing"));
    }
}

struct Shared {
    deque: WorkDeque,
    tasks: Tasks,
}

fn push(shared: &Shared, entry: usize) {
    shared.tasks.payload[entry].with_mut(|p| unsafe { *p = entry });
    shared.deque.push(entry);
}

fn pop(shared: &Shared) {
    if let Some(entry) = shared.deque.pop() {
        shared.tasks.take(entry);
    }
}

/// One scenario: what the owner does, what each thief does.
#[derive(Clone, Copy)]
struct Scenario {
    name: &'static str,
    capacity: usize,
    owner: &'static str, // '+' push the next entry, '-' pop
    before: usize,       // how many of the owner's operations come before the thieves start
    thieves: usize,
    steals: usize, // by each thief
    batch: usize,  // entries a thief may take at once
    preemptions: Option<usize>,
}

const ONE_THIEF: Scenario = Scenario {
    name: "one_thief",
    capacity: 4,
    owner: "++--",
    before: 0,
    thieves: 1,
    steals: 2,
    batch: 1,
    preemptions: None,
};
const PUSH_AGAIN: Scenario = Scenario { name: "push_after_pop", owner: "+-+-", ..ONE_THIEF };
const GROW: Scenario = Scenario { name: "grow", capacity: 2, owner: "+++-", before: 1, ..ONE_THIEF };
const BATCH: Scenario = Scenario { name: "batch", owner: "+++---", before: 3, steals: 1, batch: 2, ..ONE_THIEF };
const TWO_THIEVES: Scenario =
    Scenario { name: "two_thieves", owner: "++--", before: 1, thieves: 2, steals: 1, preemptions: Some(3), ..ONE_THIEF };

fn run(scenario: Scenario, fault: Fault) -> Result<usize, String> {
    static EXECUTIONS: AtomicUsize = AtomicUsize::new(0);
    let mut search = loom::model::Builder::new();
    search.preemption_bound = scenario.preemptions;
    search.max_branches = 100_000;
    set_hook(Box::new(|_| {}));
    let result = catch_unwind(AssertUnwindSafe(|| {
        search.check(move || {
            EXECUTIONS.fetch_add(1, Ordering::Relaxed);
            let shared = Arc::new(Shared { deque: WorkDeque::new(scenario.capacity, fault), tasks: Tasks::new() });
            let mut pushed = 0;
            let mut operate = |operation: u8| {
                if operation == b'+' {
                    pushed += 1;
                    push(&shared, pushed);
                } else {
                    pop(&shared);
                }
            };
            let (first, second) = scenario.owner.as_bytes().split_at(scenario.before);
            first.iter().for_each(|o| operate(*o));
            let thieves: Vec<_> = (0..scenario.thieves)
                .map(|_| {
                    let shared = shared.clone();
                    thread::spawn(move || {
                        for _ in 0..scenario.steals {
                            let mut out = Vec::new();
                            if let Steal::Taken = shared.deque.steal_batch(&mut out, scenario.batch) {
                                out.iter().for_each(|e| shared.tasks.take(*e));
                            }
                        }
                    })
                })
                .collect();
            second.iter().for_each(|o| operate(*o));
            thieves.into_iter().for_each(|t| t.join().unwrap());
            while let Some(entry) = shared.deque.pop() {
                shared.tasks.take(entry);
            }
            for entry in 1..=pushed {
                assert!(shared.tasks.taken[entry].load(Ordering::Relaxed) == 1, "I3: an entry was lost");
            }
        })
    }));
    match result {
        Ok(()) => Ok(EXECUTIONS.load(Ordering::Relaxed)),
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
                .unwrap_or_default();
            let text = if text.contains("ausality") { format!("I2: not published ({text})") } else { text };
            println!("executions {}", EXECUTIONS.load(Ordering::Relaxed));
            Err(text)
        }
    }
}

fn searches() -> Vec<(&'static str, Scenario, Fault)> {
    let mut all: Vec<_> = [ONE_THIEF, PUSH_AGAIN, GROW, BATCH, TWO_THIEVES].map(|s| (s.name, s, Fault::None)).into();
    all.extend([
        ("relaxed_push", ONE_THIEF, Fault::RelaxedPush),
        ("relaxed_pop", ONE_THIEF, Fault::RelaxedPop),
        ("acquire_release_pop", ONE_THIEF, Fault::NoOrderInPop),
        ("acquire_release_steal", ONE_THIEF, Fault::NoOrderInSteal),
        ("bottom_before_top", ONE_THIEF, Fault::BottomFirst),
        ("no_cas_on_the_last", ONE_THIEF, Fault::NoCasOnLast),
        ("bottom_not_restored", PUSH_AGAIN, Fault::NoRestore),
        ("batch_by_one_cas", BATCH, Fault::BatchByOneCas),
        ("batch_with_old_bottom", BATCH, Fault::BatchOldBottom),
        ("zero_is_an_entry", GROW, Fault::ZeroIsEntry),
        ("grow_without_copy", GROW, Fault::NoCopy),
    ]);
    all
}

fn main() {
    let name = std::env::args().nth(1).unwrap_or_else(|| "list".into());
    if name == "list" {
        for (name, _, fault) in searches() {
            println!("{} {name}", if fault == Fault::None { "passes" } else { "fails" });
        }
        return;
    }
    let Some((_, scenario, fault)) = searches().into_iter().find(|(n, _, _)| *n == name) else {
        eprintln!("no search named {name}; see deque list");
        std::process::exit(2);
    };
    match run(scenario, fault) {
        Ok(executions) => println!("executions {executions}"),
        Err(text) => {
            println!("{text}");
            std::process::exit(1);
        }
    }
}
