/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: features_test VECTORS, with the seed of an earlier run in HDRF_TEST_SEED to repeat it.
 *
 * The chunks lie at the very end of their own blocks, so that the sanitizer detects a read of one
 * byte too many.
 */
#include "hdrf_chunk_impl.h"
#include "hdrf_features.h"
#include "hdrf_random.h"
#include "hdrf_test.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define MAX_LENGTH 20000
#define GOLDEN_LENGTH 65536

/* By the definition: each hash from its own window, each feature by itself. */
static void define(const uint8_t *data, size_t length, uint32_t *features)
{
    for (size_t k = 0; k < HDRF_FEATURES; k++) {
        uint64_t state = k * UINT64_C(0x9e3779b97f4a7c15);
        random_state = state;
        uint64_t function = next_random();
        features[k] = 0;
        for (size_t i = 0; i < length; i++) {
            uint64_t hash = 0;
            for (size_t j = i < 63 ? 0 : i - 63; j <= i; j++) {
                hash += hdrf_chunk_gear[data[j]] << (i - j);
            }
            if ((hash & UINT64_C(0xfc00000000000000)) == 0) {
                uint32_t value = (uint32_t)(hash >> 26);
                value = ((uint32_t)function | 1) * value + (uint32_t)(function >> 32);
                features[k] = value > features[k] ? value : features[k];
            }
        }
    }
}

static void check(const uint8_t *data, size_t length, const char *kind)
{
    uint64_t seed = random_state;
    uint32_t expected[HDRF_FEATURES];
    define(data, length, expected);
    random_state = seed;
    /* malloc(0) may return NULL. */
    uint8_t *block = malloc(length + (length == 0));
    CHECK(block != NULL, "no memory");
    memcpy(block, data, length);
    uint32_t found[HDRF_FEATURES];
    hdrf_features(block, length, found);
    CHECK(memcmp(found, expected, sizeof found) == 0, "%s, %zu bytes", kind, length);
    free(block);
}

static void test_definition(void)
{
    static uint8_t data[MAX_LENGTH];
    for (size_t length = 0; length < 300; length++) {
        for (size_t i = 0; i < length; i++) {
            data[i] = (uint8_t)next_random();
        }
        check(data, length, "short");
    }
    for (int round = 0; round < 20; round++) {
        size_t length = random_below(MAX_LENGTH / 10);
        size_t period = 1 + random_below(40);
        for (size_t i = 0; i < length; i++) {
            data[i] = round % 2 && i >= period ? data[i - period] : (uint8_t)next_random();
        }
        check(data, length, round % 2 ? "period" : "random");
    }
    for (int value = 0; value < 256; value++) {
        memset(data, value, 500);
        check(data, 500, "run");
    }
}

static void test_similar_chunks_agree(void)
{
    static uint8_t data[MAX_LENGTH];
    size_t agreeing = 0;
    for (int round = 0; round < 100; round++) {
        for (size_t i = 0; i < 5000; i++) {
            data[i] = (uint8_t)next_random();
        }
        uint32_t before[HDRF_FEATURES];
        uint32_t after[HDRF_FEATURES];
        hdrf_features(data, 5000, before);
        data[2500] = (uint8_t)~data[2500];
        hdrf_features(data, 5000, after);
        for (size_t i = 0; i < HDRF_FEATURES; i++) {
            agreeing += before[i] == after[i];
        }
    }
    CHECK(agreeing > 1100 && agreeing < 1200, "%zu of 1200 features are as before", agreeing);
}

static void test_vectors(const char *path)
{
    static uint8_t data[GOLDEN_LENGTH];
    random_state = 0;
    for (size_t i = 0; i < GOLDEN_LENGTH; i += 8) {
        uint64_t number = next_random();
        for (size_t j = 0; j < 8; j++) {
            data[i + j] = (uint8_t)(number >> 8 * j);
        }
    }
    for (size_t i = 32768; i < 49152; i++) {
        data[i] = (uint8_t)((data[i] & 15) + 'a');
    }
    memset(data + 49152, 0, 8192);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL, "no %s", path);
    static char line[512];
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (*line == '#') {
            continue;
        }
        size_t from;
        size_t to;
        int at;
        CHECK(sscanf(line, "%zu %zu%n", &from, &to, &at) == 2, "%s", line);
        CHECK(from <= to && to <= GOLDEN_LENGTH, "%s", line);
        uint32_t found[HDRF_FEATURES];
        hdrf_features(data + from, to - from, found);
        for (size_t i = 0; i < HDRF_FEATURES; i++) {
            uint32_t expected;
            int more;
            CHECK(sscanf(line + at, "%" SCNx32 "%n", &expected, &more) == 1, "%s", line);
            at += more;
            CHECK(found[i] == expected, "feature %zu of %zu to %zu: %08" PRIx32, i, from, to,
                  found[i]);
        }
        lines++;
    }
    fclose(file);
    CHECK(lines == 12, "%d vectors", lines);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2, "give the file of vectors");
    test_vectors(argv[1]);
    const char *seed = getenv("HDRF_TEST_SEED");
    random_state = seed != NULL ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
    printf("HDRF_TEST_SEED=%" PRIu64 "\n", random_state);
    test_definition();
    test_similar_chunks_agree();
    return 0;
}
