//! Transmission: which segment to send next, and when (window, receiver's window, pacing).

use super::Modern;
use super::prr::Prr;
use super::state::CaState;
use crate::net::Network;
use crate::packet::flag;
use crate::transport::one_way::connection::Connection;
use crate::transport::one_way::segment::reason;
use crate::transport::tcp::cc::{self, CongestionEvent, Response, Window};

/// Tracks whether the sender is cwnd-limited, and how much of the window it uses (RFC 2861, RFC 7661; the method is
/// Linux's, `tcp_cwnd_validate`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    /// The window stopped the sender.
    is_full: bool,
    /// Max packets outstanding in the present window of data.
    most_out: u32,
    /// The present window of data ends with this segment.
    until: i32,
    /// `snd_cwnd_used`: max packets outstanding since the last validation of the window.
    snd_cwnd_used: u32,
    /// `snd_cwnd_stamp`: when the window was used fully, or set, s.
    snd_cwnd_stamp_s: f64,
    /// `lsndtime`: when the last packet was sent, s.
    last_sent_s: f64,
}

impl Usage {
    /// Records, after a round of sending, whether the window stopped it.
    fn note(&mut self, is_full: bool, out: u32, first: i32, next: i32) {
        if first >= self.until || is_full || (!self.is_full && out > self.most_out) {
            (self.is_full, self.most_out, self.until) = (is_full, out, next);
        }
    }

    /// The window is set for another reason than growth, so its validation starts again.
    pub fn restart_validation(&mut self, now_s: f64) {
        self.snd_cwnd_stamp_s = now_s;
    }

    /// `tcp_cwnd_validate`: lowers a window that was not used for an RTO, halfway to what was used (RFC 2861). `initial` is
    /// the initial window. Returns whether it did.
    fn validate(&mut self, out: u32, rto_s: f64, initial: f64, now_s: f64, window: &mut Window) -> bool {
        if self.is_limited(window) {
            (self.snd_cwnd_used, self.snd_cwnd_stamp_s) = (0, now_s);
            return false;
        }
        self.snd_cwnd_used = self.snd_cwnd_used.max(out);
        if now_s - self.snd_cwnd_stamp_s < rto_s {
            return false;
        }
        let win_used = f64::from(self.snd_cwnd_used).max(initial);
        let is_unused = win_used < window.cwnd;
        if is_unused {
            window.ssthresh = window.ssthresh.max((0.75 * window.cwnd).floor());
            window.cwnd = ((window.cwnd + win_used) / 2.0).floor();
        }
        (self.snd_cwnd_used, self.snd_cwnd_stamp_s) = (0, now_s);
        is_unused
    }

    /// Whether the window stopped the sender in the present window of data.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Whether the sender is cwnd-limited. In slow start it is enough that half of the window is used.
    pub fn is_limited(&self, window: &Window) -> bool {
        self.is_full || (window.in_slow_start() && window.cwnd < 2.0 * f64::from(self.most_out))
    }
}

impl Modern {
    /// Sends all segments that window and pacing allow, and sets the timer.
    pub(super) fn send_allowed(&mut self, tcp: &mut Connection, net: &mut Network) {
        let now_s = net.now().secs();
        if self.window.holds_back {
            self.delivery.mark_app_limited(self.rtx_queue.in_flight());
        }
        let (mut is_full, mut has_sent) = (false, false);
        while let Some((seqno, why)) = self.next_to_send(tcp) {
            if f64::from(self.rtx_queue.in_flight()) + 1.0 > self.window.cwnd.max(1.0).floor() {
                is_full = true;
                break;
            }
            if now_s < self.paced_until_s {
                if !tcp.is_delayed(net) {
                    tcp.delay_sending_by(self.paced_until_s - now_s, net);
                }
                break;
            }
            self.transmit(tcp, seqno, why, net);
            has_sent = true;
        }
        if !is_full && self.has_nothing_to_send(tcp) {
            let in_flight = self.rtx_queue.in_flight();
            self.delivery.mark_app_limited(in_flight);
        }
        is_full |= f64::from(self.rtx_queue.in_flight()) >= self.window.cwnd.max(1.0).floor();
        if has_sent || is_full {
            self.validate_cwnd(tcp, is_full, now_s);
        }
        self.arm_timer(tcp, net);
    }

