/* Of shim.h: what belongs to queue disciplines. */
#ifndef KERNEL_QUEUES_SHIM_SCHED_H
#define KERNEL_QUEUES_SHIM_SCHED_H

struct nlattr { int x; };
struct nla_policy { int type, strict_start_type; const void *validation_data; };
struct netlink_range_validation { u64 min, max; };
struct netlink_ext_ack { int x; };
struct gnet_dump { struct sk_buff *skb; };
struct tcmsg { u32 tcm_handle, tcm_info; };
struct tcf_proto { int x; };
struct tcf_block { int x; };
struct tcf_result { u32 classid; };
struct qdisc_walker { int stop, skip, count; int (*fn)(); };
struct qdisc_skb_head { struct sk_buff *head, *tail; u32 qlen; };
struct gnet_stats_queue { u32 qlen, backlog, drops, requeues, overlimits; };
struct Qdisc_ops;
struct Qdisc {
	u32 limit, handle, flags;
	struct qdisc_skb_head q;
	struct gnet_stats_queue qstats;
	const struct Qdisc_ops *ops;
	struct sk_buff *gso_skb;
	void *priv;
};
struct Qdisc_class_ops {
	void *leaf, *find, *tcf_block, *bind_tcf, *unbind_tcf, *dump, *dump_stats, *walk;
};
struct Qdisc_ops {
	const struct Qdisc_class_ops *cl_ops;
	char id[IFNAMSIZ];
	int priv_size;
	int (*enqueue)(struct sk_buff *, struct Qdisc *, struct sk_buff **);
	struct sk_buff *(*dequeue)(struct Qdisc *);
	struct sk_buff *(*peek)(struct Qdisc *);
	int (*init)(struct Qdisc *, struct nlattr *, struct netlink_ext_ack *);
	void *reset, *destroy, *change, *dump, *dump_stats, *owner;
};
struct qdisc_skb_cb { u32 pkt_len; char data[48] __attribute__((aligned(8))); };
#define qdisc_skb_cb(skb) ((struct qdisc_skb_cb *)(skb)->cb)
#define qdisc_cb_private_validate(skb, size) do { } while (0)
static inline u32 qdisc_pkt_len(const struct sk_buff *skb) { return skb->len; }
#define qdisc_priv(sch) ((sch)->priv)
#define qdisc_dev(sch) NULL
#define qdisc_qlen(sch) ((sch)->q.qlen)
/* An Ethernet device: 1500 bytes and 14 of its header. */
#define psched_mtu(dev) 1514U
#define qdisc_peek_dequeued NULL
#define NET_XMIT_SUCCESS 0
#define NET_XMIT_DROP 1
#define NET_XMIT_CN 2
#define __NET_XMIT_STOLEN 0x10000
#define __NET_XMIT_BYPASS 0x20000
#define TCQ_F_CAN_BYPASS 4
#define qdisc_qstats_drop(sch) do { } while (0)
#define __qdisc_qstats_drop(sch, n) do { } while (0)
#define qdisc_qstats_overlimit(sch) do { } while (0)
#define qdisc_bstats_update(sch, skb) do { } while (0)
#define qdisc_tree_reduce_backlog(sch, n, len) ((void)(n), (void)(len))
#define qdisc_qstats_backlog_inc(sch, skb) ((sch)->qstats.backlog += (skb)->len)
#define qdisc_qstats_backlog_dec(sch, skb) ((sch)->qstats.backlog -= (skb)->len)
#define qdisc_lock(x) NULL
#define qdisc_root_sleeping(sch) NULL
#define tcf_classify(skb, block, filter, result, compat) (-1)
#define tcf_classify_qdisc(skb, filter, result, compat) (-1)
#define tcf_block_get(block, list, sch, extack) 0
static inline int __qdisc_drop(struct sk_buff *skb, struct sk_buff **to_free)
{
	dropped(skb);
	return NET_XMIT_DROP;
}
static inline int qdisc_drop(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	return __qdisc_drop(skb, to_free);
}
#define qdisc_drop_reason(skb, sch, to_free, reason) qdisc_drop(skb, sch, to_free)
static inline int qdisc_enqueue_tail(struct sk_buff *skb, struct Qdisc *sch)
{
	skb->next = NULL;
	if (sch->q.head)
		sch->q.tail->next = skb;
	else
		sch->q.head = skb;
	sch->q.tail = skb;
	sch->q.qlen++;
	sch->qstats.backlog += skb->len;
	return NET_XMIT_SUCCESS;
}
static inline struct sk_buff *__qdisc_dequeue_head(struct qdisc_skb_head *line)
{
	struct sk_buff *skb = line->head;

	if (skb) {
		line->head = skb->next;
		line->qlen--;
		skb->next = NULL;
	}
	return skb;
}
static inline struct sk_buff *qdisc_dequeue_head(struct Qdisc *sch)
{
	struct sk_buff *skb = __qdisc_dequeue_head(&sch->q);

	if (skb)
		sch->qstats.backlog -= skb->len;
	return skb;
}
#define qdisc_peek_head(sch) ((sch)->q.head)
#define qdisc_create_dflt(queue, ops, handle, extack) ((struct Qdisc *)calloc(1, sizeof(struct Qdisc)))
#define TC_H_MAJ(x) ((x) & 0xFFFF0000U)
#define TC_H_MIN(x) ((x) & 0x0000FFFFU)
#define kvcalloc(n, size, flags) calloc(n, size)
#define kvmalloc_node(size, flags, node) malloc(size)
#define kvfree(x) free(x)
#define netdev_queue_numa_node_read(x) 0
struct kmem_cache { int x; };
extern size_t flow_size;
#define kmem_cache_zalloc(cache, flags) calloc(1, flow_size)
#define kmem_cache_free_bulk(cache, n, list) do { } while (0)
#define kmem_cache_free(cache, x) free(x)
#define hash_ptr(x, bits) ((u32)(((u64)(x) * 0x61C8864680B583EBULL) >> (64 - (bits))))
static const u8 sch_default_prio2band[16] = { 1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1 };

#endif
