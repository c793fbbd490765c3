/* SPDX-License-Identifier: Apache-2.0 */
/* What hdrf_chunkers measures at one average, and how it is printed. */
#ifndef CHUNKERS_REPORT_H
#define CHUNKERS_REPORT_H

#include "hdrf_chunk.h"

#define POWERS 26
#define STEPS 16
/* Steps that make an average. */
#define STEPS_IN_AVERAGE 4
#define MAX_VARIANTS 4

struct statistics {
    uint64_t chunks;
    double sum;
    double squares;
    /* Bytes in chunks that were cut by force, and in chunks that were there before. */
    uint64_t forced;
    uint64_t duplicate;
    /* Chunks of 2^i bytes and more, below 2^(i+1). */
    uint64_t by_power[POWERS];
    /* Chunks of i steps and more, below i+1; the last one has all others. */
    uint64_t by_step[STEPS];
};

struct variant {
    const char *name;
    /* GB/s. */
    double throughput;
};

struct result {
    const char *name;
    struct statistics statistics;
    /* The reference is the last one. None if no throughput was measured. */
    struct variant variants[MAX_VARIANTS];
    int variant_count;
};

struct measurement {
    uint32_t average;
    bool same_mean;
    uint64_t total;
    /* GB/s; 0 if no throughput was measured. */
    double bandwidth;
    struct result results[HDRF_CHUNK_ALGORITHMS];
    int result_count;
};

/* For reading on a terminal; `histogram` adds the numbers of chunks by power of two. */
void print_columns(const struct measurement *measurement, bool histogram);

/* Tables in Markdown, with the numbers of chunks by step; `plots` adds bars. */
void print_markdown(const struct measurement *measurement, bool plots);

#endif
