/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a byte stream into chunks at places that its content decides (content-defined chunking).
 *
 * All functions of this header read the bytes they are given and nothing else, keep no reference to
 * them, allocate nothing, and may be called by any number of threads at once. The bytes must not be
 * written to meanwhile and need no alignment. Where a chunk ends depends on the stream's bytes from
 * the chunk's start on, never on the sizes of the pieces in which they arrive, nor on the CPU.
 *
 * Below, s is the offset of a chunk's first byte, p[i] the byte at offset i, unsigned, and 'cut
 * after i' ends the chunk with p[i]. Every algorithm cuts a chunk that has reached its maximum, and
 * the end of the stream ends the last chunk, whatever its length.
 */
#ifndef HDRF_CHUNK_H
#define HDRF_CHUNK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The range of average sizes, in bytes. */
#define HDRF_CHUNK_AVERAGE_MIN (UINT32_C(1) << 9)
#define HDRF_CHUNK_AVERAGE_MAX (UINT32_C(1) << 20)

/* No chunk of any algorithm is longer: a limit of the formats that store chunks. */
#define HDRF_CHUNK_LIMIT (UINT32_C(1) << 24)

enum hdrf_chunk_algorithm {
    /*
     * RAM, rapid asymmetric maximum: M is the largest of the first `window` bytes; cut after the
     * first i >= s + window with p[i] >= M. Its maximum is HDRF_CHUNK_LIMIT.
     */
    HDRF_CHUNK_RAM,
    /* RAM with a maximum of four windows, or another one. */
    HDRF_CHUNK_RAML,
    /* 2 to 5 were AE, LMC, Rabin and Gear, which benchmarks/ compares: never to be used again. */
    /* Gear hash of the last 64 bytes with two thresholds (normalised chunking, level 2). */
    HDRF_CHUNK_FASTCDC = 6,
    /* Chunks of the average size. */
    HDRF_CHUNK_FIXED,
    /*
     * VHASH: a hash that keeps no state from byte to byte, made of operations on vectors of 16-bit
     * lanes; cut where it is lower than at the places around. See hdrf_chunk_vhash.c.
     */
    HDRF_CHUNK_VHASH,
};

/* One more than the last number of an algorithm. */
#define HDRF_CHUNK_ALGORITHMS 9

/* Whether a number is one of an algorithm. */
bool hdrf_chunk_is_algorithm(int32_t number);

/* An algorithm and its parameters. Made by hdrf_chunker_init(), constant from then on. */
struct hdrf_chunker {
    enum hdrf_chunk_algorithm algorithm;
    /* Window, or look-around, in bytes; 0 where the algorithm has none to choose. */
    uint32_t window;
    /* No chunk but a stream's last one is shorter or longer, in bytes. */
    uint32_t minimum;
    uint32_t maximum;
    /* The length, in bytes, from which on `loose` holds in place of `strict`. */
    uint32_t normal;
    /* What a hash is compared with; the meaning is the algorithm's. */
    uint64_t strict;
    uint64_t loose;
};

/*
 * Derives the parameters from the average size of chunks, in bytes, that random bytes shall get;
 * hdrf_chunk_parameters.c has the formulas. `maximum` is 0, or for HDRF_CHUNK_RAML the maximum in
 * bytes: at least twice the average and at most HDRF_CHUNK_LIMIT.
 *
 * Returns false, and leaves *chunker as it was, if an argument is out of range.
 */
bool hdrf_chunker_init(struct hdrf_chunker *chunker, enum hdrf_chunk_algorithm algorithm,
                       uint32_t average, uint32_t maximum);

/*
 * Finds the ends of chunks in `length` bytes (less than 2^32) at `data`, the first of which begins
 * a chunk. `last` says that the stream ends behind them.
 *
 * Stores each end, as an offset from `data`, in `cuts`, in rising order, and returns their number.
 * Bytes behind the last cut belong to a chunk that is not finished: call again with them and what
 * follows them. With `last` there are none such; the last cut is `length`. If `capacity` cuts
 * were found there may be more: call again with the bytes behind the last one.
 */
size_t hdrf_chunk(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length, bool last,
                  uint32_t *cuts, size_t capacity);

/*
 * The name of the instructions that `algorithm` uses on this machine: a static string, never
 * NULL.
 */
const char *hdrf_chunk_kernel_name(enum hdrf_chunk_algorithm algorithm);

#endif
