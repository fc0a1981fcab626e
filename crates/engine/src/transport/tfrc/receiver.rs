//! TFRC receiver: detects loss events, and reports their rate once per round trip.
//!
//! Source: RFC 3448 and RFC 5348, as in ns-2.35's `Agent/TFRCSink`.
//! What it decides: what is a loss event, the loss event rate, when to report.
//! Departures: none from ns-2; its other estimators (`algo` 2 to 4) are included.
//! Not implemented: none.
//! Checked against: ns-2.35, byte for byte (tests/oracle/ns2).

use super::equation::{self, Path};
use super::history::{Fate, History};
use super::intervals::{Averaging, Flow, Intervals};
use crate::event::timer::{TimerId, TimerOwner};
use crate::measure::observe::TraceId;
use crate::net::node::AgentId;
use crate::net::{Network, SimulationError};
use crate::packet::header::{Header, TfrcData, TfrcReport};
use crate::packet::{PacketId, PacketKind, flag};
use crate::params::{Params, Value};
use crate::transport::agent::{Agent, Endpoint};

/// Shorter times count as zero, s.
const SHORTEST_S: f64 = 1e-7;
/// Reported when no loss interval has a packet.
const NO_PACKETS: f64 = 999.0;

/// The loss estimators, under ns-2's numbers.
mod algo {
    pub const INTERVALS: i32 = 1;
    pub const SMOOTHED_INTERVAL: i32 = 2;
    pub const WINDOW_BY_RATE: i32 = 3;
    pub const WINDOW_BY_EVENTS: i32 = 4;
}

#[derive(Params)]
pub(super) struct Receiver {
    end: Endpoint,
    #[param(flatten)]
    averaging: Averaging,
    #[param(state)]
    init_history_size: i32,
    #[param(state)]
    num_feedback: f64,
    #[param(state)]
    adjust_history_after_ss: i32,
    #[param(state)]
    print_loss: i32,
    #[param(state)]
    algo: i32,
    #[param(state)]
    precise_loss: i32,
    #[param(state)]
    num_pkts: i32,
    #[param(state, name = "history")]
    history_weight: f64,
    #[param(state)]
    minlc: i32,
    #[param(state)]
    bytes: i32,
    history: History,
    /// The highest packet up to which losses were checked.
    looked_to: i32,
    /// Out-of-order packets since then.
    out_of_turn: i32,
    /// The sender's last header.
    sender: TfrcData,
    last_sent_s: f64,
    last_arrived_s: f64,
    last_report_s: f64,
    event_s: f64,
    event_round: i32,
    received: i32,
    lost_or_marked: i32,
    lost: i32,
    received_since_report: i32,
    losses_since_report: i32,
    has_seen_loss: bool,
    intervals: Option<Intervals>,
    /// The first packet that is not counted in an interval yet.
    counted_to: i32,
    /// Packets since the last event, and their mean (`algo` 2).
    present_interval: i32,
    mean_interval: f64,
    report_timer: TimerId,
    remarks: Option<TraceId>,
}

impl Receiver {
    pub(super) fn make(id: AgentId, net: &mut Network) -> Box<dyn Agent> {
        Box::new(Receiver {
            end: Endpoint::new(id, PacketKind::TfrcReport, 40),
            averaging: Averaging {
                num_samples: -1,
                smooth: 1,
                discount: 1,
                min_discount_ratio: 0.5,
                short_intervals: 0,
                short_rtts: 2,
            },
            init_history_size: 100_000,
            num_feedback: 1.0,
            adjust_history_after_ss: 1,
            print_loss: 0,
            algo: algo::INTERVALS,
            precise_loss: 1,
            num_pkts: 1,
            history_weight: 0.75,
            minlc: 4,
            bytes: 0,
            history: History::new(0, 0),
            looked_to: -1,
            out_of_turn: 0,
            sender: TfrcData {
                seqno: 0,
                rtt_s: 0.0,
                timeout_s: 0.0,
                rate: 0.0,
                size: 0,
                fair_size: 0,
                is_urgent: false,
                round: 0,
            },
            last_sent_s: 0.0,
            last_arrived_s: 0.0,
            last_report_s: 0.0,
            event_s: 0.0,
            event_round: -1,
            received: 0,
            lost_or_marked: 0,
            lost: 0,
            received_since_report: 0,
            losses_since_report: 0,
            has_seen_loss: false,
            intervals: None,
            counted_to: 0,
            present_interval: 0,
            mean_interval: -1.0,
            report_timer: net.add_timer(TimerOwner::Agent(id.0, 0)),
            remarks: None,
        })
    }

