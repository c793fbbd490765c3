/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: chunk_test PARAMETERS CUTS, with the seed of an earlier run in HDRF_TEST_SEED to repeat
 * it.
 *
 * Every message lies at the very end of a block of its own, so that the sanitizer sees a kernel
 * that reads one byte too far.
 */
#include "hdrf_chunk.h"
#include "hdrf_chunk_impl.h"
#include "hdrf_cpu.h"
#include "hdrf_random.h"
#include "hdrf_test.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

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
    size_t count = hdrf_chunk_with(hdrf_chunk_portable(), chunker, data, length, last, expected,
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

static struct hdrf_chunker windowed(enum hdrf_chunk_algorithm algorithm, uint32_t window,
                                    uint32_t maximum)
{
    struct hdrf_chunker chunker = {.algorithm = algorithm,
                                   .window = window,
                                   .minimum = window + 1,
                                   .maximum = maximum};
    return chunker;
}

/* Of which places end a chunk by themselves, one in `divisor`. */
static struct hdrf_chunker hashed(uint32_t minimum, uint32_t window, uint32_t maximum,
                                  uint32_t divisor)
{
    struct hdrf_chunker chunker = {.algorithm = HDRF_CHUNK_VHASH,
                                   .window = window,
                                   .minimum = minimum,
                                   .maximum = maximum,
                                   .strict = (UINT64_C(1) << 48) / divisor};
    return chunker;
}

/* Small parameters, so that a short message has many chunks. */
static int small_chunkers(struct hdrf_chunker *chunkers)
{
    static const uint32_t windows[] = {1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 300};
    int count = 0;
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        uint32_t window = windows[i];
        chunkers[count++] = windowed(HDRF_CHUNK_RAM, window, HDRF_CHUNK_LIMIT);
        chunkers[count++] = windowed(HDRF_CHUNK_RAML, window, window + 1);
        chunkers[count++] = windowed(HDRF_CHUNK_RAML, window, 4 * window);
        chunkers[count++] = windowed(HDRF_CHUNK_AE, window, 256 * window + 1);
        chunkers[count++] = windowed(HDRF_CHUNK_AE, window, 3 * window);
    }
    chunkers[count++] = hashed(32, 1, 70, UINT32_MAX);
    chunkers[count++] = hashed(32, 20, 33, 20);
    chunkers[count++] = hashed(33, 40, 200, 100);
    chunkers[count++] = hashed(64, 30, 129, UINT32_MAX);
    chunkers[count++] = hashed(70, 270, 700, 2000);
    chunkers[count++] = hashed(40, 300, 341, UINT32_MAX);
    chunkers[count++] = hashed(130, 64, 300, 3);
    chunkers[count++] = hashed(50, 128, 10000, 300);
    return count;
}

static void test_every_short_length(void)
{
    struct hdrf_chunker chunkers[80];
    int count = small_chunkers(chunkers);
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

static void test_every_alignment(void)
{
    struct hdrf_chunker chunkers[80];
    int count = small_chunkers(chunkers);
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
            for (size_t i = 0; i < sizeof averages / sizeof averages[0]; i++) {
                struct hdrf_chunker chunker;
                CHECK(hdrf_chunker_init(&chunker, (enum hdrf_chunk_algorithm)algorithm,
                                        averages[i], 0),
                      "algorithm %d, average %" PRIu32, algorithm, averages[i]);
                check_copy(&chunker, data, LENGTH - random_below(1000), random_below(65), true);
                check_copy(&chunker, data, LENGTH - random_below(1000), random_below(65), false);
            }
        }
    }
    free(data);
}

