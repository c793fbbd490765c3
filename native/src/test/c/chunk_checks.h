/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of chunkers, for the program that tests those of the library and the one that tests those
 * that are only compared. Its arguments: PARAMETERS CUTS, with the seed of an earlier run in
 * HDRF_TEST_SEED to repeat it.
 *
 * Every message lies at the very end of a block of its own, so that the sanitizer sees a kernel
 * that reads one byte too far.
 */
#ifndef CHUNK_CHECKS_H
#define CHUNK_CHECKS_H

#include "hdrf_chunk_impl.h"
#include "hdrf_cpu.h"
#include "hdrf_random.h"
#include "hdrf_test.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* What is tested; the program defines it. */
struct subject {
    /* As hdrf_chunker_init(), hdrf_chunk_choose() and hdrf_chunk(). */
    bool (*init)(struct hdrf_chunker *chunker, int algorithm, uint32_t average);
    const struct hdrf_chunk_kernel *(*choose)(uint32_t features);
    size_t (*cut)(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length, bool last,
                  uint32_t *cuts, size_t capacity);
    /* By number; NULL for those that are not tested. */
    const char *names[HDRF_CHUNK_ALGORITHMS];
};
static const struct subject subject;

#define MAX_KERNELS 8
#define MAX_SHORT 900
/* More than any of the data here has bytes: chunkers with a window of one are tested, too. */
#define MAX_CUTS (1 << 20)
#define MIB ((size_t)1 << 20)

static const struct hdrf_chunk_kernel *kernels[MAX_KERNELS];
static int kernel_count;

static uint8_t *allocate(size_t bytes)
{
    uint8_t *block = malloc(bytes + (bytes == 0));
    CHECK(block != NULL, "no memory");
    return block;
}

enum pattern {
    RANDOM,
    LOW,        /* random below 255, with one byte of 255 in 5000 */
    FEW,        /* three values */
    ZEROS,
    HIGHS,      /* 255 */
    HIGH_THEN_ZEROS,
    RISING,     /* 0 to 255, each for a while */
    FALLING,
    PERIOD,     /* repeats after 1 to 40 bytes */
    TEXT,
    PATTERNS
};

static void fill(enum pattern pattern, uint8_t *data, size_t length)
{
    static const char *const words[] = {"public ", "static ", "void ", "return ", "int ", "= ",
                                        "(", ")", ";\n", "  ", "\xc3\xa9", "\n\n", "if ", "/** "};
    size_t period = 1 + random_below(40);
    size_t slope = 1 + random_below(9);
    size_t turn = random_below(length + 1);
    const char *word = "";
    for (size_t i = 0; i < length; i++) {
        switch (pattern) {
        case LOW:
            data[i] = random_below(5000) == 0 ? 255 : (uint8_t)random_below(255);
            break;
        case FEW:
            data[i] = (uint8_t)(random_below(3) * 100);
            break;
        case ZEROS:
            data[i] = 0;
            break;
        case HIGHS:
            data[i] = 255;
            break;
        case HIGH_THEN_ZEROS:
            data[i] = i < turn ? 255 : 0;
            break;
        case RISING:
            data[i] = (uint8_t)(i / slope);
            break;
        case FALLING:
            data[i] = (uint8_t)(255 - i / slope);
            break;
        case PERIOD:
            data[i] = i < period ? (uint8_t)next_random() : data[i - period];
            break;
        case TEXT:
            if (*word == '\0') {
                word = words[random_below(sizeof words / sizeof words[0])];
            }
            data[i] = (uint8_t)*word++;
            break;
        default:
            data[i] = (uint8_t)next_random();
            break;
        }
    }
}

static void check_cuts(const struct hdrf_chunker *chunker, const uint32_t *cuts, size_t count,
                       size_t length, bool last)
{
    size_t start = 0;
    for (size_t i = 0; i < count; i++) {
        CHECK(cuts[i] > start && cuts[i] <= length, "cut %zu at %" PRIu32 " after %zu", i, cuts[i],
              start);
        size_t chunk = cuts[i] - start;
        CHECK(chunk <= chunker->maximum, "algorithm %d: %zu bytes", (int)chunker->algorithm, chunk);
        CHECK(chunk >= chunker->minimum || (last && cuts[i] == length), "algorithm %d: %zu bytes",
              (int)chunker->algorithm, chunk);
        start = cuts[i];
    }
    CHECK(!last || start == length, "the last cut is at %zu of %zu", start, length);
}

