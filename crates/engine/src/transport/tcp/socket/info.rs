//! `tcp_info`: the state of a connection, with the fields and units of Linux's `struct tcp_info`.

use super::clock::Instant;
use super::ecn_feedback::EcnFeedback;
use super::{Socket, TcpState};

/// Bits of `tcpi_options`.
const TCPI_OPT_TIMESTAMPS: u8 = 1;
const TCPI_OPT_SACK: u8 = 2;
const TCPI_OPT_WSCALE: u8 = 4;
const TCPI_OPT_ECN: u8 = 8;
const TCPI_OPT_ECN_SEEN: u8 = 16;

/// A snapshot of a socket; names and units are those of Linux's `struct tcp_info` (include/uapi/linux/tcp.h).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are Linux's")]
pub struct TcpInfo {
    pub tcpi_state: u8,
    pub tcpi_ca_state: u8,
    pub tcpi_retransmits: u8,
    pub tcpi_probes: u8,
    pub tcpi_backoff: u8,
    pub tcpi_options: u8,
    pub tcpi_snd_wscale: u8,
    pub tcpi_rcv_wscale: u8,
    pub tcpi_delivery_rate_app_limited: u8,
    pub tcpi_rto: u32,
    pub tcpi_ato: u32,
    pub tcpi_snd_mss: u32,
    pub tcpi_rcv_mss: u32,
    pub tcpi_unacked: u32,
    pub tcpi_sacked: u32,
    pub tcpi_lost: u32,
    pub tcpi_retrans: u32,
    pub tcpi_fackets: u32,
    pub tcpi_last_data_sent: u32,
    pub tcpi_last_ack_sent: u32,
    pub tcpi_last_data_recv: u32,
    pub tcpi_last_ack_recv: u32,
    pub tcpi_pmtu: u32,
    pub tcpi_rcv_ssthresh: u32,
    pub tcpi_rtt: u32,
    pub tcpi_rttvar: u32,
    pub tcpi_snd_ssthresh: u32,
    pub tcpi_snd_cwnd: u32,
    pub tcpi_advmss: u32,
    pub tcpi_reordering: u32,
    pub tcpi_rcv_rtt: u32,
    pub tcpi_rcv_space: u32,
    pub tcpi_total_retrans: u32,
    pub tcpi_pacing_rate: u64,
    pub tcpi_max_pacing_rate: u64,
    pub tcpi_bytes_acked: u64,
    pub tcpi_bytes_received: u64,
    pub tcpi_segs_out: u32,
    pub tcpi_segs_in: u32,
    pub tcpi_notsent_bytes: u32,
    pub tcpi_min_rtt: u32,
    pub tcpi_data_segs_in: u32,
    pub tcpi_data_segs_out: u32,
    pub tcpi_delivery_rate: u64,
    pub tcpi_busy_time: u64,
    pub tcpi_rwnd_limited: u64,
    pub tcpi_sndbuf_limited: u64,
    pub tcpi_delivered: u32,
    pub tcpi_delivered_ce: u32,
    pub tcpi_bytes_sent: u64,
    pub tcpi_bytes_retrans: u64,
    pub tcpi_dsack_dups: u32,
    pub tcpi_reord_seen: u32,
    pub tcpi_rcv_ooopack: u32,
    pub tcpi_snd_wnd: u32,
    pub tcpi_rcv_wnd: u32,
    pub tcpi_rehash: u32,
    pub tcpi_total_rto: u16,
    pub tcpi_total_rto_recoveries: u16,
    pub tcpi_total_rto_time: u32,
    pub tcpi_ecn_mode: u8,
    pub tcpi_accecn_opt_seen: u8,
    pub tcpi_accecn_fail_mode: u8,
    pub tcpi_received_ce: u32,
    pub tcpi_received_e1_bytes: u32,
    pub tcpi_received_e0_bytes: u32,
    pub tcpi_received_ce_bytes: u32,
    pub tcpi_delivered_e1_bytes: u32,
    pub tcpi_delivered_e0_bytes: u32,
    pub tcpi_delivered_ce_bytes: u32,
}

impl Socket {
    /// Fills in the fields of the connection and of the receiver (`tcp_get_info`).
    pub(super) fn fill_receiver_info(&self, info: &mut TcpInfo, now: Instant) {
        info.tcpi_state = self.state as u8;
        if self.state == TcpState::Listen {
            return;
        }
        let (rcv, rx_opt) = (&self.rcv, &self.rx_opt);
        let bit = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        info.tcpi_options = bit(rx_opt.tstamp_ok, TCPI_OPT_TIMESTAMPS)
            | bit(rx_opt.sack_ok, TCPI_OPT_SACK)
            | bit(rx_opt.wscale_ok, TCPI_OPT_WSCALE)
            | bit(matches!(self.ecn.mode, EcnFeedback::Rfc3168 | EcnFeedback::AccEcn), TCPI_OPT_ECN)
            | bit(self.ecn.seen, TCPI_OPT_ECN_SEEN);
        if rx_opt.wscale_ok {
            info.tcpi_snd_wscale = rx_opt.snd_wscale;
            info.tcpi_rcv_wscale = rx_opt.rcv_wscale;
        }
        info.tcpi_ato = rcv.ack.ato.min(self.delack_max()).as_micros() as u32;
        info.tcpi_rcv_mss = rcv.ack.rcv_mss;
        info.tcpi_last_data_recv = now.since(rcv.ack.lrcvtime).as_millis() as u32;
        info.tcpi_rcv_ssthresh = rcv.rcv_ssthresh;
        info.tcpi_advmss = rcv.advmss;
        info.tcpi_rcv_rtt = rcv.rcv_rtt_est.rtt_us >> 3;
        info.tcpi_rcv_space = rcv.rcvq_space.space;
        info.tcpi_bytes_received = rcv.bytes_received;
        info.tcpi_segs_in = rcv.segs_in;
        info.tcpi_data_segs_in = rcv.data_segs_in;
        info.tcpi_segs_out = self.segs_out;
        info.tcpi_rcv_ooopack = rcv.rcv_ooopack;
        info.tcpi_rcv_wnd = rcv.rcv_wnd;
    }
}
