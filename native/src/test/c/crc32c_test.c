/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: crc32c_test VECTORS, with the seed of an earlier run in HDRF_TEST_SEED to repeat it.
 *
 * Every message lies at the very end of its own block, so that the sanitizer detects a kernel that
 * reads one byte too far.
 */
#include "hdrf_cpu.h"
#include "hdrf_crc32c.h"
#include "hdrf_crc32c_impl.h"
#include "hdrf_random.h"
#include "hdrf_test.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define MAX_LENGTH (300 * 1024)
#define MAX_ALIGNMENT 16

static uint8_t message[MAX_LENGTH];
/* [n]: the checksum of the first n bytes of message. */
static uint32_t expected[MAX_LENGTH + 1];

/* The definition of CRC32C, one bit at a time; shares no code with the kernels. */
static uint32_t extend_by_byte(uint32_t crc, uint8_t byte)
{
    crc = ~crc ^ byte;
    for (int bit = 0; bit < 8; bit++) {
        crc = crc & 1 ? crc >> 1 ^ UINT32_C(0x82f63b78) : crc >> 1;
    }
    return ~crc;
}

static void fill_message(void)
{
    for (size_t i = 0; i < MAX_LENGTH; i++) {
        message[i] = (uint8_t)next_random();
        expected[i + 1] = extend_by_byte(expected[i], message[i]);
    }
}

/*
 * Returns the checksum of a copy of message[from..to) that begins `alignment` bytes after a
 * multiple of 16.
 */
static uint32_t checksum_copy(hdrf_crc32c_fn *update, uint32_t crc, size_t from, size_t to,
                              size_t alignment)
{
    size_t length = to - from;
    /* malloc(0) may return NULL. */
    uint8_t *block = malloc(alignment + length + (alignment + length == 0));
    CHECK(block != NULL, "no memory");
    memcpy(block + alignment, message + from, length);
    crc = update(crc, block + alignment, length);
    free(block);
    return crc;
}

static void check_length(const struct hdrf_crc32c_kernel *kernel, size_t length, size_t alignment)
{
    uint32_t crc = checksum_copy(kernel->update, 0, 0, length, alignment);
    CHECK(crc == expected[length], "%s, length %zu, alignment %zu: %08" PRIx32 ", not %08" PRIx32,
          kernel->name, length, alignment, crc, expected[length]);
}

static void test_every_short_length(const struct hdrf_crc32c_kernel *kernel)
{
    for (size_t length = 0; length <= 4096; length++) {
        for (size_t alignment = 0; alignment < MAX_ALIGNMENT; alignment++) {
            check_length(kernel, length, alignment);
        }
    }
}

static void check_around(const struct hdrf_crc32c_kernel *kernel, size_t boundary)
{
    for (size_t length = boundary < 17 ? 0 : boundary - 17; length <= boundary + 17; length++) {
        if (length <= MAX_LENGTH) {
            check_length(kernel, length, length % MAX_ALIGNMENT);
        }
    }
}

static void test_around_boundaries(const struct hdrf_crc32c_kernel *kernel)
{
    const size_t longs[] = {0, 1, 2, 3, 10, 11, 42, 43};
    for (size_t i = 0; i < sizeof longs / sizeof longs[0]; i++) {
        size_t whole = longs[i] * 3 * HDRF_CRC32C_LONG;
        for (size_t shorts = 0; shorts <= HDRF_CRC32C_LONG / HDRF_CRC32C_SHORT; shorts++) {
            check_around(kernel, whole + shorts * 3 * HDRF_CRC32C_SHORT);
        }
    }
    check_around(kernel, 64 * 1024);
    check_around(kernel, 256 * 1024);
    check_length(kernel, MAX_LENGTH, 1);
}

static void test_chaining(const struct hdrf_crc32c_kernel *kernel)
{
    for (int round = 0; round < 500; round++) {
        size_t end = random_below(MAX_LENGTH + 1);
        size_t most = (size_t)1 << random_below(18);
        size_t from = end - random_below(end + 1);
        uint32_t crc = expected[from];
        while (from < end) {
            size_t part = random_below((end - from < most ? end - from : most) + 1);
            crc = checksum_copy(kernel->update, crc, from, from + part, random_below(16));
            from += part;
            CHECK(crc == expected[from], "%s, part of %zu bytes that ends at %zu", kernel->name,
                  part, from);
            most += part == 0;
        }
    }
}

