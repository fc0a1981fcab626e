//! The state of the sending half that an agent traces.

use super::super::Socket;
use super::super::segment::SackBlock;
use super::super::seq::SeqNum;
use super::CaState;
use crate::measure::connection::ConnectionState;

/// Windows and sequence numbers of the sending half.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// The congestion window, packets.
    pub cwnd: f64,
    /// The slow-start threshold, packets; infinite at first.
    pub ssthresh: f64,
    /// SND.UNA.
    pub snd_una: SeqNum,
    /// SND.NXT.
    pub snd_nxt: SeqNum,
    /// The number after the last byte that the application has written.
    pub write_seq: SeqNum,
    /// The smoothed RTT, s; 0 before the first sample.
    pub srtt_s: f64,
    /// Packets retransmitted.
    pub total_retrans: u32,
    /// Timeouts.
    pub total_rto: u32,
}

impl Socket {
    /// The state of the sending half.
    pub fn progress(&self) -> Progress {
        let snd = &self.snd;
        Progress {
            cwnd: snd.window.cwnd,
            ssthresh: snd.window.ssthresh,
            snd_una: snd.snd_una,
            snd_nxt: snd.snd_nxt,
            write_seq: snd.write_seq,
            srtt_s: f64::from(snd.rtt.srtt_us) / 8e6,
            total_retrans: snd.total_retrans,
            total_rto: u32::from(snd.total_rto),
        }
    }

    /// What was marked lost since the last call, which asks for it from then on.
    pub fn take_lost_ranges(&mut self) -> Vec<SackBlock> {
        self.snd.lost_ranges.replace(Vec::new()).unwrap_or_default()
    }

    /// The state of congestion control and recovery.
    pub fn connection_state(&self) -> ConnectionState {
        let snd = &self.snd;
        let is_known = |value: u32| (value != u32::MAX).then_some(value);
        ConnectionState {
            snd_una: snd.snd_una,
            mss_bytes: snd.mss_cache,
            cwnd_packets: snd.window.cwnd,
            ssthresh_packets: snd.window.ssthresh,
            in_flight_packets: snd.packets_in_flight(),
            smoothed_rtt_us: snd.rtt.srtt_us >> 3,
            min_rtt_us: is_known(snd.min_rtt_us()),
            latest_rtt_us: snd.rtt.latest_us,
            pacing_bytes_per_s: (snd.pacing_rate != u64::MAX).then_some(snd.pacing_rate),
            timeouts: snd.retransmits,
            state: match (snd.ca_state, snd.control.model()) {
                (CaState::Recovery, _) => "recovery",
                (CaState::Loss, _) => "loss",
                (_, Some(model)) => model.state,
                (CaState::Cwr, _) => "cwr",
                _ if snd.window.cwnd < snd.window.ssthresh => "slow_start",
                _ => "congestion_avoidance",
            },
        }
    }

    /// A message if the congestion control cannot continue.
    pub fn take_error(&mut self) -> Option<String> {
        self.snd.control.take_error()
    }
}
