//! Tail loss probe (TLP): when ACKs stop, one more segment is sent to obtain an ACK before the RTO expires.
//!
//! Source: RFC 8985, section 7; Linux, `tcp_schedule_loss_probe`, `tcp_send_loss_probe`, `tcp_process_tlp_ack`.
//! What it decides: when a probe is sent, which segment it is, and whether an ACK shows that it repaired a loss.
//! Departures, Linux's: `TLP.max_ack_delay` is the min RTO; 2 ms are added to 2 SRTT otherwise; the probe timeout never
//! exceeds the RTO. Not implemented: nothing.
//! Checked against: packetdrill's scripts.

use super::super::Socket;
use super::super::clock::{Duration, Instant};
use super::super::seq::SeqNum;
use super::CaState;
use super::flag::Flag;
use super::output::{Nagle, Push};
use super::pending::Pending;
use super::rtt::{TIMEOUT_MIN_US, usecs_in_jiffies};
use crate::transport::tcp::cc::CongestionEvent;

impl Socket {
    /// `tcp_schedule_loss_probe` (`TLP_calc_PTO`, 7.2): sets the probe timer, if a probe may be sent. `advancing_rto`: an RTO
    /// set now would count from now.
    pub(super) fn schedule_loss_probe(&mut self, now: Instant, advancing_rto: bool) -> bool {
        let hz = self.config.hz;
        let snd = &self.snd;
        if !matches!(self.config.early_retrans, 3 | 4)
            || snd.packets_out == 0
            || !snd.sack_ok
            || !matches!(snd.ca_state, CaState::Open | CaState::Cwr)
        {
            return false;
        }
        let mut timeout = if snd.rtt.srtt_us > 0 {
            let two_rtt_us = u64::from(snd.rtt.srtt_us >> 2);
            let more_us = if snd.packets_out == 1 { self.config.rto_min.as_micros() } else { TIMEOUT_MIN_US };
            usecs_in_jiffies(two_rtt_us + more_us, hz)
        } else {
            self.config.rto_init
        };
        let rto_delta_us = if advancing_rto { snd.rto.as_micros() as i64 } else { self.rto_delta_us(now) };
        if rto_delta_us > 0 {
            timeout = timeout.min(usecs_in_jiffies(rto_delta_us as u64, hz));
        }
        self.snd.reset_xmit_timer(Pending::LossProbe, now, timeout);
        true
    }

    /// `tcp_send_loss_probe` (`TLP_send_probe`, 7.3): new data if the peer's window allows it, the last segment otherwise.
    pub(super) fn send_loss_probe(&mut self, now: Instant) {
        if self.snd.tlp_high_seq.is_none() {
            self.snd.tlp_retrans = false;
            if self.send_probe_segment(now) {
                self.snd.tlp_high_seq = Some(self.snd.snd_nxt);
                // The RTO counts from now.
                self.snd.pending = None;
            }
        }
        if !self.snd.rtx_queue.is_empty() {
            self.rearm_rto(now);
        }
    }

    fn send_probe_segment(&mut self, now: Instant) -> bool {
        let mss = self.current_mss();
        if let Some(head) = self.snd.write_queue.front()
            && self.snd.snd_wnd_test(head, mss)
        {
            let pcount = self.snd.packets_out;
            self.write_xmit(now, mss, Nagle::OFF, Push::Probe);
            return self.snd.packets_out > pcount;
        }
        let Some(mut last) = self.snd.rtx_queue.len().checked_sub(1) else {
            self.snd.pending = None;
            return false;
        };
        let skb = self.snd.rtx_queue[last];
        if skb.pcount > 1 && skb.len > (skb.pcount - 1) * mss {
            self.fragment(last, (skb.pcount - 1) * mss, mss);
            last += 1;
        }
        self.snd.tlp_retrans = self.send_again(now, last, 1);
        self.snd.tlp_retrans
    }

    /// `tcp_process_tlp_ack` (`TLP_process_ack`, 7.4.2). The ACK of exactly the probed data proves nothing; the first ACK
    /// beyond them shows that the probe repaired a loss, which is a congestion event.
    pub(super) fn process_tlp_ack(&mut self, now: Instant, ack: SeqNum, flag: Flag) {
        let Some(tlp_high_seq) = self.snd.tlp_high_seq else { return };
        if ack.before(tlp_high_seq) {
            return;
        }
        let is_pure_dupack =
            !flag.has(Flag::SND_UNA_ADVANCED) && !flag.has(Flag::NOT_DUP) && !flag.has(Flag::DATA_SACKED);
        if !self.snd.tlp_retrans || flag.has(Flag::DSACK_TLP) {
            self.snd.tlp_high_seq = None;
        } else if ack.after(tlp_high_seq) {
            let path = self.path(now);
            self.snd.control.on_probe_repaired_loss(&path, &mut self.snd.window);
            self.init_cwnd_reduction(now, CongestionEvent::Loss);
            self.set_ca_state(now, CaState::Cwr);
            self.end_cwnd_reduction(now);
            self.try_keep_open(now);
            let path = self.path(now);
            self.snd.control.on_recovery_exit(&path, &mut self.snd.window);
        } else if is_pure_dupack {
            self.snd.tlp_high_seq = None;
        }
    }

    /// `tcp_rto_delta_us`: the time until an RTO that counts from the last transmission of the first segment, us.
    pub(super) fn rto_delta_us(&self, now: Instant) -> i64 {
        let sent_us = self.snd.rtx_queue.head().map_or(now.as_micros(), |head| head.timestamp_us());
        let rto: Duration = self.snd.rto;
        (sent_us + rto.as_micros()) as i64 - now.as_micros() as i64
    }
}
