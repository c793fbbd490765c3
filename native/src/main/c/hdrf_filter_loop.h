/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loop that the kernels of hdrf_filter_keep() share, each compiled for its own instructions.
 *
 * Before including this, a file defines NAME(f), which gives a function the kernel's name, and
 *
 *   bool and2(const uint64_t *columns, const uint64_t *words, uint64_t *into)
 *
 * with and4 and and8 likewise, which store the AND of 2, 4 and 8 words and return whether a bit of
 * it is set. `into` is `columns` or does not overlap it.
 */
#include "hdrf_filter_impl.h"

#include <stdbool.h>

/*
 * The number of elements whose words are prefetched while one is processed: more than a core has
 * buffers for cache misses. A power of two.
 */
#define AHEAD ((size_t)32)

static inline __attribute__((always_inline)) const uint64_t *
words_at(const struct hdrf_filter_row *row, uint32_t position, size_t lanes)
{
    return row->words + (lanes > 1 ? position * lanes : position >> (6 - row->width_log2));
}

static inline __attribute__((always_inline)) bool and_words(const struct hdrf_filter_row *row,
                                                            uint32_t position,
                                                            const uint64_t *columns, uint64_t *into,
                                                            size_t lanes)
{
    const uint64_t *words = words_at(row, position, lanes);
    switch (lanes) {
    case 2:
        return and2(columns, words, into);
    case 4:
        return and4(columns, words, into);
    case 8:
        return and8(columns, words, into);
    default:
        *into = *columns & *words >> (position << row->width_log2 & 63);
        return *into != 0;
    }
}

/*
 * Returns the position of an element, whose number may have changed since it was checked: by
 * another thread, or because the caller's arrays overlap.
 */
static inline __attribute__((always_inline)) uint32_t
position_of(const struct hdrf_filter_row *row, const uint64_t *hashes, size_t hash_count,
            uint32_t number)
{
    const uint64_t *hash = hashes + (number < hash_count ? (size_t)2 * number : 0);
    return hdrf_filter_position(hash[0], hash[1], row->function, row->length);
}

/*
 * Computes positions here, and not all of them in advance: while the loop waits for words, this
 * takes no extra time. No branch depends on the words read, since it could not be predicted: each
 * element is stored at the front, and the next one overwrites a dropped one.
 */
static inline __attribute__((always_inline)) size_t keep(const struct hdrf_filter_row *from,
                                                         const uint64_t *hashes, size_t hash_count,
                                                         size_t count, uint64_t *columns,
                                                         uint32_t *left, size_t lanes)
{
    const struct hdrf_filter_row row = *from;
    uint32_t highest = 0;
    for (size_t i = 0; i < count; i++) {
        highest = left[i] > highest ? left[i] : highest;
    }
    if (count > 0 && highest >= hash_count) {
        return HDRF_FILTER_NO_HASH;
    }
    uint32_t positions[AHEAD];
    size_t ahead = 0;
    for (; ahead < count && ahead < AHEAD; ahead++) {
        positions[ahead] = position_of(&row, hashes, hash_count, left[ahead]);
        __builtin_prefetch(words_at(&row, positions[ahead], lanes));
    }
    size_t remaining = 0;
    size_t i = 0;
    for (; ahead < count; i++, ahead++) {
        uint32_t position = positions[i % AHEAD];
        uint32_t next = position_of(&row, hashes, hash_count, left[ahead]);
        __builtin_prefetch(words_at(&row, next, lanes));
        positions[i % AHEAD] = next;
        left[remaining] = left[i];
        remaining += and_words(&row, position, columns + i * lanes, columns + remaining * lanes,
                               lanes);
    }
    for (; i < count; i++) {
        left[remaining] = left[i];
        remaining += and_words(&row, positions[i % AHEAD], columns + i * lanes,
                               columns + remaining * lanes, lanes);
    }
    return remaining;
}

#define KEEP(lanes)                                                                                \
    size_t NAME(hdrf_filter_keep##lanes)(const struct hdrf_filter_row *row,                        \
                                         const uint64_t *hashes, size_t hash_count, size_t count,  \
                                         uint64_t *columns, uint32_t *left)                        \
    {                                                                                              \
        return keep(row, hashes, hash_count, count, columns, left, lanes);                         \
    }

KEEP(1)
KEEP(2)
KEEP(4)
KEEP(8)
