//! Segment output of two-way TCP, as in ns-2.35's `Agent/TCP/FullTcp`: window limit, Nagle's algorithm, flags.

use super::segment::{State, bit, reason};
use super::socket::{FullTcp, Variant};
use crate::net::{Network, SimulationError, Upcall};
use crate::packet::{SackBlocks, flag};
use crate::transport::one_way::window::{Cause, NewThreshold, NewWindow};

impl FullTcp {
    /// Header size with the timestamp option if enabled, bytes.
    fn header_bytes(&self) -> i32 {
        let config = &self.tcp.config;
        config.tcpip_base_hdr_size + if config.timestamps { config.ts_option_size } else { 0 }
    }

    /// Sends what the window allows, at most `most` segments (0: no limit). `forced` ignores the window and the send
    /// delay for one segment, if there is a reason to send it.
    pub fn send_much(&mut self, forced: bool, why: u8, most: i32, net: &mut Network) {
        if !forced && self.tcp.is_delayed(net) {
            return;
        }
        let mut forced = forced;
        let mut segments = 0;
        loop {
            let seqno = self.next_seqno();
            if !forced && !self.may_send(seqno) {
                return;
            }
            if !forced && self.tcp.config.overhead != 0.0 && !self.tcp.is_delayed(net) {
                self.tcp.delay_sending(net);
                return;
            }
            let mut sent = self.output(seqno, why, net);
            if sent <= 0 {
                return;
            }
            if self.state.flags() & bit::FIN != 0 {
                sent -= 1;
            }
            self.sent(seqno, sent);
            forced = false;
            if self.state.flags() & (bit::SYN | bit::FIN) != 0 {
                return;
            }
            if most != 0 {
                segments += 1;
                if segments >= most {
                    return;
                }
            }
        }
    }

    /// Whether byte `seqno` is within the window and provided by the application.
    pub fn is_in_window(&self, seqno: i32) -> bool {
        let limit = (*self.tcp.ack).wrapping_add(self.tcp.window().wrapping_mul(self.set.segsize));
        let top = if *self.tcp.seqno > limit || self.without_end { limit } else { *self.tcp.seqno };
        seqno < top
    }

    /// Updates the state after sending `bytes` from `seqno`.
    pub fn sent(&mut self, seqno: i32, bytes: i32) {
        if self.variant == Variant::Sack {
            self.sack.sent(seqno, bytes);
        }
        if seqno == *self.tcp.t_seqno {
            self.tcp.t_seqno.set(seqno + bytes, &mut self.tcp.log);
        }
        self.pipe += bytes;
    }

    /// Whether an ACK is due.
    pub fn owes_ack(&self) -> bool {
        if self.pending.ack_now {
            return true;
        }
        let few_came = self.set.spa_thresh > 0 && self.rcv_nxt - self.irs < self.set.spa_thresh;
        let segments = if few_came { 1 } else { self.set.segsperack };
        self.rcv_nxt - self.last_ack_sent >= segments.wrapping_mul(self.set.segsize)
    }

    /// Whether the connection was idle for longer than a timeout.
    fn was_idle(&self, now_s: f64) -> bool {
        if self.last_send_s < 0.0 {
            return false;
        }
        let tick = self.tcp.config.tcp_tick;
        let mut idle_s = now_s - self.last_send_s;
        if !self.tcp.config.timestamps {
            let phase = (self.last_send_s + self.tcp.boot_time) % tick;
            idle_s = f64::from(((idle_s + phase) / tick) as i32) * tick;
        }
        idle_s > self.tcp.rtt.timeout_s
    }

    /// Bytes that a segment from `seqno` on may carry.
    fn bytes_for(&self, seqno: i32) -> i32 {
        if seqno == self.set.iss && !self.set.data_on_syn {
            return 0;
        }
        let buffered = self.buffered();
        let base = if *self.tcp.ack < 0 { self.set.iss } else { *self.tcp.ack };
        let offset = seqno - base;
        let window = self.tcp.window().wrapping_mul(self.set.segsize);
        let bytes = if self.set.pipectrl { buffered - offset } else { buffered.min(window) - offset };
        bytes.clamp(0, self.set.segsize)
    }

