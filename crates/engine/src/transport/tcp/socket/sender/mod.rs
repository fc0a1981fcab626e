//! The sending half of a socket: queues, loss detection, recovery, timers and the congestion control.
//!
//! Source: RFC 9293; RFC 5681 and RFC 6675 (packets in flight); RFC 8985 (RACK-TLP: [`rack`], [`tlp`]); RFC 9937 (PRR: [`prr`]);
//! RFC 6298 ([`rtt`]); RFC 5682, 4015 and 3708 (spurious events: [`undo`]); RFC 6582 (NewReno, without SACK: [`recovery`]);
//! draft-ietf-ccwg-bbr, section 4.1 ([`rate`]); and Linux 6.18 (net/ipv4/tcp_input.c, tcp_output.c, tcp_recovery.c, tcp_timer.c),
//! whose order of steps and whose names are used throughout: a field here has the name it has in `struct tcp_sock` or
//! `struct inet_connection_sock`, a function the name it has there without `tcp_`.
//! What it decides: which bytes are sent when, and in which segments.
//! Departures: segments that SACK reported are not merged; time has no ticks, but timers last whole ticks, as in Linux; the
//! interface takes every segment at once (no TCP small queues, no autocorking).
//! Not implemented: MTU probing, urgent data, Fast Open, repair.
//! Checked against: packetdrill's scripts (`ackclock packetdrill`), and by hand in each file.

mod ack;
mod control;
mod cwnd;
mod flag;
mod info;
mod mss;
mod output;
mod pacing;
mod pending;
pub mod progress;
mod prr;
mod rack;
mod rate;
mod recovery;
mod retransmit;
mod rtt;
mod rtx_queue;
mod sack;
mod skb;
pub mod steer;
#[cfg(test)]
mod tests;
mod timers;
mod tlp;
mod undo;
mod write_queue;

use super::clock::{Duration, Instant, Ticks};
use super::config::Config;
use super::segment::SackBlock;
use super::seq::SeqNum;
use crate::transport::tcp::cc::{self, CaState, Control, Window};
use crate::transport::tcp::controls;
use output::Nagle;
use pending::Pending;
use prr::Prr;
use rack::Rack;
use rate::Delivery;
use rtt::{RttEstimator, WindowedMin};
use rtx_queue::RtxQueue;
use std::collections::VecDeque;

pub use ack::AckFlags;
pub use skb::Skb;

/// Linux's `TCP_INFINITE_SSTHRESH`, packets.
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// The state of the sending half.
pub struct Sender {
    // Sequence numbers (RFC 9293, 3.3.1).
    /// SND.UNA.
    pub snd_una: SeqNum,
    /// SND.NXT.
    pub snd_nxt: SeqNum,
    /// The number after the last byte that the application has written.
    pub write_seq: SeqNum,
    /// The number after the last byte that has a PSH.
    pub pushed_seq: SeqNum,
    /// The number after the last small segment (Minshall's variant of Nagle's algorithm).
    pub snd_sml: SeqNum,
    /// SND.WND, bytes.
    pub snd_wnd: u32,
    /// SND.WL1.
    pub snd_wl1: SeqNum,
    /// The largest window that the peer has offered, bytes.
    pub max_window: u32,
    /// Snd.Wind.Shift (RFC 7323, 2.3).
    pub snd_wscale: u8,
    /// The MSS agreed on in the handshake, without options, bytes (`rx_opt.mss_clamp`).
    pub mss_clamp: u16,
    /// The MSS less the options that every segment has, bytes.
    pub mss_cache: u32,
    /// Bytes of options that every segment has (`tcp_header_len` less 20).
    pub header_options: u32,
    /// SACK is agreed on (`tcp_is_sack`).
    pub sack_ok: bool,

