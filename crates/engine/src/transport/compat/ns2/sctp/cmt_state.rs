//! The state of concurrent multipath transfer, and its parameters.

use crate::params::Params;

/// Parameters with ns-2's names.
#[derive(Clone, Debug, Params)]
pub struct CmtSettings {
    /// Whether missing reports look at each destination alone (split fast retransmit).
    #[param(state)]
    pub use_cmt_reordering: i32,
    /// Whether each destination's window grows by its own cumulative TSN.
    #[param(state)]
    pub use_cmt_cwnd: i32,
    /// Whether SACKs are delayed although data is missing.
    #[param(state)]
    pub use_cmt_del_ack: i32,
    /// Where retransmissions go: 0 anywhere, 1 to the same destination, by 2 slow-start threshold, 3 loss rate, 4 window.
    #[param(state)]
    pub e_cmt_rtx_policy: i32,
    /// Whether a destination is possibly failed after its first timeout.
    #[param(state)]
    pub use_cmt_pf: i32,
    /// The window of a possibly failed destination that answers, packets.
    #[param(state)]
    pub cmt_pfcwnd: i32,
}

impl Default for CmtSettings {
    fn default() -> CmtSettings {
        CmtSettings {
            use_cmt_reordering: 1,
            use_cmt_cwnd: 1,
            use_cmt_del_ack: 1,
            e_cmt_rtx_policy: 4,
            use_cmt_pf: 1,
            cmt_pfcwnd: 2,
        }
    }
}

/// The state of the association.
#[derive(Clone, Debug, Default)]
pub struct Cmt {
    /// Parameters.
    pub set: CmtSettings,
    /// Packets that the present SACK acknowledges, as the receiver counts them.
    pub packets_sacked: i32,
    /// The last advertised receiver window, bytes.
    pub arwnd: u32,
    /// The destination that new data was last sent to.
    pub last_sent_to: Option<usize>,
}

/// The state of a destination.
#[derive(Clone, Debug, Default)]
pub struct CmtDestination {
    /// The present SACK newly acknowledges chunks of it in gap blocks.
    pub saw_new_ack: bool,
    /// The highest TSN of it that the present SACK newly acknowledges in gap blocks.
    pub highest_in_sack: u32,
    /// The lowest TSN of it that the present SACK newly acknowledges; 0 for none.
    pub lowest_in_sack: u32,
    /// The next TSN of it that is to be acknowledged, of those sent once.
    pub expected_pseudo_cum: u32,
    /// Whether the next SACK sets it (`find_pseudo_cumack` of Iyengar et al.).
    pub finds_pseudo_cum: bool,
    /// The same of those that were retransmitted.
    pub expected_rtx_pseudo_cum: u32,
    /// Whether the next SACK sets it (`find_rtx_pseudo_cumack`).
    pub finds_rtx_pseudo_cum: bool,
    /// The present SACK acknowledges one of these.
    pub has_new_pseudo_cum: bool,
    /// Packets retransmitted to it in the present round.
    pub packets_sent: u32,
    /// Packets of the present burst.
    pub burst_length: u32,
    /// Its recovery point.
    pub recover: u32,
    /// It may be sent one packet beyond its window.
    pub may_send_one: bool,
    /// The highest TSN sent to it, as far as it was asked for.
    pub highest_sent: u32,
    /// When it became possibly failed, s.
    pub failed_since: f64,
    /// Its loss rate, by a script.
    pub loss_rate: f32,
}

impl CmtDestination {
    /// The first values; some stay from before.
    pub fn start_over(&mut self) {
        (self.highest_in_sack, self.lowest_in_sack, self.recover) = (0, 0, 0);
        (self.saw_new_ack, self.may_send_one) = (false, false);
        self.find_pseudo_cums();
        self.burst_length = 0;
    }

    /// The next SACK sets both expected TSNs.
    pub fn find_pseudo_cums(&mut self) {
        (self.finds_pseudo_cum, self.finds_rtx_pseudo_cum) = (true, true);
    }

    /// Begins with the next SACK.
    pub fn begin_sack(&mut self) {
        (self.has_new_pseudo_cum, self.saw_new_ack) = (false, false);
        (self.lowest_in_sack, self.burst_length) = (0, 0);
    }
}
