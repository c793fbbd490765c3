/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All chunkers that are compared: the library's, and AE, LMC, Rabin and Gear, which nobody would
 * choose, under the numbers that enum hdrf_chunk_algorithm keeps free. s, p[i] and 'cut after i' are
 * as in hdrf_chunk.h.
 */
#ifndef COMPARED_H
#define COMPARED_H

#include "hdrf_chunk_impl.h"

enum {
    /*
     * AE, asymmetric extremum: the first byte is the first maximum, a byte replaces it if strictly
     * greater; cut after m + window, where m is the offset of a maximum not replaced by then.
     */
    CHUNK_AE = 2,
    /*
     * LMC, local maximum: cut after i if p[i] is strictly greater than each of the `window` bytes
     * before it, all in the chunk, and each of the `window` bytes behind it. Takes the end of the
     * bytes for that of the stream, so it has to be given all of them at once.
     */
    CHUNK_LMC = 3,
    /* Rabin fingerprints of the last 48 bytes; cut where the low bits are all ones. */
    CHUNK_RABIN = 4,
    /* FastCDC with one threshold. */
    CHUNK_GEAR = 5,
};

#define CHUNK_RABIN_WINDOW 48

/* By number. */
extern const char *const compared_names[HDRF_CHUNK_ALGORITHMS];

/* As hdrf_chunker_init(), with the maximum that follows from the average. */
bool compared_init(struct hdrf_chunker *chunker, int algorithm, uint32_t average);

/* As hdrf_chunk_choose(). For one thread. */
const struct hdrf_chunk_kernel *compared_choose(uint32_t features);

/* As hdrf_chunk(). */
size_t compared_chunk(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length,
                      bool last, uint32_t *cuts, size_t capacity);

hdrf_chunk_fn chunk_ae_reference;
hdrf_chunk_fn chunk_lmc_reference;
hdrf_chunk_fn chunk_rabin_reference;

#if defined(__x86_64__)
hdrf_chunk_fn chunk_ae_sse42;
hdrf_chunk_fn chunk_ae_avx2;
hdrf_chunk_fn chunk_ae_avx512;
#elif defined(__aarch64__)
hdrf_chunk_fn chunk_ae_neon;
#endif

#endif
