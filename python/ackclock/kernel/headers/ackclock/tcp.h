/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What a congestion control implements, and the kernel's functions that it calls.
 */
#ifndef ACKCLOCK_TCP_H
#define ACKCLOCK_TCP_H

#include "sock.h"

/* Time: the simulation's. */
extern unsigned long jiffies;
#define jiffies_64 ((u64)jiffies)
#define tcp_jiffies32 ((u32)jiffies)
#define USEC_PER_SEC 1000000L
#define USEC_PER_MSEC 1000L
#define NSEC_PER_USEC 1000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_SEC 1000000000L
#define MSEC_PER_SEC 1000L
#define TCP_TS_HZ 1000
#define time_after(one, other) ((long)((other) - (one)) < 0)
#define time_before(one, other) time_after(other, one)
#define time_after_eq(one, other) ((long)((one) - (other)) >= 0)
#define time_before_eq(one, other) time_after_eq(other, one)
/* Times are rounded up to whole jiffies. */
static inline unsigned long msecs_to_jiffies(unsigned int ms) { return ((u64)ms * HZ + 999) / 1000; }
static inline unsigned long usecs_to_jiffies(unsigned int us) { return ((u64)us * HZ + 999999) / 1000000; }
static inline unsigned int jiffies_to_usecs(unsigned long ticks) { return (unsigned int)(ticks * (1000000 / HZ)); }
static inline unsigned int jiffies_to_msecs(unsigned long ticks) { return (unsigned int)(ticks * 1000 / HZ); }
u64 ackclock_now_ns(void);
static inline u64 local_clock(void) { return ackclock_now_ns(); }
static inline u64 sched_clock(void) { return ackclock_now_ns(); }
static inline u64 tcp_clock_ns(void) { return ackclock_now_ns(); }
static inline u64 tcp_clock_us(void) { return ackclock_now_ns() / 1000; }
static inline ktime_t ktime_get(void) { return (ktime_t)ackclock_now_ns(); }
static inline u64 ktime_get_ns(void) { return ackclock_now_ns(); }
static inline u64 ktime_get_real_ns(void) { return ackclock_now_ns(); }
static inline s64 ktime_to_us(ktime_t time) { return time / 1000; }
static inline s64 ktime_to_ns(ktime_t time) { return time; }
static inline u32 tcp_stamp_us_delta(u64 later, u64 earlier)
{
	s64 delta = (s64)(later - earlier);

	return delta > 0 ? delta : 0;
}
static inline u32 tcp_time_stamp_ms(const struct tcp_sock *tp) { return tp->tcp_mstamp / 1000; }
static inline u32 tcp_time_stamp_ts(const struct tcp_sock *tp) { return tp->tcp_mstamp / 1000; }

/* Random numbers: from the simulation's seed. */
u32 get_random_u32(void);
u64 get_random_u64(void);
void get_random_bytes(void *place, size_t size);
u32 get_random_u32_below(u32 limit);
static inline u32 prandom_u32_max(u32 limit) { return get_random_u32_below(limit); }
static inline u32 get_random_u32_inclusive(u32 lowest, u32 highest)
{
	return lowest + get_random_u32_below(highest - lowest + 1);
}

/* Sequence numbers are compared modulo 2^32 (RFC 9293, 3.4). */
static inline bool before(u32 one, u32 other) { return (s32)(one - other) < 0; }
#define after(one, other) before(other, one)
static inline bool between(u32 number, u32 lowest, u32 highest) { return highest - lowest >= number - lowest; }

#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define TCP_INIT_CWND 10
#define TCP_CA_NAME_MAX 16
#define TCP_CA_UNSPEC 0
#define TCP_CONG_NON_RESTRICTED 0x1
#define TCP_CONG_NEEDS_ECN 0x2
#define TCP_CONG_MASK (TCP_CONG_NON_RESTRICTED | TCP_CONG_NEEDS_ECN)
#define TCP_ECN_OK 1
#define TCP_ECN_QUEUE_CWR 2
#define TCP_ECN_DEMAND_CWR 4
#define TCP_ECN_SEEN 8
#define GSO_MAX_SIZE 65536
#define GSO_LEGACY_MAX_SIZE 65536U
#define MAX_TCP_HEADER 320
#define TCP_PLB_SCALE 8
#define L1_CACHE_BYTES 64