    fn intervals(&mut self) -> Option<&mut Intervals> {
        if self.algo == algo::INTERVALS && self.intervals.is_none() {
            self.intervals = Some(Intervals::new(&mut self.averaging));
        }
        self.intervals.as_mut().filter(|_| self.algo == algo::INTERVALS)
    }

    fn path(&self, size: i32) -> Path {
        Path { rtt_s: self.sender.rtt_s, timeout_s: self.sender.timeout_s, size, per_ack: 1 }
    }

    fn take(&mut self, seqno: i32, sent_s: f64, is_marked: bool, header: TfrcData, net: &mut Network) {
        let now_s = net.now().secs();
        if self.history.highest < 0 {
            self.history = History::new(self.init_history_size.max(1) as usize, seqno);
            self.looked_to = seqno;
        }
        self.sender.fair_size = header.fair_size;
        let before = self.history.highest;
        let is_news = seqno > before || seqno > self.looked_to && self.history.fate(seqno) == Fate::Unknown;
        let mut is_urgent = false;
        let mut begins = false;
        let mut mark_begins = false;
        if is_news {
            if seqno > self.looked_to + 1 {
                self.out_of_turn += 1;
            }
            is_urgent = header.is_urgent;
            self.sender = header;
            self.last_arrived_s = now_s;
            self.last_sent_s = sent_s;
            self.history.set_times(seqno, now_s, sent_s);
            self.history.set_fate(seqno, if is_marked { Fate::Marked } else { Fate::Received });
            if is_marked {
                mark_begins = self.take_mark(seqno);
            }
        }
        for missing in before + 1..seqno {
            self.history.set_fate(missing, Fate::Unknown);
            self.lost_or_marked += 1;
            self.lost += 1;
        }
        let is_late =
            |this: &Receiver| this.history.sent_s(seqno) - this.history.sent_s(this.looked_to) > this.sender.rtt_s;
        if seqno > self.looked_to && (mark_begins || self.out_of_turn >= self.num_pkts || is_late(self)) {
            begins = self.look_for_losses(seqno, before, now_s);
            self.looked_to = seqno;
            self.out_of_turn = 0;
        } else if seqno == self.looked_to + 1 {
            self.looked_to = seqno;
            self.out_of_turn = 0;
        }
        let mut guess = None;
        if seqno > before {
            self.history.highest = seqno;
            if self.algo == algo::INTERVALS && !self.has_seen_loss && (seqno - before > 1 || mark_begins) {
                is_urgent = true;
                self.has_seen_loss = true;
                if self.adjust_history_after_ss != 0 {
                    guess = Some(self.end_slow_start(sent_s, net));
                }
            }
            let since_report_s = now_s - self.last_report_s;
            if self.sender.rtt_s > SHORTEST_S && since_report_s >= self.sender.rtt_s / self.num_feedback {
                is_urgent = true;
            }
        }
        if is_urgent || mark_begins || begins {
            self.report(guess, net);
        }
    }

    /// Processes a marked packet; returns whether a loss event begins with it.
    fn take_mark(&mut self, seqno: i32) -> bool {
        self.lost_or_marked += 1;
        self.losses_since_report += 1;
        let begins = self.begins_event(seqno);
        if begins {
            self.history.set_fate(seqno, Fate::MarkBeginsEvent);
        }
        if let Some(intervals) = self.intervals() {
            intervals.newest().losses += 1;
        }
        begins
    }

    /// Marks all missing packets below `seqno` lost; returns whether a loss event begins.
    fn look_for_losses(&mut self, seqno: i32, before: i32, now_s: f64) -> bool {
        let mut found = false;
        for missing in self.looked_to..seqno {
            if self.history.fate(missing) != Fate::Unknown {
                continue;
            }
            let sent_s = self.history.sent_between(missing, before, seqno);
            self.history.set_times(missing, now_s, sent_s);
            let begins = self.begins_event(missing);
            found |= begins;
            self.history.set_fate(missing, if begins { Fate::BeginsEvent } else { Fate::InEvent });
            if let Some(intervals) = self.intervals() {
                intervals.newest().losses += 1;
            }
            self.losses_since_report += 1;
        }
        found
    }

    /// Whether a lost or marked packet starts a loss event: it was sent more than one RTT after the start of the last
    /// event, and, with `precise_loss`, in a later round of the sender.
    fn begins_event(&mut self, seqno: i32) -> bool {
        let sent_s = self.history.sent_s(seqno);
        let since_s = sent_s - self.event_s;
        let TfrcData { rtt_s, round, .. } = self.sender;
        let is_new = since_s > rtt_s && (self.precise_loss == 0 || round > self.event_round);
        if is_new {
            self.event_s = sent_s;
            self.event_round = round;
            let short_s = f64::from(self.averaging.short_rtts) * rtt_s;
            if let Some(intervals) = self.intervals() {
                if since_s < short_s {
                    intervals.newest().is_short = true;
                }
                if rtt_s > 0.0 {
                    intervals.newest().rounds = rounds(since_s, rtt_s);
                }
            }
        }
        is_new
    }

