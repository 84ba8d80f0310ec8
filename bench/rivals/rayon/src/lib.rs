// SPDX-License-Identifier: Apache-2.0
//! What the programs share: command line, clock and result line, as support/program.hpp has them for C++.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

pub struct Options {
    pub threads: usize,
    /// 0: the problem's default
    pub size: u64,
    pub threshold: u32,
    reps: u64,
    min_ms: f64,
    serve: bool,
}

pub trait Problem: Sized {
    const NAME: &'static str;
    fn new(options: &Options) -> Result<Self, String>;
    fn reset(&mut self);
    fn pass(&mut self, pool: &rayon::ThreadPool);
    fn verify(&self) -> Result<(), String>;
    fn operations(&self) -> u64;
    fn size(&self) -> u64;
}

/// The whole program: status 0, 1 after a wrong answer, 2 after a wrong command line.
pub fn run<P: Problem>() -> ExitCode {
    let options = match parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(text) => {
            eprintln!("{} by rayon: {text}", P::NAME);
            return ExitCode::from(2);
        }
    };
    match drive::<P>(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            println!("{{\"error\":{text:?}}}");
            ExitCode::from(1)
        }
    }
}

fn parse(arguments: impl Iterator<Item = String>) -> Result<Options, String> {
    let mut o = Options { threads: 1, size: 0, threshold: 1, reps: 1, min_ms: 20.0, serve: false };
    let mut rest = arguments;
    while let Some(name) = rest.next() {
        if name == "--serve" {
            o.serve = true;
            continue;
        }
        let value = rest.next().ok_or(format!("{name} wants a value"))?;
        let wrong = |_| format!("{name} {value}: not a number");
        match name.as_str() {
            "--threads" => o.threads = value.parse().map_err(|e: std::num::ParseIntError| wrong(e.to_string()))?,
            "--size" => o.size = value.parse().map_err(|e: std::num::ParseIntError| wrong(e.to_string()))?,
            "--threshold" => o.threshold = value.parse().map_err(|e: std::num::ParseIntError| wrong(e.to_string()))?,
            "--reps" => o.reps = value.parse().map_err(|e: std::num::ParseIntError| wrong(e.to_string()))?,
            "--min-ms" => o.min_ms = value.parse().map_err(|e: std::num::ParseFloatError| wrong(e.to_string()))?,
            _ => return Err(format!("{name} is unknown; --threads, --size, --threshold, --reps, --min-ms and --serve are not")),
        }
    }
    Ok(o)
}

fn drive<P: Problem>(options: &Options) -> Result<(), String> {
    let mut problem = P::new(options)?;
    problem.reset(); // touches what it owns, so that it does not count as Rayon's
    let before = resident();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|e| format!("{} threads: {e}", options.threads))?;
    if !options.serve {
        return (1..=options.reps).try_for_each(|rep| repetition(&mut problem, options, &pool, before, rep));
    }
    println!("{{\"ready\":true}}");
    let mut rep = 0;
    for command in io::stdin().lock().lines() {
        match command.map_err(|e| e.to_string())?.as_str() {
            "quit" => return Ok(()),
            "run" => {
                rep += 1;
                repetition(&mut problem, options, &pool, before, rep)?;
            }
            other => return Err(format!("unknown command '{other}': run and quit are known")),
        }
    }
    Ok(())
}

/// Passes until min_ms is reached, each verified; then the line.
fn repetition<P: Problem>(problem: &mut P, options: &Options, pool: &rayon::ThreadPool, before: u64, rep: u64) -> Result<(), String> {
    let (mut seconds, mut processor, mut peak, mut passes) = (0.0, 0.0, 0, 0u32);
    loop {
        problem.reset();
        forget_peak();
        let processor_begin = processor_seconds();
        let begin = Instant::now();
        problem.pass(pool);
        seconds += begin.elapsed().as_secs_f64();
        processor += processor_seconds() - processor_begin;
        peak = peak.max(peak_resident().saturating_sub(before));
        passes += 1;
        problem.verify()?;
        if seconds * 1e3 >= options.min_ms {
            break;
        }
    }
    let (operations, each) = (problem.operations(), f64::from(passes));
    println!(
        "{{\"problem\":\"{}\",\"competitor\":\"rayon\",\"threads\":{},\"rep\":{rep},\"passes\":{passes},\"operations\":{operations},\
         \"seconds\":{:e},\"ns_per_op\":{:e},\"cpu_seconds\":{:e},\"peak_rss_delta\":{},\"size\":{}}}",
        P::NAME,
        options.threads,
        seconds / each,
        seconds * 1e9 / each / operations as f64,
        processor / each,
        peak,
        problem.size(),
    );
    io::stdout().flush().map_err(|e| e.to_string())
}

fn processor_seconds() -> f64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes to `now` only.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 + now.tv_nsec as f64 * 1e-9
}

fn resident() -> u64 {
    status_bytes("VmRSS:")
}

fn peak_resident() -> u64 {
    status_bytes("VmHWM:")
}

/// What the kernel remembers as the peak becomes what is resident now; where that is not allowed, the peak stays.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn status_bytes(field: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(field)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// A byte for each task, set by it: base of flat and escaping_tree.
pub struct Marks(Vec<AtomicU8>);

impl Marks {
    pub fn new(n: u64) -> Marks {
        Marks((0..n).map(|_| AtomicU8::new(0)).collect())
    }

    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn set(&self, i: u64) {
        self.0[i as usize].store(1, Ordering::Relaxed);
    }

    pub fn reset(&mut self) {
        self.0.iter_mut().for_each(|mark| *mark.get_mut() = 0);
    }

    pub fn verify(&self) -> Result<(), String> {
        match self.0.iter().filter(|mark| mark.load(Ordering::Relaxed) == 0).count() {
            0 => Ok(()),
            missing => Err(format!("{missing} of {} tasks did not run", self.len())),
        }
    }
}
