//! RED-PD (RED with Preferential Dropping): monitored high-bandwidth flows are policed in front of a RED queue.
//!
//! Source: R. Mahajan, S. Floyd, D. Wetherall, "Controlling high-bandwidth flows at the congested router", ICNP 2001,
//! as ns-2.35's `Queue/RED/PD` computes it. Rates follow QueueMonitor's `estimateRate` (the average of I. Stoica et
//! al., SIGCOMM 1998).
//! What it decides: which packets of a monitored flow are dropped so that the flow keeps to its target rate. The script
//! chooses the monitored flows and their targets.
//! Departures: without a flow monitor no flow is policed; ns-2 exits.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use std::collections::HashMap;

use super::Red;
use crate::math::Math;
use crate::measure::observe::TraceId;
use crate::packet::flow_key::Key;
use crate::packet::{Packet, PacketId, flag};
use crate::params::{Params, Value};
use crate::queue::{Discipline, Entry, QueueContext, QueueLimit};
use crate::time::Time;

/// The registry entry.
pub const ENTRY: Entry = Entry {
    id: "red_pd",
    about: "RED with preferential dropping from high-bandwidth flows (Mahajan, Floyd and Wetherall 2001)",
    make: || Box::new(Pd::default()),
};

/// The policing state of a flow.
#[derive(Params)]
struct Policed {
    /// Target and current bandwidth, in the same unit.
    #[param(state)]
    target_bw: f64,
    #[param(state)]
    current_bw: f64,
    #[param(state)]
    monitored: bool,
    #[param(state)]
    unresponsive: bool,
    #[param(state)]
    monitor_start_time: f64,
    #[param(state)]
    unresponsive_start_time: f64,
    /// Last arrival at which the flow exceeded its target, s.
    #[param(state)]
    last_drop_time: f64,
    /// Whether `current_bw` is the measured rate.
    #[param(state)]
    auto: bool,
    #[param(state)]
    estimate_rate: bool,
    /// Estimated rate, bit/s.
    #[param(state)]
    est_rate: f64,
    /// Time constant of the rate average, s.
    #[param(state)]
    k: f64,
    #[param(state)]
    prev_time: f64,
    /// Bits that arrived at the same instant as the previous packet.
    at_once: i32,
    /// Packets accepted since the last drop.
    count: i32,
}

impl Default for Policed {
    fn default() -> Policed {
        Policed {
            target_bw: 0.0,
            current_bw: 0.0,
            monitored: false,
            unresponsive: false,
            monitor_start_time: 0.0,
            unresponsive_start_time: 0.0,
            last_drop_time: 0.0,
            auto: false,
            estimate_rate: false,
            est_rate: 0.0,
            k: 0.1,
            prev_time: 0.0,
            at_once: 0,
            count: 0,
        }
    }
}

impl Policed {
    /// Updates the flow's rate with a packet of `bits` bits.
    fn estimate(&mut self, bits: i32, now_s: f64) {
        if !self.estimate_rate {
            self.prev_time = now_s;
            return;
        }
        let gap_s = now_s - self.prev_time;
        if gap_s == 0.0 {
            self.at_once = self.at_once.wrapping_add(bits);
            return;
        }
        let bits = bits.wrapping_add(std::mem::take(&mut self.at_once));
        self.prev_time = now_s;
        let keep = (-gap_s / self.k).natural_exp();
        self.est_rate = (1.0 - keep) * f64::from(bits) / gap_s + keep * self.est_rate;
    }

    /// The drop probability that reduces the flow to `target`, before it is adjusted by `count`.
    fn excess(&self, target: f64) -> f64 {
        if self.current_bw <= 0.0 || self.current_bw < target { 0.0 } else { 1.0 - target / self.current_bw }
    }

    /// Adjusts the probability by the packets since the last drop, so that drops are evenly spaced.
    fn spread(&self, probability: f64) -> f64 {
        let due = f64::from(self.count) * probability;
        let spread = if due < 1.0 { probability / (1.0 - due) } else { 1.0 };
        if spread > 1.0 { 1.0 } else { spread }
    }
}

/// A RED queue behind a policer.
#[derive(Default)]
struct Pd {
    red: Red,
    flows: HashMap<(i32, i32, i32), Policed>,
    key: Key,
    police: Police,
}