    /// Records how much of the window is used, and lowers a window that the application or the receiver does not let the
    /// sender use. As in Linux, a control that sets a pacing rate manages its own window.
    fn validate_cwnd(&mut self, tcp: &Connection, is_full: bool, now_s: f64) {
        let out = self.outstanding();
        self.usage.note(is_full, out, self.rtx_queue.snd_una(), self.rtx_queue.snd_nxt());
        let is_open = matches!(self.state, CaState::Open) && !self.is_opening(tcp);
        let manages_own = self.control.has_cong_control() || self.window.pacing_per_s.is_some();
        if is_open && tcp.config.slow_start_restart && !manages_own {
            let rto_s = self.rtt.rto_s(&tcp.config);
            self.usage.validate(out, rto_s, tcp.config.window_init, now_s, &mut self.window);
        } else {
            self.usage.restart_validation(now_s);
        }
    }

    /// The application has no more data, and no lost segment waits for retransmission.
    fn has_nothing_to_send(&mut self, tcp: &Connection) -> bool {
        *tcp.t_seqno >= *tcp.seqno && self.rtx_queue.next_to_retransmit().is_none()
    }

    /// Whether there are new data within the receiver's window.
    fn may_send_new(&self, tcp: &Connection) -> bool {
        let next = *tcp.t_seqno;
        let is_room = f64::from(self.outstanding()) < tcp.config.window;
        next < *tcp.seqno && is_room && self.rwnd_end.is_none_or(|until| next < until)
    }

    /// The next segment to send: lost segments first, then new data within the receiver's window.
    fn next_to_send(&mut self, tcp: &Connection) -> Option<(i32, u8)> {
        let tries_new = self.frto == super::Frto::AwaitSecondAck;
        let may_be_new = self.may_send_new(tcp);
        if tries_new && may_be_new {
            return Some((*tcp.t_seqno, reason::NONE));
        }
        if let Some(seqno) = self.rtx_queue.next_to_retransmit() {
            let why = if matches!(self.state, CaState::Loss) { reason::TIMEOUT } else { reason::DUPLICATES };
            return Some((seqno, why));
        }
        (may_be_new && !(self.is_opening(tcp) && *tcp.t_seqno > 0)).then_some((*tcp.t_seqno, reason::NONE))
    }

    /// Sends one segment.
    pub(super) fn transmit(&mut self, tcp: &mut Connection, seqno: i32, why: u8, net: &mut Network) {
        let now_s = net.now().secs();
        if *tcp.t_seqno == 0 {
            tcp.first_sent_at = now_s;
        }
        let starts = self.rtx_queue.in_flight() == 0;
        self.usage.last_sent_s = now_s;
        let send_state = self.delivery.on_send(now_s, starts);
        let again = self.rtx_queue.send(seqno, &send_state);
        let size = self.put_on_the_wire(tcp, seqno, why, again, net);
        if again {
            if let Some(undo) = &mut self.undo_state {
                undo.on_retransmit(now_s);
            }
        } else {
            tcp.t_seqno.set(seqno + 1, &mut tcp.log);
        }
        if let Some(prr) = self.state.prr_mut() {
            prr.on_send();
        }
        if starts || seqno == self.rtx_queue.snd_una() {
            self.restart_rto(tcp, now_s);
        }
        self.ensure_rto(tcp, now_s);
        if !again {
            self.restart_pto(tcp, now_s);
        }
        self.pace(tcp, size, now_s);
    }

    fn put_on_the_wire(&mut self, tcp: &mut Connection, seqno: i32, why: u8, again: bool, net: &mut Network) -> f64 {
        let said = self.mark_flags(tcp, seqno, again);
        let id = tcp.make_segment(seqno, why, net);
        let mut bytes = net.packets[id].size;
        self.suppress_cwr(tcp);
        tcp.mark_segment(id, !again, net);
        let is_syn = seqno == 0 && tcp.config.syn;
        let packet = &mut net.packets[id];
        packet.flags = (packet.flags & !flag::ECN_CAPABLE) | said;
        packet.payload = if is_syn { 0 } else { bytes };
        if is_syn {
            (bytes, packet.size) = (0, tcp.config.tcpip_base_hdr_size);
            if !again {
                tcp.seqno.set(*tcp.seqno + 1, &mut tcp.log);
            }
        } else if tcp.config.use_headers {
            packet.size += tcp.header_bytes();
        }
        let size = f64::from(packet.size);
        tcp.count_packet();
        tcp.count_bytes(bytes);
        tcp.hand_over(id, net);
        tcp.sent(seqno, bytes, net);
        size
    }

