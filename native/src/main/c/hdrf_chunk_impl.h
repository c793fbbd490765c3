/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of hdrf_chunk(), for its dispatcher, for tests and for benchmarks. */
#ifndef HDRF_CHUNK_IMPL_H
#define HDRF_CHUNK_IMPL_H

#include "hdrf_chunk.h"

#include <string.h>

/*
 * Returns the length of the chunk at the start of `length` bytes (at least 1), or 0 if no rule ends
 * it within them.
 */
typedef size_t hdrf_chunk_fn(const struct hdrf_chunker *chunker, const uint8_t *data,
                             size_t length);

struct hdrf_chunk_kernel {
    const char *name;
    /* By enum hdrf_chunk_algorithm; NULL for unused numbers. */
    hdrf_chunk_fn *first[HDRF_CHUNK_ALGORITHMS];
};

/*
 * Returns the fastest kernel that needs no more than `features`, a set of HDRF_CPU_*. Never NULL.
 */
const struct hdrf_chunk_kernel *hdrf_chunk_choose(uint32_t features);

/* Returns the kernel of the scalar references. */
const struct hdrf_chunk_kernel *hdrf_chunk_portable(void);

/* Works like hdrf_chunk(), with a given kernel. */
size_t hdrf_chunk_with(const struct hdrf_chunk_kernel *kernel, const struct hdrf_chunker *chunker,
                       const uint8_t *data, size_t length, bool last, uint32_t *cuts,
                       size_t capacity);

/* The scalar references: that of RAM is also RAML's. */
hdrf_chunk_fn hdrf_chunk_ram_reference;
hdrf_chunk_fn hdrf_chunk_fastcdc_reference;
hdrf_chunk_fn hdrf_chunk_fixed_reference;
hdrf_chunk_fn hdrf_chunk_vhash_reference;

#if defined(__x86_64__)
/* Need HDRF_CPU_SSE42, HDRF_CPU_AVX2 and HDRF_CPU_AVX512. */
hdrf_chunk_fn hdrf_chunk_ram_sse42;
hdrf_chunk_fn hdrf_chunk_vhash_sse42;
hdrf_chunk_fn hdrf_chunk_ram_avx2;
hdrf_chunk_fn hdrf_chunk_vhash_avx2;
hdrf_chunk_fn hdrf_chunk_ram_avx512;
hdrf_chunk_fn hdrf_chunk_vhash_avx512;
#elif defined(__aarch64__)
hdrf_chunk_fn hdrf_chunk_ram_neon;
hdrf_chunk_fn hdrf_chunk_vhash_neon;
#endif

/* The lengths in bytes of the windows that FastCDC (Gear) and VHASH hash. */
#define HDRF_CHUNK_GEAR_WINDOW 64
#define HDRF_CHUNK_VHASH_WINDOW 32

/* The published table: [b] is the start of the MD5 of 64 bytes b, as a big-endian number. */
extern const uint64_t hdrf_chunk_gear[256];

/*
 * The factors of VHASH: of the narrow hash for the left half of 8, 16 and 32 bytes; of the wide
 * hash.
 */
#define HDRF_CHUNK_VHASH_8 UINT32_C(0x72b1)
#define HDRF_CHUNK_VHASH_16 UINT32_C(0xc7af)
#define HDRF_CHUNK_VHASH_32 UINT32_C(0x2047)
#define HDRF_CHUNK_VHASH_FIRST UINT64_C(0x9e3779b97f4a7c15)
#define HDRF_CHUNK_VHASH_SECOND UINT64_C(0xd6e8feb86659fd93)

/* Hashes (48 bits) from this one on never end a chunk; those of runs are among them. */
#define HDRF_CHUNK_VHASH_NONE (UINT64_C(1) << 47)

static inline uint16_t hdrf_chunk_vhash_word(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

/* The difference of two neighbouring words. */
static inline uint32_t hdrf_chunk_vhash_step(const uint8_t *p)
{
    return (uint32_t)hdrf_chunk_vhash_word(p + 2) - hdrf_chunk_vhash_word(p);
}

/* The hash of 16 bytes; the upper 16 bits are undefined. */
static inline uint32_t hdrf_chunk_vhash_half(const uint8_t *p)
{
    uint32_t left = HDRF_CHUNK_VHASH_8 * hdrf_chunk_vhash_step(p) + hdrf_chunk_vhash_step(p + 4);
    uint32_t right =
        HDRF_CHUNK_VHASH_8 * hdrf_chunk_vhash_step(p + 8) + hdrf_chunk_vhash_step(p + 12);
    return HDRF_CHUNK_VHASH_16 * left + right;
}

/* The 16-bit hash of 32 bytes, 0 to 65535; 32768 for a run. */
static inline uint32_t hdrf_chunk_vhash_narrow(const uint8_t *p)
{
    uint32_t hash = HDRF_CHUNK_VHASH_32 * hdrf_chunk_vhash_half(p) + hdrf_chunk_vhash_half(p + 16);
    return (hash ^ 0x8000) & 0xffff;
}

static inline uint64_t hdrf_chunk_load64(const uint8_t *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    value = __builtin_bswap64(value);
#endif
    return value;
}

/* The 32-bit hash of 32 bytes: decides between equal 16-bit hashes. */
static inline uint32_t hdrf_chunk_vhash_wide(const uint8_t *p)
{
    uint64_t hash = hdrf_chunk_load64(p) * HDRF_CHUNK_VHASH_FIRST;
    hash = (hash ^ hdrf_chunk_load64(p + 8)) * HDRF_CHUNK_VHASH_SECOND;
    hash = (hash ^ hdrf_chunk_load64(p + 16)) * HDRF_CHUNK_VHASH_FIRST;
    hash = (hash ^ hdrf_chunk_load64(p + 24)) * HDRF_CHUNK_VHASH_SECOND;
    return (uint32_t)(hash >> 32);
}

/* The hash of 32 bytes, below 2^48. */
static inline uint64_t hdrf_chunk_vhash(const uint8_t *p)
{
    return (uint64_t)hdrf_chunk_vhash_narrow(p) << 32 | hdrf_chunk_vhash_wide(p);
}

#endif