/// Parameters of the policer.
#[derive(Params)]
struct Police {
    /// Whether the rate of newly monitored flows is measured.
    #[param(state)]
    auto: bool,
    /// Whether all flows have the target `target_bw`.
    #[param(state)]
    global_target: bool,
    #[param(state)]
    target_bw: f64,
    #[param(state)]
    no_monitored: i32,
    /// Factor on the drop probability of unresponsive flows.
    #[param(state)]
    unresponsive_penalty: f64,
    /// -1, or a probability with which packets of all flows are dropped.
    #[param(state)]
    p_test_frp: f64,
    /// Whether unresponsive flows lose no packets while the queue is nearly empty.
    #[param(state)]
    noidle: bool,
}

impl Default for Police {
    fn default() -> Police {
        Police {
            auto: false,
            global_target: false,
            target_bw: 0.0,
            no_monitored: 0,
            unresponsive_penalty: 1.0,
            p_test_frp: -1.0,
            noidle: false,
        }
    }
}

impl Pd {
    fn key_of(&self, packet: &Packet) -> (i32, i32, i32) {
        self.key.of(packet.src.node, packet.dst.node, packet.fid)
    }

    /// Whether the policer drops the packet.
    fn stops(&mut self, packet: PacketId, context: &mut QueueContext) -> bool {
        let key = self.key_of(&context.packets[packet]);
        let size = context.packets[packet].size;
        let now_s = context.now.secs();
        let average_is_high = self.red.average.value >= self.red.settings.thresh_queue;
        let holds_some = self.red.length() > 1;
        let police = &self.police;
        let flow = self.flows.entry(key).or_default();
        flow.estimate(size << 3, now_s);
        if !flow.monitored {
            return false;
        }
        if flow.auto {
            flow.current_bw = flow.est_rate;
        }
        let mut probability = flow.excess(if police.global_target { police.target_bw } else { flow.target_bw });
        if flow.unresponsive {
            probability *= police.unresponsive_penalty;
        }
        if probability == 0.0 {
            return false;
        }
        flow.last_drop_time = now_s;
        let is_picked = context.rng.unit() <= flow.spread(probability);
        let may_drop = if police.p_test_frp != -1.0 {
            true
        } else if flow.unresponsive {
            holds_some || !police.noidle
        } else {
            holds_some && average_is_high
        };
        if is_picked && may_drop {
            flow.count = 0;
            return true;
        }
        flow.count = flow.count.wrapping_add(1);
        false
    }

    /// Whether the test mode (`p_test_frp`), which drops packets of all flows, drops this one.
    fn fails_test(&self, packet: PacketId, context: &mut QueueContext) -> bool {
        let mut probability = self.police.p_test_frp;
        if probability == -1.0 {
            return false;
        }
        let settings = &self.red.settings;
        if settings.bytes {
            probability = probability * f64::from(context.packets[packet].size) / f64::from(settings.mean_pktsize);
        }
        context.rng.unit() <= probability
    }

    /// The key of a flow, from a name such as `flow.0.3.1`: source, destination and flow id.
    fn flow_named(&self, name: &str) -> Option<(i32, i32, i32)> {
        let mut words = name.strip_prefix("flow.")?.splitn(3, '.').map(|word| word.parse::<i32>().ok());
        Some(self.key.of(words.next()??, words.next()??, words.next()??))
    }

    fn part<'a>(&self, name: &'a str) -> Option<((i32, i32, i32), &'a str)> {
        let (flow, name) = name.rsplit_once('.')?;
        Some((self.flow_named(flow)?, name))
    }

    fn act(&mut self, words: &[&str], now_s: f64) -> Result<(), String> {
        let (what, name, numbers) = match words {
            [what, name, numbers @ ..] => (*what, *name, numbers),
            _ => return Err("what is to be done with which flow?".into()),
        };
        let key = self.flow_named(name).ok_or_else(|| format!("{name} is not a flow"))?;
        let flow = self.flows.entry(key).or_default();
        let fid = key.2;
        match (what, numbers) {
            ("know", []) => {}
            ("monitor", [target, current]) => {
                let number = |text: &str| text.parse::<f64>().map_err(|_| format!("{text} is not a bandwidth"));
                (flow.target_bw, flow.current_bw) = (number(target)?, number(current)?);
                if !flow.monitored {
                    flow.monitored = true;
                    flow.monitor_start_time = now_s;
                    self.police.no_monitored += 1;
                }
                if self.police.auto {
                    flow.estimate_rate = true;
                    flow.est_rate = flow.current_bw;
                }
            }
            ("unmonitor", []) if !flow.monitored => return Err(format!("Cannot unmonitor an unmonitored flow: {fid}")),
            ("unmonitor", []) => {
                (flow.monitored, flow.unresponsive) = (false, false);
                (flow.monitor_start_time, flow.last_drop_time, flow.unresponsive_start_time) = (0.0, 0.0, 0.0);
                self.police.no_monitored -= 1;
            }
            ("unresponsive", []) if !flow.monitored => {
                return Err(format!("Cannot make an unmonitored flow unresponsive: {fid}"));
            }
            ("unresponsive", []) => {
                if !flow.unresponsive {
                    flow.unresponsive = true;
                    flow.unresponsive_start_time = now_s;
                }
                flow.estimate_rate |= flow.auto;
            }
            ("responsive", []) if !flow.unresponsive => {
                return Err(format!("Cannot make a responsive flow responsive: {fid}"));
            }
            ("responsive", []) => (flow.unresponsive, flow.unresponsive_start_time) = (false, 0.0),
            _ => return Err(format!("red_pd cannot {what} a flow with {} numbers", numbers.len())),
        }
        Ok(())
    }
}

