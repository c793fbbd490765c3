/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of hdrf_filter_keep(), for its dispatcher and for tests. */
#ifndef HDRF_FILTER_IMPL_H
#define HDRF_FILTER_IMPL_H

#include "hdrf_filter.h"

/* The type of hdrf_filter_keep() for rows of some width. */
typedef size_t hdrf_filter_fn(const struct hdrf_filter_row *row, const uint64_t *hashes,
                              size_t hash_count, size_t count, uint64_t *columns, uint32_t *left);

struct hdrf_filter_kernel {
    const char *name;
    /*
     * Functions by log2 of the words of a position; the first one also for several positions in a
     * word.
     */
    hdrf_filter_fn *keep[HDRF_FILTER_MAX_WIDTH_LOG2 - 6 + 1];
};

/*
 * Returns the fastest kernel that needs no more than `features`, a set of HDRF_CPU_*. Never NULL.
 */
const struct hdrf_filter_kernel *hdrf_filter_choose(uint32_t features);

size_t hdrf_filter_keep_with(const struct hdrf_filter_kernel *kernel,
                             const struct hdrf_filter_row *row, const uint64_t *hashes,
                             size_t hash_count, size_t count, uint64_t *columns, uint32_t *left);

hdrf_filter_fn hdrf_filter_keep1_portable;
hdrf_filter_fn hdrf_filter_keep2_portable;
hdrf_filter_fn hdrf_filter_keep4_portable;
hdrf_filter_fn hdrf_filter_keep8_portable;

#if defined(__x86_64__)
/* Need HDRF_CPU_AVX2. */
hdrf_filter_fn hdrf_filter_keep1_avx2;
hdrf_filter_fn hdrf_filter_keep2_avx2;
hdrf_filter_fn hdrf_filter_keep4_avx2;
hdrf_filter_fn hdrf_filter_keep8_avx2;
#endif

#endif
