/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The length does not tell it: a rule may hold at the maximum, too, and VHASH, when it reaches the
 * maximum, cuts at the lowest place before. So the chunk is cut once more without a maximum.
 */
#include "forced.h"

#include "compared.h"

bool is_forced(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length, size_t left)
{
    /* A rule looks at no more than `window` bytes behind the chunk that it ends. */
    size_t seen = length + chunker->window;
    if (length == left || seen < chunker->maximum) {
        return false;
    }
    struct hdrf_chunker unlimited = *chunker;
    unlimited.maximum = UINT32_MAX;
    hdrf_chunk_fn *first = compared_choose(0)->first[chunker->algorithm];
    seen = seen < left ? seen : left;
    return first(&unlimited, data, seen) != length;
}
