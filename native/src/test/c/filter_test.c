/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each kernel against an independent definition, with the seed of an earlier run in HDRF_TEST_SEED
 * to repeat it.
 *
 * All arrays lie at the very end of their own blocks, so that the sanitizer detects a kernel that
 * reads or writes one word too far.
 */
#include "hdrf_cpu.h"
#include "hdrf_filter.h"
#include "hdrf_filter_impl.h"
#include "hdrf_random.h"
#include "hdrf_test.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define MAX_COUNT 1024
#define MAX_LANES 8
#define MAX_LENGTH 3000
#define MAX_HASHES 2000

/* More `ands` make fewer set bits. */
static uint64_t random_word(size_t ands)
{
    uint64_t word = next_random();
    for (size_t i = 0; i < ands; i++) {
        word &= next_random();
    }
    return word;
}

struct query {
    struct hdrf_filter_row row;
    size_t lanes;
    size_t count;
    size_t hash_count;
    uint64_t *words;
    uint64_t *hashes;
    uint64_t *columns;
    uint32_t *left;
    size_t expected_count;
    uint64_t expected_columns[MAX_COUNT * MAX_LANES];
    uint32_t expected_left[MAX_COUNT];
};

static void *allocate(size_t size)
{
    /* malloc(0) may return NULL. */
    void *block = malloc(size + (size == 0));
    CHECK(block != NULL, "no memory");
    return block;
}

static void expect(struct query *query)
{
    const struct hdrf_filter_row *row = &query->row;
    size_t width = (size_t)1 << row->width_log2;
    query->expected_count = 0;
    for (size_t i = 0; i < query->count; i++) {
        const uint64_t *hash = query->hashes + (size_t)2 * query->left[i];
        size_t first = width * hdrf_filter_position(hash[0], hash[1], row->function, row->length);
        uint64_t *into = query->expected_columns + query->expected_count * query->lanes;
        bool stays = false;
        memset(into, 0, query->lanes * sizeof *into);
        for (size_t column = 0; column < width; column++) {
            uint64_t word = query->columns[i * query->lanes + column / 64];
            if (query->words[(first + column) / 64] >> (first + column) % 64 & word >> column % 64 &
                1) {
                into[column / 64] |= UINT64_C(1) << column % 64;
                stays = true;
            }
        }
        if (stays) {
            query->expected_left[query->expected_count++] = query->left[i];
        }
    }
}

static void make(struct query *query, uint32_t width_log2, size_t count)
{
    size_t length = 1 + random_below(MAX_LENGTH);
    size_t words = ((length << width_log2) + 63) / 64;
    query->lanes = width_log2 > 6 ? (size_t)1 << (width_log2 - 6) : 1;
    query->count = count;
    query->hash_count = 1 + random_below(MAX_HASHES);
    query->words = allocate(words * sizeof *query->words);
    query->hashes = allocate(2 * query->hash_count * sizeof *query->hashes);
    query->columns = allocate(count * query->lanes * sizeof *query->columns);
    query->left = allocate(count * sizeof *query->left);
    query->row = (struct hdrf_filter_row){.words = query->words,
                                          .length = (uint32_t)length,
                                          .width_log2 = width_log2,
                                          .function = (uint32_t)random_below(64)};
    size_t ands = random_below(8);
    for (size_t i = 0; i < words; i++) {
        query->words[i] = random_word(ands);
    }
    for (size_t i = 0; i < 2 * query->hash_count; i++) {
        query->hashes[i] = next_random();
    }
    uint64_t used = width_log2 < 6 ? (UINT64_C(1) << (1 << width_log2)) - 1 : UINT64_MAX;
    for (size_t i = 0; i < count * query->lanes; i++) {
        query->columns[i] = random_word(random_below(3)) & used;
    }
    for (size_t i = 0; i < count; i++) {
        /* Often the last one. */
        query->left[i] = (uint32_t)(random_below(8) == 0 ? query->hash_count - 1
                                                         : random_below(query->hash_count));
    }
    expect(query);
}

static void discard(struct query *query)
{
    free(query->words);
    free(query->hashes);
    free(query->columns);
    free(query->left);
}

static size_t keep(const struct hdrf_filter_kernel *kernel, struct query *query)
{
    return hdrf_filter_keep_with(kernel, &query->row, query->hashes, query->hash_count,
                                 query->count, query->columns, query->left);
}

static void check_result(const char *name, const struct query *query, size_t remaining)
{
    uint32_t width = UINT32_C(1) << query->row.width_log2;
    size_t stored = query->expected_count * query->lanes * sizeof *query->columns;
    CHECK(remaining == query->expected_count, "%s, width %" PRIu32 ": %zu of %zu remain, not %zu",
          name, width, remaining, query->count, query->expected_count);
    CHECK(memcmp(query->columns, query->expected_columns, stored) == 0,
          "%s, width %" PRIu32 ", %zu elements: columns", name, width, query->count);
    CHECK(memcmp(query->left, query->expected_left, remaining * sizeof *query->left) == 0,
          "%s, width %" PRIu32 ", %zu elements: numbers", name, width, query->count);
}

