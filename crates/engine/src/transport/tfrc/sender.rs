//! TFRC sender: sends packets at a rate that follows the receiver's loss reports.
//!
//! Source: RFC 3448 and RFC 5348, as in ns-2.35's `Agent/TFRC`.
//! What it decides: when to send the next packet.
//! Departures: none from ns-2. From the RFCs: the initial rate of `rate_init_option`, the RTT-based scaling of `ca`,
//! and the options `old_code`, `slow_increase`, `conservative` and `max_heavy_rounds`.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

mod rate;

use super::config::{Config, WITHOUT_END};
use super::equation::{self, Path};
use super::round_trip::TfrcRttEstimator;
use crate::event::timer::{TimerId, TimerOwner};
use crate::measure::observe::TraceId;
use crate::net::node::AgentId;
use crate::net::{Network, SimulationError};
use crate::packet::header::{Header, TfrcData, TfrcReport};
use crate::packet::{PacketId, PacketKind, flag};
use crate::params::{Params, Value};
use crate::random::rng::Source;
use crate::transport::agent::{Agent, Endpoint};

/// Smaller rates and times count as zero.
const SMALLEST: f64 = 1e-7;

const SEND: u8 = 0;
const NO_REPORT: u8 = 1;

/// The phase of rate control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    SlowStart,
    OutOfSlowStart,
    Increase,
    Decrease,
}

#[derive(Params)]
pub(super) struct Sender {
    end: Endpoint,
    #[param(flatten)]
    config: Config,
    rtt: TfrcRttEstimator,
    /// The next packet; -1 before the start.
    seqno: i32,
    /// How many packets the application has produced.
    produced: i32,
    is_active: bool,
    phase: Phase,
    /// The target rate, bytes/s.
    #[param(state)]
    rate: f64,
    /// The present rate during a gradual increase, bytes/s.
    old_rate: f64,
    /// Increment of the present rate per packet, bytes/s.
    step: f64,
    /// The rate by the equation, bytes/s.
    fair_rate: f64,
    /// The limit by the reported receive rate, bytes/s; 0 if unknown.
    most_rate: f64,
    /// This limit in slow start, bytes/s.
    most_in_slow_start: f64,
    changed_at: f64,
    round: i32,
    heavy_rounds: i32,
    is_urgent: bool,
    was_answered: bool,
    /// There is nothing to send.
    is_data_limited: bool,
    /// The sender has been idle since the last expiry of the no-feedback timer.
    was_idle_all_along: bool,
    /// End of the last idle period, s.
    limited_until: f64,
    #[param(state)]
    ndatapack: i32,
    #[param(state)]
    ndatabytes: i32,
    #[param(state)]
    true_loss_rate: f64,
    send_timer: TimerId,
    report_timer: TimerId,
    remarks: Option<TraceId>,
}

impl Sender {
    pub(super) fn make(id: AgentId, net: &mut Network) -> Box<dyn Agent> {
        let config = Config::default();
        Box::new(Sender {
            end: Endpoint::new(id, PacketKind::Tfrc, 1000),
            rtt: TfrcRttEstimator::new(&config.smoothing),
            config,
            seqno: -1,
            produced: 0,
            is_active: false,
            phase: Phase::SlowStart,
            rate: 0.0,
            old_rate: 0.0,
            step: 0.0,
            fair_rate: 0.0,
            most_rate: 0.0,
            most_in_slow_start: 0.0,
            changed_at: 0.0,
            round: 0,
            heavy_rounds: 0,
            is_urgent: false,
            was_answered: false,
            is_data_limited: false,
            was_idle_all_along: false,
            limited_until: 0.0,
            ndatapack: 0,
            ndatabytes: 0,
            true_loss_rate: 0.0,
            send_timer: net.add_timer(TimerOwner::Agent(id.0, SEND)),
            report_timer: net.add_timer(TimerOwner::Agent(id.0, NO_REPORT)),
            remarks: None,
        })
    }

    fn size(&self) -> f64 {
        f64::from(self.end.packet_size)
    }

