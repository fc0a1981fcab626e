/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * What surrounds a control in the kernel: modules and their parameters, lists, locks, BPF, name spaces.
 */
#ifndef ACKCLOCK_MODULE_H
#define ACKCLOCK_MODULE_H

#include "types.h"

struct module { int unused; };
#define THIS_MODULE ((struct module *)0)
#define MODULE_AUTHOR(...)
#define MODULE_LICENSE(...)
#define MODULE_DESCRIPTION(...)
#define MODULE_VERSION(...)
#define MODULE_ALIAS(...)
#define MODULE_SOFTDEP(...)
#define EXPORT_SYMBOL(...)
#define EXPORT_SYMBOL_GPL(...)
#define CONFIG_DEFAULT_TCP_CONG "reno"

/* A parameter of the module. The descriptions are in a list that is made when the shared object is loaded. */
struct kernel_param;
struct kernel_param_ops {
	unsigned int flags;
	int (*set)(const char *text, const struct kernel_param *param);
	int (*get)(char *place, const struct kernel_param *param);
	void (*free)(void *arg);
};
struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	void *arg;
};
struct ackclock_param {
	struct kernel_param param;
	const char *type;
	struct ackclock_param *next;
};
struct ackclock_param_note {
	const char *name;
	const char *about;
	struct ackclock_param_note *next;
};
void ackclock_add_param(struct ackclock_param *param);
void ackclock_add_param_note(struct ackclock_param_note *note);
int param_set_uint_minmax(const char *text, const struct kernel_param *param, unsigned int lowest, unsigned int highest);
int param_get_uint(char *place, const struct kernel_param *param);
int param_set_int(const char *text, const struct kernel_param *param);
int param_get_int(char *place, const struct kernel_param *param);
int param_set_uint(const char *text, const struct kernel_param *param);

#ifdef ACKCLOCK_MAIN
/* The control itself. `ackclock_load` calls what `module_init` names. */
#define ackclock_describe_param(shown, setter, place, kind) \
	static struct ackclock_param ackclock_param_##shown = { \
		.param = { .name = #shown, .ops = setter, .arg = place }, .type = kind }; \
	static void __attribute__((constructor)) ackclock_describe_##shown(void) \
	{ \
		ackclock_add_param(&ackclock_param_##shown); \
	}
#define MODULE_PARM_DESC(shown, text) \
	static struct ackclock_param_note ackclock_note_##shown = { .name = #shown, .about = text }; \
	static void __attribute__((constructor)) ackclock_tell_##shown(void) \
	{ \
		ackclock_add_param_note(&ackclock_note_##shown); \
	}
#define module_init(function) int (*const ackclock_module_init)(void) = function;
#else
/* A file that another one needs: its functions, without its registration and its parameters. */
#define ackclock_describe_param(shown, setter, place, kind) \
	static void *const ackclock_param_##shown __maybe_unused = place;
#define MODULE_PARM_DESC(shown, text)
#define module_init(function) static int (*const ackclock_unused_init)(void) __maybe_unused = function;
#endif
#define module_exit(function) static void (*const ackclock_unused_exit)(void) __maybe_unused = function;
#define late_initcall(function) static int (*const ackclock_unused_late)(void) __maybe_unused = function;
#define module_param(variable, kind, mode) ackclock_describe_param(variable, NULL, &variable, #kind)
#define module_param_named(shown, variable, kind, mode) ackclock_describe_param(shown, NULL, &variable, #kind)
#define module_param_cb(shown, setter, place, mode) ackclock_describe_param(shown, setter, (void *)(place), "uint")

/* BPF: functions are ordinary functions, and no program is attached. */
#define __bpf_kfunc
#define __bpf_kfunc_start_defs()
#define __bpf_kfunc_end_defs()
#define BTF_ID_FLAGS(...)
struct btf_kfunc_id_set {
	struct module *owner;
	const void *set;
};
#define BTF_KFUNCS_START(set_name) static const int set_name = 0
#define BTF_KFUNCS_END(set_name) ;
#define BTF_SET8_START(set_name) static const int set_name = 0
#define BTF_SET8_END(set_name) ;
#define BPF_PROG_TYPE_STRUCT_OPS 0
#define BPF_SOCK_OPS_BASE_RTT 0
static inline int register_btf_kfunc_id_set(int type, const struct btf_kfunc_id_set *set) { return 0; }
static inline bool bpf_try_module_get(const void *data, struct module *owner) { return true; }
static inline void bpf_module_put(const void *data, struct module *owner) { }
static inline bool try_module_get(struct module *owner) { return true; }
static inline void module_put(struct module *owner) { }

/* Locks, RCU and privileges: a connection has one thread and one user. */
typedef struct { int unused; } spinlock_t;
#define DEFINE_SPINLOCK(name) spinlock_t name
static inline void spin_lock(spinlock_t *lock) { }
static inline void spin_unlock(spinlock_t *lock) { }
static inline void spin_lock_bh(spinlock_t *lock) { }
static inline void spin_unlock_bh(spinlock_t *lock) { }
static inline void rcu_read_lock(void) { }
static inline void rcu_read_unlock(void) { }
static inline void synchronize_rcu(void) { }
#define rcu_dereference(pointer) (pointer)
#define might_sleep() do { } while (0)
#define CAP_NET_ADMIN 12
static inline bool capable(int capability) { return true; }
#define request_module(...) (0)

/* Lists: rings of two pointers, with the list itself as one of the members. */
struct list_head {
	struct list_head *next, *prev;
};
#define LIST_HEAD(name) struct list_head name = { &name, &name }
static inline void list_add_tail(struct list_head *member, struct list_head *list)
{
	member->next = list;
	member->prev = list->prev;
	list->prev->next = member;
	list->prev = member;
}
static inline void list_del(struct list_head *member)
{
	member->prev->next = member->next;
	member->next->prev = member->prev;
}
#define list_add_tail_rcu(member, list) list_add_tail(member, list)
#define list_del_rcu(member) list_del(member)
#define list_for_each_entry(entry, list, member) \
	for (entry = container_of((list)->next, __typeof__(*entry), member); \
	     &entry->member != (list); \
	     entry = container_of(entry->member.next, __typeof__(*entry), member))
#define list_for_each_entry_rcu(entry, list, member, ...) list_for_each_entry(entry, list, member)

/* A key for a name. Nothing depends on its value but that names differ. */
static inline u32 jhash(const void *data, u32 length, u32 first)
{
	const u8 *bytes = data;
	u32 hash = 2166136261U ^ first; /* FNV-1a */

	while (length--)
		hash = (hash ^ *bytes++) * 16777619U;
	return hash;
}

#endif
