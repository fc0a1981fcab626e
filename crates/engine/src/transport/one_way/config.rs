//! The parameters of ns-2.35's one-way TCP senders.
//!
//! Defaults and names are those of ns-2.35; the names have our spelling. Windows are in packets, sizes in bytes, times
//! in seconds.

use crate::params;

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
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The receiver's window.
    pub window: f64,
    /// The initial window, if `window_init_option` is 1. Losing the first packet sets it to 1.
    pub window_init: f64,
    /// 1: the initial window is `window_init`. 2: RFC 3390's, by packet size.
    pub window_init_option: i32,
    /// The number of the window rule (see [`crate::transport::compat::ns2::window_law::LAWS`]).
    pub window_option: i32,
    /// Weight of the current window in its moving average.
    pub window_thresh: f64,
    /// The maximum congestion window; 0 for no limit.
    pub maxcwnd: i32,
    /// Keep fractions of packets when the window is cut, instead of rounding down.
    pub precision_reduce: bool,
    /// The window grows only while it limits the sender.
    pub control_increase: i32,

    /// The first packet represents a SYN: it carries headers only.
    pub syn: bool,
    /// With `syn`: use the initial window only after the SYN is acknowledged.
    pub delay_growth: bool,
    /// Maximum number of SYN transmissions before the sender gives up; zero or negative for no limit.
    pub max_connects: i32,
    /// Add header bytes to `packet_size`.
    pub use_headers: bool,
    /// Bytes of the headers.
    pub tcpip_base_hdr_size: i32,
    /// Bytes of the timestamp option.
    pub ts_option_size: i32,

    /// Maximum number of packets in one burst; 0 for no limit.
    pub maxburst: i32,
    /// ACKs older than the last one also trigger sending.
    pub aggressive_maxburst: bool,
    /// Maximum random delay before each packet, s; 0 sends immediately.
    pub overhead: f64,

    /// Clock tick, s.
    pub tcp_tick: f64,
    /// Measure round-trip times by echoed timestamps.
    pub timestamps: bool,
    /// With timestamps, each ACK of new data resets the timer's back-off.
    pub ts_reset_rto: bool,
    /// Set the timer after the update of the round-trip time, not before.
    pub timerfix: bool,
    /// Apply the minimum timeout before the back-off (RFC 2988), not after.
    pub rfc2988: bool,
    /// The minimum timeout, s.
    pub minrto: f64,
    /// The maximum timeout, s.
    pub maxrto: f64,
    /// Initial smoothed round-trip time, s.
    pub srtt_init: f64,
    /// Initial deviation of the round-trip time, s.
    pub rttvar_init: f64,
    /// Initial timeout, s.
    pub rtxcur_init: f64,
    /// Fraction bits of the smoothed round-trip time: a sample has weight 2^-`t_srtt_bits`.
    pub t_srtt_bits: i32,
    /// Fraction bits of the deviation.
    pub t_rttvar_bits: i32,
    /// The timeout is the smoothed round-trip time plus 2^`rttvar_exp` deviations.
    pub rttvar_exp: i32,

    /// Duplicate ACK threshold.
    pub numdupacks: i32,
    /// With SACK: the threshold is at least the window divided by this number; negative to disable.
    pub numdupacks_frac: i32,
    /// Limited transmit: each duplicate ACK below the threshold sends one new packet.
    pub singledup: i32,
    /// With SACK and limited transmit: count the packets of limited transmit as in flight.
    pub lim_transmit_fix: bool,
    /// Disable fast retransmit (Tahoe).
    pub no_fast_retrans: bool,
    /// Duplicate ACKs inflate the window only in fast recovery.
    pub exit_fast_retrans: bool,
    /// At most one fast retransmit per window of data.
    pub bug_fix: bool,
    /// Exception to `bug_fix`: the last ACK before the duplicates acknowledged only a few packets.
    pub bug_fix_ack: bool,
    /// Exception to `bug_fix`: the echoed timestamp shows that the duplicates answer the retransmission.
    pub bug_fix_ts: bool,
    /// Exception to `bug_fix`: all of that window has just been acknowledged.
    pub less_careful: bool,
    /// Losing the first packet sets the window to one; duplicate ACKs may retransmit that packet.
    pub bugfix_ss: bool,
    /// With SACK: estimate packets in flight from the window, not from the packets sent.
    pub old_code: bool,
    /// A timeout with no packets in flight cuts the window.
    pub slow_start_restart: bool,
    /// Such a timeout does not reduce the slow-start threshold.
    pub restart_bugfix: bool,

    /// Detect spurious timeouts with F-RTO.
    pub frto_enabled: bool,
    /// Detect spurious timeouts with SACK-enhanced F-RTO.
    pub sfrto_enabled: bool,
    /// Response to a spurious timeout: 1 restores the whole window, 2 half of it, 3 sets one packet.
    pub spurious_response: i32,

    /// Set the ECN-capable flag and react to ECN echoes.
    pub ecn: bool,
    /// Let the window grow while ECN echoes arrive.
    pub old_ecn: bool,
    /// Set the CWR flag on retransmissions, too.
    pub set_cwr_on_retransmit: bool,
    /// React to explicit loss notifications (ELN).
    pub eln: i32,
    /// Number of notifications that trigger a retransmission.
    pub eln_rxmit_thresh: i32,

    /// Reduce the window of an idle or application-limited sender (RFC 2861).
    pub q_option: i32,
    /// Count round trips instead of timeouts for `q_option`.
    pub enbl_rtt_ctr: i32,

    /// How the timeout is computed. Set by the variant; scripts cannot change it.
    pub rules: Rules,

    /// Each change of a traced variable reports all variables.
    pub trace_all_oneline: bool,
    /// Report raw values, not seconds.
    pub nam_tracevar: bool,

    /// The first packet requests a rate (Quick-Start, RFC 4782).
    pub qs_enabled: bool,
    /// The maximum rate to request, kbytes/s.
    pub rate_request: i32,
    /// A loss in the Quick-Start window leads back to slow start.
    pub tcp_qs_recovery: bool,
    /// 1: request no more than the data to send needs.
    pub qs_request_mode: i32,
    /// With `qs_request_mode` 1: minimum number of packets to send.
    pub qs_thresh: i32,
    /// With `qs_request_mode` 1: assumed round-trip time, ms.
    pub qs_rtt: i32,
    /// Report Quick-Start requests and answers.
    pub print_request: bool,
}

