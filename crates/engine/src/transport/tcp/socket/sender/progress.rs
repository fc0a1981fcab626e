//! The state of the sending half that an agent traces.

use super::super::Socket;
use super::super::seq::SeqNum;

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

    /// A message if the congestion control cannot continue.
    pub fn take_error(&mut self) -> Option<String> {
        self.snd.control.take_error()
    }
}
