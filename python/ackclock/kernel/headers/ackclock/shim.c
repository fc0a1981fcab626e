/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Links a congestion control of the kernel with ackclock: copies the connection's state in and out, and calls the
 * control's functions. A shared object holds one connection, so that connections share no variable.
 */
#include "all.h"
#include "interface.h"

#define EXPORTED __attribute__((visibility("default")))

struct net init_net = {
	.ipv4 = {
		.sysctl_tcp_plb_rehash_rounds = 12,
		.sysctl_tcp_plb_suspend_rto_sec = 60,
		.sysctl_tcp_plb_idle_rehash_rounds = 3,
		.sysctl_tcp_plb_cong_thresh = 1 << (TCP_PLB_SCALE - 1),
		.sysctl_tcp_reordering = 3,
		.sysctl_tcp_pacing_ss_ratio = 200,
		.sysctl_tcp_pacing_ca_ratio = 120,
		.sysctl_tcp_min_tso_segs = 2,
	},
};
unsigned long jiffies;

static struct tcp_sock connection;
static struct sock *const sk = &connection.inet_conn.icsk_sock;
static u64 now_ns;
static u32 randoms[ACKCLOCK_RANDOMS];
static unsigned int randoms_used;
static u64 random_state;
static bool wants_cwr;
static struct ackclock_param *params;
static struct ackclock_param_note *notes;
extern int (*const ackclock_module_init)(void) __attribute__((weak));

EXPORTED const unsigned int ackclock_interface_version = ACKCLOCK_INTERFACE_VERSION;
EXPORTED const unsigned int ackclock_view_size = sizeof(struct ackclock_view);
EXPORTED const unsigned int ackclock_hz = HZ;

u64 ackclock_now_ns(void) { return now_ns; }

/* The simulation's random numbers, and further ones by SplitMix64 (Steele, Lea and Flood 2014). */
u32 get_random_u32(void)
{
	u64 mixed;

	if (randoms_used < ACKCLOCK_RANDOMS)
		return randoms[randoms_used++];
	mixed = random_state += 0x9e3779b97f4a7c15ULL;
	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
	return (mixed ^ (mixed >> 31)) >> 32;
}
u64 get_random_u64(void)
{
	u64 high = get_random_u32();

	return high << 32 | get_random_u32();
}
u32 get_random_u32_below(u32 limit) { return ((u64)get_random_u32() * limit) >> 32; }
void get_random_bytes(void *place, size_t size)
{
	u8 *bytes = place;

	while (size--)
		*bytes++ = get_random_u32();
}

/* A filter of the extreme value in a sliding window, in three samples: the best, the best after it, the best after that. */
static u32 minmax_running(struct minmax *filter, u32 window, u32 time, u32 value, bool (*is_better)(u32, u32))
{
	struct minmax_sample *best = filter->s;
	struct minmax_sample newest = { .t = time, .v = value };

	if (is_better(value, best[0].v) || time - best[2].t > window)
		return minmax_reset(filter, time, value);
	if (is_better(value, best[1].v))
		best[1] = best[2] = newest;
	else if (is_better(value, best[2].v))
		best[2] = newest;

	u32 age = time - best[0].t;

	if (age > window) {
		int passes = time - best[1].t > window ? 2 : 1;

		while (passes--) {
			best[0] = best[1];
			best[1] = best[2];
			best[2] = newest;
		}
	} else if (best[1].t == best[0].t && age > window / 4) {
		best[1] = best[2] = newest;
	} else if (best[2].t == best[1].t && age > window / 2) {
		best[2] = newest;
	}
	return best[0].v;
}
static bool is_at_least(u32 one, u32 other) { return one >= other; }
static bool is_at_most(u32 one, u32 other) { return one <= other; }
u32 minmax_running_max(struct minmax *filter, u32 window, u32 time, u32 value)
{
	return minmax_running(filter, window, time, value, is_at_least);
}
u32 minmax_running_min(struct minmax *filter, u32 window, u32 time, u32 value)
{
	return minmax_running(filter, window, time, value, is_at_most);
}

