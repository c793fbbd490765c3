/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random operations against a list of all that was put, with the seed of an earlier run in
 * HDRF_TEST_SEED to repeat it.
 *
 * The arrays lie at the very end of their own blocks, so that the sanitizer detects an access one
 * word too far.
 */
#include "hdrf_cuckoo.h"
#include "hdrf_random.h"
#include "hdrf_test.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#define BATCH 1024

static void *allocate(size_t size)
{
    void *block = calloc(1, size);
    CHECK(block != NULL, "no memory");
    return block;
}

static struct hdrf_cuckoo make(uint32_t buckets_log2)
{
    struct hdrf_cuckoo table = {.buckets_log2 = buckets_log2,
                                .limit = hdrf_cuckoo_limit(buckets_log2)};
    table.slots = allocate((sizeof(uint64_t) * HDRF_CUCKOO_BUCKET) << buckets_log2);
    table.state = allocate(sizeof(uint64_t) * HDRF_CUCKOO_STATE);
    return table;
}

static void discard(struct hdrf_cuckoo *table)
{
    free(table->slots);
    free(table->state);
}

static uint64_t slots_of(const struct hdrf_cuckoo *table)
{
    return (uint64_t)HDRF_CUCKOO_BUCKET << table->buckets_log2;
}

static uint64_t find(const struct hdrf_cuckoo *table, uint64_t hash)
{
    uint64_t value = 1;
    hdrf_cuckoo_find(table, &hash, 1, &value);
    return value;
}

static size_t put(const struct hdrf_cuckoo *table, uint64_t hash, uint64_t value)
{
    return hdrf_cuckoo_put(table, &hash, &value, 1);
}

static uint64_t stored(const struct hdrf_cuckoo *table)
{
    uint64_t count = 0;
    for (uint64_t i = 0; i < slots_of(table); i++) {
        count += table->slots[i] != 0;
    }
    return count;
}

/* Nothing is lost up to the limit, whatever was moved for it. */
static void test_all_are_found_up_to_the_limit(uint32_t buckets_log2)
{
    struct hdrf_cuckoo table = make(buckets_log2);
    uint64_t count = hdrf_cuckoo_limit(buckets_log2);
    uint64_t *hashes = allocate(count * sizeof *hashes);
    uint64_t *values = allocate(count * sizeof *values);
    uint64_t *found = allocate(count * sizeof *found);
    for (uint64_t i = 0; i < count; i++) {
        hashes[i] = next_random();
        values[i] = next_random() & HDRF_CUCKOO_MAX_VALUE;
    }
    size_t lost = 0;
    for (uint64_t done = 0; done < count;) {
        size_t some = 1 + random_below(BATCH);
        some = some < count - done ? some : (size_t)(count - done);
        lost += hdrf_cuckoo_put(&table, hashes + done, values + done, some);
        done += some;
    }
    CHECK(lost == 0, "%zu of %" PRIu64, lost, count);
    hdrf_cuckoo_find(&table, hashes, count, found);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < count; i++) {
        CHECK(found[i] != HDRF_CUCKOO_NONE, "%" PRIu64 " of %" PRIu64, i, count);
        /* Another key that begins alike took the entry: 8 slots of 2^22 tags for each. */
        wrong += found[i] != values[i];
    }
    CHECK(wrong <= 3 + count / 100000, "%" PRIu64 " wrong", wrong);
    CHECK(hdrf_cuckoo_count(&table) >= count - wrong, "count %" PRIu64,
          hdrf_cuckoo_count(&table));
    discard(&table);
    free(hashes);
    free(values);
    free(found);
}