/* A chunk of RAM and LMC that nothing ends but the limit; windows that are left at 255. */
static void test_large(void)
{
    size_t length = 33 * MIB;
    uint8_t *data = allocate(length);
    memset(data, 7, length);
    data[100] = 255;
    struct hdrf_chunker ram = windowed(HDRF_CHUNK_RAM, 8192 + 5, HDRF_CHUNK_LIMIT);
    check_same(&ram, data, length, true);
    struct hdrf_chunker lmc = windowed(HDRF_CHUNK_LMC, 200, HDRF_CHUNK_LIMIT);
    uint32_t cut;
    memset(data, 7, length);
    for (size_t n = HDRF_CHUNK_LIMIT - 1; n < HDRF_CHUNK_LIMIT + 210; n++) {
        size_t expected = n >= HDRF_CHUNK_LIMIT + 200 ? 1 : 0;
        CHECK(hdrf_chunk(&lmc, data, n, false, &cut, 1) == expected, "%zu bytes", n);
    }
    CHECK(cut == HDRF_CHUNK_LIMIT, "cut at %" PRIu32, cut);
    data[HDRF_CHUNK_LIMIT - 1] = 8;
    data[HDRF_CHUNK_LIMIT - 3000] = 8;
    CHECK(hdrf_chunk(&lmc, data, length, false, &cut, 1) == 1 && cut == HDRF_CHUNK_LIMIT - 2999,
          "cut at %" PRIu32, cut);
    free(data);

    uint8_t *low = allocate(MIB);
    fill(LOW, low, MIB);
    for (uint32_t window = 8190; window < 100000; window += window / 3) {
        struct hdrf_chunker chunker = windowed(HDRF_CHUNK_RAML, window, 4 * window);
        check_copy(&chunker, low, MIB - random_below(5000), random_below(65), true);
    }
    free(low);
}

/* The definition of LMC, byte by byte. */
static size_t lmc_by_definition(const struct hdrf_chunker *chunker, const uint8_t *data,
                                size_t length)
{
    size_t h = chunker->window;
    for (size_t i = h; i + h < length && i < chunker->maximum; i++) {
        bool cut = true;
        for (size_t j = 1; j <= h; j++) {
            cut = cut && data[i] > data[i - j] && data[i] > data[i + j];
        }
        if (cut) {
            return i + 1;
        }
    }
    return length < chunker->maximum ? 0 : chunker->maximum;
}

static void test_lmc(void)
{
    uint8_t data[700];
    static const uint32_t windows[] = {1, 2, 3, 10, 31, 100};
    for (int round = 0; round < 300; round++) {
        fill((enum pattern)random_below(PATTERNS), data, sizeof data);
        for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
            uint32_t maximum = windows[i] + 1 + (uint32_t)random_below(400);
            struct hdrf_chunker chunker = windowed(HDRF_CHUNK_LMC, windows[i], maximum);
            size_t start = 0;
            while (start < sizeof data) {
                size_t length = sizeof data - start;
                size_t expected = lmc_by_definition(&chunker, data + start, length);
                uint32_t cut = 0;
                size_t count = hdrf_chunk(&chunker, data + start, length, true, &cut, 1);
                expected = expected != 0 ? expected : length;
                CHECK(count == 1 && cut == expected, "h %" PRIu32 ": %" PRIu32 ", not %zu",
                      windows[i], cut, expected);
                start += cut;
            }
        }
    }
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
        size_t found = hdrf_chunk(chunker, block, end - start, last, some, capacity);
        free(block);
        for (size_t i = 0; i < found; i++) {
            cuts[count++] = (uint32_t)start + some[i];
        }
        start += found > 0 ? some[found - 1] : 0;
    }
    return count;
}