    // Queues.
    /// Segments not sent yet (`sk_write_queue`).
    pub write_queue: VecDeque<Skb>,
    /// Segments sent and not acknowledged (`tcp_rtx_queue`).
    pub rtx_queue: RtxQueue,
    /// Memory of both queues, bytes (`sk_wmem_queued`).
    pub wmem_queued: u64,
    /// Send buffer, bytes (`sk_sndbuf`).
    pub sndbuf: u32,
    /// The application has set the send buffer (`SOCK_SNDBUF_LOCK`).
    pub sndbuf_locked: bool,
    /// The application waits for room (`SOCK_NOSPACE`).
    pub nospace: bool,
    /// `TCP_NOTSENT_LOWAT`, bytes.
    pub notsent_lowat: u32,

    // Sending options.
    /// `TCP_NODELAY` and `TCP_CORK`.
    nonagle: Nagle,
    /// `SO_MAX_PACING_RATE`, bytes per second.
    pub max_pacing_rate: u64,
    /// `TCP_USER_TIMEOUT`.
    pub user_timeout: Option<Duration>,
    /// `TCP_THIN_LINEAR_TIMEOUTS`.
    pub thin_lto: bool,

    // Counters of packets.
    /// Packets sent and not acknowledged.
    pub packets_out: u32,
    /// Packets that SACK reported, or duplicate ACKs without SACK.
    pub sacked_out: u32,
    /// Packets marked lost.
    pub lost_out: u32,
    /// Packets retransmitted and in flight.
    pub retrans_out: u32,

    // The congestion control.
    control: Box<dyn Control>,
    control_name: String,
    /// The control has been started, so that it may be asked.
    control_started: bool,
    window: Window,
    /// The window may not grow beyond this, packets.
    pub snd_cwnd_clamp: u32,
    /// The state of the congestion machine (`icsk_ca_state`).
    pub ca_state: CaState,
    /// The control sets the window in this state, and not PRR.
    own_response: bool,
    /// SND.NXT when the congestion event occurred.
    pub high_seq: SeqNum,
    /// The window before the reduction, packets.
    prior_cwnd: f64,
    /// The threshold before the reduction; `None` if it must not be restored.
    prior_ssthresh: Option<f64>,
    /// The reduction under way.
    prr: Prr,
    /// The time when the window was last used or changed (`snd_cwnd_stamp`).
    snd_cwnd_stamp: Instant,
    /// Max packets out since then, of a sender that the window does not limit.
    snd_cwnd_used: u32,
    /// The window limited the sender in this window of data.
    is_cwnd_limited: bool,
    /// Max packets out in this window of data.
    max_packets_out: u32,
    /// This window of data ends with this number.
    cwnd_usage_seq: SeqNum,

    // Loss detection and undo.
    rack: Rack,
    /// The DUPACK threshold, packets.
    pub reordering: u32,
    /// Reordering events.
    pub reord_seen: u32,
    /// The number after the highest segment that SACK reported.
    highest_sack: SeqNum,
    /// The SACK blocks of the last ACK, sorted; the segments in them are tagged already.
    recv_sack_cache: [SackBlock; 4],
    /// The peer has forgotten segments that it reported, until this recovery ends.
    is_sack_reneg: bool,
    /// No segment before this number waits for retransmission (`retransmit_skb_hint`).
    retransmit_hint: Option<SeqNum>,
    /// SND.UNA when the recovery began; `None` if there is nothing to undo.
    pub undo_marker: Option<SeqNum>,
    /// Retransmissions that no D-SACK has reported as duplicates; -1 before the first retransmission.
    undo_retrans: i32,
    /// The time of the first retransmission of the recovery, in ms of the timestamp clock.
    pub retrans_stamp: Option<u32>,
    /// F-RTO is active (RFC 5682).
    frto: bool,
    /// The number after the last byte sent when a tail loss probe was (RFC 8985, `TLP.end_seq`); `None` if no probe is out.
    tlp_high_seq: Option<SeqNum>,
    /// The probe was a retransmission.
    tlp_retrans: bool,
    /// D-SACKed packets.
    pub dsack_dups: u32,