enum { TCP_ESTABLISHED = 1, TCP_SYN_SENT, TCP_SYN_RECV, TCP_FIN_WAIT1, TCP_FIN_WAIT2, TCP_TIME_WAIT, TCP_CLOSE,
       TCP_CLOSE_WAIT, TCP_LAST_ACK, TCP_LISTEN, TCP_CLOSING };
enum { TCPF_CLOSE = 1 << TCP_CLOSE, TCPF_LISTEN = 1 << TCP_LISTEN };

enum tcp_ca_state { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };
#define TCPF_CA_Open (1 << TCP_CA_Open)
#define TCPF_CA_Disorder (1 << TCP_CA_Disorder)
#define TCPF_CA_CWR (1 << TCP_CA_CWR)
#define TCPF_CA_Recovery (1 << TCP_CA_Recovery)
#define TCPF_CA_Loss (1 << TCP_CA_Loss)

enum tcp_ca_event { CA_EVENT_TX_START, CA_EVENT_CWND_RESTART, CA_EVENT_COMPLETE_CWR, CA_EVENT_LOSS, CA_EVENT_ECN_NO_CE,
		    CA_EVENT_ECN_IS_CE };
enum tcp_ca_ack_event_flags { CA_ACK_SLOWPATH = 1, CA_ACK_WIN_UPDATE = 2, CA_ACK_ECE = 4 };

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
	u32 in_flight;
};
struct rate_sample {
	u64 prior_mstamp;
	u32 prior_delivered;
	u32 prior_delivered_ce;
	s32 delivered;
	s32 delivered_ce;
	long interval_us;
	u32 snd_interval_us;
	u32 rcv_interval_us;
	long rtt_us;
	int losses;
	u32 acked_sacked;
	u32 prior_in_flight;
	u32 last_end_seq;
	bool is_app_limited;
	bool is_retrans;
	bool is_ack_delayed;
};

/* What `ss` shows of a control. */
enum { INET_DIAG_VEGASINFO = 3, INET_DIAG_DCTCPINFO = 9, INET_DIAG_BBRINFO = 16 };
struct tcpvegas_info {
	u32 tcpv_enabled;
	u32 tcpv_rttcnt;
	u32 tcpv_rtt;
	u32 tcpv_minrtt;
};
struct tcp_dctcp_info {
	u16 dctcp_enabled;
	u16 dctcp_ce_state;
	u32 dctcp_alpha;
	u32 dctcp_ab_ecn;
	u32 dctcp_ab_tot;
};
struct tcp_bbr_info {
	u32 bbr_bw_lo;
	u32 bbr_bw_hi;
	u32 bbr_min_rtt;
	u32 bbr_pacing_gain;
	u32 bbr_cwnd_gain;
};
union tcp_cc_info {
	struct tcpvegas_info vegas;
	struct tcp_dctcp_info dctcp;
	struct tcp_bbr_info bbr;
};

struct tcp_congestion_ops {
	u32 (*ssthresh)(struct sock *sk);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	void (*set_state)(struct sock *sk, u8 state);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	void (*in_ack_event)(struct sock *sk, u32 flags);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs);
	u32 (*undo_cwnd)(struct sock *sk);
	u32 (*sndbuf_expand)(struct sock *sk);
	size_t (*get_info)(struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info);
	char name[TCP_CA_NAME_MAX];
	struct module *owner;
	struct list_head list;
	u32 key;
	u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
};

