//! Every congestion control of today's sender through random, legal sequences of ACKs, losses, marks, timeouts, idle times and
//! false alarms: windows, thresholds and rates stay numbers within their bounds.

mod fuzzing;

use ackclock_engine::random::rng::Seed;
use ackclock_engine::transport::tcp::cc::{
    Ack, CONTROLS, CaState, CongestionEvent, Control, Path, Rate, Response, Window,
};
use ackclock_engine::transport::tcp::controls;
use fuzzing::{Chance, fuzz};

/// A sender as a control sees it.
struct Sender {
    control: Box<dyn Control>,
    window: Window,
    path: Path,
    before: Window,
    recovery: Option<Response>,
}

impl Sender {
    fn new(id: &str, chance: &mut Chance) -> Sender {
        let control = controls::named(id).expect("a control of the list");
        let cwnd = chance.of(&[1.0, 2.0, 10.0]);
        let window = Window { cwnd, ssthresh: f64::INFINITY, pacing_per_s: None, holds_back: false };
        let path = Path {
            mss_bytes: chance.of(&[536.0, 1000.0, 1448.0, 9000.0]),
            min_rtt_s: f64::INFINITY,
            seed: Seed::Same(1 + chance.below(1 << 30) as u32),
            ..Path::default()
        };
        let mut sender = Sender { control, window, path, before: window, recovery: None };
        sender.control.start(&sender.path, &mut sender.window);
        sender.obeys("start");
        sender
    }

    fn obeys(&self, after: &str) {
        let Window { cwnd, ssthresh, pacing_per_s, .. } = self.window;
        assert!(cwnd > 0.0 && cwnd.is_finite() && cwnd < 1e12, "after {after} the window is {cwnd}");
        assert!(ssthresh >= 1.0, "after {after} the threshold is {ssthresh}");
        assert!(
            pacing_per_s.is_none_or(|per_s| per_s > 0.0 && per_s.is_finite()),
            "after {after} the rate is {pacing_per_s:?}"
        );
    }

    /// The sender fills its window, or what the application has is less.
    fn sends(&mut self, chance: &mut Chance) {
        let most = self.window.cwnd.max(1.0) as u32;
        self.path.is_limited = !chance.once_in(4);
        self.path.is_cwnd_full = self.path.is_limited && chance.once_in(2);
        self.path.lacks_sack = chance.once_in(50);
        self.path.next_send_s = self.path.now_s + chance.of(&[-1.0, 0.0, 0.01]);
        let wanted = if self.path.is_limited { most } else { chance.below(most as usize + 1) as u32 };
        self.path.in_flight = self.path.in_flight.max(wanted.min(1 << 20));
    }

    fn time_goes_on(&mut self, seconds: f64) {
        self.path.now_s += seconds;
    }

    fn acknowledged(&mut self, chance: &mut Chance, rtt_s: f64) {
        let prior_in_flight = self.path.in_flight;
        let delivered = (1 + chance.below(3) as u32).min(self.path.in_flight);
        let lost =
            if chance.once_in(20) { chance.below(1 + (self.path.in_flight - delivered) as usize) as u32 } else { 0 };
        let marked = if chance.once_in(5) { chance.below(1 + delivered as usize) as u32 } else { 0 };
        if delivered + lost == 0 {
            return;
        }
        let seqno = chance.below(100) as u64;
        let rate = Rate {
            per_s: (!chance.once_in(6)).then_some(f64::from(delivered) / rtt_s * (0.2 + chance.unit())),
            delivered: u64::from(prior_in_flight.min(delivered + chance.below(20) as u32)),
            prior_delivered: self.path.delivered.saturating_sub(u64::from(prior_in_flight)),
            lost: u64::from(lost),
            marked: u64::from(marked),
            seqno,
            end_seqno: seqno + 1 + chance.below(2) as u64,
            in_flight: prior_in_flight,
            is_app_limited: !self.path.is_limited,
        };
        self.path.delivered += u64::from(delivered);
        self.path.in_flight -= delivered + lost;
        let has_rtt = !chance.once_in(7);
        if has_rtt {
            self.path.min_rtt_s = self.path.min_rtt_s.min(rtt_s);
            let srtt_s = self.path.srtt_s;
            self.path.srtt_s = if srtt_s == 0.0 { rtt_s } else { srtt_s + (rtt_s - srtt_s) / 8.0 };
        }
        for _ in 0..lost {
            self.path.lost += 1;
            self.control.on_loss(&rate, &self.path, &mut self.window);
            self.obeys("a lost segment");
        }
        self.path.is_recovering = self.recovery == Some(Response::Reduce);
        let ack = Ack {
            delivered,
            sacked: 0,
            acked: if chance.once_in(10) { 0 } else { delivered },
            lost,
            marked,
            echoes_mark: marked > 0,
            rtt_s: has_rtt.then_some(rtt_s),
            one_way_s: has_rtt.then_some(rtt_s * chance.unit()),
            rate: (delivered > 0 && !chance.once_in(9)).then_some(rate),
            ends_round: chance.below(1 + prior_in_flight as usize) < delivered as usize,
            prior_in_flight,
            may_be_delayed: chance.once_in(10),
            ..Ack::default()
        };
        self.path.snd_una += u64::from(ack.acked);
        self.path.snd_nxt = self.path.snd_una + u64::from(prior_in_flight);
        self.control.on_packets_acked(&ack, &self.path, &mut self.window);
        self.obeys("delivered packets");
        let kept = self.window.cwnd;
        self.control.on_ack(&ack, &self.path, &mut self.window);
        if self.path.is_recovering {
            self.window.cwnd = kept;
        }
        self.obeys("an ACK");
        if lost > 0 && self.recovery.is_none() {
            self.congested(CongestionEvent::Loss);
        } else if marked > 0 && self.recovery.is_none() {
            self.congested(CongestionEvent::Mark);
        }
    }