/* The sender enters the state CWR when the control has returned. */
void tcp_enter_cwr(struct sock *socket) { wants_cwr = true; }

/* Parameters of the module. */
void ackclock_add_param(struct ackclock_param *param)
{
	param->next = params;
	params = param;
}
void ackclock_add_param_note(struct ackclock_param_note *note)
{
	note->next = notes;
	notes = note;
}
static bool parse(const char *text, long long *number)
{
	bool is_negative = *text == '-';
	long long value = 0;

	text += is_negative;
	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9' || value > 1LL << 40)
			return false;
		value = 10 * value + (*text - '0');
	}
	*number = is_negative ? -value : value;
	return true;
}
int param_set_uint_minmax(const char *text, const struct kernel_param *param, unsigned int lowest, unsigned int highest)
{
	long long number;

	if (!parse(text, &number) || number < lowest || number > highest)
		return -EINVAL;
	*(unsigned int *)param->arg = number;
	return 0;
}
int param_set_uint(const char *text, const struct kernel_param *param)
{
	return param_set_uint_minmax(text, param, 0, UINT_MAX);
}
int param_set_int(const char *text, const struct kernel_param *param)
{
	long long number;

	if (!parse(text, &number) || number < S32_MIN || number > S32_MAX)
		return -EINVAL;
	*(int *)param->arg = number;
	return 0;
}
int param_get_uint(char *place, const struct kernel_param *param)
{
	return snprintf(place, 24, "%u", *(unsigned int *)param->arg);
}
int param_get_int(char *place, const struct kernel_param *param)
{
	return snprintf(place, 24, "%d", *(int *)param->arg);
}
static struct ackclock_param *param_at(unsigned int index)
{
	struct ackclock_param *param = params;

	while (param && index--)
		param = param->next;
	return param;
}
#define KINDS(case_of) \
	case_of("int", int, S32_MIN, S32_MAX) case_of("uint", unsigned int, 0, U32_MAX) \
	case_of("bool", bool, 0, 1) case_of("byte", u8, 0, U8_MAX) case_of("short", short, S16_MIN, S16_MAX) \
	case_of("ushort", unsigned short, 0, U16_MAX) case_of("long", long, S64_LOW, S64_HIGH) \
	case_of("ulong", unsigned long, 0, S64_HIGH)
#define S16_MIN (-32768)
#define S64_LOW (-(1LL << 40))
#define S64_HIGH (1LL << 40)

EXPORTED const char *ackclock_param_name(unsigned int index)
{
	struct ackclock_param *param = param_at(index);

	return param ? param->param.name : NULL;
}
EXPORTED const char *ackclock_param_about(unsigned int index)
{
	struct ackclock_param *param = param_at(index);
	struct ackclock_param_note *note;

	for (note = notes; param && note; note = note->next)
		if (!strcmp(note->name, param->param.name))
			return note->about;
	return "";
}
EXPORTED long long ackclock_param_get(unsigned int index)
{
	struct ackclock_param *param = param_at(index);

#define READ(kind_name, kind, lowest, highest) \
	if (param && !strcmp(param->type, kind_name)) \
		return *(kind *)param->param.arg;
	KINDS(READ)
	return 0;
}
/* Returns 0, or an error number if the parameter cannot have the value. */
EXPORTED int ackclock_param_set(unsigned int index, long long number)
{
	struct ackclock_param *param = param_at(index);
	char text[24];

	if (!param)
		return -ENOENT;
	if (param->param.ops && param->param.ops->set) {
		snprintf(text, sizeof(text), "%lld", number);
		return param->param.ops->set(text, &param->param);
	}
#define WRITE(kind_name, kind, lowest, highest) \
	if (!strcmp(param->type, kind_name)) { \
		if (number < (long long)(lowest) || number > (long long)(highest)) \
			return -EINVAL; \
		*(kind *)param->param.arg = number; \
		return 0; \
	}
	KINDS(WRITE)
	return -EINVAL;
}

