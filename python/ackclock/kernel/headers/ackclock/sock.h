/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A connection as a congestion control sees it: the fields of the kernel's `struct sock`, `struct inet_connection_sock`
 * and `struct tcp_sock` that controls use, in an order of its own.
 */
#ifndef ACKCLOCK_SOCK_H
#define ACKCLOCK_SOCK_H

#include "types.h"
#include "module.h"

struct tcp_congestion_ops;

struct netns_ipv4 {
	const struct tcp_congestion_ops *tcp_congestion_control;
	u8 sysctl_tcp_plb_enabled;
	u8 sysctl_tcp_plb_idle_rehash_rounds;
	u8 sysctl_tcp_plb_rehash_rounds;
	u8 sysctl_tcp_plb_suspend_rto_sec;
	int sysctl_tcp_plb_cong_thresh;
	int sysctl_tcp_reordering;
	int sysctl_tcp_pacing_ss_ratio;
	int sysctl_tcp_pacing_ca_ratio;
	u8 sysctl_tcp_min_tso_segs;
	u8 sysctl_tcp_ecn;
};
struct net {
	struct netns_ipv4 ipv4;
};
extern struct net init_net;
static inline bool net_eq(const struct net *one, const struct net *other) { return one == other; }

enum sk_pacing {
	SK_PACING_NONE = 0,
	SK_PACING_NEEDED = 1,
	SK_PACING_FQ = 2,
};

struct sock {
	int sk_state;
	u32 sk_pacing_status;
	unsigned long sk_pacing_rate;
	unsigned long sk_max_pacing_rate;
	u8 sk_pacing_shift;
	unsigned int sk_gso_max_size;
	int sk_sndbuf;
	bool ecn_xmit;
};
static inline struct net *sock_net(const struct sock *sk) { return &init_net; }
static inline void sk_rethink_txhash(struct sock *sk) { }

struct inet_connection_sock {
	struct sock icsk_sock;
	const struct tcp_congestion_ops *icsk_ca_ops;
	u32 icsk_rto;
	u8 icsk_ca_state;
	u8 icsk_ca_initialized;
	u8 icsk_ca_setsockopt;
	u8 icsk_ca_dst_locked;
	u8 icsk_retransmits;
	u8 icsk_backoff;
	struct {
		u8 pending;
	} icsk_ack;
	/* 104 bytes, which BUILD_BUG_ON of the controls relies on. */
	u64 icsk_ca_priv[13];
};
#define ICSK_CA_PRIV_SIZE sizeof_field(struct inet_connection_sock, icsk_ca_priv)
#define ICSK_ACK_TIMER 2
#define ICSK_ACK_NOW 8

struct minmax_sample {
	u32 t;
	u32 v;
};
struct minmax {
	struct minmax_sample s[3];
};
u32 minmax_running_max(struct minmax *filter, u32 window, u32 time, u32 value);
u32 minmax_running_min(struct minmax *filter, u32 window, u32 time, u32 value);
static inline u32 minmax_get(const struct minmax *filter) { return filter->s[0].v; }
static inline u32 minmax_reset(struct minmax *filter, u32 time, u32 value)
{
	struct minmax_sample sample = { .t = time, .v = value };

	filter->s[0] = filter->s[1] = filter->s[2] = sample;
	return value;
}

struct tcp_options_received {
	u32 rcv_tsval;
	u32 rcv_tsecr;
	u16 saw_tstamp : 1, tstamp_ok : 1, sack_ok : 3;
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 snd_una;
	u32 snd_nxt;
	u32 rcv_nxt;
	u32 snd_wnd;
	u32 lsndtime;
	u32 mss_cache;
	u32 srtt_us;
	u32 mdev_us;
	u32 rttvar_us;
	struct minmax rtt_min;
	u32 packets_out;
	u32 retrans_out;
	u32 sacked_out;
	u32 lost_out;
	u32 max_packets_out;
	u32 snd_ssthresh;
	u32 snd_cwnd;
	u32 snd_cwnd_cnt;
	u32 snd_cwnd_clamp;
	u32 snd_cwnd_stamp;
	u32 prior_cwnd;
	u32 prior_ssthresh;
	u32 delivered;
	u32 delivered_ce;
	u32 lost;
	u32 app_limited;
	u32 reordering;
	u32 plb_rehash;
	u64 first_tx_mstamp;
	u64 delivered_mstamp;
	u64 bytes_acked;
	u64 tcp_clock_cache;
	u64 tcp_mstamp;
	u64 tcp_wstamp_ns;
	u8 ecn_flags;
	u8 is_cwnd_limited : 1, is_sack_reneg : 1;
	struct tcp_options_received rx_opt;
};

static inline struct inet_connection_sock *inet_csk(const struct sock *sk)
{
	return (struct inet_connection_sock *)sk;
}
static inline void *inet_csk_ca(const struct sock *sk) { return inet_csk(sk)->icsk_ca_priv; }
static inline struct tcp_sock *tcp_sk(const struct sock *sk) { return (struct tcp_sock *)sk; }
static inline void INET_ECN_xmit(struct sock *sk) { sk->ecn_xmit = true; }
static inline void INET_ECN_dontxmit(struct sock *sk) { sk->ecn_xmit = false; }

/* Counters of the host, which nothing reads. */
enum {
	LINUX_MIB_TCPHYSTARTTRAINDETECT,
	LINUX_MIB_TCPHYSTARTTRAINCWND,
	LINUX_MIB_TCPHYSTARTDELAYDETECT,
	LINUX_MIB_TCPHYSTARTDELAYCWND,
	LINUX_MIB_TCPPLBREHASH,
};
#define NET_INC_STATS(net, counter) ((void)(net), (void)(counter))
#define NET_ADD_STATS(net, counter, number) ((void)(net), (void)(counter), (void)(number))

#endif
