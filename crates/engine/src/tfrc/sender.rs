//! TFRC's sender: packets at a rate that follows what the receiver reports of losses.
//!
//! Source: RFC 3448 and RFC 5348, as ns-2.35's `Agent/TFRC` has them.
//! What it decides: when the next packet goes.
//! Departures: none from ns-2; from the RFCs, the first rate of `rate_init_option`, the tilt of `ca`, and what `old_code`,
//! `slow_increase`, `conservative` and `max_heavy_rounds` say.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/ns2).

use super::equation::{self, Path};
use super::round_trip::{RoundTrip, Smoothing};
use crate::agent::{Agent, Endpoint};
use crate::header::{Header, TfrcData, TfrcReport};
use crate::network::{Network, Trouble};
use crate::node::AgentId;
use crate::observe::TraceId;
use crate::packet::{PacketId, PacketKind, flag};
use crate::params;
use crate::params::Value;
use crate::timer::{TimerId, TimerOwner};

/// Rates and times smaller than this count as none.
const SMALLEST: f64 = 1e-7;
/// The packets of a transfer without end.
const WITHOUT_END: i32 = 1 << 30;

const SEND: u8 = 0;
const NO_REPORT: u8 = 1;

/// How the rate changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    SlowStart,
    OutOfSlowStart,
    Increase,
    Decrease,
}

/// Parameters, under ns-2's names.
#[derive(Debug)]
struct Config {
    init_rate: i32,
    smoothing: Smoothing,
    rtxcur_init: f64,
    overhead: f64,
    ssmult: f64,
    bval: i32,
    ca: i32,
    print_status: bool,
    conservative: bool,
    ecn: bool,
    max_heavy_rounds: i32,
    sndr_type: i32,
    scmult: f64,
    old_code: bool,
    rate_init: f64,
    rate_init_option: i32,
    slow_increase: bool,
    voip: bool,
    voip_max_pkt_rate: i32,
    fsize: i32,
    use_headers: bool,
    idle_fix: bool,
    headersize: i32,
    maxqueue: i32,
}

pub(super) struct Sender {
    end: Endpoint,
    config: Config,
    rtt: RoundTrip,
    /// The next packet; -1 before the start.
    seqno: i32,
    /// How many packets the application has produced.
    produced: i32,
    is_active: bool,
    phase: Phase,
    /// The rate that is aimed at, bytes/s.
    rate: f64,
    /// The rate on the way there, bytes/s.
    old_rate: f64,
    /// What each packet adds to the latter, bytes/s.
    step: f64,
    /// The rate that the equation allows, bytes/s.
    fair_rate: f64,
    /// The most that what arrives allows, bytes/s; 0 while nothing is known.
    most_rate: f64,
    /// The same in slow start, bytes/s.
    most_in_slow_start: f64,
    changed_at: f64,
    round: i32,
    heavy_rounds: i32,
    is_urgent: bool,
    was_answered: bool,
    /// There is nothing to send.
    is_data_limited: bool,
    /// There has been nothing to send since the last time that no report came.
    was_idle_all_along: bool,
    /// When there last was something to send again, s.
    limited_until: f64,
    ndatapack: i32,
    ndatabytes: i32,
    true_loss_rate: f64,
    send_timer: TimerId,
    report_timer: TimerId,
    remarks: Option<TraceId>,
}

params!(Sender {
    rate, ndatapack, ndatabytes, true_loss_rate,
    df = config.smoothing.df, tcp_tick = config.smoothing.tcp_tick, srtt_init = config.smoothing.srtt_init,
    rttvar_init = config.smoothing.rttvar_init, rttvar_exp = config.smoothing.rttvar_exp,
    t_srtt_bits = config.smoothing.t_srtt_bits, t_rttvar_bits = config.smoothing.t_rttvar_bits,
    minrto = config.smoothing.minrto, rtxcur_init = config.rtxcur_init, init_rate = config.init_rate,
    overhead = config.overhead, ssmult = config.ssmult, bval = config.bval, ca = config.ca,
    print_status = config.print_status, conservative = config.conservative, ecn = config.ecn,
    max_heavy_rounds = config.max_heavy_rounds, sndr_type = config.sndr_type, scmult = config.scmult,
    old_code = config.old_code, rate_init = config.rate_init, rate_init_option = config.rate_init_option,
    slow_increase = config.slow_increase, voip = config.voip, voip_max_pkt_rate = config.voip_max_pkt_rate,
    fsize = config.fsize, use_headers = config.use_headers, idle_fix = config.idle_fix,
    headersize = config.headersize, maxqueue = config.maxqueue,
});

