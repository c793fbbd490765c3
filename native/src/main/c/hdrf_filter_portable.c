/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar reference. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME(f) f##_portable

static inline bool and2(const uint64_t *columns, const uint64_t *words, uint64_t *into)
{
    into[0] = columns[0] & words[0];
    into[1] = columns[1] & words[1];
    return (into[0] | into[1]) != 0;
}

static inline bool and4(const uint64_t *columns, const uint64_t *words, uint64_t *into)
{
    bool low = and2(columns, words, into);
    bool high = and2(columns + 2, words + 2, into + 2);
    return low | high;
}

static inline bool and8(const uint64_t *columns, const uint64_t *words, uint64_t *into)
{
    bool low = and4(columns, words, into);
    bool high = and4(columns + 4, words + 4, into + 4);
    return low | high;
}

#include "hdrf_filter_loop.h"