    fn congested(&mut self, sign: CongestionEvent) {
        self.before = self.window;
        let response = self.control.on_congestion_event(sign, &self.path, &mut self.window);
        if response == Response::Reduce {
            assert!(self.window.ssthresh.is_finite(), "after {sign:?} the threshold is {}", self.window.ssthresh);
            self.window.cwnd = match sign {
                CongestionEvent::Timeout => f64::from(self.path.in_flight + 1),
                CongestionEvent::Loss | CongestionEvent::Mark => self.window.cwnd.min(self.window.ssthresh.max(1.0)),
            };
        }
        let state = if sign == CongestionEvent::Timeout { CaState::Loss } else { CaState::Recovery };
        self.control.on_state(state, &self.path, &mut self.window);
        self.obeys("a sign of congestion");
        self.recovery = Some(response);
    }

    fn times_out(&mut self) {
        self.path.lost += u64::from(self.path.in_flight);
        self.path.in_flight = 0;
        if self.recovery.is_none() {
            self.congested(CongestionEvent::Timeout);
            return;
        }
        self.window.cwnd = 1.0;
        self.control.on_timeout_in_recovery(&self.path, &mut self.window);
        self.obeys("a timeout in a recovery");
    }

    fn repairs_by_probe(&mut self) {
        if self.recovery.is_some() {
            return;
        }
        self.control.on_probe_repaired_loss(&self.path, &mut self.window);
        self.congested(CongestionEvent::Loss);
        if self.recovery.take() == Some(Response::Reduce) {
            self.window.cwnd = self.window.ssthresh;
        }
        self.control.on_recovery_exit(&self.path, &mut self.window);
        self.obeys("a repair by a tail loss probe");
    }

    fn recovers(&mut self, chance: &mut Chance) {
        let Some(response) = self.recovery.take() else { return };
        self.path.is_recovering = false;
        if chance.once_in(4) {
            self.window.cwnd = self.window.cwnd.max(self.before.cwnd);
            self.window.ssthresh = self.before.ssthresh;
            self.control.on_spurious_loss(&self.path, &mut self.window);
            self.obeys("a false alarm");
        } else {
            if response == Response::Reduce {
                self.window.cwnd = self.window.ssthresh;
            }
            self.control.on_recovery_exit(&self.path, &mut self.window);
            self.obeys("a recovery");
        }
    }

    fn rests(&mut self, chance: &mut Chance) {
        if self.path.delivered == 0 || self.recovery.is_some() {
            return;
        }
        self.path.in_flight = 0;
        let idle_s = chance.of(&[0.1, 1.0, 100.0]) * chance.unit();
        self.time_goes_on(idle_s);
        self.control.on_idle_restart(idle_s, (idle_s / 0.2) as u32, 10.0, &self.path, &mut self.window);
        self.obeys("an idle time");
    }
}

fn attempt(id: &str, chance: &mut Chance) {
    let mut sender = Sender::new(id, chance);
    let base_rtt_s = chance.of(&[1e-5, 1e-3, 0.05, 0.6]);
    for _ in 0..100 + chance.below(200) {
        sender.sends(chance);
        let rtt_s = base_rtt_s * (1.0 + chance.of(&[0.0, 0.1, 5.0]) * chance.unit());
        sender.time_goes_on(rtt_s * chance.of(&[0.0, 0.01, 1.0]));
        match chance.below(40) {
            0 => sender.times_out(),
            1 | 2 => sender.recovers(chance),
            3 => sender.rests(chance),
            4 => sender.repairs_by_probe(),
            _ => sender.acknowledged(chance, rtt_s),
        }
    }
}

#[test]
fn controls_obey_their_laws() {
    let ids: Vec<&str> = controls::entries().map(|(id, _)| id).collect();
    assert!(ids.len() > CONTROLS.len());
    fuzz("congestion controls", &ids, 20, attempt);
}
