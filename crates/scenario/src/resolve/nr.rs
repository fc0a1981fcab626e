//! When a link over 5G NR can send, and how much: slots, link adaptation, retransmissions.

use std::collections::VecDeque;

use ackclock_engine::math::Math;
use ackclock_engine::net::link::trace_driven::Opportunity;
use ackclock_engine::random::rng::Stream;

use crate::model::nr::Nr;
use crate::resolve::processes::normal;

/// Bits per symbol and subcarrier of CQI 1 to 15: modulation order times code rate, TS 38.214, table 5.2.2.1-3.
const EFFICIENCIES: [f64; 15] = [
    2.0 * 78.0 / 1024.0,
    2.0 * 193.0 / 1024.0,
    2.0 * 449.0 / 1024.0,
    4.0 * 378.0 / 1024.0,
    4.0 * 490.0 / 1024.0,
    4.0 * 616.0 / 1024.0,
    6.0 * 466.0 / 1024.0,
    6.0 * 567.0 / 1024.0,
    6.0 * 666.0 / 1024.0,
    6.0 * 772.0 / 1024.0,
    6.0 * 873.0 / 1024.0,
    8.0 * 711.0 / 1024.0,
    8.0 * 797.0 / 1024.0,
    8.0 * 885.0 / 1024.0,
    8.0 * 948.0 / 1024.0,
];

/// The bit error rate of G. Piro, N. Baldo and M. Miozzo, "An LTE module for the ns-3 network simulator", WNS3 2011: a
/// channel carries log2(1 + SINR / gap) bits, where the gap is -ln(5 BER) / 1.5.
const BIT_ERROR_RATE: f64 = 0.00005;

/// The efficiency that a ratio of signal to interference and noise allows; none below CQI 1.
pub fn efficiency(sinr_db: f64) -> Option<f64> {
    let gap = -(5.0 * BIT_ERROR_RATE).natural_log() / 1.5;
    let carried = (1.0 + 10.0_f64.power(sinr_db / 10.0) / gap).binary_log();
    EFFICIENCIES.into_iter().rev().find(|&efficiency| efficiency <= carried)
}

/// Shadow fading in dB over time: normal, its correlation falling exponentially with the way (TR 38.901, 7.4.4 and 7.5).
struct Fading {
    stream: Stream,
    now_db: f64,
    keeps: f64,
    deviation_db: f64,
}

impl Fading {
    fn new(nr: &Nr, mut stream: Stream) -> Fading {
        let way_m = nr.speed_kmh.value / 3.6 * nr.report_interval.value;
        let keeps = (-way_m / nr.correlation_m.value).natural_exp();
        let deviation_db = nr.shadowing_db.value;
        Fading { now_db: deviation_db * normal(&mut stream), stream, keeps, deviation_db }
    }

    fn move_on(&mut self) {
        let new = self.deviation_db * (1.0 - self.keeps * self.keeps).sqrt();
        self.now_db = self.keeps * self.now_db + new * normal(&mut self.stream);
    }
}

/// What a link can send, up to the end of the first slot after `duration_s`. Its two directions have the same fading.
///
/// A block that is not received is retransmitted in a later slot, and what came after it waits: RLC and PDCP hand over in order.
/// So an opportunity is at the instant at which its block and all before it are received.
pub fn opportunities(nr: &Nr, seed: u64, path: &str, link: &str, duration_s: f64) -> Vec<Opportunity> {
    let mut fading = Fading::new(nr, Stream::hashed(seed, &format!("link/{path}/path")));
    let mut errors = Stream::hashed(seed, &format!("link/{link}/process"));
    let slot_s = nr.slot_s();
    let mut reports = 1u64;
    let mut efficiency_now = efficiency(nr.sinr_db.value + fading.now_db);
    // Blocks in order: their size, and when they were received.
    let mut blocks: Vec<(i64, Option<f64>)> = Vec::new();
    // Blocks to be retransmitted, and from when on.
    let mut again: VecDeque<(f64, usize)> = VecDeque::new();
    let mut end_s = 0.0;
    for slot in 0usize.. {
        let begin_s = slot as f64 * slot_s;
        if begin_s > duration_s {
            break;
        }
        end_s = (slot + 1) as f64 * slot_s;
        while reports as f64 * nr.report_interval.value <= begin_s {
            fading.move_on();
            efficiency_now = efficiency(nr.sinr_db.value + fading.now_db);
            reports += 1;
        }
        let symbols = nr.symbols(slot);
        if symbols == 0 {
            continue;
        }
        let Some(efficiency) = efficiency_now else { continue };
        let block = match again.front() {
            Some(&(from_s, block)) if from_s <= begin_s => {
                again.pop_front();
                block
            }
            _ => {
                blocks.push(((nr.bits(symbols, efficiency) / 8.0).floor() as i64, None));
                blocks.len() - 1
            }
        };
        if errors.unit() < nr.bler.value {
            again.push_back((end_s + nr.harq_rtt.value, block));
        } else {
            blocks[block].1 = Some(end_s);
        }
    }
    let received = blocks.into_iter().map_while(|(bytes, received_s)| Some((bytes, received_s?)));
    let mut last_s: f64 = 0.0;
    let mut found: Vec<Opportunity> = received
        .map(|(bytes, received_s)| {
            last_s = last_s.max(received_s);
            Opportunity { at_s: last_s, bytes }
        })
        .collect();
    if last_s < end_s {
        // Opportunities repeat after the last one: it must not be before the run's end.
        found.push(Opportunity { at_s: end_s, bytes: 0 });
    }
    found
}
