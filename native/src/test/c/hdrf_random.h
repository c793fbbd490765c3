/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HDRF_RANDOM_H
#define HDRF_RANDOM_H

#include <stddef.h>
#include <stdint.h>

/* The seed, to be printed; each test program has its own. For one thread. */
static uint64_t random_state;

/* SplitMix64. */
static inline uint64_t next_random(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline size_t random_below(size_t bound)
{
    return (size_t)(next_random() % bound);
}

#endif