    // RTT, rates and timers.
    rtt: RttEstimator,
    rtt_min: WindowedMin,
    /// The RTO, backoff included (`icsk_rto`).
    rto: Duration,
    /// Exponential backoff (`icsk_backoff`).
    backoff: u8,
    /// Timeouts without progress (`icsk_retransmits`).
    pub retransmits: u8,
    /// Window probes without an answer (`icsk_probes_out`).
    pub probes_out: u8,
    /// When probing began (`icsk_probes_tstamp`).
    probes_tstamp: Option<Instant>,
    /// What the timer is set for (`icsk_pending`).
    pending: Option<Pending>,
    /// When it expires (`icsk_timeout`).
    timeout: Instant,
    /// When pacing lets the next packet go, ns (`tcp_wstamp_ns`).
    wstamp_ns: u64,
    /// The pacing timer.
    pacing_timer: Option<Instant>,
    /// The pacing rate, bytes per second (`sk_pacing_rate`).
    pacing_rate: u64,
    delivery: Delivery,
    /// When data were last sent (`lsndtime`); `None` before that.
    lsndtime: Option<Instant>,
    /// The present idle time was reported to the control.
    idle_was_reported: bool,
    /// When an ACK last arrived (`rcv_tstamp`).
    pub rcv_tstamp: Instant,

    // Totals of `tcp_info`.
    /// Retransmitted packets.
    pub total_retrans: u32,
    /// Bytes acknowledged.
    pub bytes_acked: u64,
    /// Bytes sent, retransmissions included.
    pub bytes_sent: u64,
    /// Bytes retransmitted.
    pub bytes_retrans: u64,
    /// Packets with payload sent.
    pub data_segs_out: u32,
    /// Timeouts.
    pub total_rto: u16,
    /// Series of timeouts.
    pub total_rto_recoveries: u16,
    /// Their time, ms.
    pub total_rto_time: u32,
    /// When the present series of timeouts began, ms.
    rto_stamp: Option<u64>,
    /// What has limited the sender, and for how long.
    chrono: info::Chrono,
    /// What was marked lost since it was last asked for, if anybody asks.
    lost_ranges: Option<Vec<SackBlock>>,
    /// The clock whose ticks timers wait for. Without it a timer expires at its exact time.
    ticks: Option<Ticks>,
}

impl Sender {
    /// The sender of a new socket, with `iss` as its initial sequence number.
    pub fn new(config: &Config, iss: SeqNum) -> Sender {
        let name = config.congestion_control.as_str();
        let control = controls::named(name).unwrap_or_else(|| (cc::CONTROLS[0].make)());
        Sender {
            snd_una: iss,
            snd_nxt: iss,
            write_seq: iss,
            pushed_seq: iss,
            snd_sml: iss,
            snd_wnd: 0,
            snd_wl1: SeqNum(0),
            max_window: 0,
            snd_wscale: 0,
            mss_clamp: config.mss,
            mss_cache: u32::from(config.mss),
            header_options: 0,
            sack_ok: false,
            write_queue: VecDeque::new(),
            rtx_queue: RtxQueue::default(),
            wmem_queued: 0,
            sndbuf: config.wmem[1],
            sndbuf_locked: false,
            nospace: false,
            notsent_lowat: config.notsent_lowat,
            nonagle: Nagle::default(),
            max_pacing_rate: u64::MAX,
            user_timeout: None,
            thin_lto: config.thin_linear_timeouts,
            packets_out: 0,
            sacked_out: 0,
            lost_out: 0,
            retrans_out: 0,
            control,
            control_name: name.to_owned(),
            control_started: false,
            window: Window {
                cwnd: f64::from(config.init_cwnd),
                ssthresh: f64::INFINITY,
                pacing_per_s: None,
                holds_back: false,
            },
            snd_cwnd_clamp: u32::MAX,
            ca_state: CaState::Open,
            own_response: false,
            high_seq: iss,
            prior_cwnd: 0.0,
            prior_ssthresh: None,
            prr: Prr::default(),
            snd_cwnd_stamp: Instant(0),
            snd_cwnd_used: 0,
            is_cwnd_limited: false,
            max_packets_out: 0,
            cwnd_usage_seq: iss,
            rack: Rack::default(),
            reordering: config.reordering,
            reord_seen: 0,
            highest_sack: iss,
            recv_sack_cache: [SackBlock::default(); 4],
            is_sack_reneg: false,
            retransmit_hint: None,
            undo_marker: None,
            undo_retrans: -1,
            retrans_stamp: None,
            frto: false,
            tlp_high_seq: None,
            tlp_retrans: false,
            dsack_dups: 0,
            rtt: RttEstimator { mdev_us: config.rto_init.as_micros() as u32, ..RttEstimator::default() },
            rtt_min: WindowedMin::default(),
            rto: config.rto_init,
            backoff: 0,
            retransmits: 0,
            probes_out: 0,
            probes_tstamp: None,
            pending: None,
            timeout: Instant(0),
            wstamp_ns: 0,
            pacing_timer: None,
            pacing_rate: u64::MAX,
            delivery: Delivery::default(),
            lsndtime: None,
            idle_was_reported: false,
            rcv_tstamp: Instant(0),
            total_retrans: 0,
            bytes_acked: 0,
            bytes_sent: 0,
            bytes_retrans: 0,
            data_segs_out: 0,
            total_rto: 0,
            total_rto_recoveries: 0,
            total_rto_time: 0,
            rto_stamp: None,
            chrono: info::Chrono::default(),
            lost_ranges: None,
            ticks: config.ticks(),
        }
    }

