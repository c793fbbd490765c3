/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content-defined chunking: cuts a byte stream at positions that its content determines.
 *
 * All functions of this header only read their arguments, keep no reference to them, allocate
 * nothing, and may be called by any number of threads at once. The bytes must not change during a
 * call and need no alignment. The end of a chunk depends on the stream's bytes from the chunk's
 * start on, never on the sizes of the pieces in which they arrive, nor on the CPU.
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
    /* RAM with a maximum of four windows, or a given one. */
    HDRF_CHUNK_RAML,
    /* 2 to 5 were AE, LMC, Rabin and Gear, which benchmarks/ compares: never reuse them. */
    /* Gear hash of the last 64 bytes with two thresholds (normalised chunking, level 2). */
    HDRF_CHUNK_FASTCDC = 6,
    /* Chunks of the average size. */
    HDRF_CHUNK_FIXED,
    /*
     * VHASH: a hash without state from byte to byte, computed on vectors of 16-bit lanes; cut where
     * it is lower than at the positions around. See hdrf_chunk_vhash.c.
     */
    HDRF_CHUNK_VHASH,
};

/* One more than the highest number of an algorithm. */
#define HDRF_CHUNK_ALGORITHMS 9

/* Returns whether a number is that of an algorithm. */
bool hdrf_chunk_is_algorithm(int32_t number);

/* An algorithm and its parameters. Set by hdrf_chunker_init(), constant from then on. */
struct hdrf_chunker {
    enum hdrf_chunk_algorithm algorithm;
    /* Window, or look-around, in bytes; 0 if the algorithm has none. */
    uint32_t window;
    /* The limits of a chunk's length, in bytes; only a stream's last chunk may be shorter. */
    uint32_t minimum;
    uint32_t maximum;
    /* The length, in bytes, from which on `loose` applies instead of `strict`. */
    uint32_t normal;
    /* Thresholds for a hash; each algorithm defines their meaning. */
    uint64_t strict;
    uint64_t loose;
};

/*
 * Derives the parameters from the average size, in bytes, of the chunks of random bytes;
 * hdrf_chunk_parameters.c has the formulas. `maximum` is 0, or for HDRF_CHUNK_RAML the maximum in
 * bytes: at least twice the average and at most HDRF_CHUNK_LIMIT.
 *
 * Returns false, with *chunker unchanged, if an argument is out of range.
 */
bool hdrf_chunker_init(struct hdrf_chunker *chunker, enum hdrf_chunk_algorithm algorithm,
                       uint32_t average, uint32_t maximum);

/*
 * Finds the ends of chunks in `length` bytes (less than 2^32) at `data`, the first of which begins
 * a chunk. `last`: the stream ends after them.
 *
 * Stores each end, as an offset from `data`, in `cuts`, in ascending order, and returns their
 * number. Bytes after the last cut belong to an unfinished chunk: pass them again with the
 * following bytes. With `last` there are none; the last cut is `length`. If `capacity` cuts were
 * found, there may be more: call again with the bytes after the last one.
 */
size_t hdrf_chunk(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length, bool last,
                  uint32_t *cuts, size_t capacity);

/*
 * Returns the name of the instructions that `algorithm` uses on this machine: a static string,
 * never NULL.
 */
const char *hdrf_chunk_kernel_name(enum hdrf_chunk_algorithm algorithm);

#endif
