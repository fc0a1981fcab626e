//! The sender's part of `tcp_info`.
//!
//! Source: Linux, net/ipv4/tcp.c (`tcp_get_info`), tcp_output.c (`tcp_chrono_start`). What it decides: nothing.
//! Departures: none. Not implemented: fields of MTU probing and Fast Open. Checked against: packetdrill's scripts.

use super::super::Socket;
use super::super::clock::{Duration, Instant};
use super::super::info::TcpInfo;

/// What the sender spends its time with, the more interesting ones last (`enum tcp_chrono`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Activity {
    /// Nothing to send.
    #[default]
    Idle,
    /// Data are sent or waited for.
    Busy,
    /// The peer's window stops it.
    RwndLimited,
    /// The send buffer is too small.
    SndbufLimited,
}

/// Times of each activity.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chrono {
    activity: Activity,
    since: Instant,
    spent: [Duration; 4],
}

impl Chrono {
    fn set(&mut self, now: Instant, activity: Activity) {
        let spent = now.since(self.since);
        self.spent[self.activity as usize] = self.spent[self.activity as usize] + spent;
        (self.activity, self.since) = (activity, now);
    }

    /// There are data to send.
    #[inline]
    pub fn start_busy(&mut self, now: Instant) {
        if self.activity < Activity::Busy {
            self.set(now, Activity::Busy);
        }
    }

    /// The peer's window limits the sender, or no longer does.
    #[inline]
    pub fn set_rwnd_limited(&mut self, now: Instant, is_limited: bool) {
        self.limit(now, Activity::RwndLimited, is_limited);
    }

    /// The send buffer limits the sender, or no longer does.
    pub fn set_sndbuf_limited(&mut self, now: Instant, is_limited: bool) {
        self.limit(now, Activity::SndbufLimited, is_limited);
    }

    #[inline]
    fn limit(&mut self, now: Instant, activity: Activity, is_limited: bool) {
        if is_limited && self.activity < activity {
            self.set(now, activity);
        } else if !is_limited && self.activity == activity {
            self.set(now, Activity::Busy);
        }
    }

    /// Nothing is left to send or to be acknowledged.
    fn stop(&mut self, now: Instant) {
        self.set(now, Activity::Idle);
    }

    /// Time of an activity up to now, us.
    fn micros(&self, now: Instant, activity: Activity) -> u64 {
        let running = if self.activity == activity { now.since(self.since) } else { Duration::ZERO };
        (self.spent[activity as usize] + running).as_micros()
    }
}

impl Socket {
    /// `tcp_chrono_stop`: everything that was sent is acknowledged.
    #[inline]
    pub(super) fn chrono_stop_busy(&mut self, now: Instant) {
        if self.snd.write_queue.is_empty() {
            self.snd.chrono.stop(now);
        }
    }

    /// `tcp_get_info`: the fields of the sender.
    pub(in super::super) fn fill_sender_info(&self, info: &mut TcpInfo, now: Instant) {
        let snd = &self.snd;
        info.tcpi_ca_state = snd.ca_state as u8;
        info.tcpi_retransmits = snd.retransmits;
        info.tcpi_probes = snd.probes_out;
        info.tcpi_backoff = snd.backoff;
        info.tcpi_snd_wscale = snd.snd_wscale;
        info.tcpi_delivery_rate_app_limited = u8::from(snd.delivery.rate_app_limited);
        info.tcpi_rto = snd.rto.as_micros() as u32;
        info.tcpi_snd_mss = snd.mss_cache;
        info.tcpi_unacked = snd.packets_out;
        info.tcpi_sacked = snd.sacked_out;
        info.tcpi_lost = snd.lost_out;
        info.tcpi_retrans = snd.retrans_out;
        info.tcpi_last_data_sent = snd.lsndtime.map_or(0, |at| now.since(at).as_millis() as u32);
        info.tcpi_last_ack_recv = now.since(snd.rcv_tstamp).as_millis() as u32;
        info.tcpi_pmtu = u32::from(self.config.mss) + 40;
        info.tcpi_rtt = snd.rtt.srtt_us >> 3;
        info.tcpi_rttvar = snd.rtt.mdev_us >> 2;
        info.tcpi_snd_ssthresh = snd.snd_ssthresh();
        info.tcpi_snd_cwnd = snd.snd_cwnd();
        info.tcpi_reordering = snd.reordering;
        info.tcpi_total_retrans = snd.total_retrans;
        info.tcpi_pacing_rate = snd.pacing_rate;
        info.tcpi_max_pacing_rate = snd.max_pacing_rate;
        info.tcpi_bytes_acked = snd.bytes_acked;
        info.tcpi_notsent_bytes = snd.write_seq.since(snd.snd_nxt).max(0) as u32;
        info.tcpi_min_rtt = snd.min_rtt_us();
        info.tcpi_data_segs_out = snd.data_segs_out;
        let interval_us = snd.delivery.rate_interval_us;
        if snd.delivery.rate_delivered > 0 && interval_us > 0 {
            let bytes = u64::from(snd.delivery.rate_delivered) * u64::from(snd.mss_cache);
            info.tcpi_delivery_rate = bytes * 1_000_000 / interval_us;
        }
        let times = [Activity::Busy, Activity::RwndLimited, Activity::SndbufLimited];
        let [busy, rwnd, sndbuf] = times.map(|activity| snd.chrono.micros(now, activity));
        info.tcpi_busy_time = busy + rwnd + sndbuf;
        info.tcpi_rwnd_limited = rwnd;
        info.tcpi_sndbuf_limited = sndbuf;
        info.tcpi_delivered = snd.delivery.delivered;
        info.tcpi_delivered_ce = snd.delivery.delivered_ce;
        info.tcpi_bytes_sent = snd.bytes_sent;
        info.tcpi_bytes_retrans = snd.bytes_retrans;
        info.tcpi_dsack_dups = snd.dsack_dups;
        info.tcpi_reord_seen = snd.reord_seen;
        info.tcpi_snd_wnd = snd.snd_wnd;
        info.tcpi_total_rto = snd.total_rto;
        info.tcpi_total_rto_recoveries = snd.total_rto_recoveries;
        info.tcpi_total_rto_time = snd.total_rto_time;
    }
}