    /// The first loss: creates an interval for the packets before it, from the equation's inverse at the present rate.
    fn end_slow_start(&mut self, sent_s: f64, net: &mut Network) -> f64 {
        self.history.forget_events();
        self.event_s = sent_s;
        self.event_round = self.sender.round;
        let rate = self.received_rate(net.now().secs()) * f64::from(self.sender.size);
        let p = equation::loss_event_rate(rate, self.path(self.sender.fair_size));
        if let Some(intervals) = self.intervals() {
            intervals.begin_after((1.0 / p) as i32);
        }
        if self.print_loss != 0 {
            self.remark_intervals(net);
        }
        p
    }

    /// Receive rate, packets/s: since the last report if that is at least one RTT ago, otherwise over the last RTT.
    fn received_rate(&self, now_s: f64) -> f64 {
        let (rtt_s, since_s) = (self.sender.rtt_s, now_s - self.last_report_s);
        let (count, duration_s) = if rtt_s > 0.0 && since_s >= rtt_s {
            (self.received_since_report, since_s)
        } else if rtt_s > 0.0 {
            (self.history.received_within(rtt_s), rtt_s)
        } else {
            (0, 1.0)
        };
        if count > 0 { f64::from(count) / duration_s } else { 1.0 }
    }

    fn report(&mut self, guess: Option<f64>, net: &mut Network) {
        self.send_report(guess, net);
        if self.sender.rtt_s > 0.0 && self.num_feedback > 0.0 {
            net.set_timer(self.report_timer, 1.5 * self.sender.rtt_s / self.num_feedback);
        }
    }

    /// Sends a report if a packet has arrived since the last one.
    fn send_report(&mut self, guess: Option<f64>, net: &mut Network) {
        if self.last_arrived_s < self.last_report_s {
            return;
        }
        let now_s = net.now().secs();
        let id = self.end.make_packet(net);
        let loss_event_rate = match guess {
            Some(rate) => rate,
            None => self.loss_event_rate(net),
        };
        let all = self.received + self.lost;
        let report = TfrcReport {
            held_s: now_s - self.last_arrived_s,
            loss_event_rate,
            received_rate: self.received_rate(now_s),
            losses: self.losses_since_report,
            loss_rate: if self.received > 0 { f64::from(self.lost_or_marked) / f64::from(all) } else { 0.0 },
        };
        net.packets.set_header(id, Header::TfrcReport(report));
        let packet = &mut net.packets[id];
        packet.seqno = self.history.highest;
        packet.ts_echo = self.last_sent_s;
        self.last_report_s = now_s;
        self.received_since_report = 0;
        self.losses_since_report = 0;
        self.end.send(net, id);
    }

    fn loss_event_rate(&mut self, net: &mut Network) -> f64 {
        if self.print_loss > 0 && self.algo != algo::INTERVALS {
            net.fail(SimulationError::Broken("TFRC's receiver can print losses with algo 1 only".into()));
        }
        match self.algo {
            algo::INTERVALS => self.rate_of_intervals(net),
            algo::SMOOTHED_INTERVAL => self.rate_of_smoothed_interval(),
            algo::WINDOW_BY_RATE => self.rate_of_window(self.window_by_rate()),
            algo::WINDOW_BY_EVENTS => self.rate_of_window(0.0),
            other => {
                net.fail(SimulationError::Broken(format!("TFRC's receiver has no algo {other}; it has 1 to 4")));
                0.0
            }
        }
    }

    fn rate_of_intervals(&mut self, net: &mut Network) -> f64 {
        let now_s = net.now().secs();
        let (from, to) = (self.counted_to, self.history.highest);
        let flow = Flow { fair_size: self.sender.fair_size, report_size: self.end.packet_size };
        let since_s = now_s - self.event_s;
        let rtt_s = self.sender.rtt_s;
        self.intervals();
        let Some(intervals) = &mut self.intervals else { return 0.0 };
        for seqno in from..=to {
            intervals.newest().packets += 1;
            if self.history.fate(seqno).begins_event() {
                intervals.begin();
            }
        }
        self.counted_to = to + 1;
        if self.averaging.short_intervals > 0 {
            if since_s > f64::from(self.averaging.short_rtts) * rtt_s {
                intervals.newest().is_short = false;
            }
            if rtt_s > 0.0 {
                intervals.newest().rounds = rounds(since_s, rtt_s);
            }
        }
        let Some(packets) = intervals.average(&self.averaging, flow) else { return 0.0 };
        if packets > 0.0 {
            if self.print_loss > 0 {
                let newest = f64::from(intervals.newest().packets);
                self.remark(net, "TFRC loss rate", &[newest, 1.0 / packets]);
                self.remark_intervals(net);
            }
            1.0 / packets
        } else {
            NO_PACKETS
        }
    }

