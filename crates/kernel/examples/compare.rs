//! Compares the engine's congestion controls with the kernel's code: the same random streams, and the window, the threshold
//! and the pacing rate after each step.
//!
//! `cargo run --release -p ackclock-kernel --example compare -- FOLDER [NAME] [--record FILE]`: FOLDER has the shared
//! objects of `ackclock kernel build --hz 1000`. Without a name all pairs are compared. `--record` writes the kernel's
//! digests of each stream, which `cargo test -p ackclock-kernel` reads.

#[path = "../tests/pairs/mod.rs"]
mod pairs;
#[path = "../tests/streams/mod.rs"]
mod streams;

use ackclock_kernel::control::KernelControl;
use ackclock_kernel::module::Module;
use pairs::{PAIRS, Pair, STREAMS};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use streams::State;

/// The first state in which two runs differ, if any.
fn first_difference(ours: &[State], kernels: &[State]) -> Option<usize> {
    (0..ours.len()).find(|&step| ours[step] != kernels[step])
}

fn compare(pair: &Pair, folder: &Path, is_verbose: bool) -> Option<Vec<u64>> {
    let path = folder.join(format!("{}.so", pair.kernel));
    let module = match Module::open(&path, Some(pair.kernel)) {
        Ok(module) => Arc::new(module),
        Err(why) => {
            println!("{:12} {why}", pair.ours);
            return None;
        }
    };
    let (mut digests, mut differing, mut steps_equal, mut shown) = (Vec::new(), 0, 0, 0);
    for stream in 0..STREAMS {
        let kernels = streams::run(stream, &mut KernelControl::new(Arc::clone(&module)));
        digests.push(streams::digest(&kernels));
        let Some(mut control) = pair.make() else {
            println!("{:12} is not in the engine", pair.ours);
            return None;
        };
        let ours = streams::run(stream, &mut *control);
        match first_difference(&ours, &kernels) {
            None => steps_equal += ours.len(),
            Some(step) => {
                differing += 1;
                steps_equal += step;
                if is_verbose && shown < 8 {
                    shown += 1;
                    println!("stream {stream}, step {step}");
                    for at in step.saturating_sub(2)..=step {
                        println!("  ours   {:?}\n  kernel {:?}", ours[at], kernels[at]);
                    }
                }
            }
        }
    }
    let mean = steps_equal as f64 / STREAMS as f64;
    println!(
        "{:12} {:12} {differing:5} of {STREAMS} streams differ; {mean:.1} steps equal on average",
        pair.ours, pair.kernel
    );
    Some(digests)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let folder = words.first().expect("a folder of shared objects");
    let record = words.iter().position(|word| word == "--record").and_then(|at| words.get(at + 1));
    let name = words.get(1).filter(|word| !word.starts_with("--"));
    let mut file = record.map(|path| std::fs::File::create(path).expect("a file that can be written"));
    for pair in PAIRS.iter().filter(|pair| name.is_none_or(|name| pair.ours == name)) {
        if let (Some(digests), Some(file)) = (compare(pair, Path::new(folder), name.is_some()), &mut file) {
            let words: Vec<String> = digests.iter().map(|digest| format!("{digest:016x}")).collect();
            if !pair.is_same {
                continue;
            }
            writeln!(file, "{} {}", pair.kernel, words.join(" ")).expect("the file can be written");
        }
    }
}
