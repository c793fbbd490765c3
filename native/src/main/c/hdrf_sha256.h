/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 (FIPS 180-4) of many messages at once, by the CPU's SHA instructions.
 *
 * These have a long latency: one message alone leaves the unit idle half of the time, so two are
 * processed in turns.
 */
#ifndef HDRF_SHA256_H
#define HDRF_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HDRF_SHA256_LENGTH 32

/* Returns whether this CPU has the instructions that hdrf_sha256() needs. */
bool hdrf_sha256_supported(void);

/*
 * Writes the digests of `count` consecutive messages: message i is the bytes from ends[i - 1] (0
 * for the first one) to ends[i] of `data`. Pure; for any number of threads. Neither `data` nor
 * `digests` needs an alignment. Call only where hdrf_sha256_supported().
 */
void hdrf_sha256(const uint8_t *data, const uint32_t *ends, size_t count,
                 uint8_t (*digests)[HDRF_SHA256_LENGTH]);

#endif
