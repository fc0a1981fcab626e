//! CoDel's parameters, and the marks that they select.

use crate::packet::PacketId;
use crate::params::Params;
use crate::queue::QueueContext;

/// CoDel's parameters.
#[derive(Params)]
pub struct Settings {
    /// Target queueing delay, s.
    #[param("s")]
    pub target: f64,
    /// How long the delay may exceed the target before the first drop, s.
    #[param("s")]
    pub interval: f64,
    /// Whether ECN-capable packets are marked instead of dropped.
    #[param("flag")]
    pub ecn: bool,
    /// Packets with a longer queueing delay are marked, s; 0 for none.
    #[param("s")]
    pub ce_threshold: f64,
    /// With a mask, `ce_threshold` marks only packets whose DS field, masked, is this; 1 with mask 1 for ECT(1).
    #[param("")]
    pub ce_threshold_selector: i32,
    /// The mask; 0 for all packets.
    #[param("")]
    pub ce_threshold_mask: i32,
    /// Whether CoDel is as in Linux, and with `fq_codel` also the drops of a full queue.
    #[param("flag")]
    pub as_linux: bool,
}

impl Settings {
    /// Settings with this target and interval (s), without `ce_threshold`.
    pub fn new(target: f64, interval: f64, ecn: bool) -> Settings {
        let (ce_threshold, as_linux) = (0.0, false);
        Settings { target, interval, ecn, ce_threshold, ce_threshold_selector: 0, ce_threshold_mask: 0, as_linux }
    }

    /// A packet has waited longer than `ce_threshold`.
    pub fn mark_selected(&self, packet: Option<PacketId>, context: &mut QueueContext) {
        let Some(packet) = packet.map(|packet| &mut context.packets[packet]) else { return };
        if i32::from(packet.ds_field()) & self.ce_threshold_mask == self.ce_threshold_selector {
            packet.mark();
        }
    }

    /// Marks a packet if marks are wanted and it is ECN-capable; whether it is marked.
    pub fn mark(&self, packet: Option<PacketId>, context: &mut QueueContext) -> bool {
        self.ecn && packet.is_some_and(|packet| context.packets[packet].mark())
    }
}