/* Registers the control. Without a `module_init` the file is tcp_cong.c, whose control is Reno. */
EXPORTED int ackclock_load(void)
{
	return &ackclock_module_init ? ackclock_module_init() : tcp_register_congestion_control(&tcp_reno);
}
/* The names of the controls, separated by spaces. */
EXPORTED void ackclock_names(char *place, unsigned int size)
{
	*place = 0;
	tcp_get_available_congestion_control(place, size);
}
/* Chooses the control of the connection. Returns 1 if it needs ECN, and 2 if it sets the window by itself. */
EXPORTED int ackclock_choose_control(const char *name)
{
	const struct tcp_congestion_ops *control = tcp_ca_find(name);

	inet_csk(sk)->icsk_ca_ops = control;
	if (!control)
		return -ENOENT;
	return (control->flags & TCP_CONG_NEEDS_ECN ? 1 : 0) + (control->cong_control ? 2 : 0);
}

/* A clock that starts with this value does not wrap, and 0 can mean "never". */
#define FIRST_JIFFIES 0x10000UL
#define JIFFIES_AT(ns) (FIRST_JIFFIES + (unsigned long)((ns) / (NSEC_PER_SEC / HZ)))

static void copy_in(const struct ackclock_view *view)
{
	struct tcp_sock *tp = &connection;

	memcpy(randoms, view->randoms, sizeof(randoms));
	random_state = (u64)randoms[0] << 32 | randoms[1];
	randoms_used = 0;
	now_ns = view->now_ns;
	jiffies = JIFFIES_AT(now_ns);
	tp->tcp_clock_cache = now_ns;
	tp->tcp_mstamp = now_ns / 1000;
	tp->tcp_wstamp_ns = view->wstamp_ns;
	tp->delivered_mstamp = view->delivered_us;
	tp->lsndtime = JIFFIES_AT(view->lsndtime_ns);
	tp->mss_cache = view->mss_cache;
	tp->srtt_us = view->srtt_us;
	minmax_reset(&tp->rtt_min, jiffies, view->min_rtt_us);
	tp->snd_una = view->snd_una;
	tp->snd_nxt = view->snd_nxt;
	tp->delivered = view->delivered;
	tp->delivered_ce = view->delivered_ce;
	tp->lost = view->lost;
	tp->packets_out = view->packets_out;
	tp->sacked_out = view->sacked_out;
	tp->reordering = view->reordering;
	tp->prior_cwnd = view->prior_cwnd;
	tp->is_cwnd_limited = view->is_cwnd_limited;
	tp->max_packets_out = view->max_packets_out;
	tp->rx_opt.rcv_tsval = view->rcv_tsval;
	tp->rx_opt.rcv_tsecr = view->rcv_tsecr;
	tp->rx_opt.saw_tstamp = tp->rx_opt.tstamp_ok = view->rcv_tsecr != 0;
	tp->ecn_flags = view->ecn_ok ? TCP_ECN_OK : 0;
	tp->snd_cwnd = view->snd_cwnd;
	tp->snd_ssthresh = view->snd_ssthresh;
	tp->snd_cwnd_clamp = view->snd_cwnd_clamp;
	tp->app_limited = view->app_limited;
	sk->sk_pacing_rate = view->pacing_rate;
	sk->sk_max_pacing_rate = view->max_pacing_rate;
	inet_csk(sk)->icsk_ca_state = view->ca_state;
}

