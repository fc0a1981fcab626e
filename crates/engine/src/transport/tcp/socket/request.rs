//! The handshake of a server: the SYN, and the request socket that waits for the last ACK.
//!
//! Source: RFC 9293, 3.10.7.2 (LISTEN) and 3.10.7.4 (SYN-RECEIVED); RFC 5961, 3 and 4; Linux's `tcp_conn_request`,
//! `tcp_openreq_init_rwin`, `tcp_make_synack`, `tcp_check_req`, `tcp_create_openreq_child`, `reqsk_timer_handler`.
//! What it decides: what the SYN-ACK offers, when it is retransmitted or given up, and which segment completes the
//! handshake.
//! Departures: the socket itself becomes the connection; a listener has one request at a time, and a SYN of another
//! connection is dropped.
//! Not implemented: SYN cookies, fast open, the limits of queues.
//! Checked against: packetdrill; the tests of [`super`].

use super::clock::{Duration, Instant};
use super::receiver::window::InitialWindow;
use super::rx_opt::{OptionsReceived, TCP_MSS_DEFAULT, TCPOLEN_TSTAMP_ALIGNED};
use super::segment::{Segment, Timestamps, flag};
use super::seq::SeqNum;
use super::{Socket, TcpState};

/// A SYN that was answered (`struct tcp_request_sock`).
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Sequence number of the SYN.
    rcv_isn: SeqNum,
    /// What was negotiated.
    rx_opt: OptionsReceived,
    /// The first window.
    window: InitialWindow,
    /// Control bits of the SYN-ACK for ECN.
    ecn_flags: u16,
    /// Timeouts of the SYN-ACK.
    num_timeout: u8,
    /// Retransmissions of the SYN-ACK.
    num_retrans: u8,
    /// When the SYN-ACK times out.
    timer: Instant,
    /// When the SYN-ACK was sent first.
    snt_synack: Instant,
    /// Our timestamps of the first and last SYN-ACK, without offset.
    tsvals: [u32; 2],
    /// An ACK without data was dropped: `TCP_DEFER_ACCEPT` waits for data.
    acked: bool,
    last_oow_ack_time: Option<Instant>,
}

/// Whether a segment touches the window that begins at `start` (`tcp_in_window`).
pub(super) fn in_window(seq: SeqNum, end_seq: SeqNum, start: SeqNum, end: SeqNum) -> bool {
    let (s, e) = (seq, end_seq);
    seq == start || (e.after(start) && s.before(end)) || (seq == end && seq == end_seq)
}

impl Request {
    /// Time until the SYN-ACK times out (`reqsk_timeout`).
    fn timeout(&self, init: Duration, max: Duration) -> Duration {
        Duration(init.0.saturating_mul(1 << self.num_timeout.min(32))).min(max)
    }

    /// When the SYN-ACK times out.
    pub(super) fn next_timeout(&self) -> Instant {
        self.timer
    }
}

impl Socket {
    /// A segment arrives in LISTEN.
    pub(super) fn listen_state_process(&mut self, now: Instant, segment: &Segment) {
        if segment.has(flag::ACK) {
            self.send_reset(segment);
        } else if segment.has(flag::SYN) && !segment.has(flag::RST) && !segment.has(flag::FIN) {
            self.conn_request(now, segment);
        }
    }

    /// A SYN arrives (`tcp_conn_request`): answers it.
    fn conn_request(&mut self, now: Instant, segment: &Segment) {
        let mut rx_opt = OptionsReceived {
            user_mss: self.rx_opt.user_mss,
            mss_clamp: TCP_MSS_DEFAULT as u16,
            ..OptionsReceived::default()
        };
        rx_opt.parse_syn(&self.config, segment, self.handshake.ts_offset);
        rx_opt.tstamp_ok = rx_opt.saw_tstamp;
        if rx_opt.saw_tstamp {
            rx_opt.store_ts_recent(now);
        }
        let mss = self.advertised_mss() - if rx_opt.tstamp_ok { TCPOLEN_TSTAMP_ALIGNED } else { 0 };
        let window = self.select_initial_window(mss, rx_opt.wscale_ok);
        rx_opt.rcv_wscale = window.rcv_wscale;
        let ecn_flags = self.ecn_create_request(segment);
        self.handshake.request = Some(Request {
            rcv_isn: segment.seq,
            rx_opt,
            window,
            ecn_flags,
            num_timeout: 0,
            num_retrans: 0,
            timer: now + self.config.rto_init,
            snt_synack: now,
            tsvals: [self.timestamp_ms(now); 2],
            acked: false,
            last_oow_ack_time: None,
        });
        self.state = TcpState::SynReceived;
        self.send_synack(now);
    }

