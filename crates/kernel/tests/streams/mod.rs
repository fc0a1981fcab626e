//! Random streams of ACKs, losses, marks, timeouts and idle times, which drive a congestion control.
//!
//! The sender here does what the engine's socket does around a control, in the same order: it counts packets, measures RTTs
//! and delivery rates, runs the congestion machine and PRR. It has no queue and no peer: what happens to a packet is drawn
//! from the stream's number. So two controls that set the same windows get the same stream.

mod machine;
mod path;

use ackclock_engine::transport::tcp::cc::{CaState, Control, Window};
use std::collections::VecDeque;

/// Bytes of data in a packet.
pub const MSS: u64 = 1448;
/// The peer's window, packets.
const RECEIVE_WINDOW: usize = 400;
/// Steps of a stream: each is an ACK, a timeout, or an idle time.
const STEPS: usize = 400;

/// SplitMix64 (Steele, Lea and Flood 2014).
pub struct Draws(u64);

impl Draws {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A whole number from `low` to `high`.
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.next() % (high - low + 1)
    }

    /// Whether something with this probability in 10,000 happens.
    fn happens(&mut self, per_10_000: u64) -> bool {
        self.next() % 10_000 < per_10_000
    }

    fn one_of(&mut self, choices: &[u64]) -> u64 {
        choices[self.next() as usize % choices.len()]
    }
}

/// What a stream is like. Probabilities are per step or packet, in 10,000.
struct Character {
    rtt_us: u64,
    /// Time of a packet on the bottleneck, us.
    service_us: u64,
    packets_per_ack: u64,
    losses: u64,
    marks: u64,
    timeouts: u64,
    idle: u64,
    undone: u64,
    app_limited: u64,
    reordering: u32,
}

impl Character {
    fn draw(draws: &mut Draws) -> Character {
        Character {
            rtt_us: draws.one_of(&[300, 2_000, 10_000, 25_000, 40_000, 100_000, 200_000]) + draws.between(0, 999),
            service_us: draws.one_of(&[1, 12, 120, 600, 1_200]),
            packets_per_ack: draws.one_of(&[1, 2, 2, 2, 4, 16]),
            losses: draws.one_of(&[0, 20, 50, 100, 300]),
            marks: draws.one_of(&[0, 0, 10, 100, 1_000]),
            timeouts: draws.one_of(&[0, 0, 10, 40]),
            idle: draws.one_of(&[0, 0, 30, 200]),
            undone: draws.one_of(&[0, 1_000, 5_000]),
            app_limited: draws.one_of(&[0, 0, 100, 1_000]),
            reordering: draws.one_of(&[3, 3, 3, 6]) as u32,
        }
    }
}

/// A packet that is sent and not acknowledged.
#[derive(Clone, Copy, Debug, Default)]
struct Packet {
    end_seq: u64,
    sent_us: u64,
    first_tx_us: u64,
    delivered_us: u64,
    delivered: u64,
    lost: u64,
    delivered_ce: u64,
    in_flight: u32,
    is_app_limited: bool,
    is_sacked: bool,
    /// It will not arrive.
    is_dropped: bool,
    /// It is marked lost.
    is_lost: bool,
    is_retransmitted: bool,
}

/// What a control has set after a step: `snd_cwnd`, `snd_ssthresh` (0x7fffffff: none), pacing in bytes/s (0: none).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub step: usize,
    pub now_us: u64,
    pub ca: CaState,
    pub cwnd: u32,
    pub ssthresh: u32,
    pub pacing: u64,
}

/// The sender of a stream.
pub struct Sender<'a> {
    control: &'a mut dyn Control,
    draws: Draws,
    is: Character,
    seed: u64,
    now_us: u64,
    window: Window,
    ca: CaState,
    own_response: bool,
    flight: VecDeque<Packet>,
    snd_una: u64,
    snd_nxt: u64,
    high_seq: u64,
    delivered: u64,
    delivered_ce: u64,
    lost: u64,
    delivered_us: u64,
    first_tx_us: u64,
    app_limited: u64,
    next_rtt_delivered: u64,
    /// Eight times the smoothed RTT.
    srtt_us: u64,
    min_rtt_us: u64,
    is_cwnd_limited: bool,
    max_packets_out: u32,
    cwnd_usage_seq: u64,
    pacing_rate: u64,
    wstamp_us: u64,
    lsndtime_us: u64,
    prior_cwnd: f64,
    prior_ssthresh: Option<f64>,
    can_undo: bool,
    prr_delivered: u32,
    prr_out: u32,
    retransmits: u32,
}

