//! Each sender through each queue discipline gives the packets that are recorded: in this build, on many threads.

#[path = "../examples/networks/mod.rs"]
mod networks;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use networks::digests::{cases, digest};

const RECORD: &str = include_str!("digests.tsv");
const THREADS: usize = 4;

#[test]
fn every_sender_through_every_queue_gives_the_packets_on_record() {
    let recorded: BTreeMap<(&str, &str), &str> = RECORD
        .lines()
        .map(|line| {
            let words: Vec<&str> = line.split('\t').collect();
            ((words[0], words[1]), words[2])
        })
        .collect();
    let cases = cases();
    let (next, changed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((sender, queue)) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = format!("{:016x}", digest(sender, queue));
                    if recorded.get(&(sender.as_str(), *queue)) != Some(&found.as_str()) {
                        changed.lock().unwrap().push(format!("{sender} through {queue}"));
                    }
                }
            });
        }
    });
    let mut changed = changed.into_inner().unwrap();
    changed.sort();
    assert!(
        changed.is_empty() && recorded.len() == cases.len(),
        "{} of {} give other packets than recorded ({} are): {}\nIf that is meant: record them with\n    \
         cargo run --release -p ackclock-engine --example digests > crates/engine/tests/digests.tsv\n\
         and say in CHANGELOG.md, under \"Results changed\", what changed for which scripts, and why.",
        changed.len(),
        cases.len(),
        recorded.len(),
        changed.join(", ")
    );
}