impl Sender {
    pub(super) fn make(id: AgentId, net: &mut Network) -> Box<dyn Agent> {
        let smoothing = Smoothing {
            df: 0.95,
            tcp_tick: 0.1,
            t_srtt_bits: 3,
            t_rttvar_bits: 2,
            rttvar_exp: 2,
            srtt_init: 0,
            rttvar_init: 12,
            minrto: 0.0,
        };
        let config = Config {
            init_rate: 300,
            smoothing,
            rtxcur_init: 6.0,
            overhead: 0.0,
            ssmult: 2.0,
            bval: 1,
            ca: 1,
            print_status: false,
            conservative: false,
            ecn: false,
            max_heavy_rounds: 0,
            sndr_type: 0,
            scmult: 1.5,
            old_code: false,
            rate_init: 2.0,
            rate_init_option: 2,
            slow_increase: true,
            voip: false,
            voip_max_pkt_rate: 100,
            fsize: 1460,
            use_headers: true,
            idle_fix: true,
            headersize: 32,
            maxqueue: WITHOUT_END,
        };
        Box::new(Sender {
            end: Endpoint::new(id, PacketKind::Tfrc, 1000),
            rtt: RoundTrip::new(&config.smoothing),
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

    /// One packet a round trip, bytes/s.
    fn packet_a_round(&self) -> f64 {
        self.size() / self.rtt.smoothed_s
    }

    /// RFC 3390's initial window, packets.
    fn initial_window(&self) -> f64 {
        match self.end.packet_size {
            ..=1095 => 4.0,
            1096..2190 => 3.0,
            _ => 2.0,
        }
    }

    /// Packets of the first round trip.
    fn first_packets(&self, net: &mut Network) -> f64 {
        match self.config.rate_init_option {
            1 => self.config.rate_init,
            2 => self.initial_window(),
            option => {
                let wrong = format!("TFRC's rate_init_option is {option}; it must be 1 or 2");
                net.fail(Trouble::Broken(wrong));
                2.0
            }
        }
    }

    /// From nothing: ns-2's constructor leaves all that to the start.
    fn start(&mut self, net: &mut Network) {
        self.seqno = 0;
        self.rate = f64::from(self.config.init_rate);
        self.old_rate = self.rate;
        self.step = 0.0;
        self.phase = Phase::SlowStart;
        self.is_urgent = true;
        self.rtt = RoundTrip::new(&self.config.smoothing);
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
            net.fail(Trouble::Broken("TFRC needs a positive tcp_tick and a positive init_rate".into()));
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
        // A source that gives packets a name of its own hides their numbers, as in ns-2.
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

    /// Sends the next packet, if there is one, and sets the time of the one after it.
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
            wait_s *= 2.0 * dither * net.rng.default.unit() - dither + 1.0;
            net.set_timer(self.send_timer, if wait_s > SMALLEST { wait_s } else { SMALLEST });
        }
    }

    /// A report is due within two round trips, or within the time of two packets.
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

    /// The rate may not be far above what arrives.
    fn bound_by_arrivals(&mut self, report: TfrcReport) {
        if self.round <= 1 || report.received_rate <= 0.0 {
            self.most_in_slow_start = 0.0;
            self.most_rate = 0.0;
            return;
        }
        let size = self.size();
        let times = |factor: f64| factor * report.received_rate * size;
        self.most_in_slow_start = times(2.0);
        self.most_rate = match (self.config.conservative, report.losses) {
            (false, _) => times(2.0),
            (true, 1..) => times(1.0),
            (true, _) => times(self.config.scmult),
        };
    }

    /// Whether there was nothing to send a short time ago.
    fn was_limited(&self, now_s: f64) -> bool {
        self.is_data_limited || self.limited_until > now_s - 1.5 * self.rtt.smoothed_s
    }

    fn slow_start(&mut self, net: &mut Network) {
        let now_s = net.now().secs();
        let first_packets = self.first_packets(net);
        let first_rate = first_packets * self.size() / self.rtt.smoothed_s;
        let most = self.most_in_slow_start;
        let is_too_early = self.round <= 1 || self.round == 2 && first_packets > 1.0;
        let is_let_off = most > 0.0 && self.config.idle_fix && self.was_limited(now_s) && most < first_rate;
        if is_too_early || is_let_off {
            self.climb_to(self.rate.max(first_rate));
        } else if most <= 0.0 {
            self.old_rate = self.rate;
            self.rate = self.packet_a_round();
            self.step = 0.0;
        } else if self.rate < most && now_s - self.changed_at > self.rtt.smoothed_s {
            let aim = if self.config.ssmult * self.rate > most { most } else { self.config.ssmult * self.rate };
            self.climb_to(aim.max(self.packet_a_round()));
        } else if self.rate > most {
            self.rate = most / 2.0;
            self.old_rate = self.rate;
            self.step = 0.0;
        } else {
            self.remark_slow_start(net);
            return;
        }
        self.changed_at = now_s;
        self.remark_slow_start(net);
    }

    /// The rate is to be that within a round trip.
    fn climb_to(&mut self, rate: f64) {
        self.old_rate = self.rate;
        self.rate = rate;
        self.step = (rate - self.old_rate) / (rate * self.rtt.smoothed_s / self.size());
    }

    fn increase(&mut self, net: &mut Network) {
        let now_s = net.now().secs();
        let rounds = ((now_s - self.changed_at) / self.rtt.smoothed_s).min(2.0);
        self.rate += self.packet_a_round() * rounds;
        let floor = if self.was_limited(now_s) {
            self.first_packets(net) * self.size() / self.rtt.smoothed_s
        } else {
            self.packet_a_round()
        };
        self.rate = self.rate.min(self.most_rate.max(floor).min(self.fair_rate));
        self.phase = Phase::Increase;
        self.changed_at = now_s;
        self.heavy_rounds = 0;
        let a_round = self.rate * self.rtt.smoothed_s / self.size();
        self.remark(net, "TFRC increase", &[a_round, self.limited_until, self.rtt.smoothed_s]);
    }

    fn decrease(&mut self, net: &mut Network) {
        self.rate = self.fair_rate;
        let most = self.most_rate.max(self.packet_a_round());
        self.heavy_rounds = if self.rate > most { self.heavy_rounds + 1 } else { 0 };
        if self.heavy_rounds > self.config.max_heavy_rounds {
            self.rate = self.rate.min(most);
        }
        self.phase = Phase::Decrease;
        self.changed_at = net.now().secs();
        let a_round = self.rate * self.rtt.smoothed_s / self.size();
        self.remark(net, "TFRC decrease", &[a_round, self.rtt.smoothed_s]);
    }

    /// No report came in time.
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

    fn remark_slow_start(&self, net: &mut Network) {
        let a_round = self.rate * self.rtt.smoothed_s / self.size();
        self.remark(net, "TFRC slow start", &[a_round, self.most_in_slow_start, self.step]);
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

    /// What it does is told there, where `print_status` is set.
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
                let packet: i32 = packet.parse().map_err(|_| format!("{packet} is no whole number"))?;
                if packet > self.produced {
                    self.produce(packet - self.produced, net);
                }
            }
            _ => return Err(format!("tfrc has no command {name}; it has start, stop, advance")),
        }
        Ok(String::new())
    }
}