    /// Sends a segment from byte `seqno` on, if there is a reason to. Returns the sequence numbers used: bytes, plus
    /// one each for SYN and FIN.
    pub fn output(&mut self, seqno: i32, why: u8, net: &mut Network) -> i32 {
        if self.set.segsize == 0 {
            self.set.segsize = self.tcp.end.packet_size - self.header_bytes();
        } else {
            self.tcp.end.packet_size = self.set.segsize + self.header_bytes();
        }
        if self.set.segsize <= 0 {
            net.fail(SimulationError::Broken(format!(
                "a segment's size is {} bytes; it must be positive",
                self.set.segsize
            )));
            return 0;
        }
        let again = seqno < *self.tcp.maxseq;
        let quiet = *self.tcp.ack == *self.tcp.maxseq;
        let is_first = seqno == self.set.iss;
        let bytes = self.bytes_for(seqno);
        if self.set.signal_on_empty && self.buffered() == 0 && !is_first {
            self.set.signal_on_empty = false;
            net.notify(Upcall::Emptied(self.tcp.end.id));
        }
        if self.tcp.config.slow_start_restart && quiet && bytes > 0 && self.was_idle(net.now().secs()) {
            self.tcp.cut(NewThreshold::Keep, NewWindow::Initial, Cause::Congestion);
        }

        let mut flags = self.state.flags();
        let empties = !self.without_end && (seqno.wrapping_add(bytes) > *self.tcp.seqno || (is_first && bytes == 0));
        if empties {
            if !is_first {
                net.notify(Upcall::Idle(self.tcp.end.id));
                if self.set.close_on_empty && quiet {
                    self.pending.close = true;
                }
            }
            flags |= bit::PUSH;
        } else {
            flags &= !bit::FIN;
        }
        if self.without_end && is_first && bytes == 0 {
            flags |= bit::PUSH;
        }
        let fills = bytes == self.set.segsize;
        let may_be_small = (quiet || self.set.nodelay) && empties;
        let is_large = f64::from(bytes) >= self.tcp.config.window * f64::from(self.set.segsize) / 2.0;
        let carries = bytes > 0 && (fills || may_be_small || again || is_large);
        let controls = self.pending.ack_now || self.pending.close || flags & (bit::SYN | bit::FIN) != 0;
        if !carries && !self.owes_ack() && !controls {
            return 0;
        }
        flags |= self.marks(flags, bytes, again);
        let is_syn = flags & bit::SYN != 0;
        if std::mem::take(&mut self.pending.close) && self.state <= State::Established && self.state != State::Closed {
            flags |= bit::FIN;
            self.state = State::FinWait1;
        }
        let is_fin = flags & bit::FIN != 0;
        let ackno = self.rcv_nxt;
        self.send_segment(seqno, ackno, flags, bytes, why, net);
        self.pending.ack_now = false;
        self.pending.ack_later = false;

        let used = bytes + i32::from(is_syn) + i32::from(is_fin);
        if self.tcp.tell_reduced && used > 0 && !again {
            self.tcp.tell_reduced = false;
        }
        let highest = seqno + used;
        if highest > *self.tcp.maxseq {
            self.tcp.maxseq.set(highest, &mut self.tcp.log);
            if !self.tcp.config.timestamps && !self.tcp.timing {
                self.tcp.timing = true;
                self.tcp.timed_seqno = seqno;
                self.tcp.timed_at = net.now().secs();
            }
        }
        if used != 0 {
            self.tcp.ensure_retransmit_timer(net);
        }
        used
    }

