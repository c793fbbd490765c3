/* SPDX-License-Identifier: Apache-2.0 */
/* What the writers of generated data share. The same arguments always give the same bytes. */
#ifndef CHUNKER_DATA_H
#define CHUNKER_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct output {
    FILE *file;
    /* Since begin_file(). */
    uint64_t written;
};

/*
 * SplitMix64. The state may be any number. Two numbers must not be drawn in one expression:
 * compilers differ in which one they draw first.
 */
struct generator {
    uint64_t state;
};

uint64_t next_number(struct generator *generator);

/* From 0 to bound - 1. */
uint32_t next_below(struct generator *generator, uint32_t bound);

/* Between 2^low and 2^high, every power of two as often as the others. */
uint32_t next_size(struct generator *generator, uint32_t low, uint32_t high);

void fill_random(struct generator *generator, uint8_t *data, size_t length);

/* As printf() does; returns the length, which must be below `capacity`. */
__attribute__((format(printf, 3, 4))) size_t format(uint8_t *text, size_t capacity,
                                                    const char *pattern, ...);

/* The file of that number, counted from 1: DIRECTORY/KIND-NUMBER.SUFFIX. */
void begin_file(struct output *output, const char *suffix, int number);
void put(struct output *output, const void *data, size_t length);
void put_random(struct output *output, struct generator *generator, uint64_t length);
void end_file(struct output *output);

/* Ends the program. */
_Noreturn void fail(const char *what, const char *which);

/* Never NULL. */
void *allocate(size_t bytes);

/* Each writes about `bytes` in all. */
void write_logs(uint64_t seed, uint64_t bytes);
void write_packets(uint64_t seed, uint64_t bytes);
void write_media(uint64_t seed, uint64_t bytes);
void write_dumps(uint64_t seed, uint64_t bytes);

#endif
