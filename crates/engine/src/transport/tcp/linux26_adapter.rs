//! Adapter: runs the congestion controls of Linux 2.6 on the TCP socket.
//!
//! Source: [`crate::transport::compat::linux26::cc`], whose controls run unchanged.
//! What it decides: the socket state that such a control sees, in its own units, and the effect of its results.
//! Departures: in recovery PRR reduces the window to the control's threshold, not to its min window. Each sender has
//! its own kernel clock. A division by zero in a control leaves the window as it is; in the sender `linux` it stops the
//! run.
//! Not implemented: the low-priority control, which needs the receiver's clock; tunables.
//! Checked against: the shares that the controls' own senders get (tests/spec/test_tcp_marks.py).

use crate::transport::compat::linux26::cc::{self as linux26, CaEvent, CaState, Kernel, Socket};
use crate::transport::tcp::cc::{self, Ack, CongestionEvent, Path, Response, Window};

/// The controls that [`cc::CONTROLS`] lacks.
const NAMES: [&str; 11] =
    ["bic", "compound", "highspeed", "htcp", "hybla", "illinois", "scalable", "vegas", "veno", "westwood", "yeah"];

/// The controls available in addition to [`cc::CONTROLS`]: id and description.
pub fn entries() -> impl Iterator<Item = &'static linux26::KernelModule> {
    linux26::CONTROLS.iter().filter(|entry| NAMES.contains(&entry.id))
}

/// The control with this id.
pub fn named(id: &str) -> Option<Box<dyn cc::Control>> {
    let number = linux26::named(id).filter(|_| NAMES.contains(&id))?;
    let law = (linux26::CONTROLS[number].make)();
    Some(Box::new(Linux26Adapter { law, number, socket: Socket::default(), kernel: Kernel::default() }))
}

/// Stands for no limit in Linux, packets.
const NO_LIMIT: u32 = 1 << 24;

struct Linux26Adapter {
    law: Box<dyn linux26::LinuxCongestionOps>,
    number: usize,
    socket: Socket,
    kernel: Kernel,
}

impl Linux26Adapter {
    /// Copies the sender's state to the socket.
    fn look(&mut self, path: &Path, window: &Window) {
        self.kernel.tick(path.now_s);
        let socket = &mut self.socket;
        socket.look_at(&self.kernel, Some(self.number));
        socket.mss = path.mss_bytes as u64;
        socket.srtt = (path.srtt_s * 8e3) as u64;
        socket.snd_una = path.delivered * socket.mss;
        socket.snd_nxt = (path.delivered + u64::from(path.in_flight)) * socket.mss;
        socket.snd_cwnd = window.cwnd.max(1.0) as u64;
        socket.snd_ssthresh = window.ssthresh.min(f64::from(NO_LIMIT)) as u64;
        socket.snd_cwnd_clamp = NO_LIMIT;
    }

    fn set_state(&mut self, state: CaState) {
        self.law.set_state(&mut self.socket, state);
        self.socket.state = state;
    }
}

impl cc::Control for Linux26Adapter {
    fn start(&mut self, path: &Path, window: &mut Window) {
        self.law = (linux26::CONTROLS[self.number].make)();
        (self.socket, self.kernel) = (Socket::default(), Kernel::default());
        self.look(path, window);
        self.law.init(&mut self.socket);
    }

    fn on_ack(&mut self, ack: &Ack, path: &Path, window: &mut Window) {
        self.look(path, window);
        let (law, socket) = (&mut self.law, &mut self.socket);
        socket.bytes_acked += u64::from(ack.delivered) * socket.mss;
        socket.saw_tstamp = ack.rtt_s.is_some();
        if let Some(rtt_s) = ack.rtt_s {
            socket.rcv_tsecr = ((path.now_s - rtt_s) * 1e3).round() as u64;
            socket.rcv_tsval = socket.jiffies;
            if law.samples_rtt() {
                law.rtt_sample(socket, (rtt_s * 1e6).round() as u64);
            }
        }
        if ack.delivered > 0 {
            let sent_ns = ack.rtt_s.map_or(0, |rtt_s| ((path.now_s - rtt_s) * 1e9) as i64);
            law.pkts_acked(socket, u64::from(ack.delivered), sent_ns);
        }
        let is_usual = socket.state == CaState::Open && ack.lost == 0 && !ack.echoes_mark;
        law.event(socket, if is_usual { CaEvent::FastAck } else { CaEvent::SlowAck });
        if path.is_recovering || ack.delivered == 0 {
            return;
        }
        let in_flight = u64::from(ack.prior_in_flight);
        let in_flight =
            if path.is_limited { in_flight.max(socket.snd_cwnd) } else { in_flight.min(socket.snd_cwnd - 1) };
        law.cong_avoid(socket, socket.snd_una, in_flight, is_usual);
        if std::mem::take(&mut socket.divided_by_zero) {
            return;
        }
        if socket.snd_cwnd != window.cwnd.max(1.0) as u64 {
            window.cwnd = socket.snd_cwnd.max(1) as f64;
        }
        // Vegas and similar controls lower the threshold to end slow start.
        if socket.snd_ssthresh < u64::from(NO_LIMIT) {
            window.ssthresh = window.ssthresh.min(socket.snd_ssthresh as f64);
        }
    }

    fn on_congestion_event(&mut self, sign: CongestionEvent, path: &Path, window: &mut Window) -> Response {
        self.look(path, window);
        // YeAH may subtract more than the window. The result is meant as negative; later Linux interprets it so.
        window.ssthresh = (self.law.mended_ssthresh(&mut self.socket) as i64).max(2) as f64;
        self.socket.snd_cwnd_cnt = 0;
        self.socket.bytes_acked = 0;
        if sign == CongestionEvent::Timeout {
            self.law.event(&mut self.socket, CaEvent::Timeout);
            if let Some(ssthresh) = self.law.timeout_ssthresh(&mut self.socket) {
                window.ssthresh = ssthresh as f64;
            }
        }
        self.set_state(if sign == CongestionEvent::Timeout { CaState::Loss } else { CaState::Recovery });
        Response::Reduce
    }

    fn on_reduction_complete(&mut self, path: &Path, window: &mut Window) {
        self.look(path, window);
        if let Some(cwnd) = self.law.reduced_cwnd(&mut self.socket) {
            (window.cwnd, window.ssthresh) = (cwnd as f64, cwnd as f64);
        }
    }

    fn on_recovery_exit(&mut self, path: &Path, window: &mut Window) {
        self.look(path, window);
        self.set_state(CaState::Open);
    }

    fn on_spurious_loss(&mut self, path: &Path, window: &mut Window) {
        self.on_recovery_exit(path, window);
    }
}
