/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VHASH: cuts where a hash of the 32 bytes that end there is lower than at all positions around.
 *
 * With all arithmetic modulo 65536 and the little-endian words w0, w1, ... of the bytes, the narrow
 * hash is built from
 *
 *   4 bytes    H4 = w1 - w0
 *   8 bytes    H8 = A * H4(left half) + H4(right half)
 *   16 bytes   H16 = B * H8(left half) + H8(right half)
 *   32 bytes   C * H16(left half) + H16(right half) + 32768
 *
 * where A, B and C are HDRF_CHUNK_VHASH_8, _16 and _32, all odd. Adding 32768 turns an unsigned
 * comparison into a signed one, as vector units have it. Hashes of fewer bytes were tried: in logs
 * too many windows of 16 bytes are equal, and the mean size was far from the requested one. A wide
 * hash of 32 bits, of the same bytes, decides between positions with the same narrow hash: below,
 * the hash is narrow * 2^32 + wide.
 *
 * It has no state, so every position can be tested by itself, and the positions of one parity lie
 * in neighbouring 16-bit lanes: a vector of n bytes processes n/2 of them at once with three
 * multiplications, whereas hashes of 32 or 64 bits would allow n/4 or n/8.
 *
 * A chunk is cut at the first length from `minimum` on, below `maximum`, whose hash
 *
 * - is below `strict`, or
 * - is below 2^47, lower than at all lengths tested before, and not higher than at any of the
 *   `window` lengths after it that are below `maximum`.
 *
 * A chunk that reaches `maximum` first is cut at its lowest hash below 2^47 (the first such), or at
 * `maximum` if there is none. The lengths below `minimum` are not tested. `window` is as large as
 * `minimum`, and a position is below `strict` with a probability of 1/(3 * window): without that
 * rule as many duplicates are found, but all bytes must be read.
 *
 * - A low position ends most chunks that it may end, wherever they began, so the cuts of two
 *   versions meet soon after a difference, and lengths vary little. This hash with two thresholds,
 *   as in FastCDC, finds fewer duplicates.
 * - A run of one byte, and any other data of period 2, has only differences of 0 and hence the
 *   narrow hash 32768, so no position in a run ends a chunk: runs are cut at the maximum, into
 *   equal chunks.
 */
#include "hdrf_chunk_impl.h"

size_t hdrf_chunk_vhash_reference(const struct hdrf_chunker *chunker, const uint8_t *data,
                                  size_t length)
{
    uint64_t best = HDRF_CHUNK_VHASH_NONE;
    size_t cut = 0;
    size_t end = chunker->minimum;
    for (; end < chunker->maximum && end <= length; end++) {
        if (cut != 0 && end > cut + chunker->window) {
            return cut;
        }
        uint64_t hash = hdrf_chunk_vhash(data + end - HDRF_CHUNK_VHASH_WINDOW);
        if (hash < chunker->strict) {
            return end;
        }
        if (hash < best) {
            best = hash;
            cut = end;
        }
    }
    if (cut != 0 && end > cut + chunker->window) {
        return cut;
    }
    if (length < chunker->maximum) {
        return 0;
    }
    return cut != 0 ? cut : chunker->maximum;
}
