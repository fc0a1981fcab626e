//! What ackclock and a shared object exchange: the same as python/ackclock/kernel/headers/ackclock/interface.h, which says
//! what each name means.

/// `ACKCLOCK_INTERFACE_VERSION`.
pub const VERSION: u32 = 1;

/// `ACKCLOCK_RANDOMS`.
pub const RANDOMS: usize = 4;

/// `enum ackclock_operation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Operation {
    /// `init`.
    Start = 0,
    /// `release`.
    Release = 1,
    /// `in_ack_event` and `pkts_acked`.
    AckArrived = 2,
    /// `cong_control` or `cong_avoid`.
    Control = 3,
    /// `ssthresh`.
    Ssthresh = 4,
    /// `set_state`.
    SetState = 5,
    /// `cwnd_event`.
    CwndEvent = 6,
    /// `undo_cwnd`.
    Undo = 7,
}

/// `enum tcp_ca_event`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CaEvent {
    /// Data are sent with nothing in flight.
    TxStart = 0,
    /// The window restarts after an idle time.
    CwndRestart = 1,
    /// A reduction of the window is complete.
    CompleteCwr = 2,
    /// The retransmission timer has expired.
    Loss = 3,
}

/// `CA_ACK_*`.
pub mod ack_flag {
    /// The ACK is unusual (`CA_ACK_SLOWPATH`).
    pub const SLOWPATH: u32 = 1;
    /// The ACK updates the window (`CA_ACK_WIN_UPDATE`).
    pub const WIN_UPDATE: u32 = 2;
    /// The ACK carries ECE (`CA_ACK_ECE`).
    pub const ECE: u32 = 4;
}

/// `TCP_INFINITE_SSTHRESH`.
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// `struct ackclock_view`: the connection. Names and units are the kernel's.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
#[allow(missing_docs)]
pub struct View {
    pub now_ns: u64,
    pub wstamp_ns: u64,
    pub delivered_us: u64,
    pub lsndtime_ns: u64,
    pub max_pacing_rate: u64,
    pub randoms: [u32; RANDOMS],
    pub mss_cache: u32,
    pub srtt_us: u32,
    pub min_rtt_us: u32,
    pub snd_una: u32,
    pub snd_nxt: u32,
    pub delivered: u32,
    pub delivered_ce: u32,
    pub lost: u32,
    pub packets_out: u32,
    pub sacked_out: u32,
    pub reordering: u32,
    pub prior_cwnd: u32,
    pub is_cwnd_limited: u32,
    pub max_packets_out: u32,
    pub rcv_tsval: u32,
    pub rcv_tsecr: u32,
    pub ecn_ok: u32,
    pub ca_state: u32,
    pub argument: u32,
    pub ack_flags: u32,
    pub pkts_acked: u32,
    pub sample_rtt_us: i32,
    pub sample_in_flight: u32,
    pub acked_sacked: u32,
    pub may_raise: u32,
    pub losses: u32,
    pub prior_delivered: u32,
    pub rate_delivered: i32,
    pub rate_delivered_ce: i32,
    pub is_app_limited: u32,
    pub is_ack_delayed: u32,
    pub prior_in_flight: u32,
    pub interval_us: i64,
    pub rate_rtt_us: i64,
    pub prior_mstamp: u64,
    pub pacing_rate: u64,
    pub snd_cwnd: u32,
    pub snd_ssthresh: u32,
    pub snd_cwnd_clamp: u32,
    pub app_limited: u32,
    pub is_paced: u32,
    pub has_cong_control: u32,
    pub result: u32,
    pub randoms_used: u32,
}
