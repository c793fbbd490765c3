/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R. N. S. Widodo, H. Lim, M. Atiquzzaman: A new content-defined chunking algorithm for data
 * deduplication in cloud storage, Future Generation Computer Systems 71, 2017.
 */
#include "hdrf_chunk_impl.h"

size_t hdrf_chunk_ram_reference(const struct hdrf_chunker *chunker, const uint8_t *data,
                                size_t length)
{
    size_t end = length < chunker->maximum ? length : chunker->maximum;
    uint8_t maximum = 0;
    for (size_t i = 0; i < end; i++) {
        if (i < chunker->window) {
            maximum = data[i] > maximum ? data[i] : maximum;
        } else if (data[i] >= maximum) {
            return i + 1;
        }
    }
    return end == chunker->maximum ? end : 0;
}
