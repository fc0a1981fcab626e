//! A dumbbell of TCP flows and nothing else around it: for profilers, instruction counts and the cost of many flows.
//!
//!     dumbbell FLOWS MBPS LIMIT SECONDS [SENDER [QUEUE [SPREAD [THREADS [LOSS [MEASURED]]]]]]
//!
//! FLOWS transfers without end, each from a host of its own, over one link of MBPS and 20 ms whose queue holds LIMIT
//! packets; they start evenly over SPREAD seconds (1). SENDER may name a congestion control, too (`tcp:bbr3`). Prints the
//! packets that were delivered and by how many links packets went; where the system tells, also the most memory that the
//! process had. With THREADS as many threads run one such simulation each, and each prints. LOSS is the part of the data
//! packets that the link loses (0). With MEASURED = 1, links and flows have statistics, as for the tables of a scenario.

mod networks;

use networks::memory::memory_kib;
use networks::{Dumbbell, Shape};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let threads: usize = words.get(7).map_or(1, |word| word.parse().expect("a number of threads"));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| run(&words));
        }
    });
    // To who started it the system tells at least its own.
    if let Some(peak) = memory_kib("VmHWM:") {
        println!("{peak} kB of memory at most");
    }
}

fn run(words: &[String]) {
    let number = |index: usize, default: f64| words.get(index).map_or(default, |word| word.parse().expect("a number"));
    let word = |index: usize, default: &'static str| words.get(index).map_or(default, |word| word.as_str());
    let shape = Shape {
        flows: number(0, 10.0) as usize,
        rate_bps: number(1, 100.0) * 1e6,
        delay_s: 0.020,
        limit: number(2, 250.0) as i64,
        more_links: 0,
        sender: word(4, "sack"),
        queue: word(5, "drop_tail"),
    };
    let (seconds, spread_s) = (number(3, 10.0), number(6, 1.0));
    let starts_s: Vec<f64> = (0..shape.flows).map(|flow| spread_s * flow as f64 / shape.flows as f64).collect();
    let mut dumbbell = Dumbbell::new(&shape, 1);
    if number(8, 0.0) > 0.0 {
        dumbbell.lose(number(8, 0.0));
    }
    if number(9, 0.0) > 0.0 {
        dumbbell.measure();
    }
    dumbbell.run(seconds, &starts_s);
    let delivered: i64 = dumbbell.numbers("ack").iter().map(|number| number + 1).sum();
    println!("{delivered} packets delivered, {} packet-hops", 6 * delivered);
}