    /// Sends the SYN-ACK of the request (`tcp_make_synack`).
    fn send_synack(&mut self, now: Instant) {
        let Some(request) = &self.handshake.request else { return };
        let rx_opt = &request.rx_opt;
        let mut synack = Segment {
            seq: self.handshake.iss,
            ack: request.rcv_isn.add(1),
            flags: flag::SYN | flag::ACK | request.ecn_flags,
            window: request.window.rcv_wnd.min(65_535) as u16,
            ..Segment::default()
        };
        synack.options.mss = Some(self.advertised_mss().min(u32::from(u16::MAX)) as u16);
        synack.options.window_scale = rx_opt.wscale_ok.then_some(rx_opt.rcv_wscale);
        let timestamps = Timestamps { val: self.tsval(now), ecr: rx_opt.ts_recent };
        synack.options.timestamps = rx_opt.tstamp_ok.then_some(timestamps);
        synack.options.sack_permitted = rx_opt.sack_ok;
        let (is_retransmit, num_timeout) = (request.num_retrans > 0, request.num_timeout);
        self.ecn_send_synack(&mut synack, is_retransmit, num_timeout);
        self.outgoing.push_back(synack);
    }

    /// The SYN-ACK timed out (`reqsk_timer_handler`): sends it again, or gives up and listens again.
    pub(super) fn request_timer(&mut self, now: Instant) {
        let max_retries = self.syn_count.unwrap_or(self.config.synack_retries);
        let defer = self.defer_accept;
        let Some(request) = &mut self.handshake.request else { return };
        let mut expire = request.num_timeout >= max_retries;
        let mut resend = true;
        if defer > 0 {
            // Data after the ACK is waited for; the last timeouts give a last chance.
            expire &= !request.acked || request.num_timeout >= defer;
            resend = !request.acked || request.num_timeout + 1 >= defer;
        }
        if expire {
            self.drop_request();
            return;
        }
        if resend {
            self.resend_synack(now);
        }
        if let Some(request) = &mut self.handshake.request {
            request.num_timeout += 1;
            request.timer = now + request.timeout(self.config.rto_init, self.config.rto_max);
        }
    }

    /// Sends the SYN-ACK again (`tcp_rtx_synack`).
    fn resend_synack(&mut self, now: Instant) {
        let Some(request) = &mut self.handshake.request else { return };
        request.num_retrans = request.num_retrans.saturating_add(1);
        let num_retrans = request.num_retrans;
        request.tsvals[1] = now.as_millis() as u32;
        self.send_synack(now);
        self.acc_ecn_synack_again(num_retrans);
    }

    /// Gives up the request; the socket listens again.
    pub(super) fn drop_request(&mut self) {
        self.handshake.request = None;
        self.ecn_reset();
        self.state = TcpState::Listen;
    }

    /// A segment arrives for the request (`tcp_check_req`). Returns whether it completes the handshake and is to be
    /// processed further.
    pub(super) fn check_req(&mut self, now: Instant, segment: &Segment) -> bool {
        let ts_offset = self.handshake.ts_offset;
        let (rto_init, rto_max) = (self.config.rto_init, self.config.rto_max);
        let snt_isn = self.handshake.iss;
        let defer = self.defer_accept;
        let Some(request) = &mut self.handshake.request else { return false };
        let mut probe = request.rx_opt;
        probe.parse_timestamps(segment, ts_offset);
        let is_rst = segment.has(flag::RST);
        let paws_reject = probe.saw_tstamp && request.rx_opt.tstamp_ok && probe.paws_reject(now, is_rst);
        let rcv_nxt = request.rcv_isn.add(1);
        let control = segment.flags & (flag::RST | flag::SYN | flag::ACK);
        if segment.seq == request.rcv_isn && control == flag::SYN && !paws_reject {
            // The SYN again: the SYN-ACK again.
            let timeout = request.timeout(rto_init, rto_max);
            let limited = self.request_oow_rate_limited(now, segment);
            if !limited {
                self.acc_ecn_syn_again(segment);
                self.resend_synack(now);
            }
            if let Some(request) = &mut self.handshake.request
                && !limited
            {
                request.timer = now + timeout;
            }
            return false;
        }
        if segment.has(flag::ACK) && !is_rst && segment.ack != snt_isn.add(1) {
            self.send_reset(segment);
            return false;
        }
        let end = rcv_nxt.add(request.window.rcv_wnd);
        // The echo of a timestamp that no SYN-ACK had.
        let [first, last] = request.tsvals;
        let is_echo = probe.rcv_tsecr.wrapping_sub(first) <= last.wrapping_sub(first);
        let tsecr_reject = probe.saw_tstamp && request.rx_opt.tstamp_ok && probe.rcv_tsecr != 0 && !is_echo;
        if paws_reject || tsecr_reject || !in_window(segment.seq, segment.end_seq(), rcv_nxt, end) {
            if !is_rst && !self.request_oow_rate_limited(now, segment) {
                self.send_request_ack(now);
            }
            return false;
        }
        let has_syn = segment.has(flag::SYN) && segment.seq != request.rcv_isn;
        if is_rst && segment.seq != rcv_nxt {
            // RFC 5961, 3.2: only an exact RST resets.
            if !self.request_oow_rate_limited(now, &Segment { flags: flag::SYN, ..*segment }) {
                self.send_request_ack(now);
            }
            return false;
        }
        if is_rst || has_syn {
            self.send_reset(segment);
            self.drop_request();
            return false;
        }
        if !segment.has(flag::ACK) {
            return false;
        }
        let is_deferred = request.num_timeout < defer;
        self.acc_ecn_request_option(segment);
        if is_deferred && segment.end_seq() == rcv_nxt {
            if let Some(request) = &mut self.handshake.request {
                request.acked = true;
            }
            return false;
        }
        self.create_child(now, segment);
        true
    }

