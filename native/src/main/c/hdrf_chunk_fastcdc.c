/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W. Xia et al.: FastCDC: a fast and efficient content-defined chunking approach for data
 * deduplication, USENIX ATC 2016; the hash is Gear (the same authors, Ddelta, 2014).
 *
 * The hash is compared with a threshold, whereas the paper masks some of its bits: its upper bits
 * depend on all of the last 64 bytes, and a threshold allows any average, not only powers of two.
 * Each byte shifts the hash by one, so bytes 64 and more positions before have no effect. Hashing
 * begins 64 bytes before the minimum, so that the first test, too, covers 64 bytes.
 */
#include "hdrf_chunk_impl.h"

size_t hdrf_chunk_fastcdc_reference(const struct hdrf_chunker *chunker, const uint8_t *data,
                                    size_t length)
{
    size_t end = length < chunker->maximum ? length : chunker->maximum;
    uint64_t hash = 0;
    for (size_t i = chunker->minimum - HDRF_CHUNK_GEAR_WINDOW; i < end; i++) {
        hash = (hash << 1) + hdrf_chunk_gear[data[i]];
        uint64_t threshold = i + 1 < chunker->normal ? chunker->strict : chunker->loose;
        if (i + 1 >= chunker->minimum && hash < threshold) {
            return i + 1;
        }
    }
    return end == chunker->maximum ? end : 0;
}
