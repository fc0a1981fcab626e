//! The engine's congestion controls beside the kernel's: window, threshold and pacing rate after every step of 1,000 random
//! streams of ACKs, losses, marks, timeouts and idle times ([`streams`]).
//!
//! Expected: what the code of Linux 6.12 set, compiled by `ackclock kernel build --hz 1000`. The digests of its states are in
//! tests/oracle/kernel_controls/digests.txt, so that neither the source nor a compiler is needed. Recorded by
//! `cargo run --release -p ackclock-kernel --example compare -- FOLDER --record FILE`.

mod pairs;
mod streams;

use pairs::{PAIRS, STREAMS};

/// The digests of the kernel's control, one for each stream.
fn recorded(kernel: &str) -> Vec<u64> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/oracle/kernel_controls/digests.txt");
    let text = std::fs::read_to_string(path).expect("the record is there");
    let line = text.lines().find(|line| line.split(' ').next() == Some(kernel));
    let words = line.unwrap_or_else(|| panic!("no record of {kernel}")).split(' ').skip(1);
    words.map(|word| u64::from_str_radix(word, 16).expect("a digest")).collect()
}

fn check(ours: &str) {
    let pair = PAIRS.iter().find(|pair| pair.ours == ours).expect("a pair");
    assert!(pair.is_same, "{ours} has no record");
    let record = recorded(pair.kernel);
    assert_eq!(record.len() as u64, STREAMS);
    let differing: Vec<u64> = (0..STREAMS)
        .filter(|&stream| {
            let states = streams::run(stream, &mut *pair.make().expect("the control is there"));
            streams::digest(&states) != record[stream as usize]
        })
        .collect();
    assert!(differing.is_empty(), "{ours} differs from the kernel's {} in the streams {differing:?}", pair.kernel);
}

#[test]
fn reno_is_the_kernels() {
    check("reno");
}

#[test]
fn linux_cubic_is_the_kernels() {
    check("linux_cubic");
}

#[test]
fn bbr_is_the_kernels() {
    check("bbr");
}

#[test]
fn dctcp_without_growth_in_cwr_is_the_kernels() {
    check("dctcp");
}

// The streams reach what they are to test: every state of the machine, slow start and congestion avoidance, pacing.
#[test]
fn the_streams_reach_every_state() {
    let mut reached = [0_usize; 5];
    let mut above = 0;
    for stream in 0..STREAMS {
        let states = streams::run(stream, &mut *PAIRS[0].make().expect("the control is there"));
        states.iter().for_each(|state| reached[state.ca as usize] += 1);
        above += states.iter().filter(|state| state.cwnd > state.ssthresh).count();
    }
    let steps = STREAMS as usize * 401;
    assert!(reached.iter().all(|&count| count > steps / 200), "{reached:?} of {steps}");
    assert!(above > steps / 10, "{above}");
}
