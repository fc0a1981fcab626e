//! What the fuzzers of this folder share: inputs that are numbers, so that one number makes a failure again.
//!
//!     FUZZ_INPUTS=1000000 FUZZ_FIRST=0 cargo test --release -p ackclock-engine --test fuzz_queues -- --nocapture

use std::panic::{AssertUnwindSafe, catch_unwind};

use ackclock_engine::random::rng::Stream;

fn environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|word| word.parse().unwrap_or_else(|_| panic!("{name} is a whole number, not {word}")))
}

/// Failures after which no more inputs are tried.
const ENOUGH: usize = 20;

/// Tries so many inputs (`usual` for each of `ids` unless the environment says how many in all), each with one of the ids and
/// random numbers of its own; says of those that fail which they were, and counts.
pub fn fuzz(what: &str, ids: &[&str], usual: u64, attempt: impl Fn(&str, &mut Chance)) {
    let first = environment("FUZZ_FIRST").unwrap_or(0);
    let inputs = environment("FUZZ_INPUTS").unwrap_or(usual * ids.len() as u64);
    let mut failed = Vec::new();
    for input in first..first + inputs {
        let id = ids[input as usize % ids.len()];
        let done = catch_unwind(AssertUnwindSafe(|| attempt(id, &mut Chance::new(input))));
        if done.is_err() {
            eprintln!("{what}: {id} fails; again with FUZZ_FIRST={input} FUZZ_INPUTS=1");
            failed.push(input);
            if failed.len() == ENOUGH {
                break;
            }
        }
    }
    assert!(failed.is_empty(), "{what}: these inputs fail: {failed:?}");
    println!("{what}: {inputs} inputs, 0 crashes, 0 laws broken");
}

/// Random numbers of an input.
pub struct Chance(Stream);

impl Chance {
    fn new(input: u64) -> Chance {
        let mut stream = Stream::from_seed(1 + (input % 4_000_000_000) as u32);
        // Neighbours among the seeds begin alike.
        for _ in 0..8 {
            stream.unit();
        }
        Chance(stream)
    }

    /// Between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// From 0 up to, but not, `below`.
    pub fn below(&mut self, below: usize) -> usize {
        self.0.integer(below as i64) as usize
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}
