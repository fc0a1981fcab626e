//! What a one-way TCP sender can be told.
//!
//! The defaults are ns-2.35's, and so are the names, in our spelling. Windows are in packets, sizes in bytes, times in
//! seconds.

use super::rtt::Rules;
use crate::params;

/// The parameters of every one-way TCP sender; those of its window law are in
/// [`LawParameters`](crate::transport::compat::ns2::window_law::WindowLawParameters).
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The receiver's window.
    pub window: f64,
    /// The initial window, if `window_init_option` is 1. A lost first packet sets it to 1.
    pub window_init: f64,
    /// 1: the initial window is `window_init`; 2: it is RFC 3390's for the packet size.
    pub window_init_option: i32,
    /// The window law's number (see [`crate::transport::compat::ns2::window_law::LAWS`]).
    pub window_option: i32,
    /// Weight of the present window in its running average.
    pub window_thresh: f64,
    /// The greatest congestion window; 0 for no limit.
    pub maxcwnd: i32,
    /// The window is cut to parts of packets, not to whole ones.
    pub precision_reduce: bool,
    /// The window grows only if it is what limits the sender.
    pub control_increase: i32,

    /// The first packet stands for a SYN: it carries headers only.
    pub syn: bool,
    /// With `syn`, the initial window is used only when the SYN has been acknowledged.
    pub delay_growth: bool,
    /// How often the SYN may be sent before the connection is given up; not positive for no limit.
    pub max_connects: i32,
    /// Packets carry headers on top of `packet_size`.
    pub use_headers: bool,
    /// Bytes of the headers.
    pub tcpip_base_hdr_size: i32,
    /// Bytes of the timestamp option.
    pub ts_option_size: i32,

    /// Most packets sent at one go; 0 for no limit.
    pub maxburst: i32,
    /// ACKs from before the last one also let packets go.
    pub aggressive_maxburst: bool,
    /// Each packet is delayed by a random time up to this, s; 0 sends at once.
    pub overhead: f64,

    /// Length of the clock's tick, s.
    pub tcp_tick: f64,
    /// Round-trip times are measured by the timestamps that ACKs echo.
    pub timestamps: bool,
    /// With timestamps, each ACK of new data ends the timer's back-off.
    pub ts_reset_rto: bool,
    /// The timer is set after the round-trip time was updated, not before.
    pub timerfix: bool,
    /// The least timeout holds before the back-off is applied (RFC 2988), not after.
    pub rfc2988: bool,
    /// The least timeout, s.
    pub minrto: f64,
    /// The greatest timeout, s.
    pub maxrto: f64,
    /// Round-trip time before there is a sample, s.
    pub srtt_init: f64,
    /// Its deviation before there is a sample, s.
    pub rttvar_init: f64,
    /// The timeout before there is a sample, s.
    pub rtxcur_init: f64,
    /// Binary digits of the smoothed round-trip time after the point: a sample weighs 2^-this.
    pub t_srtt_bits: i32,
    /// Binary digits of its deviation after the point.
    pub t_rttvar_bits: i32,
    /// The timeout is the round-trip time plus 2^this times the deviation.
    pub rttvar_exp: i32,

    /// Duplicate ACKs that are taken for a loss.
    pub numdupacks: i32,
    /// With SACK: as many duplicate ACKs as this part of the window, if that is more; negative for never.
    pub numdupacks_frac: i32,
    /// Duplicate ACKs before that send one new packet each (limited transmit).
    pub singledup: i32,
    /// With SACK and limited transmit: count what limited transmit sent as in flight.
    pub lim_transmit_fix: bool,
    /// There is no fast retransmission (Tahoe).
    pub no_fast_retrans: bool,
    /// Duplicate ACKs inflate the window only in fast recovery.
    pub exit_fast_retrans: bool,
    /// One window of data causes at most one fast retransmission.
    pub bug_fix: bool,
    /// Except when the last ACK before the duplicates acknowledged but a few packets.
    pub bug_fix_ack: bool,
    /// Except when the echoed timestamp shows that the duplicates answer the retransmission.
    pub bug_fix_ts: bool,
    /// Except when all of that window has just been acknowledged.
    pub less_careful: bool,
    /// A lost first packet leaves a window of one, and may be retransmitted by duplicate ACKs.
    pub bugfix_ss: bool,
    /// With SACK: packets in flight are counted from the window, not from what was sent.
    pub old_code: bool,
    /// A timeout with nothing in flight cuts the window.
    pub slow_start_restart: bool,
    /// But not the slow-start threshold.
    pub restart_bugfix: bool,

    /// Detect spurious timeouts by what the ACKs after them acknowledge (F-RTO).
    pub frto_enabled: bool,
    /// The same with the help of SACK blocks.
    pub sfrto_enabled: bool,
    /// After a spurious timeout: 1 gives all the window back, 2 half of it, 3 one packet.
    pub spurious_response: i32,

    /// Packets say that they may be marked, and echoed marks are heeded.
    pub ecn: bool,
    /// While marks are echoed the window may grow.
    pub old_ecn: bool,
    /// Retransmissions also tell that the window was reduced.
    pub set_cwr_on_retransmit: bool,
    /// Explicit loss notifications are heeded.
    pub eln: i32,
    /// So many of them make a retransmission.
    pub eln_rxmit_thresh: i32,

    /// An idle or sparing sender gives up window (RFC 2861).
    pub q_option: i32,
    /// It counts round trips instead of timeouts.
    pub enbl_rtt_ctr: i32,

    /// How the timeout is made. A variant's, not a script's.
    pub rules: Rules,

    /// Each change of a watched variable reports all variables.
    pub trace_all_oneline: bool,
    /// Watched variables are reported as they are stored, not in seconds.
    pub nam_tracevar: bool,

    /// The first packet asks for a rate (Quick-Start, RFC 4782).
    pub qs_enabled: bool,
    /// The most that is asked for, kbytes/s.
    pub rate_request: i32,
    /// A loss in the window agreed to leads back to slow start.
    pub tcp_qs_recovery: bool,
    /// 1 asks for no more than what there is to send needs.
    pub qs_request_mode: i32,
    /// With that: as many packets there must be to send.
    pub qs_thresh: i32,
    /// With that: the round trip that is assumed, ms.
    pub qs_rtt: i32,
    /// Requests and answers are told.
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
