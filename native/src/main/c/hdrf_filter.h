/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries of Bloom filters that are stored in columns: for each position of a hash function, a row
 * has a bit of each filter, side by side.
 *
 * C. Faloutsos, R. Chan: Fast Text Access Methods for Optical and Large Magnetic Disks, VLDB 1988
 * ("bit slices").
 */
#ifndef HDRF_FILTER_H
#define HDRF_FILTER_H

#include <stddef.h>
#include <stdint.h>

/* log2 of the number of filters in the widest row. */
#define HDRF_FILTER_MAX_WIDTH_LOG2 9

/* The result of hdrf_filter_keep() when an element has no hash. */
#define HDRF_FILTER_NO_HASH SIZE_MAX

struct hdrf_filter_row {
    /*
     * The bits of position 0 first, from the least significant one on. Bits may be set by other
     * threads at any time, in whole words; whether a query sees such a bit is unspecified.
     */
    const uint64_t *words;
    /* Number of positions, 1 to 2^31 - 1. */
    uint32_t length;
    /*
     * log2 of the bits for each position, 0 to HDRF_FILTER_MAX_WIDTH_LOG2; 6 and above are whole
     * words.
     */
    uint32_t width_log2;
    /* The number of the hash function that has this row. */
    uint32_t function;
};

/*
 * Applies one row to the remaining elements of a query. An element keeps the columns whose bits are
 * set at its position; an element without any column is dropped.
 *
 * Element i of `count` has the columns columns[i], or from columns[i * lanes] on if a position has
 * `lanes` words, and the hash left[i]: hashes[2 * left[i]] and hashes[2 * left[i] + 1] are the h1
 * and h2 of hdrf_filter_position(). The elements that stay move to the front of `columns` and
 * `left`, in the same order; the content after them is then unspecified.
 *
 * Returns the number of elements that stay; or, with nothing changed, HDRF_FILTER_NO_HASH if one of
 * left[] is not less than `hash_count`.
 *
 * Keeps no reference, allocates nothing, and may be called by any number of threads at once, each
 * with its own columns and numbers. No pointer needs more alignment than its type; words that begin
 * at a multiple of a cache line are fastest, since then no position lies in two.
 */
size_t hdrf_filter_keep(const struct hdrf_filter_row *row, const uint64_t *hashes,
                        size_t hash_count, size_t count, uint64_t *columns, uint32_t *left);

/*
 * Returns the name of the kernel behind hdrf_filter_keep() on this machine: a static string, never
 * NULL.
 */
const char *hdrf_filter_kernel_name(void);

/*
 * Returns the position of an element in the row of a hash function, less than `length`: the upper
 * half of mix64(h1 + function * h2), multiplied by `length` and shifted right by 32 bits, where
 * mix64 is the finalizer of SplitMix64. Stored filters depend on it. Pure.
 */
static inline uint32_t hdrf_filter_position(uint64_t h1, uint64_t h2, uint32_t function,
                                            uint32_t length)
{
    uint64_t z = h1 + function * h2;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(((z ^ z >> 31) >> 32) * length >> 32);
}

#endif