impl Discipline for Pd {
    fn enqueue(&mut self, packet: PacketId, context: &mut QueueContext) {
        if self.stops(packet, context) {
            context.packets[packet].flags |= flag::POLICED;
            context.dropped_early.push(packet);
        } else if self.fails_test(packet, context) {
            context.dropped.push(packet);
        } else {
            self.red.enqueue(packet, context);
        }
    }

    fn dequeue(&mut self, context: &mut QueueContext) -> Option<PacketId> {
        self.red.dequeue(context)
    }

    fn found_empty(&mut self, at: Time) {
        self.red.found_empty(at);
    }

    fn len_packets(&self) -> usize {
        self.red.len_packets()
    }

    fn len_bytes(&self) -> i64 {
        self.red.len_bytes()
    }

    fn limit(&self) -> QueueLimit {
        self.red.limit()
    }

    fn param(&self, name: &str) -> Option<Value> {
        match self.part(name) {
            Some((flow, name)) => self.flows.get(&flow)?.own_param(name),
            None => self.police.own_param(name).or_else(|| self.red.param(name)),
        }
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        match self.part(name) {
            Some((flow, name)) => self.flows.get_mut(&flow).is_some_and(|flow| flow.set_own_param(name, value)),
            None => self.police.set_own_param(name, value) || self.red.set_param(name, value),
        }
    }

    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        self.red.watch(name, place)
    }

    fn reset(&mut self, context: &mut QueueContext) {
        self.red.reset(context);
    }

    fn command(&mut self, name: &str, context: &mut QueueContext) -> Result<String, String> {
        if let Some(key) = name.strip_prefix("key ") {
            self.key = Key::named(key).ok_or_else(|| format!("unknown flow key {key}"))?;
        } else if name.contains(" flow.") {
            let words: Vec<&str> = name.split(' ').collect();
            self.act(&words, context.now.secs())?;
        } else {
            return self.red.command(name, context);
        }
        Ok(String::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Mahajan, Floyd and Wetherall 2001, section 3: the drop probability is p = 1 - target / rate. Adjusted by the
    // packets since the last drop it is p / (1 - count * p).
    #[test]
    fn the_excess_over_the_target_is_dropped_evenly() {
        let mut flow = Policed { target_bw: 0.75, current_bw: 1.0, ..Policed::default() };
        assert_eq!(flow.excess(0.75), 0.25);
        assert_eq!(flow.excess(1.5), 0.0);
        let spread: Vec<f64> = (0..5)
            .map(|count| {
                flow.count = count;
                flow.spread(0.25)
            })
            .collect();
        assert_eq!(spread, [0.25, 0.25 / 0.75, 0.5, 1.0, 1.0]);
        assert_eq!(Policed::default().excess(0.0), 0.0);
    }

    // (1 - exp(-gap / k)) * bits / gap + exp(-gap / k) * rate, with k = 100 ms; packets of the same instant are added
    // up.
    #[test]
    fn rates_are_averaged_over_the_gaps() {
        let mut flow = Policed::default();
        flow.estimate(8000, 1.0);
        assert_eq!((flow.est_rate, flow.prev_time), (0.0, 1.0));
        flow.estimate_rate = true;
        flow.estimate(8000, 1.0);
        flow.estimate(8000, 1.1);
        let share = 1.0 - (-1.0f64).exp();
        assert!((flow.est_rate - share * 160_000.0).abs() < 1e-6, "{}", flow.est_rate);
        flow.estimate(8000, 1.3);
        let kept = (-2.0f64).exp();
        assert!((flow.est_rate - ((1.0 - kept) * 40_000.0 + kept * share * 160_000.0)).abs() < 1e-6);
    }
}
