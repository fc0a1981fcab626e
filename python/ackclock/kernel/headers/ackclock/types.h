/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Types, arithmetic and annotations that kernel code uses.
 */
#ifndef ACKCLOCK_TYPES_H
#define ACKCLOCK_TYPES_H

typedef unsigned char u8, __u8;
typedef signed char s8, __s8;
typedef unsigned short u16, __u16, __be16, __le16;
typedef short s16, __s16;
typedef unsigned int u32, __u32, __be32, __le32;
typedef int s32, __s32;
typedef unsigned long long u64, __u64, __be64;
typedef long long s64, __s64;
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ssize_t;
typedef unsigned int gfp_t;
typedef s64 ktime_t;
typedef _Bool bool;
#define true 1
#define false 0
#define NULL ((void *)0)

#define U8_MAX ((u8)~0U)
#define U16_MAX ((u16)~0U)
#define S16_MAX ((s16)(U16_MAX >> 1))
#define U32_MAX ((u32)~0U)
#define S32_MAX ((s32)(U32_MAX >> 1))
#define S32_MIN ((s32)(-S32_MAX - 1))
#define U64_MAX ((u64)~0ULL)
#define S64_MAX ((s64)(U64_MAX >> 1))
#define INT_MAX S32_MAX
#define UINT_MAX U32_MAX
#define ULONG_MAX (~0UL)
#define LONG_MAX ((long)(~0UL >> 1))
#define U32_C(number) number##U
#define U64_C(number) number##ULL

/* Annotations. */
#define __init
#define __exit
#define __initdata
#define __initconst
#define __read_mostly
#define __ro_after_init
#define __user
#define __rcu
#define __force
#define __must_check
#define __cold
#define __pure __attribute__((pure))
#define __attribute_const__ __attribute__((const))
#define __weak __attribute__((weak))
#define __always_inline inline __attribute__((always_inline))
#define noinline __attribute__((noinline))
#define __maybe_unused __attribute__((unused))
#define __always_unused __attribute__((unused))
#define __packed __attribute__((packed))
#define __aligned(bytes) __attribute__((aligned(bytes)))
#define __printf(format, values) __attribute__((format(printf, format, values)))
#define ____cacheline_aligned_in_smp
#define ____cacheline_aligned
#define fallthrough __attribute__((fallthrough))
#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define READ_ONCE(value) (value)
#define WRITE_ONCE(place, value) ((place) = (value))
#define barrier() do { } while (0)
#define smp_mb() do { } while (0)
#define smp_rmb() do { } while (0)
#define smp_wmb() do { } while (0)

/* Sizes and structures. */
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define offsetof(type, member) __builtin_offsetof(type, member)
#define sizeof_field(type, member) sizeof(((type *)0)->member)
#define offsetofend(type, member) (offsetof(type, member) + sizeof_field(type, member))
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), "BUILD_BUG_ON: " #condition)
#define BIT(number) (1UL << (number))
#define BIT_ULL(number) (1ULL << (number))

/* Order. Operands are evaluated once. */
#define ackclock_choose(kind, one, compare, other) ({ \
	kind ackclock_one = (one); \
	kind ackclock_other = (other); \
	ackclock_one compare ackclock_other ? ackclock_one : ackclock_other; })
#define ackclock_common(one, other) __typeof__(1 ? (one) : (other))
#define min(one, other) ackclock_choose(ackclock_common(one, other), one, <, other)
#define max(one, other) ackclock_choose(ackclock_common(one, other), one, >, other)
#define min_t(kind, one, other) ackclock_choose(kind, one, <, other)
#define max_t(kind, one, other) ackclock_choose(kind, one, >, other)
#define min3(first, second, third) min(min(first, second), third)
#define max3(first, second, third) max(max(first, second), third)
#define clamp(value, lowest, highest) min(max(value, lowest), highest)
#define clamp_t(kind, value, lowest, highest) min_t(kind, max_t(kind, value, lowest), highest)
#define clamp_val(value, lowest, highest) clamp_t(__typeof__(value), value, lowest, highest)
#define min_not_zero(one, other) ({ \
	__typeof__(one) ackclock_first = (one); \
	__typeof__(other) ackclock_second = (other); \
	ackclock_first == 0 ? ackclock_second : \
		ackclock_second == 0 ? ackclock_first : min(ackclock_first, ackclock_second); })
#define swap(one, other) do { __typeof__(one) ackclock_kept = (one); (one) = (other); (other) = ackclock_kept; } while (0)
/* The difference of unsigned numbers counts as signed. */
#define abs(value) _Generic((value), \
	long long: ackclock_abs64(value), unsigned long long: ackclock_abs64(value), \
	long: (long)ackclock_abs64(value), unsigned long: (long)ackclock_abs64(value), \
	default: ackclock_abs32(value))
static inline int ackclock_abs32(int value) { return value < 0 ? -value : value; }
static inline long long ackclock_abs64(long long value) { return value < 0 ? -value : value; }

/* Division. `do_div` leaves the quotient in its first operand and returns the remainder. */
#define do_div(dividend, divisor) ({ \
	u32 ackclock_divisor = (divisor); \
	u32 ackclock_remainder = (u64)(dividend) % ackclock_divisor; \
	(dividend) = (u64)(dividend) / ackclock_divisor; \
	ackclock_remainder; })
