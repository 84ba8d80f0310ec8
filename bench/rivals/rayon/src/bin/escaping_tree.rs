// SPDX-License-Identifier: Apache-2.0
//! tasks/escaping_tree/escaping_tree.hpp: inner nodes spawn both children and end; the scope at the root is the join.

use rayon::Scope;
use std::process::ExitCode;
use tactus_rivals::{run, Marks, Options, Problem};

struct Tree(Marks);

fn visit<'scope>(scope: &Scope<'scope>, marks: &'scope Marks, i: u64) {
    marks.set(i);
    for child in [2 * i + 1, 2 * i + 2] {
        if child < marks.len() {
            scope.spawn(move |scope| visit(scope, marks, child));
        }
    }
}

impl Problem for Tree {
    const NAME: &'static str = "escaping_tree";

    fn new(o: &Options) -> Result<Tree, String> {
        Ok(Tree(Marks::new(if o.size == 0 { (1 << 22) - 1 } else { o.size })))
    }

    fn reset(&mut self) {
        self.0.reset();
    }

    fn pass(&mut self, pool: &rayon::ThreadPool) {
        let marks = &self.0;
        pool.scope(|scope| visit(scope, marks, 0));
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
    run::<Tree>()
}
