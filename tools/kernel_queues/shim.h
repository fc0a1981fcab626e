/* What the queue disciplines of Linux need of the kernel, for a program of user space.
 *
 * tools/record_kernel_queues.py includes this file before a net/sched/sch_*.c of a kernel's source tree, whose own
 * includes it replaces by empty files (but for the few that only have the discipline's own structures). Functions that
 * only netlink reaches are left undefined: nobody calls them.
 */
#ifndef KERNEL_QUEUES_SHIM_H
#define KERNEL_QUEUES_SHIM_H

#include <arpa/inet.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8, __u8;
typedef uint16_t u16, __u16, __be16;
typedef uint32_t u32, __u32, __be32;
typedef uint64_t u64, netdev_features_t;
typedef unsigned long long __u64;
typedef int8_t s8, __s8;
typedef int16_t s16, __s16;
typedef int32_t s32, __s32;
typedef int64_t s64, ktime_t;
typedef long long __s64;
typedef unsigned int gfp_t;
typedef u64 psched_time_t;
typedef struct { int x; } spinlock_t;

#define U32_MAX ((u32)~0U)
#define U64_MAX ((u64)~0ULL)
#define S64_MAX ((s64)(U64_MAX >> 1))
#ifndef INT_MAX
#define INT_MAX 0x7fffffff
#endif
#define KTIME_MAX S64_MAX
#define NSEC_PER_SEC 1000000000L
#define NSEC_PER_MSEC 1000000L
#define NSEC_PER_USEC 1000L
#define USEC_PER_SEC 1000000L
#define USEC_PER_MSEC 1000L
#define HZ 1000
#define BITS_PER_BYTE 8
#define BIT(n) (1UL << (n))
#define SZ_32M 0x2000000
#define GFP_KERNEL 0
#define GFP_ATOMIC 0
#define __GFP_NOWARN 0
#define CLOCK_MONOTONIC 1
#define IFNAMSIZ 16
#define __rcu
#define __init
#define __exit
#define __read_mostly
#define __packed __attribute__((packed))
#define __aligned(n) __attribute__((aligned(n)))
#define ____cacheline_aligned_in_smp
#define fallthrough __attribute__((fallthrough))
#define likely(x) (x)
#define unlikely(x) (x)
#define IS_ENABLED(x) 0
#define READ_ONCE(x) (x)
#define WRITE_ONCE(x, value) ((x) = (value))
#define smp_store_release(place, value) (*(place) = (value))
#define rcu_dereference_bh(x) (x)
#define rcu_read_lock() do { } while (0)
#define rcu_read_unlock() do { } while (0)
#define spin_lock(x) ((void)(x))
#define spin_unlock(x) ((void)(x))
#define sch_tree_lock(x) do { } while (0)
#define sch_tree_unlock(x) do { } while (0)
#define prefetch(x) do { } while (0)
#define typecheck(type, x) 1
#define container_of(place, type, member) ((type *)((char *)(place) - offsetof(type, member)))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b) ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define clamp_t(type, x, low, high) min_t(type, max_t(type, x, low), high)
#define DIV_ROUND_UP(a, b) (((a) + (b) - 1) / (b))
#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
#define do_div(a, b) ((a) = (a) / (b))
#define div_u64(a, b) ((u64)(a) / (u32)(b))
#define div64_u64(a, b) ((u64)(a) / (u64)(b))
#define div64_ul(a, b) ((u64)(a) / (unsigned long)(b))
#define ilog2(x) (63 - __builtin_clzll(x))
#define __ffs(x) __builtin_ctzl(x)
#define MODULE_AUTHOR(x)
#define MODULE_LICENSE(x)
#define MODULE_DESCRIPTION(x)
#define MODULE_ALIAS_NET_SCH(x)
#define EXPORT_SYMBOL_GPL(x)
#define module_init(x)
#define module_exit(x)
#define THIS_MODULE NULL
#define NL_SET_ERR_MSG_MOD(a, b) do { } while (0)
#define NL_SET_ERR_MSG_ATTR(a, b, c) do { } while (0)
#define IS_ERR_OR_NULL(x) (!(x))
#define TCA_OPTIONS 2
#define TCA_STATS_APP 4
#define SLAB_HWCACHE_ALIGN 0
#define EMSGSIZE 90
#define ENOMEM 12
#define EINVAL 22
#define EOPNOTSUPP 95
#define NLA_U8 1
#define NLA_U16 2
#define NLA_U32 3
#define NLA_S32 13
#define NLA_U64 4
#define NLA_BINARY 5
#define NLA_NESTED 6
#define NLA_POLICY_FULL_RANGE(kind, range) { .type = kind }
#define NLA_POLICY_MAX(kind, most) { .type = kind }
#define NLA_POLICY_MIN(kind, least) { .type = kind }
#define NLA_POLICY_EXACT_LEN(n) { .type = NLA_BINARY }