/* Defined in the kernel's own files: net/ipv4/tcp_cong.c and tcp_plb.c. */
extern struct tcp_congestion_ops tcp_reno;
int tcp_register_congestion_control(struct tcp_congestion_ops *control);
void tcp_unregister_congestion_control(struct tcp_congestion_ops *control);
int tcp_update_congestion_control(struct tcp_congestion_ops *control, struct tcp_congestion_ops *former);
int tcp_validate_congestion_control(struct tcp_congestion_ops *control);
struct tcp_congestion_ops *tcp_ca_find(const char *name);
struct tcp_congestion_ops *tcp_ca_find_key(u32 key);
void tcp_get_available_congestion_control(char *place, size_t size);
void tcp_init_congestion_control(struct sock *sk);
void tcp_cleanup_congestion_control(struct sock *sk);
void tcp_set_ca_state(struct sock *sk, const u8 state);
u32 tcp_slow_start(struct tcp_sock *tp, u32 acked);
void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked);
u32 tcp_reno_ssthresh(struct sock *sk);
u32 tcp_reno_undo_cwnd(struct sock *sk);
void tcp_reno_cong_avoid(struct sock *sk, u32 ack, u32 acked);
#define trace_tcp_cong_state_set(sk, state) do { } while (0)

struct tcp_plb_state {
	u8 consec_cong_rounds : 5, unused : 3;
	u32 pause_until;
};
static inline void tcp_plb_init(const struct sock *sk, struct tcp_plb_state *plb)
{
	plb->consec_cong_rounds = 0;
	plb->pause_until = 0;
}
void tcp_plb_update_state(const struct sock *sk, struct tcp_plb_state *plb, const int cong_ratio);
void tcp_plb_check_rehash(struct sock *sk, struct tcp_plb_state *plb);
void tcp_plb_update_state_upon_rto(struct sock *sk, struct tcp_plb_state *plb);

/* The window. */
static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp) { return tp->snd_cwnd; }
static inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 packets) { tp->snd_cwnd = packets; }
static inline bool tcp_in_slow_start(const struct tcp_sock *tp) { return tp->snd_cwnd < tp->snd_ssthresh; }
static inline bool tcp_in_initial_slowstart(const struct tcp_sock *tp)
{
	return tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH;
}
/* Half of the window is enough in slow start. */
static inline bool tcp_is_cwnd_limited(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (tp->is_cwnd_limited)
		return true;
	return tcp_in_slow_start(tp) && tp->snd_cwnd < 2 * tp->max_packets_out;
}
static inline bool tcp_in_cwnd_reduction(const struct sock *sk)
{
	return (TCPF_CA_CWR | TCPF_CA_Recovery) & (1 << inet_csk(sk)->icsk_ca_state);
}
/* Three quarters of the window, unless it is being reduced. */
static inline u32 tcp_current_ssthresh(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (tcp_in_cwnd_reduction(sk))
		return tp->snd_ssthresh;
	return max(tp->snd_ssthresh, (tp->snd_cwnd >> 1) + (tp->snd_cwnd >> 2));
}
static inline unsigned int tcp_left_out(const struct tcp_sock *tp) { return tp->sacked_out + tp->lost_out; }
static inline unsigned int tcp_packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - tcp_left_out(tp) + tp->retrans_out;
}
static inline u32 tcp_min_rtt(const struct tcp_sock *tp) { return minmax_get(&tp->rtt_min); }
static inline bool tcp_ca_needs_ecn(const struct sock *sk)
{
	return inet_csk(sk)->icsk_ca_ops->flags & TCP_CONG_NEEDS_ECN;
}
static inline void tcp_ca_event(struct sock *sk, const enum tcp_ca_event event)
{
	if (inet_csk(sk)->icsk_ca_ops->cwnd_event)
		inet_csk(sk)->icsk_ca_ops->cwnd_event(sk, event);
}

/* What a control may ask of the sender and the receiver. ackclock's receiver reports each mark by itself. */
void tcp_enter_cwr(struct sock *sk);
static inline void __tcp_send_ack(struct sock *sk, u32 rcv_nxt, u16 flags) { }
static inline int tcp_call_bpf(struct sock *sk, int operation, u32 count, u32 *arguments) { return -1; }

#endif