impl<'a> Sender<'a> {
    fn new(stream: u64, control: &'a mut dyn Control) -> Sender<'a> {
        let mut draws = Draws(stream.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
        let is = Character::draw(&mut draws);
        let now_us = draws.between(1, 3_000_000);
        Sender {
            control,
            is,
            draws,
            seed: stream,
            now_us,
            window: Window { cwnd: 10.0, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false },
            ca: CaState::Open,
            own_response: false,
            flight: VecDeque::new(),
            snd_una: 1,
            snd_nxt: 1,
            high_seq: 1,
            delivered: 1,
            delivered_ce: 0,
            lost: 0,
            delivered_us: now_us,
            first_tx_us: now_us,
            app_limited: 0,
            next_rtt_delivered: 0,
            srtt_us: 0,
            min_rtt_us: u64::MAX,
            is_cwnd_limited: false,
            max_packets_out: 0,
            cwnd_usage_seq: 1,
            pacing_rate: u64::MAX,
            wstamp_us: now_us,
            lsndtime_us: now_us,
            prior_cwnd: 0.0,
            prior_ssthresh: None,
            can_undo: false,
            prr_delivered: 0,
            prr_out: 0,
            retransmits: 0,
        }
    }

    fn state(&self, step: usize) -> State {
        State {
            step,
            now_us: self.now_us,
            ca: self.ca,
            cwnd: self.snd_cwnd(),
            ssthresh: self.snd_ssthresh(),
            pacing: self.window.pacing_per_s.map_or(0, |per_s| (per_s * MSS as f64) as u64),
        }
    }

    /// Sends what the window allows; `app` packets of new data at most.
    fn send(&mut self, app: u32) {
        let mut left = app;
        while self.in_flight() < self.snd_cwnd() {
            if self.ca >= CaState::Recovery
                && let Some(at) = self.flight.iter().position(|packet| packet.is_lost)
            {
                self.retransmit(at);
                continue;
            }
            if left == 0 || self.flight.len() >= RECEIVE_WINDOW {
                break;
            }
            left -= 1;
            self.send_new();
        }
        self.note_usage(self.in_flight() >= self.snd_cwnd());
        if self.in_flight() < self.snd_cwnd() {
            self.app_limited = (self.delivered + u64::from(self.in_flight())).max(1);
        }
        self.wstamp_us = self.now_us;
        if self.window.pacing_per_s.is_some() && self.draws.happens(3_000) {
            self.wstamp_us += self.draws.between(1, 1_500);
        }
    }

    fn send_new(&mut self) {
        if self.flight.is_empty() {
            if self.snd_nxt > 1 {
                self.restart();
            }
            (self.first_tx_us, self.delivered_us) = (self.now_us, self.now_us);
        }
        self.snd_nxt += MSS;
        let packet = self.stamped(Packet { end_seq: self.snd_nxt, ..Packet::default() });
        self.flight.push_back(packet);
        self.flight.back_mut().expect("just pushed").in_flight = self.in_flight();
        self.lsndtime_us = self.now_us;
        self.prr_out += 1;
    }

    fn retransmit(&mut self, at: usize) {
        let packet = Packet { is_lost: false, is_dropped: false, is_retransmitted: true, ..self.flight[at] };
        self.flight[at] = self.stamped(packet);
        self.flight[at].in_flight = self.in_flight();
        self.lsndtime_us = self.now_us;
        self.prr_out += 1;
    }

    /// `tcp_rate_skb_sent`.
    fn stamped(&self, packet: Packet) -> Packet {
        Packet {
            sent_us: self.now_us,
            first_tx_us: self.first_tx_us,
            delivered_us: self.delivered_us,
            delivered: self.delivered,
            lost: self.lost,
            delivered_ce: self.delivered_ce,
            is_app_limited: self.app_limited != 0,
            ..packet
        }
    }

    /// Sending resumes with nothing in flight: the window decays if that took longer than the RTO.
    fn restart(&mut self) {
        let (idle_us, rto_us) = (self.now_us - self.lsndtime_us, self.rto_us());
        let timeouts = if idle_us > rto_us && !self.control.has_cong_control() { (idle_us - 1) / rto_us } else { 0 };
        let ssthresh = self.current_ssthresh();
        let path = self.path();
        let restart_cwnd = 10.0_f64.min(self.window.cwnd);
        let idle_s = idle_us as f64 / 1e6;
        self.control.on_idle_restart(idle_s, timeouts as u32, restart_cwnd, &path, &mut self.window);
        if timeouts > 0 {
            self.window.cwnd = self.window.cwnd.floor().max(1.0);
            self.window.ssthresh = ssthresh;
        }
    }

    fn step(&mut self) {
        let is_app_limited = self.draws.happens(self.is.app_limited);
        let app = if is_app_limited { self.draws.between(0, 4) as u32 } else { u32::MAX };
        let is_idle = self.draws.happens(self.is.idle);
        self.send(if is_idle { 0 } else { app.min(4 * self.snd_cwnd()) });
        let deliverable = self.flight.iter().filter(|packet| !packet.is_sacked && !packet.is_dropped).count();
        if self.flight.is_empty() {
            self.now_us += self.draws.between(1_000, 3_000_000);
            return;
        }
        if deliverable == 0 || self.draws.happens(self.is.timeouts) {
            self.now_us += self.rto_us();
            self.enter_loss();
            return;
        }
        if self.draws.happens(self.is.losses) {
            let count = self.draws.between(1, 4) as usize;
            let fresh = self.flight.iter_mut().filter(|packet| !packet.is_sacked && !packet.is_dropped);
            fresh.take(count.min(deliverable)).for_each(|packet| packet.is_dropped = true);
        }
        let count = self.draws.between(1, self.is.packets_per_ack) as usize;
        if self.flight.iter().any(|packet| !packet.is_sacked && !packet.is_dropped) {
            self.ack(if is_idle { usize::MAX } else { count });
        }
    }
}

/// The states after each step of a stream.
pub fn run(stream: u64, control: &mut dyn Control) -> Vec<State> {
    let mut sender = Sender::new(stream, control);
    let path = sender.path();
    sender.control.start(&path, &mut sender.window);
    sender.update_pacing_rate();
    let mut states = vec![sender.state(0)];
    for step in 1..=STEPS {
        sender.step();
        states.push(sender.state(step));
    }
    states
}

/// A digest of the states: FNV-1a over `cwnd`, `ssthresh` and `pacing`.
pub fn digest(states: &[State]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for state in states {
        for part in [u64::from(state.cwnd), u64::from(state.ssthresh), state.pacing] {
            for byte in part.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    hash
}
