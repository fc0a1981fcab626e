//! Transfers of each stack through each queue discipline, as a table.

use std::time::{Duration, Instant};

use ackclock::Link;

use crate::failure::Failure;
use crate::stack::Direction;
use crate::stacks::find;
use crate::transfer::{Outcome, Transfer, WITHOUT_END, run};

/// The bottleneck's queue disciplines: drop-tail with a bandwidth-delay product, FQ-CoDel and DualPI2 with their defaults,
/// and ECN.
pub const QUEUES: &[&str] = &["drop_tail", "fq_codel", "dualpi2"];

/// A bottleneck of 50 Mb/s; with the way to it a round trip takes 40 ms.
pub fn bottleneck(queue: &str) -> Link {
    let link = Link::new(50e6, Duration::from_millis(19)).queue(queue);
    match queue {
        // 50 Mb/s for 40 ms, in packets of 1500 bytes.
        "drop_tail" => link.param("limit", 167),
        "fq_codel" => link.param("ecn", true),
        _ => link,
    }
}

/// Ten seconds, or a number of bytes.
pub fn transfer(direction: Direction, queue: &str, bytes: Option<u64>) -> Transfer {
    let bytes = bytes.unwrap_or(WITHOUT_END);
    let duration = Duration::from_secs(10);
    Transfer { direction, bytes, control: None, bottleneck: bottleneck(queue), competes: true, duration, seed: 1 }
}

/// Runs a transfer with the stack of this name.
///
/// # Errors
/// Those of [`run`], and an unknown stack.
pub fn run_stack(stack: &str, transfer: &Transfer) -> Result<Outcome, Failure> {
    run(transfer, find(stack)?)
}

/// The heading of the table.
pub const HEADING: &str = "\
| stack | direction | queue | goodput, Mb/s | CUBIC beside, Mb/s | lost | marked | queueing delay, mean / p99, ms | wall time, s |
|---|---|---|---|---|---|---|---|---|";

/// A row of the table: ten seconds beside CUBIC.
///
/// # Errors
/// Those of [`run_stack`].
pub fn row(stack: &str, direction: Direction, queue: &str) -> Result<String, Failure> {
    let began = Instant::now();
    let outcome = run_stack(stack, &transfer(direction, queue, None))?;
    let took_s = began.elapsed().as_secs_f64();
    let ms = |delay: Duration| delay.as_secs_f64() * 1e3;
    Ok(format!(
        "| {stack} | {direction:?} | {queue} | {:.1} | {:.1} | {} | {} | {:.1} / {:.1} | {took_s:.2} |",
        outcome.goodput_bps / 1e6,
        outcome.cubic_bps / 1e6,
        outcome.sender.lost_packets,
        outcome.marked_packets,
        ms(outcome.queueing_delay.mean),
        ms(outcome.queueing_delay.p99),
    ))
}