    /// Initializes the state; ns-2's constructor also leaves this to the start.
    fn start(&mut self, net: &mut Network) {
        self.seqno = 0;
        self.rate = f64::from(self.config.init_rate);
        self.old_rate = self.rate;
        self.step = 0.0;
        self.phase = Phase::SlowStart;
        self.is_urgent = true;
        self.rtt = TfrcRttEstimator::new(&self.config.smoothing);
        self.changed_at = 0.0;
        self.most_rate = 0.0;
        self.most_in_slow_start = 0.0;
        self.ndatapack = 0;
        self.ndatabytes = 0;
        self.true_loss_rate = 0.0;
        self.is_active = true;
        self.round = 0;
        self.heavy_rounds = 0;
        self.fair_rate = 0.0;
        self.was_idle_all_along = false;
        self.was_answered = false;
        if self.config.smoothing.tcp_tick <= 0.0 || self.rate <= 0.0 {
            net.fail(SimulationError::Broken("TFRC needs a positive tcp_tick and a positive init_rate".into()));
            return;
        }
        self.send_packet(net);
        net.set_timer(self.send_timer, self.size() / self.rate);
        net.set_timer(self.report_timer, f64::from(2 * self.end.packet_size) / self.rate);
    }

    fn stop(&mut self, net: &mut Network) {
        self.is_active = false;
        if self.config.idle_fix {
            self.is_data_limited = true;
        }
        net.stop_timer(self.send_timer);
    }

    fn produce(&mut self, packets: i32, net: &mut Network) {
        self.produced = self.produced.wrapping_add(packets);
        if self.seqno == -1 {
            self.start(net);
        } else if self.is_data_limited && self.produced > self.seqno {
            self.is_data_limited = false;
            self.limited_until = net.now().secs();
            self.was_idle_all_along = false;
            if !self.config.old_code {
                self.send_packet(net);
            }
        }
    }

    fn send_packet(&mut self, net: &mut Network) {
        if !self.is_active {
            return;
        }
        let id = self.end.make_packet(net);
        let header = Header::TfrcData(TfrcData {
            seqno: self.seqno,
            rtt_s: self.rtt.smoothed_s,
            timeout_s: self.rtt.timeout_s,
            rate: self.rate,
            size: self.end.packet_size,
            fair_size: self.config.fsize,
            is_urgent: self.is_urgent,
            round: self.round,
        });
        net.packets.set_header(id, header);
        let packet = &mut net.packets[id];
        // A source that sets its own packet type hides the sequence numbers, as in ns-2.
        packet.seqno = if packet.kind == PacketKind::Tfrc { self.seqno } else { 0 };
        packet.ts = packet.made_at.secs();
        if self.config.ecn {
            packet.flags |= flag::ECN_CAPABLE;
        }
        if self.config.use_headers {
            packet.size += self.config.headersize;
        }
        self.seqno += 1;
        self.ndatapack += 1;
        self.ndatabytes = self.ndatabytes.wrapping_add(self.end.packet_size);
        self.end.send(net, id);
    }

    /// Sends the next packet, if any, and schedules the following one.
    fn send_next(&mut self, net: &mut Network) {
        if self.config.sndr_type == 0 || self.produced > self.seqno {
            self.send_packet(net);
        } else {
            self.is_data_limited = true;
        }
        let climbs = self.config.slow_increase && self.round > 2 && self.phase == Phase::SlowStart;
        let rate = if climbs && self.old_rate + SMALLEST < self.rate {
            self.old_rate += self.step;
            self.old_rate
        } else if self.config.ca != 0 {
            self.rtt.tilt(self.rate)
        } else {
            self.rate
        };
        if rate > SMALLEST {
            let mut wait_s = self.size() / rate;
            if self.config.voip {
                wait_s = wait_s.max(1.0 / f64::from(self.config.voip_max_pkt_rate));
            }
            let dither = self.config.overhead;
            wait_s *= 2.0 * dither * net.rng.of(Source::Sending(self.end.id.0)).unit() - dither + 1.0;
            net.set_timer(self.send_timer, if wait_s > SMALLEST { wait_s } else { SMALLEST });
        }
    }

    /// Sets the no-feedback timer: two round trips or two packet times, whichever is longer.
    fn await_report(&self, net: &mut Network) {
        let round_trips_s = 2.0 * self.rtt.smoothed_s;
        let packets_s = f64::from(2 * self.end.packet_size) / self.rate;
        net.set_timer(self.report_timer, if round_trips_s < packets_s { packets_s } else { round_trips_s });
    }

