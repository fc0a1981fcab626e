//! The handshake of a client: SYN, SYN-ACK, and SYNs that cross.
//!
//! Source: RFC 9293, 3.5 and 3.10.7.3 (SYN-SENT); RFC 5961; Linux's `tcp_connect_init`, `tcp_connect`,
//! `tcp_rcv_synsent_state_process`, `tcp_finish_connect`, `tcp_init_transfer`, `tcp_try_undo_spurious_syn`.
//! What it decides: how a connection is opened and what is negotiated. The SYN stands in the retransmit queue; the
//! sender's timer retransmits it.
//! Departures: none.
//! Not implemented: fast open; data on a SYN is ignored.
//! Checked against: packetdrill; the tests of [`super`].

use super::clock::{Duration, Instant};
use super::receiver::delayed_ack::TCP_DELACK_MAX;
use super::request::Request;
use super::rx_opt::TCPOLEN_TSTAMP_ALIGNED;
use super::segment::{Segment, flag};
use super::sender::AckFlags;
use super::seq::SeqNum;
use super::{Event, Socket, SocketError, TcpState};

/// State of opening a connection.
#[derive(Clone, Debug, Default)]
pub(super) struct Handshake {
    /// Initial sequence number.
    pub iss: SeqNum,
    /// Value of our timestamp clock at time 0 (`tsoffset`).
    pub ts_offset: u32,
    /// Our timestamp clock, without its offset, when the first SYN or SYN-ACK was sent.
    pub syn_stamp: u32,
    /// SYNs that requested ECN and were retransmitted.
    pub ecn_syn_retries: u8,
    /// A SYN has arrived and was answered; the last ACK of the handshake is missing.
    pub request: Option<Request>,
    /// RTT of the SYN-ACK, if it was sent once.
    pub synack_rtt: Option<Duration>,
}

impl Socket {
    /// MSS that we advertise: that of the path, or less if the application says so (`tcp_mss_clamp`).
    pub(super) fn advertised_mss(&self) -> u32 {
        let mss = u32::from(self.config.mss);
        if self.rx_opt.user_mss != 0 { mss.min(u32::from(self.rx_opt.user_mss)) } else { mss }
    }

    /// Sends the SYN (`tcp_connect`).
    pub(super) fn start_connect(&mut self, now: Instant) {
        self.state = TcpState::SynSent;
        if self.rx_opt.user_mss != 0 {
            self.rx_opt.mss_clamp = self.rx_opt.user_mss;
        }
        self.rcv.advmss = self.advertised_mss();
        let window = self.select_initial_window(self.rcv.advmss, self.config.window_scaling);
        self.rcv.rcv_wnd = window.rcv_wnd;
        self.rcv.window_clamp = window.window_clamp;
        self.rcv.rcv_ssthresh = window.rcv_wnd;
        self.rx_opt.rcv_wscale = window.rcv_wscale;
        self.snd.mss_clamp = self.rx_opt.mss_clamp.max(self.config.mss);
        self.handshake.syn_stamp = self.timestamp_ms(now);
        let flags = flag::SYN | self.ecn_syn_flags();
        self.queue_syn(now, flags);
        self.initialize_rcv_mss();
    }

    /// A segment arrives in SYN-SENT (`tcp_rcv_synsent_state_process`).
    pub(super) fn synsent_state_process(&mut self, now: Instant, segment: &Segment) {
        let saved_clamp = self.rx_opt.mss_clamp;
        self.rx_opt.parse_syn(&self.config, segment, self.handshake.ts_offset);
        let rx_opt = &self.rx_opt;
        if segment.has(flag::ACK) {
            let mut is_bad = !segment.ack.after(self.snd.snd_una) || segment.ack.after(self.snd.snd_nxt);
            if rx_opt.saw_tstamp && rx_opt.rcv_tsecr != 0 {
                let since_syn = rx_opt.rcv_tsecr.wrapping_sub(self.handshake.syn_stamp);
                let elapsed = self.timestamp_ms(now).wrapping_sub(self.handshake.syn_stamp);
                is_bad |= since_syn > elapsed;
            }
            if is_bad {
                self.undo_options(saved_clamp);
                self.send_reset(segment);
            } else if segment.has(flag::RST) {
                self.reset_arrived(now);
            } else if segment.has(flag::SYN) {
                self.synack_arrived(now, segment);
            } else {
                self.undo_options(saved_clamp);
            }
        } else if segment.has(flag::SYN)
            && !segment.has(flag::RST)
            && !(rx_opt.ts_recent_stamp.is_some() && rx_opt.saw_tstamp && rx_opt.paws_reject(now, false))
        {
            self.crossed_syn(now, segment);
        } else {
            self.undo_options(saved_clamp);
        }
    }

