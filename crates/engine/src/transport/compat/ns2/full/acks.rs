//! ACK processing of two-way TCP, as in ns-2.35's `Agent/TCP/FullTcp`.

use super::segment::{Segment, State, bit, reason};
use super::socket::{FullTcp, Variant};
use crate::net::{Network, Upcall};
use crate::packet::flag;

/// The next step for a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Drop it.
    Drop,
    /// Process its ACK of new data.
    NewAck,
    /// Process its data.
    Bytes,
}

impl FullTcp {
    /// Accounting for an ACK: timers, sequence numbers, round-trip time.
    pub fn new_ack(&mut self, segment: &Segment, net: &mut Network) {
        let ackno = segment.ackno;
        let is_new = ackno > *self.tcp.ack;
        if self.dctcp.dctcp && is_new {
            let (bytes, next) = (ackno - *self.tcp.ack, *self.tcp.maxseq);
            self.dctcp.acknowledged(bytes, ackno, next, segment.echoes_mark() && !segment.has(bit::SYN));
        }
        if ackno == *self.tcp.maxseq {
            self.tcp.stop_retransmit_timer(net);
        } else if is_new {
            self.set_retransmit_timer(net);
        }
        let tcp = &mut self.tcp;
        if is_new {
            tcp.ack.set(ackno, &mut tcp.log);
        }
        if *tcp.t_seqno < *tcp.ack {
            tcp.t_seqno.set(*tcp.ack, &mut tcp.log);
        }
        if !segment.is_timed() {
            return;
        }
        let now_s = net.now().secs();
        let ends_back_off = !tcp.peer_marks || !tcp.mark_backoff || !segment.echoes_mark();
        if tcp.config.timestamps {
            self.recent_at = now_s;
            self.recent_ts = segment.ts;
            if let Some(xcp) = &mut self.xcp {
                xcp.sample(tcp, now_s - segment.ts_echo, now_s);
            }
            tcp.sample(now_s - segment.ts_echo, now_s);
            if tcp.config.ts_reset_rto && ends_back_off {
                tcp.rtt.backoff.set(1, &mut tcp.log);
            }
        } else if tcp.timing && ackno > tcp.timed_seqno {
            tcp.timing = false;
            if let Some(xcp) = &mut self.xcp {
                xcp.sample(tcp, now_s - tcp.timed_at, now_s);
            }
            tcp.sample(now_s - tcp.timed_at, now_s);
        }
        if ends_back_off {
            tcp.rtt.backoff.set(1, &mut tcp.log);
            tcp.mark_backoff = false;
        }
    }

    /// Restarts the retransmission timer. After a marked SYN/ACK it runs for one round trip, without the minimum
    /// timeout.
    fn set_retransmit_timer(&mut self, net: &mut Network) {
        self.tcp.set_retransmit_timer(net);
        if std::mem::take(&mut self.waits_round_trip) {
            let timeout_s = self.tcp.rtt.timeout_from(0.0, &self.tcp.config);
            net.set_timer(self.tcp.retransmit_timer, timeout_s);
        }
    }

    /// Whether an ACK is partial, so that recovery continues.
    fn is_partial(&self, ackno: i32) -> bool {
        self.recovering && ackno >= *self.tcp.ack && ackno < self.tcp.recover
    }

    /// Processes the ACK of our SYN/ACK. Returns whether the connection opens.
    fn syn_acknowledged(&mut self, segment: &Segment, net: &mut Network) -> bool {
        if segment.ackno < *self.tcp.ack || segment.ackno > *self.tcp.maxseq {
            self.refuse(segment, net);
            return false;
        }
        let marked = self.tcp.config.ecn && self.tcp.peer_marks && self.set.ecn_syn && segment.echoes_mark();
        let wait = self.set.ecn_syn_wait;
        if marked && wait == 2 {
            self.tcp.stop_retransmit_timer(net);
            self.mark_next_syn = false;
            let iss = self.set.iss;
            self.output(iss, reason::NORMAL, net);
            self.tcp.config.window_init_option = 1;
            self.tcp.config.window_init = 1.0;
            return false;
        }
        let window = match wait {
            1 if marked => 1.0,
            ..=1 if marked => 2.0,
            _ => self.tcp.initial_window(net),
        };
        self.waits_round_trip = marked && wait == 1;
        self.tcp.cwnd.set(window, &mut self.tcp.log);
        self.state = if std::mem::take(&mut self.pending.fin) { State::FinWait1 } else { State::Established };
        true
    }

