//! The parameters of ns-2.35's one-way TCP senders.
//!
//! Defaults and names are those of ns-2.35; the names have our spelling. Windows are in packets, sizes in bytes, times
//! in seconds.

use crate::params::Params;

/// How the timeout is computed from the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// True: add the deviation (Jacobson). False: twice the smoothed round-trip time (RFC 793).
    pub deviation: bool,
    /// Each timeout doubles the next (exponential back-off).
    pub back_off: bool,
    /// With `rfc2988`, continue the doubling past 64 while the timeout is below its maximum.
    pub back_off_to_maximum: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { deviation: true, back_off: true, back_off_to_maximum: true }
    }
}

/// The parameters of every one-way TCP sender. The window rule has its own, in
/// [`WindowLawParameters`](super::window_law::WindowLawParameters).
#[derive(Clone, Debug, PartialEq, Params)]
pub struct Config {
    /// The receiver's window.
    #[param("packets")]
    pub window: f64,
    /// The initial window, if `window_init_option` is 1. A lost first packet sets it to 1.
    #[param("packets")]
    pub window_init: f64,
    /// 1: the initial window is `window_init`; 2: it is RFC 3390's for the packet size.
    #[param("")]
    pub window_init_option: i32,
    /// Number of the window increase rule.
    #[param("")]
    pub window_option: i32,
    /// Weight of the present window in its running average.
    #[param("")]
    pub window_thresh: f64,
    /// The maximum congestion window; 0 for no limit.
    #[param("packets")]
    pub maxcwnd: i32,
    /// The window is cut to parts of packets, not to whole ones.
    #[param("flag")]
    pub precision_reduce: bool,
    /// The window grows only if it is what limits the sender.
    #[param("")]
    pub control_increase: i32,

    /// The first packet stands for a SYN: it carries headers only.
    #[param("flag")]
    pub syn: bool,
    /// With `syn`, the initial window is used only when the SYN has been acknowledged.
    #[param("flag")]
    pub delay_growth: bool,
    /// How often the SYN may be sent before the connection is given up; not positive for no limit.
    #[param("")]
    pub max_connects: i32,
    /// Packets carry headers on top of `packet_size`.
    #[param("flag")]
    pub use_headers: bool,
    /// Bytes of the headers.
    #[param("bytes")]
    pub tcpip_base_hdr_size: i32,
    /// Bytes of the timestamp option.
    #[param("bytes")]
    pub ts_option_size: i32,

    /// The maximum number of packets sent in one burst; 0 for no limit.
    #[param("packets")]
    pub maxburst: i32,
    /// ACKs older than the last one also trigger packets.
    #[param("flag")]
    pub aggressive_maxburst: bool,
    /// Each packet is delayed by a random time up to this, s; 0 sends at once.
    #[param("s")]
    pub overhead: f64,

    /// Length of the clock's tick, s.
    #[param("s")]
    pub tcp_tick: f64,
    /// The RTT is measured by the timestamps that ACKs echo.
    #[param("flag")]
    pub timestamps: bool,
    /// With timestamps, each ACK of new data ends the timer's back-off.
    #[param("flag")]
    pub ts_reset_rto: bool,
    /// The timer is set after the RTT estimate is updated, not before.
    #[param("flag")]
    pub timerfix: bool,
    /// The minimum RTO applies before the back-off (RFC 2988), not after.
    #[param("flag")]
    pub rfc2988: bool,
    /// The minimum RTO, s.
    #[param("s")]
    pub minrto: f64,
    /// The maximum RTO, s.
    #[param("s")]
    pub maxrto: f64,
    /// Smoothed RTT before the first sample, s.
    #[param("s")]
    pub srtt_init: f64,
    /// RTT variation before the first sample, s.
    #[param("s")]
    pub rttvar_init: f64,
    /// The RTO before the first sample, s.
    #[param("s")]
    pub rtxcur_init: f64,
    /// Fractional bits of the smoothed RTT: the weight of a sample is 2^-this.
    #[param("")]
    pub t_srtt_bits: i32,
    /// Fractional bits of the RTT variation.
    #[param("")]
    pub t_rttvar_bits: i32,
    /// The RTO is the smoothed RTT plus 2^this times the RTT variation.
    #[param("")]
    pub rttvar_exp: i32,

