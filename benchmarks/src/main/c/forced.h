/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FORCED_H
#define FORCED_H

#include "hdrf_chunk.h"

/*
 * Whether nothing but the maximum ended a chunk: whether the chunk, of `length` bytes at `data`
 * with `left` bytes from its start to the end of the stream, would end elsewhere if there were no
 * maximum.
 */
bool is_forced(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length, size_t left);

#endif
