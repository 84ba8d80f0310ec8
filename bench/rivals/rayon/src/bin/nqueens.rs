// SPDX-License-Identifier: Apache-2.0
//! tasks/nqueens/nqueens.hpp: a task for every queen that can be put, no cutoff.

use rayon::Scope;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tactus_rivals::{run, Options, Problem};

const MOST: usize = 15;

#[derive(Clone, Copy, Default)]
struct Queens {
    rows: u8,
    column: [u8; MOST],
}

impl Queens {
    fn may_take(&self, c: i32) -> bool {
        (0..i32::from(self.rows)).all(|row| {
            let (other, up) = (i32::from(self.column[row as usize]), i32::from(self.rows) - row);
            other != c && other != c - up && other != c + up
        })
    }

    fn and_one_in(mut self, c: i32) -> Queens {
        self.column[usize::from(self.rows)] = c as u8;
        self.rows += 1;
        self
    }
}

/// Of one thread, which alone writes them.
#[repr(align(64))]
#[derive(Default)]
struct Counts {
    tasks: AtomicU64,
    solutions: AtomicU64,
}

fn count(one_more: &AtomicU64) {
    one_more.store(one_more.load(Relaxed) + 1, Relaxed);
}

struct Board {
    n: usize,
    counted: Vec<Counts>,
}

fn put<'scope>(scope: &Scope<'scope>, board: &'scope Board, q: Queens) {
    let mine = &board.counted[rayon::current_thread_index().unwrap_or(0)];
    count(&mine.tasks);
    if usize::from(q.rows) == board.n {
        count(&mine.solutions);
        return;
    }
    for c in 0..board.n as i32 {
        if q.may_take(c) {
            let more = q.and_one_in(c);
            scope.spawn(move |scope| put(scope, board, more));
        }
    }
}

impl Board {
    fn total(&self, of: impl Fn(&Counts) -> &AtomicU64) -> u64 {
        self.counted.iter().map(|counts| of(counts).load(Relaxed)).sum()
    }
}

impl Problem for Board {
    const NAME: &'static str = "nqueens";

    fn new(o: &Options) -> Result<Board, String> {
        if o.size > MOST as u64 {
            return Err(format!("nqueens: --size {} is more than {MOST} queens", o.size));
        }
        let n = if o.size == 0 { 12 } else { o.size as usize };
        Ok(Board { n, counted: (0..o.threads.max(1)).map(|_| Counts::default()).collect() })
    }

    fn reset(&mut self) {
        self.counted.iter_mut().for_each(|counts| *counts = Counts::default());
    }

    fn pass(&mut self, pool: &rayon::ThreadPool) {
        let board = &*self;
        pool.scope(|scope| put(scope, board, Queens::default()));
    }

    fn verify(&self) -> Result<(), String> {
        // Published: sequence A000170 of the On-Line Encyclopedia of Integer Sequences.
        const SOLUTIONS: [u64; MOST] = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14_200, 73_712, 365_596, 2_279_184];
        match self.total(|counts| &counts.solutions) {
            found if found == SOLUTIONS[self.n - 1] => Ok(()),
            found => Err(format!("{found} ways to put {} queens, not {}", self.n, SOLUTIONS[self.n - 1])),
        }
    }

    fn operations(&self) -> u64 {
        self.total(|counts| &counts.tasks)
    }

    fn size(&self) -> u64 {
        self.n as u64
    }
}

fn main() -> ExitCode {
    run::<Board>()
}