    fn rate_of_smoothed_interval(&mut self) -> f64 {
        for seqno in self.counted_to..=self.history.highest {
            self.present_interval += 1;
            if self.history.fate(seqno).begins_event() {
                let interval = f64::from(self.present_interval);
                self.mean_interval = if self.mean_interval < 0.0 { interval } else { self.smoothed_with(interval) };
                self.present_interval = 0;
            }
        }
        self.counted_to = self.history.highest + 1;
        if self.mean_interval < 0.0 {
            return 0.0;
        }
        let rate = 1.0 / self.mean_interval;
        if self.present_interval == 0 {
            return rate;
        }
        rate.min(1.0 / self.smoothed_with(f64::from(self.present_interval)))
    }

    fn smoothed_with(&self, interval: f64) -> f64 {
        self.history_weight * self.mean_interval + (1.0 - self.history_weight) * interval
    }

    /// Window size, packets: `minlc` loss events at the sender's rate.
    fn window_by_rate(&self) -> f64 {
        let most = self.history.size() as f64;
        let mut packets = most;
        if self.sender.rate > 0.0 && self.sender.rtt_s > 0.0 {
            let p = equation::loss_event_rate(self.sender.rate, self.path(self.sender.size));
            if p > 0.0 {
                packets = f64::from(self.minlc) / p;
            }
        }
        packets.min(f64::from(self.history.highest)).min(most)
    }

    /// Loss events per packet in a window of the last packets. The window grows until it has enough events.
    fn rate_of_window(&self, packets: f64) -> f64 {
        let most = self.history.highest.min(self.history.size() as i32);
        let (mut events, mut seen) = (0, 0);
        while f64::from(seen) < packets || events < self.minlc && seen < most {
            events += i32::from(self.history.fate(self.history.highest - seen).begins_event());
            seen += 1;
        }
        if seen == 0 { 0.0 } else { f64::from(events) / f64::from(seen) }
    }

    fn remark(&self, net: &mut Network, what: &'static str, fields: &[f64]) {
        if let Some(place) = self.remarks {
            let now = net.now();
            net.observer.happening(place, now, what, fields);
        }
    }

    fn remark_intervals(&self, net: &mut Network) {
        let Some(intervals) = &self.intervals else { return };
        self.remark(net, "TFRC samples", &intervals.reported(|interval| interval.packets));
        if self.averaging.short_intervals > 0 {
            self.remark(net, "TFRC losses", &intervals.reported(|interval| interval.losses));
            self.remark(net, "TFRC short", &intervals.reported(|interval| i32::from(interval.is_short)));
            self.remark(net, "TFRC round trips", &intervals.reported(|interval| interval.rounds));
        }
    }
}

/// The number of round trips in a time, at least one.
fn rounds(seconds: f64, rtt_s: f64) -> i32 {
    ((seconds / rtt_s).ceil() as i32).max(1)
}

impl Agent for Receiver {
    fn endpoint(&self) -> &Endpoint {
        &self.end
    }

    fn endpoint_mut(&mut self) -> &mut Endpoint {
        &mut self.end
    }

    fn receive(&mut self, id: PacketId, net: &mut Network) {
        self.intervals();
        let packet = net.packets[id];
        self.received_since_report += 1;
        self.received += 1;
        self.bytes = self.bytes.wrapping_add(packet.size);
        if let Some(&Header::TfrcData(header)) = net.packets.header(id) {
            let is_marked = packet.has(flag::ECN_CAPABLE | flag::MARKED);
            self.take(header.seqno, packet.ts, is_marked, header, net);
        }
        net.free(id);
    }

    fn timer(&mut self, _which: u8, net: &mut Network) {
        self.report(None, net);
    }

    fn param(&self, name: &str) -> Option<Value> {
        self.own_param(name).or_else(|| self.end.param(name))
    }

    fn set_param(&mut self, name: &str, value: Value) -> bool {
        self.set_own_param(name, value) || self.end.set_param(name, value)
    }

    /// Enables status reports of loss rates and intervals, if `print_loss` is set.
    fn watch(&mut self, name: &str, place: TraceId) -> bool {
        if name == "remarks" {
            self.remarks = Some(place);
        }
        name == "remarks"
    }
}