#define DIV_ROUND_UP(dividend, divisor) (((dividend) + (divisor) - 1) / (divisor))
#define DIV_ROUND_UP_ULL(dividend, divisor) DIV_ROUND_UP((unsigned long long)(dividend), (unsigned long long)(divisor))
#define DIV_ROUND_CLOSEST(dividend, divisor) ({ \
	__typeof__(dividend) ackclock_dividend = (dividend); \
	__typeof__(divisor) ackclock_by = (divisor); \
	((ackclock_dividend < 0) == (ackclock_by < 0)) ? \
		(ackclock_dividend + ackclock_by / 2) / ackclock_by : \
		(ackclock_dividend - ackclock_by / 2) / ackclock_by; })
#define rounddown(value, step) ((value) - (value) % (step))
#define roundup(value, step) (DIV_ROUND_UP(value, step) * (step))

static inline u64 div_u64(u64 dividend, u32 divisor) { return dividend / divisor; }
static inline s64 div_s64(s64 dividend, s32 divisor) { return dividend / divisor; }
static inline u64 div64_u64(u64 dividend, u64 divisor) { return dividend / divisor; }
static inline s64 div64_s64(s64 dividend, s64 divisor) { return dividend / divisor; }
#define div64_long(dividend, divisor) div64_s64(dividend, divisor)
#define div64_ul(dividend, divisor) div64_u64(dividend, divisor)
static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}
static inline u64 mul_u64_u32_shr(u64 factor, u32 other, unsigned int shift)
{
	return (u64)(((unsigned __int128)factor * other) >> shift);
}

/* Bits: the position of the highest one, counted from 1; 0 if there is none. */
static inline int fls(u32 value) { return value ? 32 - __builtin_clz(value) : 0; }
static inline int fls64(u64 value) { return value ? 64 - __builtin_clzll(value) : 0; }
static inline int ilog2(u64 value) { return fls64(value) - 1; }
static inline unsigned int hweight32(u32 value) { return __builtin_popcount(value); }
static inline bool is_power_of_2(unsigned long value) { return value != 0 && (value & (value - 1)) == 0; }

/* Atomic operations: a connection has one thread. */
#define xchg(place, value) ({ \
	__typeof__(*(place)) ackclock_former = *(place); \
	*(place) = (value); \
	ackclock_former; })
#define cmpxchg(place, expected, value) ({ \
	__typeof__(*(place)) ackclock_former = *(place); \
	if (ackclock_former == (expected)) \
		*(place) = (value); \
	ackclock_former; })
typedef struct { int counter; } atomic_t;
static inline int atomic_read(const atomic_t *value) { return value->counter; }
static inline void atomic_set(atomic_t *value, int number) { value->counter = number; }
static inline void atomic_inc(atomic_t *value) { value->counter++; }
static inline void atomic_dec(atomic_t *value) { value->counter--; }

/* Memory and strings: the C library's. */
void *memset(void *place, int value, size_t size);
void *memcpy(void *place, const void *source, size_t size);
int memcmp(const void *one, const void *other, size_t size);
size_t strlen(const char *text);
int strcmp(const char *one, const char *other);
int strncmp(const char *one, const char *other, size_t size);
char *strsep(char **text, const char *separators);
char *strdup(const char *text);
void *calloc(size_t count, size_t size);
void free(void *place);
int snprintf(char *place, size_t size, const char *format, ...);

#define GFP_KERNEL 0U
#define GFP_ATOMIC 0U
#define GFP_NOWAIT 0U
#define GFP_USER 0U
#define __GFP_NOWARN 0U
#define __GFP_ZERO 0U
static inline void *kcalloc(size_t count, size_t size, gfp_t flags) { return calloc(count, size); }
static inline void *kmalloc_array(size_t count, size_t size, gfp_t flags) { return calloc(count, size); }
static inline void *kmalloc(size_t size, gfp_t flags) { return calloc(1, size); }
static inline void *kzalloc(size_t size, gfp_t flags) { return calloc(1, size); }
static inline char *kstrdup(const char *text, gfp_t flags) { return strdup(text); }
static inline void kfree(const void *place) { free((void *)place); }
static inline ssize_t strscpy(char *place, const char *text, size_t size)
{
	size_t length = strlen(text);

	if (size == 0)
		return -7;
	snprintf(place, size, "%s", text);
	return length < size ? (ssize_t)length : -7;
}

#define EPERM 1
#define ENOENT 2
#define E2BIG 7
#define EBUSY 16
#define ENOMEM 12
#define EEXIST 17
#define EINVAL 22
#define ERANGE 34

/* Messages have no reader. */
#define KERN_ERR ""
#define KERN_INFO ""
#define KERN_DEBUG ""
#define printk(...) do { if (0) ackclock_ignore(__VA_ARGS__); } while (0)
#define pr_debug(...) printk(__VA_ARGS__)
#define pr_info(...) printk(__VA_ARGS__)
#define pr_notice(...) printk(__VA_ARGS__)
#define pr_warn(...) printk(__VA_ARGS__)
#define pr_warn_once(...) printk(__VA_ARGS__)
#define pr_err(...) printk(__VA_ARGS__)
#define net_dbg_ratelimited(...) printk(__VA_ARGS__)
static inline void ackclock_ignore(const char *format, ...) { }
static inline bool ackclock_warn(bool condition) { return condition; }
#define WARN_ON(condition) ackclock_warn(!!(condition))
#define WARN_ON_ONCE(condition) ackclock_warn(!!(condition))
#define WARN(condition, ...) ackclock_warn(!!(condition))
#define WARN_ONCE(condition, ...) ackclock_warn(!!(condition))
#define DEBUG_NET_WARN_ON_ONCE(condition) ((void)(condition))

#endif