/* A list, as in textbooks: a ring with a head. */
struct list_head { struct list_head *next, *prev; };
static inline void INIT_LIST_HEAD(struct list_head *head) { head->next = head->prev = head; }
static inline int list_empty(const struct list_head *head) { return head->next == head; }
static inline void list_del_init(struct list_head *node)
{
	node->prev->next = node->next;
	node->next->prev = node->prev;
	INIT_LIST_HEAD(node);
}
static inline void list_add_tail(struct list_head *node, struct list_head *head)
{
	node->prev = head->prev;
	node->next = head;
	head->prev->next = node;
	head->prev = node;
}
static inline void list_move_tail(struct list_head *node, struct list_head *head)
{
	list_del_init(node);
	list_add_tail(node, head);
}
#define list_for_each(pos, head) for (pos = (head)->next; pos != (head); pos = pos->next)
#define skb_list_walk_safe(first, skb, following) \
	for ((skb) = (first), (following) = NULL; (skb); (skb) = (following))
#define list_first_entry(head, type, member) container_of((head)->next, type, member)

/* A search tree without balance: the order is what matters here. */
struct rb_node { struct rb_node *parent, *rb_left, *rb_right; };
struct rb_root { struct rb_node *rb_node; };
#define RB_ROOT ((struct rb_root){ NULL })
#define rb_entry(place, type, member) container_of(place, type, member)
static inline void rb_link_node(struct rb_node *node, struct rb_node *parent, struct rb_node **link)
{
	node->parent = parent;
	node->rb_left = node->rb_right = NULL;
	*link = node;
}
static inline void rb_insert_color(struct rb_node *node, struct rb_root *root) { }
static inline struct rb_node *rb_first(const struct rb_root *root)
{
	struct rb_node *node = root->rb_node;

	while (node && node->rb_left)
		node = node->rb_left;
	return node;
}
static inline struct rb_node *rb_next(const struct rb_node *node)
{
	struct rb_node *next;

	if (node->rb_right) {
		struct rb_root below = { node->rb_right };

		return rb_first(&below);
	}
	for (next = node->parent; next && node == next->rb_right; next = node->parent)
		node = next;
	return next;
}
static inline void rb_replace(struct rb_node *old, struct rb_node *new, struct rb_root *root)
{
	if (!old->parent)
		root->rb_node = new;
	else if (old->parent->rb_left == old)
		old->parent->rb_left = new;
	else
		old->parent->rb_right = new;
	if (new)
		new->parent = old->parent;
}
static inline void rb_erase(struct rb_node *node, struct rb_root *root)
{
	if (!node->rb_left) {
		rb_replace(node, node->rb_right, root);
	} else if (!node->rb_right) {
		rb_replace(node, node->rb_left, root);
	} else {
		struct rb_root below = { node->rb_right };
		struct rb_node *next = rb_first(&below);

		if (next->parent != node) {
			rb_replace(next, next->rb_right, root);
			next->rb_right = node->rb_right;
			next->rb_right->parent = next;
		}
		rb_replace(node, next, root);
		next->rb_left = node->rb_left;
		next->rb_left->parent = next;
	}
}
#define skb_rb_first(root) ({ struct rb_node *first_ = rb_first(root); first_ ? rb_to_skb(first_) : NULL; })
#define rb_to_skb(node) rb_entry(node, struct sk_buff, rbnode)

/* Time. */
extern u64 now_ns;
#define jiffies ((unsigned long)(now_ns / (NSEC_PER_SEC / HZ)))
#define time_after(a, b) ((long)((b) - (a)) < 0)
#define usecs_to_jiffies(x) ((x) * HZ / USEC_PER_SEC)
#define msecs_to_jiffies(x) ((x) * HZ / 1000)
#define ktime_get_ns() ((u64)now_ns)
#define ktime_get() ((ktime_t)now_ns)
#define ktime_add_ns(t, ns) ((ktime_t)(t) + (s64)(ns))
#define ktime_add_ms(t, ms) ((ktime_t)(t) + (s64)(ms) * NSEC_PER_MSEC)
#define ktime_sub(a, b) ((ktime_t)(a) - (ktime_t)(b))
#define ktime_to_ns(t) ((s64)(t))
#define ktime_before(a, b) ((s64)(a) < (s64)(b))
#define ktime_after(a, b) ((s64)(a) > (s64)(b))
#define ktime_compare(a, b) ((s64)(a) < (s64)(b) ? -1 : (s64)(a) > (s64)(b))
#define PSCHED_SHIFT 6
#define PSCHED_TICKS2NS(x) ((s64)(x) << PSCHED_SHIFT)
#define PSCHED_NS2TICKS(x) ((x) >> PSCHED_SHIFT)
#define PSCHED_TICKS_PER_SEC PSCHED_NS2TICKS(NSEC_PER_SEC)
#define psched_get_time() ((psched_time_t)PSCHED_NS2TICKS(now_ns))
#define reciprocal_scale(value, below) ((u32)(((u64)(u32)(value) * (below)) >> 32))