static void test_last_value_counts(void)
{
    struct hdrf_cuckoo table = make(10);
    CHECK(find(&table, 0) == HDRF_CUCKOO_NONE, "an empty table");
    CHECK(find(&table, UINT64_MAX) == HDRF_CUCKOO_NONE, "an empty table");
    for (uint64_t value = 0; value < 5; value++) {
        CHECK(put(&table, 0, value) == 0, "lost");
        CHECK(put(&table, UINT64_MAX, HDRF_CUCKOO_MAX_VALUE - value) == 0, "lost");
        CHECK(find(&table, 0) == value, "value");
        CHECK(find(&table, UINT64_MAX) == HDRF_CUCKOO_MAX_VALUE - value, "value");
    }
    put(&table, 7, UINT64_MAX - 1);
    CHECK(find(&table, 7) == HDRF_CUCKOO_MAX_VALUE - 1, "the lower 40 bits");
    CHECK(hdrf_cuckoo_count(&table) == 3, "count");
    discard(&table);
}

/* Absent keys get a value as seldom as 8 tags of 22 bits say. */
static void test_wrong_values_are_rare(void)
{
    struct hdrf_cuckoo table = make(12);
    while (hdrf_cuckoo_count(&table) < slots_of(&table) * 95 / 100) {
        put(&table, next_random(), 1);
    }
    uint64_t wrong = 0;
    uint64_t hashes[BATCH];
    for (int round = 0; round < 4000; round++) {
        for (size_t i = 0; i < BATCH; i++) {
            hashes[i] = next_random();
        }
        hdrf_cuckoo_find(&table, hashes, BATCH, hashes);
        for (size_t i = 0; i < BATCH; i++) {
            wrong += hashes[i] != HDRF_CUCKOO_NONE;
        }
    }
    /* 7.6 are expected. */
    CHECK(wrong <= 30, "%" PRIu64 " of 4 million", wrong);
    printf("%" PRIu64 " wrong of 4 million\n", wrong);
    discard(&table);
}

/*
 * Of a full table the entries that were put or found last stay, and what is counted is what is
 * there.
 */
static void test_oldest_go(uint32_t buckets_log2)
{
    struct hdrf_cuckoo table = make(buckets_log2);
    uint64_t slots = slots_of(&table);
    size_t kept = 64;
    uint64_t used[64];
    for (size_t i = 0; i < kept; i++) {
        used[i] = next_random();
        put(&table, used[i], i);
    }
    uint64_t puts = 8 * slots;
    uint64_t first = next_random();
    size_t lost = 0;
    for (uint64_t i = 0; i < puts; i++) {
        lost += put(&table, first + i * UINT64_C(0x9e3779b97f4a7c15), i & HDRF_CUCKOO_MAX_VALUE);
        if (i % (slots / 16 + 1) == 0) {
            for (size_t j = 0; j < kept; j++) {
                find(&table, used[j]);
            }
        }
    }
    size_t found = 0;
    for (size_t j = 0; j < kept; j++) {
        found += find(&table, used[j]) == j;
    }
    CHECK(found >= kept - 2, "%zu of %zu that were used", found, kept);
    CHECK(hdrf_cuckoo_count(&table) >= slots * 95 / 100, "count %" PRIu64,
          hdrf_cuckoo_count(&table));
    CHECK(hdrf_cuckoo_count(&table) <= slots + HDRF_CUCKOO_STASH, "count");
    CHECK(hdrf_cuckoo_count(&table) + lost <= puts + kept, "lost %zu", lost);
    uint64_t young = 0;
    uint64_t old = 0;
    for (uint64_t i = 0; i < slots / 4; i++) {
        young += find(&table, first + (puts - 1 - i) * UINT64_C(0x9e3779b97f4a7c15)) == puts - 1 - i;
        old += find(&table, first + (puts / 2 + i) * UINT64_C(0x9e3779b97f4a7c15)) ==
               puts / 2 + i;
    }
    CHECK(young >= slots / 4 * 9 / 10, "%" PRIu64 " of %" PRIu64 " young", young, slots / 4);
    CHECK(old <= slots / 4 / 10, "%" PRIu64 " of %" PRIu64 " old", old, slots / 4);
    discard(&table);
}