static void copy_out(struct ackclock_view *view)
{
	const struct tcp_congestion_ops *control = inet_csk(sk)->icsk_ca_ops;

	view->randoms_used = randoms_used;
	view->pacing_rate = sk->sk_pacing_rate;
	view->snd_cwnd = connection.snd_cwnd;
	view->snd_ssthresh = connection.snd_ssthresh;
	view->snd_cwnd_clamp = connection.snd_cwnd_clamp;
	view->app_limited = connection.app_limited;
	view->is_paced = sk->sk_pacing_status != SK_PACING_NONE;
	view->has_cong_control = control->cong_control != NULL;
}

static void start(const struct ackclock_view *view)
{
	sk->sk_state = TCP_ESTABLISHED;
	sk->sk_pacing_status = SK_PACING_NONE;
	sk->sk_pacing_shift = 10;
	sk->sk_gso_max_size = GSO_LEGACY_MAX_SIZE;
	connection.snd_cwnd_cnt = 0;
	memset(inet_csk(sk)->icsk_ca_priv, 0, ICSK_CA_PRIV_SIZE);
	tcp_init_congestion_control(sk);
}

static void ack_arrived(const struct ackclock_view *view)
{
	const struct tcp_congestion_ops *control = inet_csk(sk)->icsk_ca_ops;
	struct ack_sample sample = {
		.pkts_acked = view->pkts_acked,
		.rtt_us = view->sample_rtt_us,
		.in_flight = view->sample_in_flight,
	};

	if (control->in_ack_event) {
		/* Until 6.14 this comes before the packets that the ACK number covers are counted as delivered. */
		connection.delivered -= view->acked_sacked;
		control->in_ack_event(sk, view->ack_flags);
		connection.delivered += view->acked_sacked;
	}
	if (control->pkts_acked)
		control->pkts_acked(sk, &sample);
}

static void control(const struct ackclock_view *view)
{
	const struct tcp_congestion_ops *control = inet_csk(sk)->icsk_ca_ops;
	struct rate_sample rs = {
		.prior_mstamp = view->prior_mstamp,
		.prior_delivered = view->prior_delivered,
		.delivered = view->rate_delivered,
		.delivered_ce = view->rate_delivered_ce,
		.interval_us = view->interval_us,
		.rtt_us = view->rate_rtt_us,
		.losses = view->losses,
		.acked_sacked = view->acked_sacked,
		.prior_in_flight = view->prior_in_flight,
		.last_end_seq = view->snd_una,
		.is_app_limited = view->is_app_limited,
		.is_ack_delayed = view->is_ack_delayed,
	};

	if (control->cong_control) {
		control->cong_control(sk, view->snd_una, view->ack_flags, &rs);
	} else if (view->may_raise) {
		control->cong_avoid(sk, view->snd_una, view->acked_sacked);
		connection.snd_cwnd_stamp = tcp_jiffies32;
	}
}

/* Returns whether the control asks the sender to reduce its window. */
EXPORTED int ackclock_call(unsigned int operation, struct ackclock_view *view)
{
	const struct tcp_congestion_ops *ops = inet_csk(sk)->icsk_ca_ops;

	copy_in(view);
	wants_cwr = false;
	switch (operation) {
	case ACKCLOCK_START:
		start(view);
		break;
	case ACKCLOCK_RELEASE:
		if (ops->release)
			ops->release(sk);
		break;
	case ACKCLOCK_ACK_ARRIVED:
		ack_arrived(view);
		break;
	case ACKCLOCK_CONTROL:
		control(view);
		break;
	case ACKCLOCK_SSTHRESH:
		connection.snd_cwnd_cnt = 0;
		view->result = ops->ssthresh(sk);
		break;
	case ACKCLOCK_SET_STATE:
		if (view->argument == TCP_CA_Loss)
			connection.snd_cwnd_cnt = 0;
		tcp_set_ca_state(sk, view->argument);
		break;
	case ACKCLOCK_CWND_EVENT:
		tcp_ca_event(sk, view->argument);
		break;
	case ACKCLOCK_UNDO:
		view->result = ops->undo_cwnd(sk);
		break;
	}
	copy_out(view);
	return wants_cwr;
}