params!(Config {
    window,
    window_init,
    window_init_option,
    window_option,
    window_thresh,
    maxcwnd,
    precision_reduce,
    control_increase,
    syn,
    delay_growth,
    max_connects,
    use_headers,
    tcpip_base_hdr_size,
    ts_option_size,
    maxburst,
    aggressive_maxburst,
    overhead,
    tcp_tick,
    timestamps,
    ts_reset_rto,
    timerfix,
    rfc2988,
    minrto,
    maxrto,
    srtt_init,
    rttvar_init,
    rtxcur_init,
    t_srtt_bits,
    t_rttvar_bits,
    rttvar_exp,
    numdupacks,
    numdupacks_frac,
    lim_transmit_fix,
    no_fast_retrans,
    exit_fast_retrans,
    bug_fix,
    bug_fix_ack,
    bug_fix_ts,
    less_careful,
    bugfix_ss,
    old_code,
    slow_start_restart,
    restart_bugfix,
    frto_enabled,
    sfrto_enabled,
    spurious_response,
    ecn,
    old_ecn,
    set_cwr_on_retransmit,
    eln,
    eln_rxmit_thresh,
    q_option,
    enbl_rtt_ctr,
    trace_all_oneline,
    nam_tracevar,
    singledup,
    qs_enabled,
    rate_request,
    tcp_qs_recovery,
    qs_request_mode,
    qs_thresh,
    qs_rtt,
    print_request,
});

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