/* The smallest tables lose little before they are full, and use their stash. */
static void test_small_tables(void)
{
    bool stashed = false;
    for (int round = 0; round < 2000; round++) {
        struct hdrf_cuckoo table = make((uint32_t)random_below(4));
        uint64_t puts = slots_of(&table) + 2 * HDRF_CUCKOO_STASH;
        uint64_t lost = 0;
        for (uint64_t i = 0; i < puts; i++) {
            uint64_t hash = next_random();
            lost += put(&table, hash, i);
            CHECK(find(&table, hash) == i, "put just now");
            uint64_t in_stash = hdrf_cuckoo_count(&table) - stored(&table);
            CHECK(in_stash <= HDRF_CUCKOO_STASH, "%" PRIu64 " in the stash", in_stash);
            stashed |= in_stash > 0;
        }
        CHECK(hdrf_cuckoo_count(&table) + lost <= puts, "count");
        CHECK(hdrf_cuckoo_count(&table) + lost + 1 >= puts, "count");
        discard(&table);
    }
    CHECK(stashed, "the stash was never used");
}

/* Of a table that is at most 45 % full nearly all is found in the half, of a full one half. */
static void test_halve(uint32_t buckets_log2, uint64_t percent)
{
    struct hdrf_cuckoo table = make(buckets_log2);
    uint64_t count = slots_of(&table) * percent / 100;
    uint64_t first = next_random();
    for (uint64_t i = 0; i < count; i++) {
        put(&table, first + i * UINT64_C(0x9e3779b97f4a7c15), i);
    }
    uint64_t before = hdrf_cuckoo_count(&table);
    size_t lost = hdrf_cuckoo_halve(&table);
    table.buckets_log2--;
    table.limit = hdrf_cuckoo_limit(table.buckets_log2);
    /* Only the first half is used from now on. */
    memset(table.slots + slots_of(&table), 0xff, sizeof(uint64_t) * slots_of(&table));
    CHECK(hdrf_cuckoo_count(&table) + lost == before, "count");
    CHECK(stored(&table) + HDRF_CUCKOO_STASH >= hdrf_cuckoo_count(&table), "stored");
    uint64_t found = 0;
    uint64_t young = 0;
    for (uint64_t i = 0; i < count; i++) {
        bool there = find(&table, first + i * UINT64_C(0x9e3779b97f4a7c15)) == i;
        found += there;
        young += there && i >= count * 9 / 10;
    }
    CHECK(found + 2 >= hdrf_cuckoo_count(&table), "%" PRIu64 " of %" PRIu64, found,
          hdrf_cuckoo_count(&table));
    CHECK(found >= (percent <= 45 ? count * 85 / 100 : slots_of(&table) * 9 / 10),
          "%" PRIu64 " of %" PRIu64, found, count);
    CHECK(young >= count / 10 * 6 / 10, "%" PRIu64 " young", young);
    for (uint64_t i = 0; i < slots_of(&table); i++) {
        put(&table, next_random(), 1);
    }
    CHECK(table.slots[slots_of(&table)] == UINT64_MAX, "beyond the half");
    discard(&table);
}

/* After a table has become larger all is found, also after new entries have come. */
static void test_double(uint32_t buckets_log2)
{
    struct hdrf_cuckoo table = make(buckets_log2 + 1);
    table.buckets_log2 = buckets_log2;
    table.limit = hdrf_cuckoo_limit(buckets_log2);
    uint64_t first = next_random();
    uint64_t count = table.limit;
    for (uint64_t i = 0; i < count; i++) {
        put(&table, first + i * UINT64_C(0x9e3779b97f4a7c15), i);
    }
    hdrf_cuckoo_double(&table);
    table.buckets_log2++;
    table.limit = hdrf_cuckoo_limit(table.buckets_log2);
    CHECK(stored(&table) == hdrf_cuckoo_count(&table), "count %" PRIu64,
          hdrf_cuckoo_count(&table));
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++) {
        found += find(&table, first + i * UINT64_C(0x9e3779b97f4a7c15)) == i;
    }
    CHECK(found + HDRF_CUCKOO_STASH + 2 >= count, "%" PRIu64 " of %" PRIu64, found, count);
    for (uint64_t i = 0; i < count / 2; i++) {
        put(&table, next_random(), 1);
    }
    found = 0;
    for (uint64_t i = 0; i < count; i++) {
        found += find(&table, first + i * UINT64_C(0x9e3779b97f4a7c15)) == i;
    }
    /* They were found since, and their other copies were not. */
    CHECK(found >= count * 95 / 100, "%" PRIu64 " of %" PRIu64, found, count);
    discard(&table);
}

