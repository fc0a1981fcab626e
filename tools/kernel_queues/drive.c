/* Feeds packets to a queue discipline of Linux, and writes what becomes of them.
 *
 * tools/record_kernel_queues.py compiles it once for each discipline, with the discipline's file as QUEUE_FILE, its
 * operations as OPS and one of QUEUE_CAKE, QUEUE_PIE, QUEUE_FQ_PIE, QUEUE_CODEL, QUEUE_FQ_CODEL, QUEUE_FQ, QUEUE_DUALPI2. Standard input is a case
 * of tests/oracle/kernel_queues. Standard output has a word for each event: d, x or m for a packet that leaves, is
 * dropped, is marked; its number; for one that leaves also @ and the time, in microseconds.
 */
#include "shim.h"

u64 now_ns, timer_ns = U64_MAX, watchdog_ns = U64_MAX;
struct timer_list *timer;
struct hrtimer *hrtimer;
size_t flow_size;

/* L'Ecuyer's MRG32k3a (Operations Research 47(1), 1999), all six seeds 12345. */
double unit(void)
{
	static s64 a[3] = { 12345, 12345, 12345 }, b[3] = { 12345, 12345, 12345 };
	const s64 m1 = 4294967087, m2 = 4294944443;
	s64 one = (1403580 * a[1] - 810728 * a[0]) % m1, two = (527612 * b[2] - 1370589 * b[0]) % m2;

	one += one < 0 ? m1 : 0;
	two += two < 0 ? m2 : 0;
	a[0] = a[1], a[1] = a[2], a[2] = one;
	b[0] = b[1], b[1] = b[2], b[2] = two;
	one = (one - two) % m1;
	one += one <= 0 ? m1 : 0;
	return one * 2.328306549295727688e-10;
}

/* RFC 3168: a packet that is not ECN-capable is not marked. */
int INET_ECN_set_ce(struct sk_buff *skb)
{
	u8 *tos = skb->data + 1;

	if (!(*tos & INET_ECN_MASK))
		return 0;
	if ((*tos & INET_ECN_MASK) != INET_ECN_MASK)
		printf("m%d\n", skb->id);
	*tos |= INET_ECN_MASK;
	return 1;
}

void dropped(struct sk_buff *skb)
{
	printf("x%d\n", skb->id);
}

#include QUEUE_FILE

#define MAX_STREAMS 64
struct stream {
	int flow, count, size, dscp, ecn, is_ack;
	u64 next_ns, interval_ns, delay_ns;
	u32 sent;
	struct sock sock;
};
static struct stream streams[MAX_STREAMS];
static struct Qdisc sch;
static u64 rate, stop_ns;

