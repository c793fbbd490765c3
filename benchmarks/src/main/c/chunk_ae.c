/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Y. Zhang et al.: AE: An Asymmetric Extremum content defined chunking algorithm for fast and
 * bandwidth-efficient data deduplication, INFOCOM 2015.
 */
#include "compared.h"

size_t chunk_ae_reference(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length)
{
    size_t end = length < chunker->maximum ? length : chunker->maximum;
    size_t maximum_at = 0;
    for (size_t i = 1; i < end; i++) {
        if (data[i] > data[maximum_at]) {
            maximum_at = i;
        } else if (i == maximum_at + chunker->window) {
            return i + 1;
        }
    }
    return end == chunker->maximum ? end : 0;
}
