/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Stands for the kernel's file of this name in tests that run without the kernel's source: a list of one control, and the
 * functions that the shim needs. Not the kernel's code.
 */
#include <linux/module.h>
#include <net/tcp.h>

static struct tcp_congestion_ops *registered;

int tcp_register_congestion_control(struct tcp_congestion_ops *control)
{
	registered = control;
	return 0;
}
EXPORT_SYMBOL_GPL(tcp_register_congestion_control);

void tcp_unregister_congestion_control(struct tcp_congestion_ops *control)
{
	registered = NULL;
}
EXPORT_SYMBOL_GPL(tcp_unregister_congestion_control);

struct tcp_congestion_ops *tcp_ca_find(const char *name)
{
	return registered && !strcmp(registered->name, name) ? registered : NULL;
}

void tcp_get_available_congestion_control(char *place, size_t size)
{
	snprintf(place, size, "%s", registered ? registered->name : "");
}

void tcp_init_congestion_control(struct sock *sk)
{
	if (inet_csk(sk)->icsk_ca_ops->init)
		inet_csk(sk)->icsk_ca_ops->init(sk);
}

void tcp_set_ca_state(struct sock *sk, const u8 state)
{
	if (inet_csk(sk)->icsk_ca_ops->set_state)
		inet_csk(sk)->icsk_ca_ops->set_state(sk, state);
	inet_csk(sk)->icsk_ca_state = state;
}

static u32 half(struct sock *sk) { return max(tcp_sk(sk)->snd_cwnd / 2, 2U); }
static void stay(struct sock *sk, u32 ack, u32 acked) { }
static u32 present(struct sock *sk) { return tcp_sk(sk)->snd_cwnd; }

struct tcp_congestion_ops tcp_reno = {
	.name = "reno",
	.ssthresh = half,
	.cong_avoid = stay,
	.undo_cwnd = present,
};