static void set(const char *name, double value)
{
#if defined(QUEUE_CAKE)
	struct cake_sched_data *q = qdisc_priv(&sch);

	if (!strcmp(name, "rate"))
		q->rate_bps = value / 8;
	else if (!strcmp(name, "diffserv"))
		q->tin_mode = value == 0 ? CAKE_DIFFSERV_BESTEFFORT : value == 1 ? CAKE_DIFFSERV_PRECEDENCE :
			      value == 3 ? CAKE_DIFFSERV_DIFFSERV3 : value == 4 ? CAKE_DIFFSERV_DIFFSERV4 :
			      CAKE_DIFFSERV_DIFFSERV8;
	else if (!strcmp(name, "memory_limit"))
		q->buffer_config_limit = value;
	else if (!strcmp(name, "ack_filter"))
		q->ack_filter = value;
	else if (!strcmp(name, "ingress"))
		q->rate_flags |= value ? CAKE_FLAG_INGRESS : 0;
	else if (!strcmp(name, "overhead"))
		q->rate_overhead = value;
	else if (!strcmp(name, "mpu"))
		q->rate_mpu = value;
	else if (!strcmp(name, "target"))
		q->target = value * 1e6;
	else if (!strcmp(name, "interval"))
		q->interval = value * 1e6;
#elif defined(QUEUE_PIE)
	struct pie_sched_data *q = qdisc_priv(&sch);
	struct pie_params *params = &q->params;
#elif defined(QUEUE_FQ_PIE)
	struct fq_pie_sched_data *q = qdisc_priv(&sch);
	struct pie_params *params = &q->p_params;
#elif defined(QUEUE_CODEL)
	struct codel_sched_data *q = qdisc_priv(&sch);
	struct codel_params *params = &q->params;
#elif defined(QUEUE_FQ_CODEL)
	struct fq_codel_sched_data *q = qdisc_priv(&sch);
	struct codel_params *params = &q->cparams;

	if (!strcmp(name, "quantum"))
		q->quantum = value;
	else if (!strcmp(name, "drop_batch"))
		q->drop_batch_size = value;
	else if (!strcmp(name, "memory_limit"))
		q->memory_limit = value;
#elif defined(QUEUE_DUALPI2)
	struct dualpi2_sched_data *q = qdisc_priv(&sch);

	/* alpha and beta of the cases are those that dualpi2_scale_alpha_beta makes of the defaults. */
	if (!strcmp(name, "limit"))
		sch.limit = value;
	else if (!strcmp(name, "target"))
		q->pi2_target = value * 1e9;
	else if (!strcmp(name, "coupling"))
		q->coupling_factor = value;
#elif defined(QUEUE_FQ)
	struct fq_sched_data *q = qdisc_priv(&sch);

	if (!strcmp(name, "limit"))
		sch.limit = value;
	else if (!strcmp(name, "flow_limit"))
		q->flow_plimit = value;
	else if (!strcmp(name, "quantum"))
		q->quantum = value;
	else if (!strcmp(name, "initial_quantum"))
		q->initial_quantum = value;
	else if (!strcmp(name, "maxrate"))
		q->flow_max_rate = value / 8;
	else if (!strcmp(name, "horizon"))
		q->horizon = value * 1e9;
	else if (!strcmp(name, "horizon_drop"))
		q->horizon_drop = value;
	else if (!strcmp(name, "ce_threshold"))
		q->ce_threshold = value * 1e9;
	else if (!strcmp(name, "refill_delay"))
		q->flow_refill_delay = value * HZ;
#endif
#if defined(QUEUE_CODEL) || defined(QUEUE_FQ_CODEL)
	if (!strcmp(name, "limit"))
		sch.limit = value;
	else if (!strcmp(name, "target"))
		params->target = (u64)(value * 1e9) >> CODEL_SHIFT;
	else if (!strcmp(name, "interval"))
		params->interval = (u64)(value * 1e9) >> CODEL_SHIFT;
	else if (!strcmp(name, "ce_threshold"))
		params->ce_threshold = (u64)(value * 1e9) >> CODEL_SHIFT;
	else if (!strcmp(name, "ce_threshold_selector"))
		params->ce_threshold_selector = value;
	else if (!strcmp(name, "ce_threshold_mask"))
		params->ce_threshold_mask = value;
	else if (!strcmp(name, "ecn"))
		params->ecn = value;
#endif
#if defined(QUEUE_PIE) || defined(QUEUE_FQ_PIE)
	if (!strcmp(name, "limit"))
		sch.limit = value;
	else if (!strcmp(name, "target"))
		params->target = PSCHED_NS2TICKS((u64)(value * 1e9));
	else if (!strcmp(name, "tupdate"))
		params->tupdate = usecs_to_jiffies((u64)(value * 1e6));
	else if (!strcmp(name, "alpha"))
		params->alpha = value * 16;
	else if (!strcmp(name, "beta"))
		params->beta = value * 16;
	else if (!strcmp(name, "ecn"))
		params->ecn = value;
	else if (!strcmp(name, "bytemode"))
		params->bytemode = value;
	else if (!strcmp(name, "dq_rate_estimator"))
		params->dq_rate_estimator = value;
#endif
#if defined(QUEUE_FQ_PIE)
	if (!strcmp(name, "quantum"))
		q->quantum = value;
	else if (!strcmp(name, "memory_limit"))
		q->memory_limit = value;
	else if (!strcmp(name, "mark_ecnth"))
		q->ecn_prob = value * 100;
#endif
}

/* An IPv4 packet: a segment of data over UDP, or a pure ACK of TCP with a timestamp. */
static struct sk_buff *make(struct stream *s, int id)
{
	/* net/ipv4/route.c, ip_tos2prio, and its index. */
	static const u8 priority[16] = { 0, 0, 0, 0, 2, 2, 2, 2, 6, 6, 6, 6, 4, 4, 4, 4 };
	struct sk_buff *skb = calloc(1, sizeof(*skb));
	struct iphdr *iph = (struct iphdr *)skb->data;
	struct tcphdr *tcph = (struct tcphdr *)(skb->data + 20);
	u8 *option = skb->data + 40;