static size_t parse_hex(const char *text, uint8_t *bytes, size_t capacity)
{
    size_t length = 0;
    while (*text != '\0' && *text != '\n' && *text != '-') {
        unsigned byte;
        CHECK(length < capacity && sscanf(text, "%2x", &byte) == 1, "bad data: %s", text);
        bytes[length++] = (uint8_t)byte;
        text += 2;
    }
    return length;
}

static void check_vector(const struct hdrf_crc32c_kernel *kernel, const char *line)
{
    uint32_t value;
    size_t repeats;
    int data_at;
    CHECK(sscanf(line, "%" SCNx32 " %zu %n", &value, &repeats, &data_at) == 2, "bad line %s", line);
    uint8_t data[256];
    size_t length = parse_hex(line + data_at, data, sizeof data);

    uint8_t *block = malloc(length * repeats + 1);
    CHECK(block != NULL, "no memory");
    uint32_t crc = 0;
    for (size_t i = 0; i < repeats; i++) {
        memcpy(block + i * length, data, length);
        crc = kernel->update(crc, data, length);
    }
    CHECK(crc == value, "%s, in parts: %08" PRIx32 ", not %s", kernel->name, crc, line);
    crc = kernel->update(0, block, length * repeats);
    CHECK(crc == value, "%s: %08" PRIx32 ", not %s", kernel->name, crc, line);
    free(block);
}

static void test_vectors(const struct hdrf_crc32c_kernel *kernel, const char *path)
{
    FILE *file = fopen(path, "r");
    CHECK(file != NULL, "cannot open %s", path);
    char line[1024];
    int vectors = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] != '#') {
            check_vector(kernel, line);
            vectors++;
        }
    }
    fclose(file);
    CHECK(vectors >= 7, "only %d vectors in %s", vectors, path);
}

static void test_kernel(const struct hdrf_crc32c_kernel *kernel, const char *vectors)
{
    printf("kernel %s\n", kernel->name);
    test_vectors(kernel, vectors);
    test_every_short_length(kernel);
    test_around_boundaries(kernel);
    test_chaining(kernel);
}

/* Each subset of this CPU's features must choose a correct kernel. */
static void test_every_subset(const char *vectors)
{
    enum { MAX_KERNELS = 8 };
    const struct hdrf_crc32c_kernel *tested[MAX_KERNELS];
    int count = 0;
    uint32_t features = hdrf_cpu_features();
    uint32_t subset = features;
    bool more = true;
    while (more) {
        const struct hdrf_crc32c_kernel *kernel = hdrf_crc32c_choose(subset);
        int i = 0;
        while (i < count && tested[i] != kernel) {
            i++;
        }
        if (i == count) {
            CHECK(count < MAX_KERNELS, "enlarge MAX_KERNELS");
            tested[count++] = kernel;
            test_kernel(kernel, vectors);
        }
        more = subset != 0;
        subset = (subset - 1) & features;
    }
    CHECK(hdrf_crc32c_choose(0)->update == hdrf_crc32c_portable, "no features, yet %s",
          hdrf_crc32c_choose(0)->name);
#if defined(__x86_64__)
    CHECK(hdrf_crc32c_choose(HDRF_CPU_SSE42)->update == hdrf_crc32c_sse42, "SSE4.2 not chosen");
    CHECK(hdrf_crc32c_choose(HDRF_CPU_ALL)->update == hdrf_crc32c_sse42, "SSE4.2 not chosen");
    CHECK(count == (features & HDRF_CPU_SSE42 ? 2 : 1), "%d kernels tested", count);
#endif
}

static void test_dispatched(const char *vectors)
{
    struct hdrf_crc32c_kernel dispatched = {"dispatched", hdrf_crc32c};
    const char *best = hdrf_crc32c_choose(hdrf_cpu_features())->name;
    CHECK(strcmp(hdrf_crc32c_kernel_name(), best) == 0, "name %s", hdrf_crc32c_kernel_name());
    CHECK(hdrf_crc32c(0x12345678, NULL, 0) == 0x12345678, "no bytes change nothing");
    test_vectors(&dispatched, vectors);
    test_chaining(&dispatched);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2, "usage: crc32c_test VECTORS");
    const char *seed = getenv("HDRF_TEST_SEED");
    random_state = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %" PRIu64 "\n", random_state);
    fflush(stdout);
    fill_message();
    test_every_subset(argv[1]);
    test_dispatched(argv[1]);
    return 0;
}