/* A queue's timer of update, and the one that wakes a queue that holds packets back. */
struct timer_list { void (*run)(struct timer_list *); };
extern struct timer_list *timer;
extern u64 timer_ns, watchdog_ns;
#define timer_setup(t, function, flags) ((t)->run = (function), timer = (t))
static inline void mod_timer(struct timer_list *t, unsigned long due) { timer_ns = (u64)due * (NSEC_PER_SEC / HZ); }
enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
struct hrtimer { enum hrtimer_restart (*function)(struct hrtimer *); };
extern struct hrtimer *hrtimer;
#define HRTIMER_MODE_ABS_PINNED 0
#define HRTIMER_MODE_ABS_PINNED_SOFT 0
#define hrtimer_setup(t, run, clock, mode) ((t)->function = (run), hrtimer = (t))
#define hrtimer_start(t, due, mode) (timer_ns = (due))
#define hrtimer_set_expires(t, due) (timer_ns = (due))
#define timer_container_of(var, t, field) container_of(t, __typeof__(*var), field)
#define from_timer(var, t, field) container_of(t, __typeof__(*var), field)
struct qdisc_watchdog { int x; };
static inline void qdisc_watchdog_schedule_ns(struct qdisc_watchdog *w, u64 due) { watchdog_ns = due; }
/* The kernel may be late by its slack. This one is not. */
#define qdisc_watchdog_schedule_range_ns(w, due, slack) qdisc_watchdog_schedule_ns(w, due)
#define qdisc_watchdog_init(w, sch) ((void)(w))
#define qdisc_watchdog_init_clockid(w, sch, clock) ((void)(w))

/* Random numbers: one stream, which the engine draws too. Dither is the middle of its range. */
double unit(void);
static inline u32 get_random_u32(void) { return (u32)(unit() * 4294967296.0); }
static inline u16 get_random_u16(void) { return 0x8000; }
static inline void get_random_bytes(void *place, size_t length)
{
	u64 number = (u64)(unit() * 18446744073709551616.0);

	memcpy(place, &number, length);
}

/* Packets. */
struct iphdr {
	u8 ihl : 4, version : 4;
	u8 tos;
	u16 tot_len, id, frag_off;
	u8 ttl, protocol;
	u16 check;
	u32 saddr, daddr;
};
struct ipv6hdr {
	u8 priority : 4, version : 4;
	u8 flow_lbl[3];
	u16 payload_len;
	u8 nexthdr, hop_limit;
	struct in6_addr saddr, daddr;
};
struct tcphdr {
	u16 source, dest;
	u32 seq, ack_seq;
	u16 res1 : 4, doff : 4, fin : 1, syn : 1, rst : 1, psh : 1, ack : 1, urg : 1, ece : 1, cwr : 1;
	u16 window, check, urg_ptr;
};
struct udphdr { u16 source, dest, len, check; };
struct tcp_sack_block_wire { u32 start_seq, end_seq; };
#define tcp_flag_word(tcph) (((const u32 *)(tcph))[3])
#define TCP_FLAG_CWR htonl(0x00800000)
#define TCP_FLAG_ECE htonl(0x00400000)
#define TCP_FLAG_ACK htonl(0x00100000)
#define TCP_FLAG_SYN htonl(0x00020000)
#define __tcp_hdrlen(tcph) ((unsigned int)(tcph)->doff * 4)
#define iph_totlen(skb, iph) ntohs((iph)->tot_len)
#define ipv6_payload_len(skb, ip6) ntohs((ip6)->payload_len)
#define ipv6_addr_cmp(a, b) memcmp(a, b, sizeof(struct in6_addr))
#define cpu_to_be32(x) htonl(x)
#define get_unaligned_be32(place) ({ u32 word_; memcpy(&word_, place, 4); ntohl(word_); })
#define before(a, b) ((s32)((a) - (b)) < 0)
#define after(a, b) before(b, a)
#define TCPOPT_NOP 1
#define TCPOPT_EOL 0
#define TCPOPT_MSS 2
#define TCPOPT_WINDOW 3
#define TCPOPT_SACK_PERM 4
#define TCPOPT_SACK 5
#define TCPOPT_TIMESTAMP 8
#define TCPOPT_MD5SIG 19
#define TCPOPT_FASTOPEN 34
#define TCPOPT_EXP 254
#define TCPOLEN_TIMESTAMP 10
#define TCPOLEN_SACK_BASE 2
#define ETH_P_IP 0x0800
#define ETH_P_IPV6 0x86DD
#define ETH_P_ARP 0x0806
#define INET_ECN_MASK 3
#define TCP_CLOSE 7
#define SK_PACING_FQ 2