	skb->id = id;
	skb->len = skb->truesize = s->size;
	skb->hash = s->flow * 0x9E3779B1U;
	skb->l4_hash = 1;
	skb->sk = &s->sock;
	skb->tstamp = s->delay_ns ? now_ns + s->delay_ns : 0;
	iph->version = 4;
	iph->ihl = 5;
	iph->tos = s->dscp << 2 | s->ecn;
	skb->priority = priority[(iph->tos & 0x1E) >> 1];
	iph->tot_len = htons(s->size);
	iph->protocol = s->is_ack ? 6 : 17;
	iph->saddr = 1 + s->flow % 10;
	iph->daddr = 1 + s->flow / 10;
	if (s->is_ack) {
		tcph->source = htons(s->flow);
		tcph->ack_seq = htonl(1448 * (s->sent / (s->delay_ns ? 4 : 1)));
		tcph->ack = 1;
		tcph->doff = 8;
		option[0] = option[1] = TCPOPT_NOP;
		option[2] = TCPOPT_TIMESTAMP;
		option[3] = TCPOLEN_TIMESTAMP;
		if (s->delay_ns == 2) {
			/* An ACK in three repeats the one before; a block grows, and each seventh is a D-SACK. */
			u32 ack = 14480 + 1448 * (s->sent / 3), first = htonl(s->sent % 7 == 6 ? ack - 1448 : ack + 2896);
			u32 end = htonl(s->sent % 7 == 6 ? ack : ack + 2896 + 1448 * (1 + s->sent % 3 / 2));

			tcph->ack_seq = htonl(ack);
			tcph->ece = s->sent / 5 % 3 == 2;
			tcph->doff = 11;
			option[12] = option[13] = TCPOPT_NOP;
			option[14] = TCPOPT_SACK;
			option[15] = TCPOLEN_SACK_BASE + 8;
			memcpy(option + 16, &first, 4);
			memcpy(option + 20, &end, 4);
		}
	}
	return skb;
}

int main(void)
{
	char word[64], name[64];
	int count = 0, id = 0, i;
	struct sk_buff *to_free = NULL;
	u64 free_ns = 0;
	bool is_busy = false;
	double value;

	sch.priv = calloc(1, OPS.priv_size);
	sch.ops = &OPS;
	/* As tc gives it; priorities of sockets do not select classes of it. */
	sch.handle = 0x80010000;
#if defined(QUEUE_FQ)
	flow_size = sizeof(struct fq_flow);
	{
		struct fq_sched_data *q = qdisc_priv(&sch);

		/* fq_init would resize its table through the device. */
		OPS.init(&sch, NULL, NULL);
		q->fq_root = calloc(1024, sizeof(struct rb_root));
	}
#else
	OPS.init(&sch, NULL, NULL);
#endif
	while (scanf("%63s", word) == 1) {
		if (!strcmp(word, "facts"))
			break;
		if (!strcmp(word, "rate") && scanf("%lf", &value) == 1) {
			rate = value;
		} else if (!strcmp(word, "stop_s") && scanf("%lf", &value) == 1) {
			stop_ns = value * 1e9;
		} else if (!strcmp(word, "set") && scanf("%63s %lf", name, &value) == 2) {
			set(name, value);
		} else if (!strcmp(word, "stream") || !strcmp(word, "acks")) {
			struct stream *s = &streams[count++];

			s->is_ack = *word == 'a';
			if (scanf("%d %lu %lu %d %d %d %d %lu", &s->flow, &s->next_ns, &s->interval_ns, &s->count,
				  &s->size, &s->dscp, &s->ecn, &s->delay_ns) != 8)
				return 1;
			s->sock.sk_pacing_rate = s->sock.sk_max_pacing_rate = ~0UL;
			s->sock.sk_state = 1;
		} else if (*word == '#') {
			if (scanf("%*[^\n]") < 0)
				return 1;
		} else if (scanf("%63s", name) != 1) {
			return 1;
		}
	}
#if defined(QUEUE_CAKE)
	cake_reconfigure(&sch);
#endif
	for (;;) {
		u64 next = min(timer_ns, watchdog_ns);

		for (i = 0; i < count; i++)
			if (streams[i].count && streams[i].next_ns < next)
				next = streams[i].next_ns;
		if (is_busy && free_ns < next)
			next = free_ns;
		if (next > stop_ns)
			break;
		now_ns = next;
		if (timer_ns == now_ns) {
			timer_ns = U64_MAX;
			if (hrtimer)
				hrtimer->function(hrtimer);
			else
				timer->run(timer);
		}
		if (watchdog_ns == now_ns)
			watchdog_ns = U64_MAX;
		for (i = 0; i < count; i++) {
			struct stream *s = &streams[i];

			if (!s->count || s->next_ns != now_ns)
				continue;
			sch.ops->enqueue(make(s, id++), &sch, &to_free);
			s->next_ns += s->interval_ns;
			s->count--;
			s->sent++;
			/* The transmitter asks after each packet that it may be idle for. */
			if (!is_busy || free_ns <= now_ns) {
				struct sk_buff *skb = sch.ops->dequeue(&sch);

				is_busy = skb;
				if (skb) {
					printf("d%d@%lu\n", skb->id, now_ns / 1000);
					free_ns = now_ns + skb->len * 8000000000ULL / rate;
				}
			}
		}
		if (!is_busy || free_ns <= now_ns) {
			struct sk_buff *skb = sch.ops->dequeue(&sch);

			is_busy = skb;
			if (skb) {
				printf("d%d@%lu\n", skb->id, now_ns / 1000);
				free_ns = now_ns + skb->len * 8000000000ULL / rate;
			}
		}
	}
	return 0;
}
