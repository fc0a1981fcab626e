//! Parameters of a TFRC sender under ns-2's names, with ns-2.35's defaults.

use super::round_trip::Smoothing;
use crate::params::Params;

/// The number of packets of an unlimited transfer.
pub(super) const WITHOUT_END: i32 = 1 << 30;

/// Parameters, under ns-2's names.
#[derive(Debug, Params)]
pub(super) struct Config {
    #[param(state)]
    pub(super) init_rate: i32,
    #[param(flatten)]
    pub(super) smoothing: Smoothing,
    #[param(state)]
    pub(super) rtxcur_init: f64,
    #[param(state)]
    pub(super) overhead: f64,
    #[param(state)]
    pub(super) ssmult: f64,
    #[param(state)]
    pub(super) bval: i32,
    #[param(state)]
    pub(super) ca: i32,
    #[param(state)]
    pub(super) print_status: bool,
    #[param(state)]
    pub(super) conservative: bool,
    #[param(state)]
    pub(super) ecn: bool,
    #[param(state)]
    pub(super) max_heavy_rounds: i32,
    #[param(state)]
    pub(super) sndr_type: i32,
    #[param(state)]
    pub(super) scmult: f64,
    #[param(state)]
    pub(super) old_code: bool,
    #[param(state)]
    pub(super) rate_init: f64,
    #[param(state)]
    pub(super) rate_init_option: i32,
    #[param(state)]
    pub(super) slow_increase: bool,
    #[param(state)]
    pub(super) voip: bool,
    #[param(state)]
    pub(super) voip_max_pkt_rate: i32,
    #[param(state)]
    pub(super) fsize: i32,
    #[param(state)]
    pub(super) use_headers: bool,
    #[param(state)]
    pub(super) idle_fix: bool,
    #[param(state)]
    pub(super) headersize: i32,
    #[param(state)]
    pub(super) maxqueue: i32,
}

impl Default for Config {
    fn default() -> Config {
        let smoothing = Smoothing {
            df: 0.95,
            tcp_tick: 0.1,
            t_srtt_bits: 3,
            t_rttvar_bits: 2,
            rttvar_exp: 2,
            srtt_init: 0,
            rttvar_init: 12,
            minrto: 0.0,
        };
        Config {
            init_rate: 300,
            smoothing,
            rtxcur_init: 6.0,
            overhead: 0.0,
            ssmult: 2.0,
            bval: 1,
            ca: 1,
            print_status: false,
            conservative: false,
            ecn: false,
            max_heavy_rounds: 0,
            sndr_type: 0,
            scmult: 1.5,
            old_code: false,
            rate_init: 2.0,
            rate_init_option: 2,
            slow_increase: true,
            voip: false,
            voip_max_pkt_rate: 100,
            fsize: 1460,
            use_headers: true,
            idle_fix: true,
            headersize: 32,
            maxqueue: WITHOUT_END,
        }
    }
}