static void test_pieces(void)
{
    enum { LENGTH = 40000 };
    static uint8_t data[LENGTH];
    static uint32_t expected[MAX_CUTS];
    static uint32_t found[MAX_CUTS];
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        fill((enum pattern)pattern, data, LENGTH);
        for (int algorithm = 0; algorithm < HDRF_CHUNK_ALGORITHMS; algorithm++) {
            struct hdrf_chunker chunker;
            CHECK(hdrf_chunker_init(&chunker, (enum hdrf_chunk_algorithm)algorithm, 600, 0),
                  "algorithm %d", algorithm);
            size_t count = hdrf_chunk(&chunker, data, LENGTH, true, expected, MAX_CUTS);
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

static void test_arguments(void)
{
    struct hdrf_chunker chunker;
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAM, HDRF_CHUNK_AVERAGE_MIN - 1, 0), "small");
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAM, HDRF_CHUNK_AVERAGE_MAX + 1, 0), "large");
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAM, 8192, 32768), "RAM has no other maximum");
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAML, 8192, 16383), "maximum too small");
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAML, 8192, HDRF_CHUNK_LIMIT + 1), "too large");
    CHECK(hdrf_chunker_init(&chunker, HDRF_CHUNK_RAML, 8192, 16384), "maximum");
    CHECK(chunker.maximum == 16384, "maximum %" PRIu32, chunker.maximum);
    uint32_t cut;
    CHECK(hdrf_chunk(&chunker, NULL, 0, true, &cut, 1) == 0, "a chunk of no bytes");
    for (uint32_t average = HDRF_CHUNK_AVERAGE_MIN; average < HDRF_CHUNK_AVERAGE_MAX;
         average += average / 7) {
        for (int algorithm = 0; algorithm < HDRF_CHUNK_ALGORITHMS; algorithm++) {
            CHECK(hdrf_chunker_init(&chunker, (enum hdrf_chunk_algorithm)algorithm, average, 0),
                  "algorithm %d, average %" PRIu32, algorithm, average);
            CHECK(chunker.minimum <= average && average <= chunker.maximum &&
                      chunker.maximum <= HDRF_CHUNK_LIMIT,
                  "algorithm %d, average %" PRIu32, algorithm, average);
        }
    }
}

static enum hdrf_chunk_algorithm algorithm_of(const char *name)
{
    static const char *const names[HDRF_CHUNK_ALGORITHMS] = {
        "ram", "raml", "ae", "lmc", "rabin", "gear", "fastcdc", "fixed", "vhash"};
    int algorithm = 0;
    while (algorithm < HDRF_CHUNK_ALGORITHMS && strcmp(names[algorithm], name) != 0) {
        algorithm++;
    }
    CHECK(algorithm < HDRF_CHUNK_ALGORITHMS, "no algorithm %s", name);
    return (enum hdrf_chunk_algorithm)algorithm;
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
    CHECK(lines >= 2 * HDRF_CHUNK_ALGORITHMS, "only %d lines in %s", lines, path);
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
    CHECK(hdrf_chunker_init(&chunker, algorithm_of(name), average, 0), "%s", line);
    CHECK(chunker.window == expected.window && chunker.minimum == expected.minimum &&
              chunker.maximum == expected.maximum && chunker.normal == expected.normal &&
              chunker.strict == expected.strict && chunker.loose == expected.loose,
          "%s", line);
}

#define GOLDEN 262144

/* As the head of the file of cuts describes it. */
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
    CHECK(hdrf_chunker_init(&chunker, algorithm_of(name), average, 0), "%s", line);
    size_t count = hdrf_chunk(&chunker, data, GOLDEN, true, cuts, MAX_CUTS);
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
        const struct hdrf_chunk_kernel *kernel = hdrf_chunk_choose(subset);
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
    CHECK(hdrf_chunk_choose(0) == hdrf_chunk_portable(), "no features, yet vectors");
    CHECK(kernel_count == 1 + __builtin_popcount(features), "%d kernels for features %" PRIx32,
          kernel_count, features);
    CHECK(hdrf_chunk_kernel_name(HDRF_CHUNK_RABIN) == hdrf_chunk_portable()->name, "Rabin");
    CHECK(hdrf_chunk_kernel_name(HDRF_CHUNK_RAM) == hdrf_chunk_choose(features)->name, "RAM");
#endif
}

int main(int argc, char **argv)
{
    CHECK(argc == 3, "usage: chunk_test PARAMETERS CUTS");
    const char *seed = getenv("HDRF_TEST_SEED");
    random_state = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %" PRIu64 "\n", random_state);
    fflush(stdout);
    collect_kernels();
    test_arguments();
    for_each_line(argv[1], check_parameters);
    for_each_line(argv[2], check_golden);
    test_lmc();
    test_every_short_length();
    test_every_alignment();
    test_real_parameters();
    test_large();
    test_pieces();
    return 0;
}
