/* SPDX-License-Identifier: MIT OR Apache-2.0
 *
 * Every header that a kernel file includes in angle brackets stands for this one (python/ackclock/kernel/build.py).
 */
#include "types.h"
#include "module.h"
#include "sock.h"
#include "tcp.h"
