//! The parameters of an SCTP agent.

use crate::params::Params;

/// Bytes of SCTP's common header.
pub const COMMON_HEADER: u32 = 12;

/// Maximum number of streams.
const MAX_STREAMS: i32 = 0xffff;

/// Minimum size of a DATA chunk, bytes.
const MIN_DATA_CHUNK: u32 = 16;

/// Parameters with ns-2's names and defaults.
#[derive(Clone, Debug, Params)]
pub struct Settings {
    /// Timeouts in a row that close the association.
    #[param(state)]
    pub association_max_retrans: i32,
    /// Timeouts in a row that make a destination inactive.
    #[param(state)]
    pub path_max_retrans: i32,
    /// Timeouts in a row after which the destination in use becomes the primary one.
    #[param(state)]
    pub change_primary_thresh: i32,
    /// INITs and COOKIE ECHOs sent again before the sender gives up.
    #[param(state)]
    pub max_init_retransmits: i32,
    /// Idle time between heartbeats, s; 0 for none.
    #[param(state)]
    pub heartbeat_interval: i32,
    /// Largest packet, bytes.
    #[param(state)]
    pub mtu: i32,
    /// Receiver window, bytes.
    #[param(state)]
    pub initial_rwnd: i32,
    /// Slow-start threshold at the start, bytes.
    #[param(state)]
    pub initial_ssthresh: i32,
    /// Bytes of the IP header.
    #[param(state)]
    pub ip_header_size: i32,
    /// Size of the DATA chunks of an endless transfer, with their headers, bytes.
    #[param(state)]
    pub data_chunk_size: i32,
    /// Number of outbound streams.
    #[param(state)]
    pub num_out_streams: i32,
    /// Whether every second packet is acknowledged.
    #[param(state)]
    pub use_delayed_sacks: i32,
    /// Maximum delay of a SACK, s.
    #[param(state)]
    pub sack_delay: f64,
    /// Whether at most four packets are sent in a burst after a fast retransmission.
    #[param(state)]
    pub use_max_burst: i32,
    /// The congestion window that does not shrink when idle, packets.
    #[param(state)]
    pub initial_cwnd: i32,
    /// Retransmission timeout at the start, s.
    #[param(state)]
    pub initial_rto: f64,
    /// Minimum retransmission timeout, s.
    #[param(state)]
    pub min_rto: f64,
    /// Maximum retransmission timeout, s.
    #[param(state)]
    pub max_rto: f64,
    /// Missing reports that cause a fast retransmission.
    #[param(state)]
    pub fast_rtx_trigger: i32,
    /// Number of streams, from the first on, that are unreliable.
    #[param(state)]
    pub num_unrel_streams: i32,
    /// Retransmissions of a chunk on an unreliable stream.
    #[param(state)]
    pub reliability: i32,
    /// Whether data may be delivered out of order.
    #[param(state)]
    pub unordered: i32,
    /// Where retransmissions go: 0 to the same destination, 1 to another one, 2 to another one after timeouts.
    #[param(state)]
    pub rtx_to_alt: i32,
    /// When all destinations failed: 0 uses the next one, 1 the primary one, 2 stays.
    #[param(state)]
    pub dormant_action: i32,
    /// How long a route stays known, s.
    #[param(state)]
    pub route_cache_lifetime: f64,
    /// How long the computation of a route takes, s; 0 for no such delay.
    #[param(state)]
    pub route_calc_delay: f64,
    /// Send buffer, bytes; 0 for no limit.
    #[param(state)]
    pub initial_swnd: i32,
    /// Whether SACKs say what the receiver does not discard any more.
    #[param(state)]
    pub use_non_reneg_sacks: i32,
    /// Whether traces have all variables in a line.
    #[param(state)]
    pub trace_all: i32,
    /// No effect.
    #[param(state)]
    pub debug_mask: i32,
    /// No effect.
    #[param(state)]
    pub debug_file_index: i32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            association_max_retrans: 10,
            path_max_retrans: 5,
            change_primary_thresh: -1,
            max_init_retransmits: 8,
            heartbeat_interval: 30,
            mtu: 1500,
            initial_rwnd: 65536,
            initial_ssthresh: 65536,
            ip_header_size: 20,
            data_chunk_size: 1468,
            num_out_streams: 1,
            use_delayed_sacks: 1,
            sack_delay: 0.2,
            use_max_burst: 1,
            initial_cwnd: 2,
            initial_rto: 3.0,
            min_rto: 1.0,
            max_rto: 60.0,
            fast_rtx_trigger: 3,
            num_unrel_streams: 0,
            reliability: 0,
            unordered: 0,
            rtx_to_alt: 1,
            dormant_action: 0,
            route_cache_lifetime: 1.2,
            route_calc_delay: 0.0,
            initial_swnd: 0,
            use_non_reneg_sacks: 0,
            trace_all: 0,
            debug_mask: 0,
            debug_file_index: -1,
        }
    }
}

impl Settings {
    /// The largest number of bytes in a packet after the common header.
    pub fn max_payload(&self) -> u32 {
        (self.mtu as u32).wrapping_sub(COMMON_HEADER).wrapping_sub(self.ip_header_size as u32)
    }

    /// Bytes of the headers in front of the chunks.
    pub fn headers(&self) -> u32 {
        COMMON_HEADER + self.ip_header_size as u32
    }

    /// What is wrong with the parameters, if anything; `max_data` is the room for data in a packet, bytes.
    pub fn error(&self, max_data: u32) -> Option<String> {
        let size = self.data_chunk_size as u32;
        if self.num_out_streams as u32 > MAX_STREAMS as u32 {
            return Some(format!("number of streams ({}) > max ({MAX_STREAMS})", self.num_out_streams));
        }
        if self.num_unrel_streams as u32 > self.num_out_streams as u32 {
            let (unreliable, all) = (self.num_unrel_streams, self.num_out_streams);
            return Some(format!("number of unreliable streams ({unreliable}) > total ({all})"));
        }
        if size > max_data {
            return Some(format!(
                "DATA chunk size ({size}) too big: the MTU ({}) leaves {} bytes",
                self.mtu, max_data as i32
            ));
        }
        (size < MIN_DATA_CHUNK).then(|| format!("data chunk size ({size}) < min ({MIN_DATA_CHUNK})"))
    }
}