struct net_device { int x; };
struct sock {
	int sk_state;
	u32 sk_hash;
	unsigned long sk_pacing_rate, sk_max_pacing_rate;
	int sk_pacing_status;
};
struct sk_buff {
	struct sk_buff *next;
	struct rb_node rbnode;
	struct net_device *dev;
	struct sock *sk;
	s64 tstamp;
	u32 priority, mark, hash, len, truesize;
	int l4_hash, id;
	u16 protocol;
	u8 *end;
	char cb[64] __attribute__((aligned(8)));
	u8 data[80] __attribute__((aligned(8)));
};
struct skb_shared_info { u32 gso_size, gso_segs, gso_type; };
static const struct skb_shared_info no_segments;
#define skb_shinfo(skb) (&no_segments)
#define SKB_GSO_TCPV4 1
#define SKB_GSO_TCPV6 2
#define SKB_GSO_DODGY 4
#define NETIF_F_GSO_MASK 0
#define skb_is_gso(skb) 0
#define skb_network_offset(skb) 0
#define skb_transport_offset(skb) 20
/* As a constant, for case labels. */
#undef htons
#define htons(x) ((u16)(((x) & 0xff) << 8 | ((x) >> 8 & 0xff)))
#define skb_protocol(skb, vlan) htons(ETH_P_IP)
#define skb_header_pointer(skb, offset, length, buffer) ((void *)((skb)->data + (offset)))
#define skb_mark_not_on_list(skb) ((skb)->next = NULL)
#define skb_get_hash(skb) ((skb)->hash)
#define skb_orphan(skb) ((skb)->sk = NULL)
#define sk_listener(sk) 0
#define sk_fullsock(sk) 1
#define sk_is_tcp(sk) 1
#define ipv4_get_dsfield(iph) ((iph)->tos)
#define ipv6_get_dsfield(iph) 0
#define skb_get_dsfield(skb) ((skb)->data[1])
#define ipv4_change_dsfield(iph, mask, value) ((iph)->tos = ((iph)->tos & (mask)) | (value))
#define ipv6_change_dsfield(iph, mask, value) do { } while (0)
#define ip_hdr(skb) ((struct iphdr *)(skb)->data)
#define ipv6_hdr(skb) ((struct ipv6hdr *)(skb)->data)
#define pskb_may_pull(skb, n) 1
#define skb_try_make_writable(skb, n) 0
int INET_ECN_set_ce(struct sk_buff *skb);
void dropped(struct sk_buff *skb);
#define kfree_skb(skb) dropped(skb)
#define consume_skb(skb) dropped(skb)
#define rtnl_kfree_skbs(head, tail) do { } while (0)

struct flow_keys {
	struct { int addr_type; } control;
	struct { u8 ip_proto; } basic;
	struct { u32 flow_label; } tags;
	struct { u32 keyid; } keyid;
	struct { u32 ports; u16 src, dst; } ports;
	struct { struct { u32 src, dst; } v4addrs; struct { struct in6_addr src, dst; } v6addrs; } addrs;
};
#define FLOW_DISSECTOR_F_STOP_AT_FLOW_LABEL 0
#define FLOW_DISSECTOR_KEY_IPV4_ADDRS 1
#define FLOW_DISSECTOR_KEY_IPV6_ADDRS 2
static inline void skb_flow_dissect_flow_keys(const struct sk_buff *skb, struct flow_keys *keys, int flags)
{
	memset(keys, 0, sizeof(*keys));
	keys->control.addr_type = FLOW_DISSECTOR_KEY_IPV4_ADDRS;
	keys->addrs.v4addrs.src = ip_hdr((struct sk_buff *)skb)->saddr;
	keys->addrs.v4addrs.dst = ip_hdr((struct sk_buff *)skb)->daddr;
}
/* Addresses are small numbers here: no two have the same hash. */
#define flow_hash_from_keys(keys) ((keys)->addrs.v4addrs.src * 8 + (keys)->addrs.v4addrs.dst * 264)

#include "shim_sched.h"

#endif
