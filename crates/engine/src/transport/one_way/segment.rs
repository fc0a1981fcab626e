//! Sending a segment, as in ns-2.35's base TCP agent.

use super::cold_state::ColdState;
use super::connection::{Bound, Connection};
use crate::net::{Network, Upcall};
use crate::packet::{PacketId, flag};
use crate::random::rng::Source;
use crate::transport::agent::REDUCED_BYTE;

/// Why a segment is sent; a field of the packet.
pub mod reason {
    /// A normal transmission.
    pub const NONE: u8 = 0;
    /// After a timeout.
    pub const TIMEOUT: u8 = 1;
    /// After duplicate ACKs.
    pub const DUPLICATES: u8 = 2;
    /// After a partial ACK.
    pub const PARTIAL_ACK: u8 = 4;
    /// Paced after an idle period.
    pub const PACED: u8 = 3;
}

/// Timer value when the sender gives up its SYN, s.
const GIVEN_UP_S: f64 = 10_000.0;

impl Connection {
    /// Sends packet `seqno`.
    pub fn output(&mut self, seqno: i32, reason: u8, net: &mut Network) {
        self.output_with(seqno, reason, net, |_, _, _| {});
    }

    /// Sends packet `seqno`; `add` may add further fields.
    #[inline(always)]
    pub fn output_with(
        &mut self,
        seqno: i32,
        reason: u8,
        net: &mut Network,
        add: impl FnOnce(&mut Connection, PacketId, &mut Network),
    ) {
        let id = self.make_segment(seqno, reason, net);
        let mut bytes = net.packets[id].size;
        self.remember_sending_time(seqno, net.packets[id].ts);
        let again = seqno < *self.maxseq;
        self.mark_segment(id, !again || self.config.set_cwr_on_retransmit, net);
        let packet = &mut net.packets[id];
        if self.is_in_quick_start() {
            packet.flags |= flag::QUICK_START;
        }
        if seqno == 0 {
            if self.config.ecn {
                packet.flags = packet.flags & !flag::ECN_CAPABLE | flag::ECN_ECHO;
            }
            if self.config.syn {
                bytes = 0;
                packet.size = self.config.tcpip_base_hdr_size;
                if *self.maxseq == -1 {
                    self.seqno.set(*self.seqno + 1, &mut self.log);
                }
                self.syns_sent += 1;
                if self.config.max_connects > 0 && self.syns_sent > self.config.max_connects {
                    self.seqno.set(0, &mut self.log);
                    net.set_timer(self.retransmit_timer, GIVEN_UP_S);
                    net.free(id);
                    return;
                }
            }
            if self.config.qs_enabled {
                self.ask_for_rate(id, net);
            }
        } else if self.config.use_headers {
            packet.size += self.header_bytes();
        }
        let nothing_in_flight = *self.ack == *self.maxseq;
        add(self, id, net);
        self.count_packet();
        self.count_bytes(bytes);
        self.hand_over(id, net);
        self.sent(seqno, bytes, net);
        if nothing_in_flight || !net.timer_runs(self.retransmit_timer) {
            self.set_retransmit_timer(net);
        }
    }

    /// Sends one packet that ns-2 sends whatever the window is.
    pub fn output_past_window(&mut self, seqno: i32, reason: u8, net: &mut Network) {
        let bound = std::mem::replace(&mut self.bound, Bound::InFlight);
        self.output(seqno, reason, net);
        self.bound = bound;
    }

    /// Header size of a segment, bytes.
    pub(crate) fn header_bytes(&self) -> i32 {
        let option = if self.config.timestamps { self.config.ts_option_size } else { 0 };
        self.config.tcpip_base_hdr_size + option
    }

    /// Creates a packet for segment `seqno`, without headers and flags.
    pub fn make_segment(&mut self, seqno: i32, reason: u8, net: &mut Network) -> PacketId {
        let id = self.end.make_packet(net);
        let packet = &mut net.packets[id];
        packet.seqno = seqno;
        packet.last_rtt_ms = (f64::from(*self.rtt.rtt) * self.config.tcp_tick * 1000.0) as i32;
        packet.ts = packet.made_at.secs();
        packet.reason = reason;
        if packet.kind.is_datagram() {
            packet.flags |= flag::WITHOUT_RTP;
        }
        id
    }

