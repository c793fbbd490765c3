/* SPDX-License-Identifier: Apache-2.0 */
/* AE on vectors: to be included behind the file of an instruction set, whose search it uses. */
#include "compared.h"

size_t NAME(chunk_ae)(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length)
{
    size_t end = length < chunker->maximum ? length : chunker->maximum;
    size_t maximum_at = 0;
    while (maximum_at + chunker->window < end) {
        size_t window_end = maximum_at + chunker->window + 1;
        if (data[maximum_at] == UINT8_MAX) {
            return window_end;
        }
        uint8_t greater = (uint8_t)(data[maximum_at] + 1);
        maximum_at = first_at_least(data, maximum_at + 1, window_end, greater);
        if (maximum_at == window_end) {
            return window_end;
        }
    }
    return end == chunker->maximum ? end : 0;
}