    /// Rate limit of answers to segments that are no part of the handshake.
    fn request_oow_rate_limited(&mut self, now: Instant, segment: &Segment) -> bool {
        let limit = self.config.invalid_ratelimit;
        let Some(request) = &mut self.handshake.request else { return true };
        super::validate::oow_rate_limited(now, segment, limit, &mut request.last_oow_ack_time)
    }

    /// Sends an ACK for the request (`tcp_v4_reqsk_send_ack`).
    fn send_request_ack(&mut self, now: Instant) {
        let Some(request) = &self.handshake.request else { return };
        let timestamps = Timestamps { val: self.tsval(now), ecr: request.rx_opt.ts_recent };
        let mut ack = Segment {
            seq: self.handshake.iss.add(1),
            ack: request.rcv_isn.add(1),
            flags: flag::ACK,
            window: (request.window.rcv_wnd >> request.rx_opt.rcv_wscale).min(65_535) as u16,
            ..Segment::default()
        };
        ack.options.timestamps = request.rx_opt.tstamp_ok.then_some(timestamps);
        self.outgoing.push_back(ack);
    }

    /// The last ACK is acceptable: the request becomes a connection (`tcp_create_openreq_child`). The caller processes
    /// the segment in SYN-RECEIVED.
    fn create_child(&mut self, now: Instant, segment: &Segment) {
        let Some(request) = self.handshake.request.take() else { return };
        self.rx_opt = request.rx_opt;
        if self.rx_opt.tstamp_ok {
            self.rx_opt.ts_recent_stamp = Some(now);
            self.rx_opt.parse_timestamps(segment, self.handshake.ts_offset);
            if self.rx_opt.saw_tstamp && !segment.seq.after(request.rcv_isn.add(1)) {
                self.rx_opt.ts_recent = self.rx_opt.rcv_tsval;
            }
        }
        self.rcv.rcv_wnd = request.window.rcv_wnd;
        self.set_rcv_start(request.rcv_isn);
        self.rcv.segs_in = 1;
        self.rcv.advmss = self.advertised_mss();
        self.rcv.rcv_ssthresh = request.window.rcv_wnd;
        self.rcv.window_clamp = request.window.window_clamp;
        if !self.rx_opt.wscale_ok {
            self.rcv.window_clamp = self.rcv.window_clamp.min(65_535);
        }
        self.rcv.ack.lrcvtime = now;
        if segment.payload >= TCP_MSS_DEFAULT {
            self.rcv.ack.last_seg_size = segment.payload;
        }
        let start = self.handshake.iss.add(1);
        self.snd.snd_una = start;
        self.snd.snd_nxt = start;
        self.snd.write_seq = start;
        self.snd.snd_wl1 = request.rcv_isn;
        self.snd.snd_wnd = u32::from(segment.window) << self.rx_opt.snd_wscale;
        self.snd.max_window = self.snd.snd_wnd;
        self.snd.total_retrans = u32::from(request.num_retrans);
        self.handshake.syn_stamp = self.timestamp_ms(request.snt_synack);
        if request.num_timeout > 0 {
            self.snd.undo_marker = Some(self.handshake.iss);
            self.snd.retrans_stamp = Some(self.handshake.syn_stamp);
        }
        if request.num_retrans == 0 {
            self.handshake.synack_rtt = Some(now.since(request.snt_synack));
        }
        self.ecn_openreq_child(segment);
        self.share_options();
        self.initialize_rcv_mss();
        self.start_keepalive(now);
    }
}
