/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * A control for tests: the window is `packets`, and one more for each packet acknowledged since the start that a random
 * number below `one_in` chooses. A variable of the file counts calls, which must not be shared by connections.
 */
#include <linux/module.h>
#include <net/tcp.h>

static int packets = 20;
module_param(packets, int, 0644);
MODULE_PARM_DESC(packets, "the window, packets");
static unsigned int one_in = 50;
module_param(one_in, uint, 0644);
static bool shrinks;
module_param(shrinks, bool, 0644);

static u32 calls;

struct steps {
	u32 more;
};

static void steps_init(struct sock *sk)
{
	struct steps *ca = inet_csk_ca(sk);

	ca->more = 0;
	calls = 0;
	tcp_sk(sk)->snd_ssthresh = 2;
}

static void steps_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct steps *ca = inet_csk_ca(sk);

	calls++;
	if (get_random_u32_below(one_in) == 0)
		ca->more++;
	tcp_snd_cwnd_set(tcp_sk(sk), shrinks && calls > 100 ? 4 : packets + ca->more);
}

static u32 steps_ssthresh(struct sock *sk) { return max(tcp_snd_cwnd(tcp_sk(sk)) / 2, 2U); }
static u32 steps_undo_cwnd(struct sock *sk) { return tcp_snd_cwnd(tcp_sk(sk)); }

static struct tcp_congestion_ops tcp_steps __read_mostly = {
	.init = steps_init,
	.cong_avoid = steps_cong_avoid,
	.ssthresh = steps_ssthresh,
	.undo_cwnd = steps_undo_cwnd,
	.owner = THIS_MODULE,
	.name = "steps",
};

static int __init steps_register(void)
{
	BUILD_BUG_ON(sizeof(struct steps) > ICSK_CA_PRIV_SIZE);
	return packets > 0 ? tcp_register_congestion_control(&tcp_steps) : -EINVAL;
}

static void __exit steps_unregister(void) { tcp_unregister_congestion_control(&tcp_steps); }

module_init(steps_register);
module_exit(steps_unregister);
MODULE_LICENSE("Dual MIT/GPL");