    fn take_report(&mut self, report: TfrcReport, echo_s: f64, net: &mut Network) {
        let now_s = net.now().secs();
        self.true_loss_rate = report.loss_rate;
        self.round += 1;
        self.is_urgent = false;
        self.bound_by_arrivals(report);
        self.rtt.take(now_s - (echo_s + report.held_s), &self.config.smoothing);
        if !self.config.voip {
            self.config.fsize = self.end.packet_size;
        }
        let path = Path {
            rtt_s: self.rtt.smoothed_s,
            timeout_s: self.rtt.timeout_s,
            size: self.config.fsize,
            per_ack: self.config.bval,
        };
        self.fair_rate = equation::rate(report.loss_event_rate, path);
        if self.config.voip {
            let with_header = 1.0 * f64::from(self.config.headersize) + self.size();
            self.fair_rate *= self.size() / with_header;
        }
        self.await_report(net);
        if !self.was_answered || self.phase == Phase::SlowStart && report.loss_event_rate <= 0.0 {
            self.was_answered = true;
            self.slow_start(net);
            self.send_next(net);
        } else if self.phase == Phase::SlowStart {
            self.phase = Phase::OutOfSlowStart;
            self.rate = self.fair_rate;
            self.old_rate = self.fair_rate;
        } else if self.fair_rate > self.rate {
            self.increase(net);
        } else {
            self.decrease(net);
        }
        let a_round = |rate: f64| rate * self.rtt.smoothed_s / self.size();
        self.remark(net, "TFRC rates", &[self.rate, a_round(self.rate), a_round(self.most_rate)]);
    }

    /// The no-feedback timer expired.
    fn lack_report(&mut self, net: &mut Network) {
        if self.phase != Phase::SlowStart {
            self.phase = Phase::Decrease;
        }
        let initial = self.initial_window();
        let spared = self.is_data_limited || self.was_idle_all_along;
        if self.config.old_code || !spared {
            self.rate *= 0.5;
        } else if self.config.rate_init_option == 1 {
            if self.rate > 2.0 * self.config.rate_init * self.size() / self.rtt.smoothed_s {
                self.rate *= 0.5;
            }
        } else if self.config.rate_init_option == 2 {
            if self.rate > 2.0 * initial * self.size() / self.rtt.smoothed_s {
                self.rate *= 0.5;
            } else if self.rate > initial * self.size() / self.rtt.smoothed_s {
                self.rate = initial * self.size() / self.rtt.smoothed_s;
            }
        }
        self.is_urgent = true;
        self.round += 1;
        self.await_report(net);
        if self.is_data_limited {
            self.was_idle_all_along = true;
        }
        self.send_next(net);
    }

    fn remark(&self, net: &mut Network, what: &'static str, fields: &[f64]) {
        if let Some(place) = self.remarks.filter(|_| self.config.print_status) {
            let now = net.now();
            net.observer.happening(place, now, what, fields);
        }
    }
}

impl Agent for Sender {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        let echo_s = net.packets[id].ts_echo;
        if let Some(&Header::TfrcReport(report)) = net.packets.header(id) {
            self.take_report(report, echo_s, net);
        }
        net.free(id);
    }

    fn timer(&mut self, which: u8, net: &mut Network) {
        match which {
            SEND => self.send_next(net),
            _ => self.lack_report(net),
        }
    }

    fn send_bytes(&mut self, bytes: Option<i64>, _flags: &str, net: &mut Network) {
        let size = i64::from(self.end.packet_size);
        match bytes {
            None => self.produce((WITHOUT_END - self.produced).max(1), net),
            Some(bytes) if size > 0 => {
                let packets = bytes / size + i64::from(bytes % size != 0);
                if self.produced - self.seqno < self.config.maxqueue {
                    self.produce(packets as i32, net);
                }
            }
            Some(_) => {}
        }
    }

    fn advance(&mut self, packets: i32, net: &mut Network) {
        self.produce(packets, net);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }

    /// Enables status reports, if `print_status` is set.
    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        if name == "remarks" {
            self.remarks = Some(place);
        }
        name == "remarks"
    }

    /// `start` and `stop`; `advance` to a packet.
    fn command(&mut self, name: &str, arguments: &[&str], net: &mut Network) -> Result<String, String> {
        match (name, arguments) {
            ("start", []) => self.start(net),
            ("stop", []) => self.stop(net),
            ("advance", [packet]) => {
                let packet: i32 = packet.parse().map_err(|_| format!("{packet} is not a whole number"))?;
                if packet > self.produced {
                    self.produce(packet - self.produced, net);
                }
            }
            _ => return Err(format!("tfrc has no command {name}; it has start, stop, advance")),
        }
        Ok(String::new())
    }
}