    /// Computes the earliest time of the next packet by pacing.
    fn pace(&mut self, tcp: &Connection, size: f64, now_s: f64) {
        let per_s = self.window.pacing_per_s.or_else(|| {
            let srtt_s = self.rtt.srtt_s?;
            let ratio = if self.window.cwnd < self.window.ssthresh / 2.0 {
                self.options.pacing_ss_ratio
            } else {
                self.options.pacing_ca_ratio
            };
            let out = self.window.cwnd.max(f64::from(self.outstanding()));
            (self.options.pacing && srtt_s > 0.0).then_some(ratio * out / srtt_s)
        });
        let Some(per_s) = per_s.filter(|&per_s| per_s > 0.0) else { return };
        let full =
            f64::from(tcp.end.packet_size) + if tcp.config.use_headers { f64::from(tcp.header_bytes()) } else { 0.0 };
        self.paced_until_s = self.paced_until_s.max(now_s) + size / full / per_s;
    }

    /// Sending resumes after an idle period with nothing in flight.
    pub(super) fn resume(&mut self, tcp: &Connection, net: &Network) {
        if !self.rtx_queue.is_empty() || self.delivery.delivered == 0 {
            return;
        }
        let now_s = net.now().secs();
        let idle_s = now_s - self.usage.last_sent_s;
        let rto_s = self.rtt.base_rto_s(&tcp.config);
        let timeouts = if tcp.config.slow_start_restart { (idle_s / rto_s) as u32 } else { 0 };
        let path = self.path(tcp, now_s);
        self.control.on_idle_restart(idle_s, timeouts, tcp.config.window_init, &path, &mut self.window);
        self.usage.restart_validation(now_s);
    }

    /// `TLP_send_probe` (RFC 8985, 7.3): sends new data if available, otherwise retransmits the last segment.
    pub(super) fn send_probe(&mut self, tcp: &mut Connection, net: &mut Network) {
        let may_be_new = self.may_send_new(tcp);
        let seqno = if may_be_new { *tcp.t_seqno } else { self.rtx_queue.snd_nxt() - 1 };
        self.transmit(tcp, seqno, reason::TIMEOUT, net);
        self.tlp.on_probe_sent(self.rtx_queue.snd_nxt(), !may_be_new);
        self.restart_rto(tcp, net.now().secs());
        self.restart_pto(tcp, net.now().secs());
    }

    /// A probe repaired a loss that no other ACK reported: a congestion event (RFC 8985, 7.4.2). Nothing is left to
    /// repair, so the reduction is over at once, as in Linux (`tcp_process_tlp_ack`).
    pub(super) fn on_probe_repaired_loss(&mut self, tcp: &mut Connection, now_s: f64) {
        if self.state.in_recovery() {
            return;
        }
        let path = self.path(tcp, now_s);
        self.control.on_probe_repaired_loss(&path, &mut self.window);
        let response = self.control.on_congestion_event(CongestionEvent::Loss, &path, &mut self.window);
        self.state = CaState::Cwr((response == Response::Reduce).then(|| Prr::new(self.outstanding(), 0)));
        self.undo_state = None;
        self.control.on_state(cc::CaState::Cwr, &path, &mut self.window);
        self.exit_recovery(&path);
        tcp.count_cut();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // tcp_cwnd_application_limited by hand: of 100 packets at most 20 are used for an RTO of 0.3 s: the window becomes
    // (100 + 20) / 2 and ssthresh 75; then (60 + 20) / 2, and the initial window of 10 is the least that counts as used.
    #[test]
    fn an_unused_window_is_lowered_once_per_rto() {
        let mut usage = Usage::default();
        let mut window = Window { cwnd: 100.0, ssthresh: 50.0, pacing_per_s: None, holds_back: false };
        let mut seen = Vec::new();
        for (now_s, out) in [(0.1, 5), (0.2, 20), (0.3, 10), (0.4, 10), (0.6, 20), (0.9, 2)] {
            usage.note(false, out, out as i32, 1000);
            usage.validate(out, 0.3, 10.0, now_s, &mut window);
            seen.push((window.cwnd, window.ssthresh));
        }
        assert_eq!(seen[..2], [(100.0, 50.0); 2]);
        assert_eq!(seen[2..], [(60.0, 75.0), (60.0, 75.0), (40.0, 75.0), (25.0, 75.0)]);
    }

    // tcp_cwnd_validate: a sender that fills the window keeps it, and its RTO begins again.
    #[test]
    fn a_full_window_is_kept() {
        let mut usage = Usage::default();
        let mut window = Window { cwnd: 100.0, ssthresh: 50.0, pacing_per_s: None, holds_back: false };
        usage.note(true, 100, 0, 100);
        assert!(!usage.validate(100, 0.3, 10.0, 1.0, &mut window));
        usage.note(false, 20, 100, 120);
        assert!(!usage.validate(20, 0.3, 10.0, 1.2, &mut window));
        assert!(usage.validate(20, 0.3, 10.0, 1.4, &mut window));
    }
}
