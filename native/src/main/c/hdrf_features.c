/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_features.h"

#include "hdrf_chunk_impl.h"

#include <string.h>

/* A position counts if so many of the upper bits of its hash are 0. */
#define SAMPLE_BITS 6

/*
 * The lower halves of the first numbers of SplitMix64 from the state 0, made odd, so that no two
 * hashes have the same value.
 */
static const uint32_t factors[HDRF_FEATURES] = {
    0x7b1dcdaf, 0xa1b965f5, 0x8009454f, 0x724c81ed, 0x51a8749b, 0x747ea2eb,
    0x1f4532e1, 0xc916ab3d, 0x41c98ac3, 0x368cb0a7, 0x3cb13d09, 0x055bdef7,
};

/* Their upper halves. */
static const uint32_t addends[HDRF_FEATURES] = {
    0xe220a839, 0x6e789e6a, 0x06c45d18, 0xf88bb8a8, 0x1b39896a, 0x53cb9f0c,
    0x2c829abe, 0xc584133a, 0x3ee57890, 0xf3b8488c, 0x657eecdd, 0xc2d326e0,
};

static void add(uint32_t value, uint32_t features[HDRF_FEATURES])
{
    for (size_t i = 0; i < HDRF_FEATURES; i++) {
        uint32_t made = factors[i] * value + addends[i];
        if (made > features[i]) {
            features[i] = made;
        }
    }
}

void hdrf_features(const uint8_t *data, size_t length, uint32_t features[HDRF_FEATURES])
{
    memset(features, 0, HDRF_FEATURES * sizeof *features);
    uint64_t hash = 0;
    for (size_t i = 0; i < length; i++) {
        hash = (hash << 1) + hdrf_chunk_gear[data[i]];
        if (hash >> (64 - SAMPLE_BITS) == 0) {
            add((uint32_t)(hash >> (32 - SAMPLE_BITS)), features);
        }
    }
}