    /// The segment is ignored: forgets its options.
    fn undo_options(&mut self, saved_clamp: u16) {
        self.rx_opt.clear();
        self.rx_opt.mss_clamp = saved_clamp;
    }

    /// The SYN-ACK is acceptable: the connection is established.
    fn synack_arrived(&mut self, now: Instant, segment: &Segment) {
        self.ecn_rcv_synack(segment);
        self.snd.snd_wl1 = segment.seq;
        self.try_undo_spurious_syn();
        self.on_ack(now, segment, AckFlags::default());
        self.set_rcv_start(segment.seq);
        self.snd.snd_wnd = u32::from(segment.window);
        if !self.rx_opt.wscale_ok {
            self.rx_opt.snd_wscale = 0;
            self.rx_opt.rcv_wscale = 0;
            self.rcv.window_clamp = self.rcv.window_clamp.min(65_535);
        }
        self.use_timestamps_if_seen(now);
        if self.rx_opt.tstamp_ok {
            self.rcv.advmss -= TCPOLEN_TSTAMP_ALIGNED;
        }
        self.share_options();
        self.initialize_rcv_mss();
        self.finish_connect(now);
        if self.handshake_ack_may_wait() {
            self.rcv.ack.schedule();
            self.enter_quickack_mode(self.config.max_quickacks);
            self.set_delack_timer(now, now + TCP_DELACK_MAX.min(self.delack_max()));
        } else {
            self.send_handshake_ack(now);
            self.push_pending(now);
        }
    }

    /// Tells the sender what was negotiated, and computes its MSS.
    pub(super) fn share_options(&mut self) {
        self.snd.snd_wscale = self.rx_opt.snd_wscale;
        self.snd.mss_clamp = self.rx_opt.mss_clamp;
        self.snd.sack_ok = self.rx_opt.sack_ok;
        self.snd.header_options = if self.rx_opt.tstamp_ok { TCPOLEN_TSTAMP_ALIGNED } else { 0 };
        self.sync_mss();
    }

    /// Whether the last ACK of the handshake may wait for data of ours.
    fn handshake_ack_may_wait(&self) -> bool {
        self.defer_accept > 0 || self.in_pingpong_mode()
    }

    /// A SYN crossed ours: answers with a SYN-ACK (RFC 9293, 3.5, figure 7).
    fn crossed_syn(&mut self, now: Instant, segment: &Segment) {
        self.state = TcpState::SynReceived;
        self.use_timestamps_if_seen(now);
        self.set_rcv_start(segment.seq);
        self.snd.snd_wnd = u32::from(segment.window);
        self.snd.snd_wl1 = segment.seq;
        self.snd.max_window = self.snd.snd_wnd;
        if !self.rx_opt.wscale_ok {
            self.rx_opt.snd_wscale = 0;
            self.rx_opt.rcv_wscale = 0;
        }
        self.ecn_rcv_syn(segment);
        self.share_options();
        self.initialize_rcv_mss();
        self.send_crossed_synack(now);
    }

    /// The peer's sequence numbers begin after its SYN.
    pub(super) fn set_rcv_start(&mut self, syn_seq: SeqNum) {
        let start = syn_seq.add(1);
        self.rcv.rcv_nxt = start;
        self.rcv.rcv_wup = start;
        self.rcv.copied_seq = start;
        self.rcv.rcv_mwnd_seq = start.add(self.rcv.rcv_wnd);
    }

    /// Timestamps are used if the peer's SYN has them.
    fn use_timestamps_if_seen(&mut self, now: Instant) {
        if self.rx_opt.saw_tstamp {
            self.rx_opt.tstamp_ok = true;
            self.rx_opt.store_ts_recent(now);
        }
    }

    /// The client's side is established (`tcp_finish_connect`).
    fn finish_connect(&mut self, now: Instant) {
        self.state = TcpState::Established;
        self.rcv.ack.lrcvtime = now;
        self.init_transfer(now);
        self.start_keepalive(now);
        self.events.push_back(Event::Connected);
    }

    /// Transfer begins: congestion window and buffers (`tcp_init_transfer`).
    pub(super) fn init_transfer(&mut self, now: Instant) {
        self.init_sender(now);
        self.init_buffer_space(now);
    }

    /// The echoed timestamp is that of the first SYN: the timeout was spurious (`tcp_try_undo_spurious_syn`).
    pub(super) fn try_undo_spurious_syn(&mut self) {
        if self.rx_opt.saw_tstamp && self.rx_opt.rcv_tsecr == self.handshake.syn_stamp {
            self.snd.undo_marker = None;
        }
    }

    /// Begins to connect; fails if the socket is in use.
    pub(super) fn check_can_connect(&self) -> Result<(), SocketError> {
        match self.state {
            TcpState::Closed if self.error.is_none() => Ok(()),
            TcpState::Listen => Err(SocketError::Invalid),
            _ => Err(SocketError::AlreadyConnected),
        }
    }
}