    /// Echoes the receiver's timestamp and sets the ECN-capable flag. If `may_tell`, also sets the CWR flag of a
    /// reduced window.
    pub fn mark_segment(&mut self, id: PacketId, may_tell: bool, net: &mut Network) {
        let packet = &mut net.packets[id];
        packet.ts_echo = self.peer_timestamp;
        if self.config.ecn {
            packet.flags |= flag::ECN_CAPABLE;
        }
        if self.tell_reduced && may_tell {
            packet.flags |= flag::CONG_ACTION;
            self.tell_reduced = false;
            if net.lacks_flags {
                net.packets[id].size |= REDUCED_BYTE;
            }
        }
    }

    /// Counts a packet sent.
    pub fn count_packet(&mut self) {
        self.ndatapack.set(*self.ndatapack + 1, &mut self.log);
    }

    /// Counts bytes sent.
    pub fn count_bytes(&mut self, bytes: i32) {
        self.ndatabytes.set(self.ndatabytes.wrapping_add(bytes), &mut self.log);
    }

    /// Sends a packet after the pending reports.
    pub fn hand_over(&mut self, id: PacketId, net: &mut Network) {
        self.flush(net);
        self.end.send(net, id);
    }

    /// Updates the accounting after a transmission: highest packet, timed packet, retransmissions.
    pub fn sent(&mut self, seqno: i32, bytes: i32, net: &mut Network) {
        if seqno > *self.maxseq {
            if !self.is_within_window(seqno) {
                self.report_send_beyond_window(seqno, net);
            }
            if seqno == *self.seqno {
                net.notify(Upcall::Idle(self.end.id));
            }
            self.maxseq.set(seqno, &mut self.log);
            if !self.timing {
                self.timing = true;
                if seqno > self.timed_seqno {
                    self.timed_seqno = seqno;
                    self.timed_at = net.now().secs();
                }
            }
        } else {
            self.nrexmitpack.set(*self.nrexmitpack + 1, &mut self.log);
            self.nrexmitbytes.set(self.nrexmitbytes.wrapping_add(bytes), &mut self.log);
        }
    }

    /// Sets the retransmission timer unless it is running.
    pub fn ensure_retransmit_timer(&mut self, net: &mut Network) {
        if !net.timer_runs(self.retransmit_timer) {
            self.set_retransmit_timer(net);
        }
    }

    /// Delays sending by a random time.
    pub fn delay_sending(&mut self, net: &mut Network) {
        let delay_s = net.rng.of(Source::Sending(self.end.id.0)).uniform_below(self.config.overhead);
        self.delay_sending_by(delay_s, net);
    }

    /// With `bug_fix_ts`: stores the transmission time of a packet.
    fn remember_sending_time(&mut self, seqno: i32, now_s: f64) {
        if self.config.bug_fix_ts {
            let sent_at = &mut self.rare.get_or_insert_default().sent_at;
            if sent_at.is_empty() {
                sent_at.resize(100, 0.0);
            }
            let size = sent_at.len();
            if f64::from(seqno - *self.ack) > size as f64 * 0.9 {
                let mut longer = vec![0.0; size * 2];
                for slot in (0..size as i32).filter_map(|offset| usize::try_from(*self.ack + offset).ok()) {
                    longer[slot % (size * 2)] = sent_at[slot % size];
                }
                *sent_at = longer;
            }
        }
        if let Some(ColdState { sent_at, .. }) = self.rare.as_deref_mut()
            && !sent_at.is_empty()
        {
            let size = sent_at.len();
            sent_at[seqno as usize % size] = now_s;
        }
    }

    /// With `bug_fix_ts`: last transmission time of a packet in flight, s.
    pub fn sending_time(&self, seqno: i32) -> Option<f64> {
        let sent_at = self.sent_at();
        Some(sent_at[usize::try_from(seqno).ok()?.checked_rem(sent_at.len())?])
    }

    /// Whether the last ACK of new data echoes the last transmission of the packet that it acknowledges.
    pub fn answers_retransmission(&self) -> bool {
        let acked = usize::try_from(*self.ack).unwrap_or_default();
        let sent_at = self.sent_at();
        !sent_at.is_empty() && sent_at[acked % sent_at.len()] == self.echoed_timestamp
    }

    fn sent_at(&self) -> &[f64] {
        self.rare.as_ref().filter(|_| self.config.bug_fix_ts).map_or(&[], |rare| &rare.sent_at)
    }
}
