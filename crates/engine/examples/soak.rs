//! Simulates for hours in one process and watches its memory.
//!
//!     soak HOPS [FILE [SECONDS [THREADS]]]
//!
//! One simulation after the other of SECONDS (300) each: ten flows of one sender through a bottleneck of 100 Mb/s, nine
//! links from end to end, each of the networks in [`NETWORKS`] in turn, with seeds 1, 2, 3 ..., on THREADS (1), until packets
//! have gone by HOPS links. A table goes to FILE after each round, so that whoever breaks off has it, and at the end to
//! standard output. Each network is run with seed 1 once more at the end. The exit status is 1 if a run of the same seed
//! came out otherwise, or if the process used more than a tenth more memory in the second half than in the first.

mod networks;

use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use ackclock_engine::random::rng::Stream;
use networks::memory::memory_kib;
use networks::{Dumbbell, Shape};

/// Senders and the queue that each meets.
const NETWORKS: [(&str, &str); 14] = [
    ("sack", "drop_tail"),
    ("new_reno", "red"),
    ("vegas", "drop_tail"),
    ("fack", "red"),
    ("reno", "codel"),
    ("linux:cubic", "drop_tail"),
    ("linux:compound", "sfq"),
    ("ns3:new_reno", "drop_tail"),
    ("full_sack", "pie"),
    ("tcp:cubic", "fq_codel"),
    ("tcp:bbr", "drop_tail"),
    ("tcp:bbr3", "cake"),
    ("tcp:dctcp", "step"),
    ("tcp:prague", "dualpi2"),
];

const FLOWS: usize = 10;
const MORE_LINKS: usize = 6;
/// A packet of 1000 bytes with the headers of TCP/IP and timestamps.
const LARGEST_BYTES: u64 = 1052;

/// What has come of a network's runs.
#[derive(Clone, Copy, Default)]
struct Row {
    runs: u64,
    hops: u64,
    first: u64,
    differs: bool,
    seconds: f64,
}

/// One run: by how many links packets went, and a number that follows from the last state of all.
fn run(network: usize, seed: u32, seconds: f64) -> (u64, u64) {
    let (sender, queue) = NETWORKS[network];
    let (rate_bps, delay_s, limit) = (100e6, 0.020, 250);
    let mut dumbbell =
        Dumbbell::new(&Shape { flows: FLOWS, rate_bps, delay_s, limit, more_links: MORE_LINKS, sender, queue }, seed);
    let mut random = Stream::from_seed(seed);
    let starts_s: Vec<f64> = (0..FLOWS).map(|_| random.unit()).collect();
    dumbbell.run(seconds, &starts_s);
    let links = &dumbbell.simulation.net.links;
    let mut state = 0u64;
    let acknowledged = dumbbell.numbers("ack").into_iter().map(|number| number as u64);
    for number in acknowledged.chain(links.iter().map(|link| link.bytes_sent)) {
        state = (state ^ number).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23);
    }
    // A few less than there were: no data packet is larger than this, and of ACKs those count that have come.
    let data: u64 = links.iter().step_by(2).map(|link| link.bytes_sent / LARGEST_BYTES).sum();
    let acks: i64 = dumbbell.numbers("nackpack").iter().sum();
    (data + acks as u64 * (MORE_LINKS as u64 + 3), state)
}

/// Memory of this process that is in use, MiB; 0 where the system does not tell.
fn memory_mib() -> f64 {
    memory_kib("VmRSS:").unwrap_or(0) as f64 / 1024.0
}

/// What is known so far.
struct Soak {
    rows: [Row; NETWORKS.len()],
    /// Memory after each round, MiB.
    memory: Vec<f64>,
    since: Instant,
}

impl Soak {
    fn table(&self) -> String {
        let mut text = String::from("| sender | queue | runs | packet-hops | hops/s |\n|---|---|---:|---:|---:|\n");
        for ((sender, queue), row) in NETWORKS.iter().zip(&self.rows) {
            let per_s = row.hops as f64 / row.seconds.max(1e-9);
            let _ = writeln!(text, "| {sender} | {queue} | {} | {} | {per_s:.3e} |", row.runs, row.hops);
        }
        let (runs, hops) = self.rows.iter().fold((0, 0), |(runs, hops), row| (runs + row.runs, hops + row.hops));
        let _ = writeln!(text, "\n{runs} runs, {hops} packet-hops, {:.0} s", self.since.elapsed().as_secs_f64());
        let [first, last] = [self.memory.first(), self.memory.last()].map(|mib| mib.copied().unwrap_or(0.0));
        let most = self.memory.iter().copied().fold(0.0, f64::max);
        let rounds = self.memory.len();
        let _ = writeln!(text, "memory after round 1 of {rounds}: {first:.1} MiB, last {last:.1}, most {most:.1}");
        text
    }

    /// Memory in the second half of the rounds is more than a tenth above that in the first half, on average.
    fn has_grown(&self) -> bool {
        let (early, late) = self.memory.split_at(self.memory.len() / 2);
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        !early.is_empty() && mean(late) > 1.1 * mean(early)
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: f64| words.get(index).map_or(default, |word| word.parse().expect("a number"));
    assert!(!words.is_empty(), "soak HOPS [FILE [SECONDS [THREADS]]]");
    let (wanted, seconds, threads) = (number(0, 1e9), number(2, 300.0), number(3, 1.0) as usize);
    let file = words.get(1);
    let soak = Mutex::new(Soak { rows: Default::default(), memory: Vec::new(), since: Instant::now() });
    let next = AtomicU64::new(0);
    let work = |is_over: &(dyn Fn(u64) -> bool + Sync)| loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if is_over(number) {
            return;
        }
        let (network, round) = (number as usize % NETWORKS.len(), number / NETWORKS.len() as u64);
        let begun = Instant::now();
        let (hops, state) = run(network, round as u32 + 1, seconds);
        let mut soak = soak.lock().expect("no other thread panicked");
        let row = &mut soak.rows[network];
        (row.runs, row.hops, row.seconds) =
            (row.runs + 1, row.hops + hops, row.seconds + begun.elapsed().as_secs_f64());
        if round == 0 {
            row.first = state;
        }
        if network == NETWORKS.len() - 1 {
            soak.memory.push(memory_mib());
            if let Some(file) = file {
                let partial = format!("{file}.partial");
                let written = std::fs::write(&partial, soak.table()).and_then(|()| std::fs::rename(&partial, file));
                written.unwrap_or_else(|error| panic!("{file}: {error}"));
            }
        }
    };
    // Whole rounds only, so that each network is run as often as the others.
    let is_enough = |number: u64| {
        number.is_multiple_of(NETWORKS.len() as u64)
            && soak.lock().expect("no other thread panicked").rows.iter().map(|row| row.hops).sum::<u64>() as f64
                >= wanted
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(&is_enough));
        }
    });
    let mut soak = soak.into_inner().expect("no thread panicked");
    for network in 0..NETWORKS.len() {
        soak.rows[network].differs = run(network, 1, seconds).1 != soak.rows[network].first;
    }
    let mut table = soak.table();
    let differing = soak.rows.iter().filter(|row| row.differs).count();
    let _ =
        writeln!(table, "seed 1 run again at the end: {differing} of {} networks came out otherwise", NETWORKS.len());
    print!("{table}");
    if let Some(file) = file {
        std::fs::write(file, &table).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    std::process::exit(i32::from(differing > 0 || soak.has_grown()));
}
