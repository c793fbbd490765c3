/* SPDX-License-Identifier: Apache-2.0 */
/*
 * N. Bjorner, A. Blass, Y. Gurevich: Content-dependent chunking for differential compression, the
 * local maximum approach, Journal of Computer and System Sciences 76, 2010.
 */
#include "compared.h"

/* The first offset in [from, to) whose byte is at least `value`, or `to`. */
static size_t first_at_least(const uint8_t *data, size_t from, size_t to, uint8_t value)
{
    while (from < to && data[from] < value) {
        from++;
    }
    return from;
}

size_t chunk_lmc_reference(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length)
{
    size_t window = chunker->window;
    size_t i = window;
    while (i < chunker->maximum && i + window < length) {
        size_t rival = first_at_least(data, i + 1, i + window + 1, data[i]);
        /* Bytes up to the rival are no local maxima: the greater p[i] is close before them. */
        if (rival <= i + window) {
            i = rival;
        } else if (first_at_least(data, i - window, i, data[i]) == i) {
            return i + 1;
        } else {
            i = rival;
        }
    }
    return length >= chunker->maximum ? chunker->maximum : 0;
}