static void check_count(const struct hdrf_filter_kernel *kernel, uint32_t width_log2, size_t count)
{
    struct query query;
    make(&query, width_log2, count);
    check_result(kernel->name, &query, keep(kernel, &query));
    discard(&query);
}

static void test_counts(const struct hdrf_filter_kernel *kernel, uint32_t width_log2)
{
    for (size_t count = 0; count <= 100; count++) {
        for (int round = 0; round < 3; round++) {
            check_count(kernel, width_log2, count);
        }
    }
    for (int round = 0; round < 30; round++) {
        check_count(kernel, width_log2, random_below(MAX_COUNT + 1));
        check_count(kernel, width_log2, MAX_COUNT);
    }
}

/*
 * An element without a hash is refused and nothing changes, at any position.
 */
static void test_no_hash(const struct hdrf_filter_kernel *kernel, uint32_t width_log2)
{
    for (int round = 0; round < 60; round++) {
        struct query query;
        size_t count = 1 + random_below(round < 30 ? 40 : MAX_COUNT);
        make(&query, width_log2, count);
        size_t wrong = round % 3 == 0 ? 0 : round % 3 == 1 ? count - 1 : random_below(count);
        size_t above = UINT32_MAX - query.hash_count;
        query.left[wrong] =
            (uint32_t)(query.hash_count + (round % 2 == 0 ? 0 : random_below(above + 1)));
        size_t bytes = count * query.lanes * sizeof *query.columns;
        memcpy(query.expected_columns, query.columns, bytes);
        memcpy(query.expected_left, query.left, count * sizeof *query.left);
        size_t remaining = keep(kernel, &query);
        CHECK(remaining == HDRF_FILTER_NO_HASH, "%s, hash %" PRIu32 " of %zu: %zu", kernel->name,
              query.left[wrong], query.hash_count, remaining);
        CHECK(memcmp(query.columns, query.expected_columns, bytes) == 0, "columns changed");
        CHECK(memcmp(query.left, query.expected_left, count * sizeof *query.left) == 0,
              "numbers changed");
        discard(&query);
    }
}

static void test_kernel(const struct hdrf_filter_kernel *kernel)
{
    printf("kernel %s\n", kernel->name);
    for (uint32_t width_log2 = 0; width_log2 <= HDRF_FILTER_MAX_WIDTH_LOG2; width_log2++) {
        test_counts(kernel, width_log2);
        test_no_hash(kernel, width_log2);
    }
}

static void test_every_kernel(void)
{
    const struct hdrf_filter_kernel *best = hdrf_filter_choose(hdrf_cpu_features());
    const struct hdrf_filter_kernel *portable = hdrf_filter_choose(0);
    CHECK(portable->keep[0] == hdrf_filter_keep1_portable, "no features, yet %s", portable->name);
    test_kernel(portable);
    if (best != portable) {
        test_kernel(best);
    }
#if defined(__x86_64__)
    CHECK(hdrf_filter_choose(HDRF_CPU_ALL)->keep[0] == hdrf_filter_keep1_avx2, "AVX2 not chosen");
    CHECK(hdrf_filter_choose(HDRF_CPU_ALL & ~HDRF_CPU_AVX2) == portable, "AVX2 chosen");
#endif
}

static void test_dispatched(void)
{
    const char *best = hdrf_filter_choose(hdrf_cpu_features())->name;
    CHECK(strcmp(hdrf_filter_kernel_name(), best) == 0, "name %s", hdrf_filter_kernel_name());
    for (uint32_t width_log2 = 0; width_log2 <= HDRF_FILTER_MAX_WIDTH_LOG2; width_log2++) {
        struct query query;
        make(&query, width_log2, MAX_COUNT);
        check_result("dispatched", &query,
                     hdrf_filter_keep(&query.row, query.hashes, query.hash_count, query.count,
                                      query.columns, query.left));
        discard(&query);
    }
}

/* Stored filters depend on these positions. */
static void test_positions(void)
{
    CHECK(hdrf_filter_position(0, 0, 5, 1000) == 0, "position changed");
    CHECK(hdrf_filter_position(1, 2, 0, 756388) == 255785, "position changed");
    uint64_t h2 = UINT64_C(0x123456789abcdef);
    CHECK(hdrf_filter_position(UINT64_MAX, h2, 21, 756388) == 740241, "position changed");
    CHECK(hdrf_filter_position(UINT64_MAX, h2, 21, INT32_MAX) == 2101641176, "position changed");
}

int main(void)
{
    const char *seed = getenv("HDRF_TEST_SEED");
    random_state = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %" PRIu64 "\n", random_state);
    fflush(stdout);
    test_positions();
    test_every_kernel();
    test_dispatched();
    return 0;
}