/* All kernels cut data[0..length) as the reference does. */
static void check_same(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length,
                       bool last)
{
    static uint32_t expected[MAX_CUTS];
    static uint32_t found[MAX_CUTS];
    size_t count = hdrf_chunk_with(subject.choose(0), chunker, data, length, last, expected,
                                   MAX_CUTS);
    CHECK(count < MAX_CUTS, "enlarge MAX_CUTS");
    check_cuts(chunker, expected, count, length, last);
    for (int k = 0; k < kernel_count; k++) {
        size_t n = hdrf_chunk_with(kernels[k], chunker, data, length, last, found, MAX_CUTS);
        size_t same = 0;
        while (same < n && same < count && found[same] == expected[same]) {
            same++;
        }
        CHECK(n == count && same == n,
              "%s, algorithm %d, window %" PRIu32 ", minimum %" PRIu32 ", maximum %" PRIu32
              ", length %zu: %zu cuts, not %zu; cut %zu is %" PRIu32 ", not %" PRIu32,
              kernels[k]->name, (int)chunker->algorithm, chunker->window, chunker->minimum,
              chunker->maximum, length, n, count, same, found[same], expected[same]);
    }
}

/* The same in a block that ends where the data ends and begins at any alignment. */
static void check_copy(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length,
                       size_t alignment, bool last)
{
    uint8_t *block = allocate(alignment + length);
    memcpy(block + alignment, data, length);
    check_same(chunker, block + alignment, length, last);
    free(block);
}

static struct hdrf_chunker windowed(int algorithm, uint32_t window, uint32_t maximum)
{
    struct hdrf_chunker chunker = {.algorithm = (enum hdrf_chunk_algorithm)algorithm,
                                   .window = window,
                                   .minimum = window + 1,
                                   .maximum = maximum};
    return chunker;
}

static void test_every_short_length(const struct hdrf_chunker *chunkers, int count)
{
    uint8_t data[MAX_SHORT];
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        fill((enum pattern)pattern, data, sizeof data);
        for (int c = 0; c < count; c++) {
            for (size_t length = 0; length <= sizeof data; length++) {
                check_copy(&chunkers[c], data, length, length % 67, length % 2 != 0);
            }
        }
    }
}

static void test_every_alignment(const struct hdrf_chunker *chunkers, int count)
{
    uint8_t data[MAX_SHORT];
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        fill((enum pattern)pattern, data, sizeof data);
        for (int c = 0; c < count; c++) {
            for (size_t alignment = 0; alignment <= 64; alignment++) {
                check_copy(&chunkers[c], data, MAX_SHORT - random_below(80), alignment, true);
            }
        }
    }
}

static void test_real_parameters(void)
{
    enum { LENGTH = 300 * 1000 };
    uint8_t *data = allocate(LENGTH);
    static const uint32_t averages[] = {512, 1000, 1024, 4096, 8192, 16384, 20000, 65536};
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        fill((enum pattern)pattern, data, LENGTH);
        for (int algorithm = 0; algorithm < HDRF_CHUNK_ALGORITHMS; algorithm++) {
            if (subject.names[algorithm] == NULL) {
                continue;
            }
            for (size_t i = 0; i < sizeof averages / sizeof averages[0]; i++) {
                struct hdrf_chunker chunker;
                CHECK(subject.init(&chunker, algorithm, averages[i]),
                      "algorithm %d, average %" PRIu32, algorithm, averages[i]);
                check_copy(&chunker, data, LENGTH - random_below(1000), random_below(65), true);
                check_copy(&chunker, data, LENGTH - random_below(1000), random_below(65), false);
            }
        }
    }
    free(data);
}

static size_t in_pieces(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length,
                        size_t most, size_t capacity, uint32_t *cuts)
{
    uint32_t some[64];
    size_t count = 0;
    size_t start = 0;
    size_t end = 0;
    while (start < length) {
        size_t left = length - end;
        size_t piece = 1 + random_below(most);
        end += piece < left ? piece : left;
        bool last = end == length && (left == 0 || random_below(2) == 0);
        uint8_t *block = allocate(end - start);
        memcpy(block, data + start, end - start);
        size_t found = subject.cut(chunker, block, end - start, last, some, capacity);
        free(block);
        for (size_t i = 0; i < found; i++) {
            cuts[count++] = (uint32_t)start + some[i];
        }
        start += found > 0 ? some[found - 1] : 0;
    }
    return count;
}

/* All but `whole`, which has to be given all bytes at once. */
static void test_pieces(int whole)
{
    enum { LENGTH = 40000 };
    static uint8_t data[LENGTH];
    static uint32_t expected[MAX_CUTS];
    static uint32_t found[MAX_CUTS];
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        fill((enum pattern)pattern, data, LENGTH);
        for (int algorithm = 0; algorithm < HDRF_CHUNK_ALGORITHMS; algorithm++) {
            if (subject.names[algorithm] == NULL || algorithm == whole) {
                continue;
            }
            struct hdrf_chunker chunker;
            CHECK(subject.init(&chunker, algorithm, 600), "algorithm %d", algorithm);
            size_t count = subject.cut(&chunker, data, LENGTH, true, expected, MAX_CUTS);
            for (int round = 0; round < 5; round++) {
                size_t n = in_pieces(&chunker, data, LENGTH, (size_t)200 << 2 * round,
                                     1 + random_below(64), found);
                CHECK(n == count && memcmp(found, expected, n * sizeof found[0]) == 0,
                      "pattern %d, algorithm %d: %zu cuts in pieces, %zu in one", pattern,
                      algorithm, n, count);
            }
        }
    }
}

