// SPDX-License-Identifier: Apache-2.0
//! tasks/fib/fib.hpp: a task for each call of fib(n - 1).

use std::process::ExitCode;
use tactus_rivals::{run, Options, Problem};

struct Fib {
    n: u32,
    threshold: u32,
    result: u64,
}

#[inline(never)]
fn serial(n: u32) -> u64 {
    if n < 2 { u64::from(n) } else { serial(n - 1) + serial(n - 2) }
}

fn fib(n: u32, threshold: u32) -> u64 {
    if n <= threshold {
        return serial(n);
    }
    let (b, a) = rayon::join(|| fib(n - 2, threshold), || fib(n - 1, threshold));
    a + b
}

fn number(n: u32) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

impl Problem for Fib {
    const NAME: &'static str = "fib";

    fn new(o: &Options) -> Result<Fib, String> {
        match o.size {
            0 => Ok(Fib { n: 32, threshold: o.threshold, result: 0 }),
            1..=60 => Ok(Fib { n: o.size as u32, threshold: o.threshold, result: 0 }),
            _ => Err("fib: --size is at most 60".to_string()),
        }
    }

    fn reset(&mut self) {
        self.result = 0;
    }

    fn pass(&mut self, pool: &rayon::ThreadPool) {
        self.result = pool.install(|| fib(self.n, self.threshold));
    }

    fn verify(&self) -> Result<(), String> {
        let right = number(self.n);
        if self.result == right { Ok(()) } else { Err(format!("fib({}) is {right}, not {}", self.n, self.result)) }
    }

    fn operations(&self) -> u64 {
        2 * number(self.n + 1) - 1
    }

    fn size(&self) -> u64 {
        u64::from(self.n)
    }
}

fn main() -> ExitCode {
    run::<Fib>()
}