    /// The ECN flags (ECE, CWR) of a segment with these flags.
    fn marks(&mut self, flags: u8, bytes: i32, again: bool) -> u8 {
        let config = &self.tcp.config;
        let is_syn = flags & bit::SYN != 0;
        let mut marks = 0;
        if config.ecn && is_syn {
            marks |= bit::ECN_ECHO;
            if flags & bit::ACK == 0 {
                marks |= bit::REDUCED;
            }
        }
        let is_syn_ack = is_syn && flags & bit::ACK != 0;
        if config.ecn
            && !is_syn_ack
            && self.tcp.peer_marks
            && self.tcp.tell_reduced
            && (!again || config.set_cwr_on_retransmit)
        {
            marks |= bit::REDUCED;
            self.tcp.tell_reduced = false;
        }
        if bytes > 0 && self.tcp.tell_reduced && !again {
            marks |= bit::REDUCED;
        }
        if self.echoes() {
            marks |= bit::ECN_ECHO;
        }
        marks
    }

    /// Whether segments carry an ECN echo.
    fn echoes(&self) -> bool {
        self.tcp.config.ecn && self.tcp.peer_marks && self.echo_marks
    }

    /// Builds a segment's packet and sends it.
    pub fn send_segment(&mut self, seqno: i32, ackno: i32, flags: u8, bytes: i32, why: u8, net: &mut Network) {
        let id = self.tcp.end.make_packet(net);
        if let Some(xcp) = &mut self.xcp {
            xcp.ask(&mut self.tcp, id, bytes != 0, net);
        }
        let config = &self.tcp.config;
        let now_s = net.now().secs();
        let mut header_len = self.header_bytes();
        if self.variant == Variant::Sack && !self.held.is_empty() {
            let mut blocks = SackBlocks::default();
            let most = usize::try_from(self.sack.set.max_sack_blocks).unwrap_or(0);
            for (first, after) in self.held.latest().take(most) {
                blocks.push(first, after);
            }
            header_len += blocks.as_slice().len() as i32 * self.sack.set.sack_block_size;
            header_len += self.sack.set.sack_option_size;
            net.packets.set_sack(id, blocks);
        }
        let is_syn_ack = flags & bit::SYN != 0 && flags & bit::ACK != 0;
        let may_be_marked = config.ecn && (bytes > 0 || (self.set.ecn_syn && self.mark_next_syn && is_syn_ack));
        let echoes = flags & bit::ECN_ECHO != 0 || self.echoes();
        let packet = &mut net.packets[id];
        packet.seqno = seqno;
        packet.ackno = ackno;
        packet.tcp_flags = flags;
        packet.reason = why;
        packet.header_len = header_len;
        packet.size = bytes + header_len;
        (packet.ts, packet.ts_echo) = if config.timestamps { (now_s, self.recent_ts) } else { (-1.0, -1.0) };
        packet.flags &= !(flag::ECN_CAPABLE | flag::ECN_ECHO | flag::CONG_ACTION);
        if may_be_marked && self.tcp.peer_marks {
            packet.flags |= flag::ECN_CAPABLE;
        }
        if echoes {
            packet.flags |= flag::ECN_ECHO;
        }
        if flags & bit::REDUCED != 0 {
            packet.flags |= flag::CONG_ACTION;
        }
        if packet.kind.is_datagram() {
            packet.flags |= flag::WITHOUT_RTP;
        }
        let tcp = &mut self.tcp;
        if bytes <= 0 {
            tcp.nackpack.set(*tcp.nackpack + 1, &mut tcp.log);
        } else {
            tcp.ndatapack.set(*tcp.ndatapack + 1, &mut tcp.log);
            tcp.ndatabytes.set(tcp.ndatabytes.wrapping_add(bytes), &mut tcp.log);
            self.last_send_s = now_s;
        }
        if matches!(why, reason::TIMEOUT | reason::DUPLICATES | reason::TIMER) {
            tcp.nrexmitpack.set(*tcp.nrexmitpack + 1, &mut tcp.log);
            tcp.nrexmitbytes.set(tcp.nrexmitbytes.wrapping_add(bytes), &mut tcp.log);
        }
        self.last_ack_sent = ackno;
        tcp.flush(net);
        tcp.end.send(net, id);
    }
}
