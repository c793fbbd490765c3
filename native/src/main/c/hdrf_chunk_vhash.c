/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VHASH: cut after i where a hash of the 32 bytes that end with p[i] is low.
 *
 * With all arithmetic modulo 65536 and the little-endian words w0, w1, ... of the bytes, the narrow
 * hash is made of
 *
 *   4 bytes    H4 = w1 - w0
 *   8 bytes    H8 = A * H4(left half) + H4(right half)
 *   16 bytes   H16 = B * H8(left half) + H8(right half)
 *   32 bytes   C * H16(left half) + H16(right half) + 32768
 *
 * where A, B and C are HDRF_CHUNK_VHASH_8, _16 and _32, all odd. Adding 32768 turns an unsigned
 * comparison into a signed one, as vector units have it. Hashes of fewer bytes were tried: in logs
 * too many places of 16 bytes are equal, and the mean size was far from the one asked for.
 *
 * It has no state, so that every place can be tested by itself, and the places of one parity lie
 * in neighbouring 16-bit lanes: a vector of n bytes takes n/2 of them at once with three
 * multiplications, where hashes of 32 or 64 bits would take n/4 or n/8.
 *
 * - The first `minimum` bytes are skipped. From there the bound is strict, from `normal` on
 *   loose (normalised chunking as in FastCDC), which narrows the spread of lengths.
 * - A bound of n lets a share of n/65536 pass. For chances that are no multiple of this, a second
 *   hash of 32 bits thins out what has passed.
 * - A run of one byte, and any other data of period 2, has only differences of 0 and hence the
 *   narrow hash 32768, above every bound: runs are cut at the maximum, into equal chunks.
 * - A chunk that reaches the maximum without a cut is cut where the narrow hash is lowest in the
 *   upper half of its length (the first such place), if that is below 32768, else at the maximum.
 *   So data with few different places is still cut by its content.
 */
#include "hdrf_chunk_impl.h"

static bool passes(const uint8_t *window, uint64_t threshold)
{
    return hdrf_chunk_vhash_narrow(window) < threshold >> 32 &&
           hdrf_chunk_vhash_wide(window) <= (uint32_t)threshold;
}

static size_t lowest(const uint8_t *data, size_t from, size_t maximum)
{
    uint32_t best = 0x8000;
    size_t cut = maximum;
    for (size_t end = from; end < maximum; end++) {
        uint32_t hash = hdrf_chunk_vhash_narrow(data + end - HDRF_CHUNK_VHASH_WINDOW);
        if (hash < best) {
            best = hash;
            cut = end;
        }
    }
    return cut;
}

size_t hdrf_chunk_vhash_reference(const struct hdrf_chunker *chunker, const uint8_t *data,
                                  size_t length, bool last)
{
    (void)last;
    for (size_t end = chunker->minimum; end < chunker->maximum && end <= length; end++) {
        uint64_t threshold = end < chunker->normal ? chunker->strict : chunker->loose;
        if (passes(data + end - HDRF_CHUNK_VHASH_WINDOW, threshold)) {
            return end;
        }
    }
    if (length < chunker->maximum) {
        return 0;
    }
    return lowest(data, chunker->maximum / 2, chunker->maximum);
}