/* A table that becomes larger and smaller again has what it had, as often as it had it. */
static void test_double_and_halve(uint32_t buckets_log2)
{
    struct hdrf_cuckoo table = make(buckets_log2 + 1);
    table.buckets_log2 = buckets_log2;
    table.limit = hdrf_cuckoo_limit(buckets_log2);
    uint64_t first = next_random();
    uint64_t count = table.limit;
    for (uint64_t i = 0; i < count; i++) {
        put(&table, first + i * UINT64_C(0x9e3779b97f4a7c15), i);
    }
    uint64_t before = hdrf_cuckoo_count(&table);
    hdrf_cuckoo_double(&table);
    table.buckets_log2++;
    table.limit = hdrf_cuckoo_limit(table.buckets_log2);
    for (uint64_t i = 0; i < count / 3; i++) {
        put(&table, first + i * UINT64_C(0x9e3779b97f4a7c15), i);
    }
    size_t lost = hdrf_cuckoo_halve(&table);
    table.buckets_log2--;
    table.limit = hdrf_cuckoo_limit(buckets_log2);
    CHECK(hdrf_cuckoo_count(&table) == stored(&table), "count");
    CHECK(hdrf_cuckoo_count(&table) + HDRF_CUCKOO_STASH >= before, "%zu lost", lost);
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++) {
        found += find(&table, first + i * UINT64_C(0x9e3779b97f4a7c15)) == i;
    }
    CHECK(found + HDRF_CUCKOO_STASH + 2 >= count, "%" PRIu64 " of %" PRIu64, found, count);
    discard(&table);
}

/* Whatever the words are, nothing outside of them is read or written. */
static void test_arbitrary_words(void)
{
    for (int round = 0; round < 200; round++) {
        struct hdrf_cuckoo table = make((uint32_t)(1 + random_below(6)));
        for (uint64_t i = 0; i < slots_of(&table); i++) {
            table.slots[i] = random_below(8) == 0 ? 0 : next_random();
        }
        for (size_t i = 0; i < HDRF_CUCKOO_STATE; i++) {
            table.state[i] = random_below(3) == 0 ? 0 : next_random();
        }
        for (int i = 0; i < 300; i++) {
            put(&table, next_random(), next_random());
            find(&table, next_random());
        }
        hdrf_cuckoo_halve(&table);
        table.buckets_log2--;
        put(&table, next_random(), next_random());
        hdrf_cuckoo_double(&table);
        table.buckets_log2++;
        put(&table, next_random(), next_random());
        discard(&table);
    }
}

int main(void)
{
    const char *seed = getenv("HDRF_TEST_SEED");
    random_state = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %" PRIu64 "\n", random_state);
    fflush(stdout);
    test_last_value_counts();
    test_small_tables();
    for (uint32_t buckets_log2 = 10; buckets_log2 <= 16; buckets_log2 += 2) {
        test_all_are_found_up_to_the_limit(buckets_log2);
    }
    test_wrong_values_are_rare();
    for (uint32_t buckets_log2 = 9; buckets_log2 <= 13; buckets_log2++) {
        test_oldest_go(buckets_log2);
        test_double(buckets_log2);
        test_double_and_halve(buckets_log2);
        test_halve(buckets_log2, 45);
        test_halve(buckets_log2, 200);
    }
    test_arbitrary_words();
    return 0;
}