    /// Whether nothing is out or waits to be sent, so that an ACK of no new data tells nothing.
    #[inline]
    pub fn is_idle(&self) -> bool {
        self.packets_out == 0 && self.write_queue.is_empty() && self.tlp_high_seq.is_none() && !self.nospace
    }

    /// `tcp_left_out`: packets that have left the network.
    #[inline]
    fn left_out(&self) -> u32 {
        self.sacked_out + self.lost_out
    }

    /// `tcp_packets_in_flight` (RFC 6675, `pipe`).
    #[inline]
    pub fn packets_in_flight(&self) -> u32 {
        (self.packets_out + self.retrans_out).saturating_sub(self.left_out())
    }

    /// `tcp_wnd_end`: the end of the peer's window.
    #[inline]
    pub fn wnd_end(&self) -> SeqNum {
        self.snd_una.add(self.snd_wnd)
    }

    /// `tcp_snd_cwnd`: the congestion window, whole packets.
    #[inline]
    pub fn snd_cwnd(&self) -> u32 {
        (self.window.cwnd as u32).clamp(1, self.snd_cwnd_clamp)
    }

    /// `tcp_snd_cwnd_set`.
    fn set_snd_cwnd(&mut self, packets: u32) {
        self.window.cwnd = f64::from(packets.max(1));
    }

    /// `snd_ssthresh`, whole packets.
    #[inline]
    pub fn snd_ssthresh(&self) -> u32 {
        if self.window.ssthresh.is_finite() { self.window.ssthresh as u32 } else { INFINITE_SSTHRESH }
    }

    /// `tcp_in_cwnd_reduction`: the window is being reduced.
    #[inline]
    fn in_cwnd_reduction(&self) -> bool {
        matches!(self.ca_state, CaState::Cwr | CaState::Recovery)
    }

    /// `tcp_in_initial_slowstart`: the threshold was never set.
    #[inline]
    fn in_initial_slow_start(&self) -> bool {
        self.window.ssthresh.is_infinite()
    }

    /// `tcp_min_rtt`, us; `u32::MAX` before the first sample.
    #[inline]
    fn min_rtt_us(&self) -> u32 {
        self.rtt_min.get()
    }

    /// `tcp_highest_sack_seq`: the number after the highest segment that SACK reported.
    fn highest_sack_seq(&self) -> SeqNum {
        if self.sack_ok && self.sacked_out > 0 { self.highest_sack } else { self.snd_una }
    }
}

impl std::fmt::Debug for Sender {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Sender")
            .field("snd_una", &self.snd_una)
            .field("snd_nxt", &self.snd_nxt)
            .field("write_seq", &self.write_seq)
            .field("snd_wnd", &self.snd_wnd)
            .field("cwnd", &self.window.cwnd)
            .field("ca_state", &self.ca_state)
            .finish_non_exhaustive()
    }
}