static int algorithm_of(const char *name)
{
    for (int algorithm = 0; algorithm < HDRF_CHUNK_ALGORITHMS; algorithm++) {
        if (subject.names[algorithm] != NULL && strcmp(subject.names[algorithm], name) == 0) {
            return algorithm;
        }
    }
    CHECK(false, "no algorithm %s", name);
    return 0;
}

/* Calls check() for each line that is no comment. */
static void for_each_line(const char *path, void check(const char *line))
{
    FILE *file = fopen(path, "r");
    CHECK(file != NULL, "cannot open %s", path);
    static char line[64 * 1024];
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '#') {
            check(line);
            lines++;
        }
    }
    fclose(file);
    int tested = 0;
    for (int algorithm = 0; algorithm < HDRF_CHUNK_ALGORITHMS; algorithm++) {
        tested += subject.names[algorithm] != NULL;
    }
    CHECK(lines >= 2 * tested, "only %d lines in %s", lines, path);
}

static void check_parameters(const char *line)
{
    char name[16];
    uint32_t average;
    struct hdrf_chunker expected;
    struct hdrf_chunker chunker;
    CHECK(sscanf(line,
                 "%15s %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNx64
                 " %" SCNx64,
                 name, &average, &expected.window, &expected.minimum, &expected.maximum,
                 &expected.normal, &expected.strict, &expected.loose) == 8,
          "bad line %s", line);
    CHECK(subject.init(&chunker, algorithm_of(name), average), "%s", line);
    CHECK(chunker.window == expected.window && chunker.minimum == expected.minimum &&
              chunker.maximum == expected.maximum && chunker.normal == expected.normal &&
              chunker.strict == expected.strict && chunker.loose == expected.loose,
          "%s", line);
}

#define GOLDEN 262144

/* As the head of native/src/test/vectors/chunker-cuts.txt describes it. */
static void fill_golden(uint8_t *data)
{
    uint64_t seed = random_state;
    random_state = 0;
    for (size_t i = 0; i < GOLDEN; i += 8) {
        uint64_t number = next_random();
        for (size_t k = 0; k < 8; k++) {
            data[i + k] = (uint8_t)(number >> 8 * k);
        }
    }
    random_state = seed;
    for (size_t i = 131072; i < 196608; i++) {
        data[i] = i % 97 != 0 ? 0 : data[i];
    }
    for (size_t i = 196608; i < 229376; i++) {
        data[i] = (uint8_t)((data[i] & 63) + 32);
    }
    memset(data + 229376, 255, 16384);
    memset(data + 245760, 0, 16384);
}

static void check_golden(const char *line)
{
    static uint8_t data[GOLDEN];
    static uint32_t cuts[MAX_CUTS];
    fill_golden(data);
    char name[16];
    uint32_t average;
    int at;
    struct hdrf_chunker chunker;
    CHECK(sscanf(line, "%15s %" SCNu32 "%n", name, &average, &at) == 2, "bad line %s", line);
    CHECK(subject.init(&chunker, algorithm_of(name), average), "%s", line);
    size_t count = subject.cut(&chunker, data, GOLDEN, true, cuts, MAX_CUTS);
    line += at;
    for (size_t i = 0; i < count; i++) {
        uint32_t expected;
        CHECK(sscanf(line, "%" SCNu32 "%n", &expected, &at) == 1, "%s: more cuts than that", name);
        CHECK(cuts[i] == expected, "%s: cut %zu at %" PRIu32 ", not %" PRIu32, name, i, cuts[i],
              expected);
        line += at;
    }
    CHECK(strcmp(line, "\n") == 0, "%s: fewer cuts than that", name);
}

/* Each set of features that this CPU could have had must choose a kernel that is right. */
static void collect_kernels(void)
{
    uint32_t features = hdrf_cpu_features() & ~HDRF_CPU_SHA;
    uint32_t subset = features;
    bool more = true;
    while (more) {
        const struct hdrf_chunk_kernel *kernel = subject.choose(subset);
        int i = 0;
        while (i < kernel_count && kernels[i] != kernel) {
            i++;
        }
        if (i == kernel_count) {
            CHECK(kernel_count < MAX_KERNELS, "enlarge MAX_KERNELS");
            kernels[kernel_count++] = kernel;
            printf("kernel %s\n", kernel->name);
        }
        more = subset != 0;
        subset = (subset - 1) & features;
    }
#if defined(__x86_64__)
    CHECK(kernel_count == 1 + __builtin_popcount(features), "%d kernels for features %" PRIx32,
          kernel_count, features);
#endif
}

/* The seed, the kernels, and the two files. */
static void begin(int argc, char **argv)
{
    CHECK(argc == 3, "usage: %s PARAMETERS CUTS", argv[0]);
    const char *seed = getenv("HDRF_TEST_SEED");
    random_state = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %" PRIu64 "\n", random_state);
    fflush(stdout);
    collect_kernels();
    for_each_line(argv[1], check_parameters);
    for_each_line(argv[2], check_golden);
}

#endif
