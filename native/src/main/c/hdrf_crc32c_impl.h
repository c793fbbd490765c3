/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of hdrf_crc32c(), for its dispatcher and for tests. */
#ifndef HDRF_CRC32C_IMPL_H
#define HDRF_CRC32C_IMPL_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t hdrf_crc32c_fn(uint32_t crc, const uint8_t *data, size_t length);

struct hdrf_crc32c_kernel {
    const char *name;
    hdrf_crc32c_fn *update;
};

/*
 * Returns the fastest kernel that needs no more than `features`, a set of HDRF_CPU_*. Never NULL.
 */
const struct hdrf_crc32c_kernel *hdrf_crc32c_choose(uint32_t features);

hdrf_crc32c_fn hdrf_crc32c_portable;

#if defined(__x86_64__)
/* Needs HDRF_CPU_SSE42. */
hdrf_crc32c_fn hdrf_crc32c_sse42;
#endif

/*
 * The lengths in bytes of one of the three streams that the interleaved kernel runs side by side:
 * it divides messages into triples of long streams, then of short ones, then single words.
 */
#define HDRF_CRC32C_LONG_LOG2 11
#define HDRF_CRC32C_SHORT_LOG2 7
#define HDRF_CRC32C_LONG ((size_t)1 << HDRF_CRC32C_LONG_LOG2)
#define HDRF_CRC32C_SHORT ((size_t)1 << HDRF_CRC32C_SHORT_LOG2)

/*
 * The tables are filled when the library (or program) is loaded, before its other code can run, and
 * are constant from then on; so kernels read them without a guard.
 */

/* [k][b]: the register after byte b and then k zero bytes, from a register of 0. */
extern uint32_t hdrf_crc32c_slices[8][256];

/*
 * A register advanced over one stream of zero bytes is the XOR of [k][byte k of the register] for
 * k = 0..3.
 */
extern uint32_t hdrf_crc32c_shift_long[4][256];
extern uint32_t hdrf_crc32c_shift_short[4][256];

#endif