    /// The number of duplicate ACKs that indicates a loss.
    #[param("")]
    pub numdupacks: i32,
    /// With SACK: the number of duplicate ACKs as a share of the window, if that is more; negative for never.
    #[param("")]
    pub numdupacks_frac: i32,
    /// The number of earlier duplicate ACKs that each send one new packet (limited transmit).
    #[param("")]
    pub singledup: i32,
    /// With SACK and limited transmit: count what limited transmit sent as in flight.
    #[param("flag")]
    pub lim_transmit_fix: bool,
    /// No fast retransmit.
    #[param("flag")]
    pub no_fast_retrans: bool,
    /// Duplicate ACKs inflate the window only in fast recovery.
    #[param("flag")]
    pub exit_fast_retrans: bool,
    /// One window of data causes at most one fast retransmission.
    #[param("flag")]
    pub bug_fix: bool,
    /// Except when the last ACK before the duplicates acknowledged but a few packets.
    #[param("flag")]
    pub bug_fix_ack: bool,
    /// Except when the echoed timestamp shows that the duplicates answer the retransmission.
    #[param("flag")]
    pub bug_fix_ts: bool,
    /// Except when all of that window has just been acknowledged.
    #[param("flag")]
    pub less_careful: bool,
    /// A lost first packet leaves a window of one, and duplicate ACKs may retransmit it.
    #[param("flag")]
    pub bugfix_ss: bool,
    /// With SACK: packets in flight are counted from the window, not from what was sent.
    #[param("flag")]
    pub old_code: bool,
    /// A timeout with nothing in flight cuts the window.
    #[param("flag")]
    pub slow_start_restart: bool,
    /// But not the slow-start threshold.
    #[param("flag")]
    pub restart_bugfix: bool,

    /// Detect spurious timeouts by what the ACKs after them acknowledge (F-RTO).
    #[param("flag")]
    pub frto_enabled: bool,
    /// The same with the help of SACK blocks.
    #[param("flag")]
    pub sfrto_enabled: bool,
    /// After a spurious timeout: 1 gives all the window back, 2 half of it, 3 one packet.
    #[param("")]
    pub spurious_response: i32,

    /// Packets are ECN-capable, and the sender responds to echoed marks.
    #[param("flag")]
    pub ecn: bool,
    /// While marks are echoed the window may grow.
    #[param("flag")]
    pub old_ecn: bool,
    /// Retransmissions also carry CWR.
    #[param("flag")]
    pub set_cwr_on_retransmit: bool,
    /// The sender responds to explicit loss notifications.
    #[param("")]
    pub eln: i32,
    /// The number of them that triggers a retransmission.
    #[param("")]
    pub eln_rxmit_thresh: i32,

    /// The window decays while the sender is idle or application-limited (RFC 2861).
    #[param("")]
    pub q_option: i32,
    /// That decay counts round trips instead of timeouts.
    #[param("")]
    pub enbl_rtt_ctr: i32,

    /// How the timeout is computed. Set by the variant; scripts cannot change it.
    pub rules: Rules,

    /// Each change of a traced variable reports all variables.
    #[param(state)]
    pub trace_all_oneline: bool,
    /// Report raw values, not seconds.
    #[param(state)]
    pub nam_tracevar: bool,

    /// The first packet requests a rate (Quick-Start, RFC 4782).
    #[param(state)]
    pub qs_enabled: bool,
    /// The maximum rate to request, kbytes/s.
    #[param(state)]
    pub rate_request: i32,
    /// A loss in the Quick-Start window leads back to slow start.
    #[param(state)]
    pub tcp_qs_recovery: bool,
    /// 1: request no more than the data to send needs.
    #[param(state)]
    pub qs_request_mode: i32,
    /// With `qs_request_mode` 1: minimum number of packets to send.
    #[param(state)]
    pub qs_thresh: i32,
    /// With `qs_request_mode` 1: assumed round-trip time, ms.
    #[param(state)]
    pub qs_rtt: i32,
    /// Report Quick-Start requests and answers.
    #[param(state)]
    pub print_request: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            window: 20.0,
            window_init: 2.0,
            window_init_option: 1,
            window_option: 1,
            window_thresh: 0.002,
            maxcwnd: 0,
            precision_reduce: true,
            control_increase: 0,
            syn: true,
            delay_growth: true,
            max_connects: -1,
            use_headers: true,
            tcpip_base_hdr_size: 40,
            ts_option_size: 10,
            maxburst: 0,
            aggressive_maxburst: true,
            overhead: 0.0,
            tcp_tick: 0.01,
            timestamps: false,
            ts_reset_rto: false,
            timerfix: true,
            rfc2988: true,
            minrto: 0.2,
            maxrto: 60.0,
            srtt_init: 0.0,
            rttvar_init: 12.0,
            rtxcur_init: 3.0,
            t_srtt_bits: 3,
            t_rttvar_bits: 2,
            rttvar_exp: 2,
            numdupacks: 3,
            numdupacks_frac: -1,
            singledup: 1,
            lim_transmit_fix: false,
            no_fast_retrans: false,
            exit_fast_retrans: true,
            bug_fix: true,
            bug_fix_ack: false,
            bug_fix_ts: false,
            less_careful: false,
            bugfix_ss: true,
            old_code: false,
            slow_start_restart: true,
            restart_bugfix: true,
            frto_enabled: false,
            sfrto_enabled: false,
            spurious_response: 1,
            ecn: false,
            old_ecn: false,
            set_cwr_on_retransmit: true,
            eln: 0,
            eln_rxmit_thresh: 1,
            q_option: 0,
            enbl_rtt_ctr: 0,
            rules: Rules::default(),
            trace_all_oneline: false,
            nam_tracevar: false,
            qs_enabled: false,
            rate_request: 0,
            tcp_qs_recovery: true,
            qs_request_mode: 1,
            qs_thresh: 4,
            qs_rtt: 50,
            print_request: false,
        }
    }
}
