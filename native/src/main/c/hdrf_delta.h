/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Differences: a chunk as copies from a similar one, its base, and inserted bytes. docs/formats.md
 * ("Difference") has the bytes.
 *
 * No function keeps a reference to its arguments, allocates anything, or reads or writes outside of
 * them, whatever the bytes are. The buffers of a call need no alignment; what is written must not
 * overlap what is read, and nothing else may change them meanwhile. With buffers of their own, for
 * any number of threads.
 */
#ifndef HDRF_DELTA_H
#define HDRF_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No base and no chunk is longer, in bytes. */
#define HDRF_DELTA_LIMIT (UINT32_C(1) << 24)

/* The number of slots of the index that the encoder makes of a base. */
#define HDRF_DELTA_SLOTS (UINT32_C(1) << 15)

/*
 * Writes the difference of a chunk to its base, if it takes at most `limit` bytes. Returns its
 * length, or 0 if it would be longer, or if a length is 0 or above HDRF_DELTA_LIMIT; what is in
 * `difference` then is undefined. The same arguments always give the same bytes, on every machine.
 * In time proportional to both lengths, whatever the bytes.
 *
 * difference: room for `limit` bytes
 * slots: HDRF_DELTA_SLOTS of them, for the encoder alone; need not be set before
 */
size_t hdrf_delta_encode(const uint8_t *base, size_t base_length, const uint8_t *chunk,
                         size_t length, uint8_t *difference, size_t limit, uint16_t *slots);

/*
 * Makes a chunk from its base and a difference. Returns false if the difference is damaged, is not
 * one to a base of that length or more, or does not make exactly `length` bytes; the first `length`
 * bytes at `chunk` are undefined then. With a base of other content it makes another chunk: whoever
 * stores differences keeps a checksum of the chunk.
 *
 * chunk: room for `length` bytes
 */
bool hdrf_delta_decode(const uint8_t *base, size_t base_length, const uint8_t *difference,
                       size_t difference_length, uint8_t *chunk, size_t length);

#endif