    /// Processes the ACK of a segment in a connection that is open or being opened.
    pub fn take_ack(&mut self, segment: &Segment, is_duplicate: bool, net: &mut Network) -> Next {
        if self.state == State::SynReceived && !self.syn_acknowledged(segment, net) {
            return Next::Drop;
        }
        self.note_marks(segment, net);
        if self.variant == Variant::Sack && self.state >= State::Established && segment.blocks > 0 {
            self.sack.take(net.packets.sack(segment.packet), segment.came_with & bit::FIN != 0);
        }
        if self.recovering && (segment.len == 0 || segment.ackno > *self.tcp.ack) {
            self.pipe -= self.set.segsize;
        }
        if segment.ackno > *self.tcp.ack {
            return Next::NewAck;
        }
        if segment.len == 0 && !(self.set.dupseg_fix && is_duplicate) {
            self.duplicate_ack(segment.ackno, net)
        } else {
            if self.set.dupack_reset {
                self.tcp.dupacks.set(0, &mut self.tcp.log);
                self.recovering = false;
            }
            Next::Bytes
        }
    }

    /// Processes an ACK without data that acknowledges nothing new.
    fn duplicate_ack(&mut self, ackno: i32, net: &mut Network) -> Next {
        let tcp = &mut self.tcp;
        if !net.timer_runs(tcp.retransmit_timer) || ackno < *tcp.ack {
            tcp.dupacks.set(0, &mut tcp.log);
            return Next::Bytes;
        }
        tcp.dupacks.set(*tcp.dupacks + 1, &mut tcp.log);
        let (count, enough) = (*tcp.dupacks, self.set.tcprexmtthresh);
        if count == enough {
            self.enough_duplicates(net);
            return Next::Drop;
        }
        if count > enough {
            self.more_duplicates();
            let most = self.tcp.config.maxburst;
            self.send_much(false, reason::DUPLICATES, most, net);
            return Next::Drop;
        }
        Next::Bytes
    }

    /// Stores a CE mark, to echo it until the peer sends CWR.
    pub fn note_marks(&mut self, segment: &Segment, net: &mut Network) {
        if !self.tcp.config.ecn {
            return;
        }
        if self.dctcp.dctcp {
            return self.echo_exactly(segment, net);
        }
        if segment.carries(flag::MARKED) && segment.carries(flag::ECN_CAPABLE) {
            self.echo_marks = true;
        } else if segment.carries(flag::CONG_ACTION) {
            self.echo_marks = false;
        }
    }

    /// Processes an ACK of new data: window growth and closing. Sets `needs_output` if a segment must be sent in any
    /// case.
    pub fn take_new_ack(&mut self, segment: &Segment, needs_output: &mut bool, net: &mut Network) -> Next {
        let ackno = segment.ackno;
        if ackno > *self.tcp.maxseq {
            self.acknowledge(net);
            return Next::Drop;
        }
        self.new_ack(segment, net);
        let partial = self.is_partial(ackno);
        if partial {
            self.partly_acknowledged(net);
        } else {
            self.acknowledged();
        }
        if segment.echoes_mark() && !segment.has(bit::SYN) {
            if self.dctcp.dctcp {
                self.handle_exact_echo();
            } else {
                self.tcp.handle_ecn_echo(*self.tcp.ack);
            }
            if *self.tcp.cwnd < 1.0 {
                self.set_retransmit_timer(net);
            }
        }
        let all = ackno == *self.tcp.maxseq;
        *needs_output |= all;
        if ackno == *self.tcp.ack + 1 {
            return Next::Bytes;
        }
        let may_open = (!self.tcp.config.delay_growth || self.rcv_nxt > 0)
            && self.last_state == State::Established
            && (!partial || self.set.open_cwnd_on_pack)
            && !(self.tcp.peer_marks && segment.echoes_mark());
        if may_open && self.xcp.is_none() {
            self.tcp.open_window(net);
        }
        if !all {
            return Next::Bytes;
        }
        match self.state {
            State::FinWait1 => {
                self.state = State::FinWait2;
                self.stop_timers(net);
                *needs_output = false;
            }
            State::Closing => {
                self.state = State::Closed;
                self.stop_timers(net);
            }
            State::LastAck => {
                self.state = State::Closed;
                net.notify(Upcall::Done(self.tcp.end.id));
                self.resets_at_end = true;
                return Next::Drop;
            }
            _ => {}
        }
        Next::Bytes
    }
}
