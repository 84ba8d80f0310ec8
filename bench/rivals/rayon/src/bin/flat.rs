// SPDX-License-Identifier: Apache-2.0
//! tasks/flat/flat.hpp: one producer, n tasks, one join.

use std::process::ExitCode;
use tactus_rivals::{run, Marks, Options, Problem};

struct Flat(Marks);

impl Problem for Flat {
    const NAME: &'static str = "flat";

    fn new(o: &Options) -> Result<Flat, String> {
        Ok(Flat(Marks::new(if o.size == 0 { 1_000_000 } else { o.size })))
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn pass(&mut self, pool: &rayon::ThreadPool) {
        let marks = &self.0;
        pool.scope(|scope| {
            for i in 0..marks.len() {
                scope.spawn(move |_| marks.set(i));
            }
        });
    }

    fn verify(&self) -> Result<(), String> {
        self.0.verify()
    }

    fn operations(&self) -> u64 {
        self.0.len()
    }

    fn size(&self) -> u64 {
        self.0.len()
    }
}

fn main() -> ExitCode {
    run::<Flat>()
}
