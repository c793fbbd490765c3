/* SPDX-License-Identifier: Apache-2.0 */
/* is_forced() against the rules as compared.h, hdrf_chunk.h and hdrf_chunk_vhash.c state them. */
#include "compared.h"
#include "forced.h"
#include "hdrf_random.h"
#include "hdrf_test.h"

#include <inttypes.h>

#define LENGTH 60000
#define CUTS 8192
#define SMALLEST 512

/* RAM and RAML. */
static bool ends_at_window_maximum(const struct hdrf_chunker *chunker, const uint8_t *data,
                                   size_t length)
{
    for (size_t j = 0; j < chunker->window; j++) {
        if (length <= chunker->window || data[j] > data[length - 1]) {
            return false;
        }
    }
    return true;
}

/* AE. */
static bool ends_behind_maximum(const struct hdrf_chunker *chunker, const uint8_t *data,
                                size_t length)
{
    if (length <= chunker->window) {
        return false;
    }
    size_t maximum_at = length - 1 - chunker->window;
    for (size_t j = 0; j < length; j++) {
        if (data[j] > data[maximum_at] || (j < maximum_at && data[j] == data[maximum_at])) {
            return false;
        }
    }
    return true;
}

static bool ends_at_local_maximum(const struct hdrf_chunker *chunker, const uint8_t *data,
                                  size_t length, size_t left)
{
    size_t window = chunker->window;
    if (length <= window || length + window > left) {
        return false;
    }
    const uint8_t *end = data + length - 1;
    for (size_t j = 1; j <= window; j++) {
        if (*end <= *(end - j) || *end <= *(end + j)) {
            return false;
        }
    }
    return true;
}

static bool ends_at_gear(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length)
{
    if (length < chunker->minimum) {
        return false;
    }
    uint64_t hash = 0;
    for (size_t i = length - HDRF_CHUNK_GEAR_WINDOW; i < length; i++) {
        hash = (hash << 1) + hdrf_chunk_gear[data[i]];
    }
    return hash < (length < chunker->normal ? chunker->strict : chunker->loose);
}

static bool ends_at_lowest_hash(const struct hdrf_chunker *chunker, const uint8_t *data,
                                size_t length, size_t left)
{
    if (length < chunker->minimum) {
        return false;
    }
    uint64_t hash = hdrf_chunk_vhash(data + length - HDRF_CHUNK_VHASH_WINDOW);
    if (hash < chunker->strict) {
        return true;
    }
    if (hash >= HDRF_CHUNK_VHASH_NONE || length + chunker->window > left) {
        return false;
    }
    for (size_t other = chunker->minimum; other <= length + chunker->window; other++) {
        uint64_t rival = hdrf_chunk_vhash(data + other - HDRF_CHUNK_VHASH_WINDOW);
        if (other < length ? rival <= hash : rival < hash) {
            return false;
        }
    }
    return true;
}

/* Whether a rule ends a chunk after `length` bytes, if none ended it before. */
static bool ends(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length,
                 size_t left)
{
    switch ((int)chunker->algorithm) {
    case HDRF_CHUNK_RAM:
    case HDRF_CHUNK_RAML:
        return ends_at_window_maximum(chunker, data, length);
    case CHUNK_AE:
        return ends_behind_maximum(chunker, data, length);
    case CHUNK_LMC:
        return ends_at_local_maximum(chunker, data, length, left);
    case CHUNK_GEAR:
    case HDRF_CHUNK_FASTCDC:
        return ends_at_gear(chunker, data, length);
    case HDRF_CHUNK_VHASH:
        return ends_at_lowest_hash(chunker, data, length, left);
    default:
        return false;
    }
}

/* Where a chunk ends if there is no maximum. */
static size_t end_by_rules(const struct hdrf_chunker *chunker, const uint8_t *data, size_t left)
{
    size_t length = 1;
    while (length < left && !ends(chunker, data, length, left)) {
        length++;
    }
    return length;
}

/* Random bytes, then letters with a few high bytes, runs, and a period that is no run. */
static void fill(uint8_t *data)
{
    for (size_t i = 0; i < LENGTH; i++) {
        uint8_t random = (uint8_t)next_random();
        if (i < LENGTH / 4) {
            data[i] = random;
        } else if (i < LENGTH / 2) {
            data[i] = random_below(3000) == 0 ? 255 : (uint8_t)('a' + random % 16);
        } else if (i < 3 * LENGTH / 4) {
            data[i] = i % 7500 < 6000 ? 7 : random;
        } else {
            data[i] = (uint8_t)(i % 700 * 37 >> 3);
        }
    }
}

static void test_algorithm(const struct hdrf_chunker *chunker, const uint8_t *data,
                           bool some_forced)
{
    static uint32_t cuts[CUTS];
    size_t count = compared_chunk(chunker, data, LENGTH, true, cuts, CUTS);
    size_t forced = 0;
    size_t shorter = 0;
    size_t start = 0;
    for (size_t i = 0; i < count; i++) {
        size_t length = cuts[i] - start;
        size_t left = LENGTH - start;
        bool expected = end_by_rules(chunker, data + start, left) != length;
        CHECK(is_forced(chunker, data + start, length, left) == expected,
              "algorithm %d, %zu bytes at %zu, forced: %d", chunker->algorithm, length, start,
              expected);
        forced += expected;
        shorter += expected && length < chunker->maximum;
        start = cuts[i];
    }
    CHECK(start == LENGTH, "algorithm %d: %zu", chunker->algorithm, start);
    CHECK((forced > 0) == some_forced, "algorithm %d: %zu of %zu", chunker->algorithm, forced,
          count);
    CHECK(forced < count, "algorithm %d: all of %zu", chunker->algorithm, count);
    CHECK((shorter > 0) == (chunker->algorithm == HDRF_CHUNK_VHASH), "algorithm %d: %zu",
          chunker->algorithm, shorter);
}

int main(void)
{
    static uint8_t data[LENGTH];
    random_state = 20;
    printf("seed %" PRIu64 "\n", random_state);
    fill(data);
    for (int a = 0; a < HDRF_CHUNK_ALGORITHMS; a++) {
        struct hdrf_chunker chunker;
        CHECK(compared_init(&chunker, a, SMALLEST), "%d", a);
        if (a == CHUNK_RABIN) {
            continue; /* Cuts as Gear does, with another hash. */
        }
        if (a == HDRF_CHUNK_RAM || a == CHUNK_LMC) {
            chunker.maximum = 4 * SMALLEST;
        }
        /* AE's maximum is so large that its rule ends every chunk by then. */
        test_algorithm(&chunker, data, a != CHUNK_AE);
    }
    puts("ok");
    return 0;
}
