/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_chunk_impl.h"

size_t hdrf_chunk_fixed_reference(const struct hdrf_chunker *chunker, const uint8_t *data,
                                  size_t length)
{
    (void)data;
    return length >= chunker->maximum ? chunker->maximum : 0;
}
