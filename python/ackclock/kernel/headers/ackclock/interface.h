/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * The interface between ackclock and a congestion control that was compiled from the kernel's source.
 *
 * ackclock fills an `ackclock_view` with the state of the connection, calls `ackclock_call`, and reads the view again.
 * crates/kernel/src/interface.rs declares the same in Rust. Whoever changes one of them changes the other and the
 * version: a shared object with another version or another size of the view is refused.
 */
#ifndef ACKCLOCK_INTERFACE_H
#define ACKCLOCK_INTERFACE_H

#define ACKCLOCK_INTERFACE_VERSION 1
/* Random numbers that a call may use; there are more, which depend on these. */
#define ACKCLOCK_RANDOMS 4

/* What `ackclock_call` does. */
enum ackclock_operation {
	ACKCLOCK_START = 0,        /* the connection starts: `init` */
	ACKCLOCK_RELEASE = 1,      /* the connection is over: `release` */
	ACKCLOCK_ACK_ARRIVED = 2,  /* `in_ack_event`, then `pkts_acked` */
	ACKCLOCK_CONTROL = 3,      /* `cong_control`, or `cong_avoid` if the ACK may raise the window */
	ACKCLOCK_SSTHRESH = 4,     /* `ssthresh`; the answer is in `result` */
	ACKCLOCK_SET_STATE = 5,    /* `set_state` with `argument` */
	ACKCLOCK_CWND_EVENT = 6,   /* `cwnd_event` with `argument` */
	ACKCLOCK_UNDO = 7,         /* `undo_cwnd`; the answer is in `result` */
};

/* The connection. Units: as in the kernel, with `srtt_us` being eight times the smoothed RTT. */
struct ackclock_view {
	/* Given by ackclock. */
	unsigned long long now_ns;
	unsigned long long wstamp_ns;
	unsigned long long delivered_us;
	unsigned long long lsndtime_ns;
	unsigned long long max_pacing_rate;
	/* The next random numbers: 32 random bits each. */
	unsigned int randoms[ACKCLOCK_RANDOMS];
	unsigned int mss_cache;
	unsigned int srtt_us;
	unsigned int min_rtt_us;
	unsigned int snd_una;
	unsigned int snd_nxt;
	unsigned int delivered;
	unsigned int delivered_ce;
	unsigned int lost;
	unsigned int packets_out;
	unsigned int sacked_out;
	unsigned int reordering;
	unsigned int prior_cwnd;
	unsigned int is_cwnd_limited;
	unsigned int max_packets_out;
	unsigned int rcv_tsval;
	unsigned int rcv_tsecr;
	unsigned int ecn_ok;
	unsigned int ca_state;
	unsigned int argument;
	/* Given by ackclock: what an ACK says. */
	unsigned int ack_flags;
	unsigned int pkts_acked;
	int sample_rtt_us;
	unsigned int sample_in_flight;
	unsigned int acked_sacked;
	unsigned int may_raise;
	unsigned int losses;
	unsigned int prior_delivered;
	int rate_delivered;
	int rate_delivered_ce;
	unsigned int is_app_limited;
	unsigned int is_ack_delayed;
	unsigned int prior_in_flight;
	long long interval_us;
	long long rate_rtt_us;
	unsigned long long prior_mstamp;
	/* Read and written by both. */
	unsigned long long pacing_rate;
	unsigned int snd_cwnd;
	unsigned int snd_ssthresh;
	unsigned int snd_cwnd_clamp;
	unsigned int app_limited;
	/* Given by the control. */
	unsigned int is_paced;
	unsigned int has_cong_control;
	unsigned int result;
	unsigned int randoms_used;
};

#endif
