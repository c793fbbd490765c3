/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Features of chunks: chunks that agree in some of them are probably similar.
 *
 * Odess (Zou and others, ICDE 2021; Xia and others, doi 10.1145/3584663): a Gear hash rolls over
 * the chunk, one position in 64 is sampled by its hash, and each feature is the largest value of a
 * linear function of the sampled hashes. So a feature belongs to one window of 64 bytes, and stays
 * as long as an edit neither touches this window nor brings in one with a larger value.
 *
 * The functions are part of what is stored: whoever changes them finds no base of before.
 */
#ifndef HDRF_FEATURES_H
#define HDRF_FEATURES_H

#include <stddef.h>
#include <stdint.h>

/* The number of features of a chunk. */
#define HDRF_FEATURES 12

/*
 * Writes the features of `length` bytes at `data`; all are 0 if no position was sampled, as in short
 * chunks and in most runs of one byte, which are similar to nothing then. Only reads `data`, which
 * needs no alignment and must not change during the call; allocates nothing; for any number of
 * threads. The result depends on the bytes alone, never on the machine. In time proportional to
 * `length`, whatever the bytes; where all positions are sampled about ten times as long as usually.
 */
void hdrf_features(const uint8_t *data, size_t length, uint32_t features[HDRF_FEATURES]);

#endif
