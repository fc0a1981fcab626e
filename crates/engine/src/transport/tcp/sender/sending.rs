//! Transmission: which segment to send next, and when (window, receiver's window, pacing).

use super::Modern;
use super::state::CaState;
use crate::net::Network;
use crate::packet::flag;
use crate::transport::one_way::connection::Connection;
use crate::transport::one_way::segment::reason;
use crate::transport::tcp::cc::{CongestionEvent, Response, Window};

/// Tracks whether the sender is cwnd-limited (RFC 7661; the method is Linux's).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    /// The window stopped the sender.
    is_full: bool,
    /// Max packets outstanding in the present window of data.
    most_out: u32,
    /// The present window of data ends with this segment.
    until: i32,
}

impl Usage {
    /// Records, after a round of sending, whether the window stopped it.
    fn note(&mut self, is_full: bool, out: u32, first: i32, next: i32) {
        if first >= self.until || is_full || (!self.is_full && out > self.most_out) {
            *self = Usage { is_full, most_out: out, until: next };
        }
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
        let mut is_full = false;
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
        }
        if !is_full && self.has_nothing_to_send(tcp) {
            let in_flight = self.rtx_queue.in_flight();
            self.delivery.mark_app_limited(in_flight);
        }
        let out = self.outstanding();
        self.usage.note(is_full, out, self.rtx_queue.snd_una(), self.rtx_queue.snd_nxt());
        self.arm_timer(tcp, net);
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
            self.restart_pto(now_s);
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
        let idle_s = now_s - self.delivery.delivered_time_s;
        let rto_s = self.rtt.base_rto_s(&tcp.config);
        let timeouts = if tcp.config.slow_start_restart { (idle_s / rto_s) as u32 } else { 0 };
        let path = self.path(tcp, now_s);
        self.control.on_idle_restart(idle_s, timeouts, tcp.config.window_init, &path, &mut self.window);
    }

    /// `TLP_send_probe` (RFC 8985, 7.3): sends new data if available, otherwise retransmits the last segment.
    pub(super) fn send_probe(&mut self, tcp: &mut Connection, net: &mut Network) {
        let may_be_new = self.may_send_new(tcp);
        let seqno = if may_be_new { *tcp.t_seqno } else { self.rtx_queue.snd_nxt() - 1 };
        self.transmit(tcp, seqno, reason::TIMEOUT, net);
        self.tlp.on_probe_sent(self.rtx_queue.snd_nxt(), !may_be_new);
        self.restart_rto(tcp, net.now().secs());
        self.restart_pto(net.now().secs());
    }

    /// A probe repaired a loss that no other ACK reported: a congestion event (RFC 8985, 7.4.2).
    pub(super) fn on_probe_repaired_loss(&mut self, tcp: &mut Connection, now_s: f64) {
        if !matches!(self.state, CaState::Open) {
            return;
        }
        let path = self.path(tcp, now_s);
        if self.control.on_congestion_event(CongestionEvent::Loss, &path, &mut self.window) == Response::Reduce {
            self.window.cwnd = self.window.ssthresh;
        }
        tcp.count_cut();
    }
}
