/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: delta_test VECTORS, with the seed of an earlier run in HDRF_TEST_SEED to repeat it.
 *
 * All buffers lie at the very end of their own blocks, so that the sanitizer detects an access of
 * one byte too many.
 */
#include "hdrf_delta.h"
#include "hdrf_random.h"
#include "hdrf_test.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define MAX_LENGTH 30000

struct bytes {
    uint8_t *at;
    size_t length;
};

static uint16_t slots[HDRF_DELTA_SLOTS];

static struct bytes allocate(size_t length)
{
    /* malloc(0) may return NULL. */
    struct bytes made = {malloc(length + (length == 0)), length};
    CHECK(made.at != NULL, "no memory");
    return made;
}

static struct bytes copy_of(const uint8_t *from, size_t length)
{
    struct bytes made = allocate(length);
    if (length > 0) {
        memcpy(made.at, from, length);
    }
    return made;
}

/* Text of few letters, bytes of any value, a short period, or one value. */
static struct bytes some(size_t length)
{
    struct bytes made = allocate(length);
    size_t kind = random_below(5);
    size_t period = 1 + random_below(50);
    uint8_t value = (uint8_t)next_random();
    for (size_t i = 0; i < length; i++) {
        made.at[i] = kind == 0   ? value
                     : kind == 1 ? (uint8_t)('a' + random_below(4))
                     : kind == 2 && i >= period ? made.at[i - period]
                                                : (uint8_t)next_random();
    }
    return made;
}

/* A chunk of pieces of the base, in any order, and of other bytes between them. */
static struct bytes edited(struct bytes base)
{
    static uint8_t into[MAX_LENGTH];
    size_t length = 0;
    size_t from = 0;
    size_t edits = random_below(8);
    for (size_t i = 0; i <= edits; i++) {
        size_t rest = base.length - from;
        size_t piece = i == edits ? rest : random_below(rest + 1);
        if (piece > MAX_LENGTH - length) {
            piece = MAX_LENGTH - length;
        }
        memcpy(into + length, base.at + from, piece);
        length += piece;
        from += piece;
        size_t inserted = random_below(4) == 0 ? random_below(300) : random_below(30);
        if (inserted > MAX_LENGTH - length) {
            inserted = MAX_LENGTH - length;
        }
        for (size_t j = 0; j < inserted; j++) {
            into[length++] = (uint8_t)next_random();
        }
        size_t way = random_below(4);
        if (way == 0) {
            from = random_below(base.length + 1);
        } else if (way == 1) {
            size_t dropped = random_below(60);
            from = dropped > base.length - from ? base.length : from + dropped;
        }
    }
    return copy_of(into, length);
}

/* Encodes with a limit; the difference has its exact length. */
static struct bytes encoded(struct bytes base, struct bytes chunk, size_t limit)
{
    struct bytes room = allocate(limit);
    size_t length = hdrf_delta_encode(base.at, base.length, chunk.at, chunk.length, room.at, limit,
                                      slots);
    CHECK(length <= limit, "%zu bytes of %zu", length, limit);
    struct bytes made = copy_of(room.at, length);
    free(room.at);
    return made;
}

static bool decodes(struct bytes base, struct bytes difference, struct bytes chunk)
{
    struct bytes found = allocate(chunk.length);
    bool made = hdrf_delta_decode(base.at, base.length, difference.at, difference.length, found.at,
                                  found.length);
    bool equal = made && memcmp(found.at, chunk.at, chunk.length) == 0;
    free(found.at);
    return equal;
}

/* Returns the length of the difference. */
static size_t check(struct bytes base, struct bytes chunk)
{
    struct bytes difference = encoded(base, chunk, chunk.length + 20);
    CHECK(difference.length > 0, "no difference of %zu to %zu bytes", chunk.length, base.length);
    CHECK(decodes(base, difference, chunk), "%zu to %zu bytes", chunk.length, base.length);
    struct bytes again = encoded(base, chunk, difference.length);
    CHECK(again.length == difference.length &&
              memcmp(again.at, difference.at, again.length) == 0,
          "other bytes where they just fit");
    struct bytes less = encoded(base, chunk, random_below(difference.length));
    CHECK(less.length == 0, "%zu of %zu bytes", less.length, difference.length);
    size_t length = difference.length;
    free(difference.at);
    free(again.at);
    free(less.at);
    return length;
}

static void test_any_chunk(void)
{
    for (int round = 0; round < 500; round++) {
        struct bytes base = some(1 + random_below(random_below(2) ? 40 : 12000));
        struct bytes chunk = some(1 + random_below(random_below(2) ? 40 : 12000));
        check(base, chunk);
        check(base, base);
        free(base.at);
        free(chunk.at);
    }
}

static void test_edited_chunks(void)
{
    for (int round = 0; round < 500; round++) {
        struct bytes base = some(1 + random_below(8000));
        struct bytes chunk = edited(base);
        if (chunk.length > 0) {
            check(base, chunk);
        }
        free(base.at);
        free(chunk.at);
    }
}

/* A replaced, an inserted, a removed and a moved piece cost little more than what is new. */
static void test_differences_are_short(void)
{
    struct bytes base = allocate(5000);
    for (size_t i = 0; i < base.length; i++) {
        base.at[i] = (uint8_t)next_random();
    }
    CHECK(check(base, base) < 10, "the chunk itself");
    struct bytes chunk = copy_of(base.at, base.length);
    chunk.at[2000] ^= 1;
    chunk.at[3000] ^= 1;
    CHECK(check(base, chunk) < 25, "two bytes replaced");
    memmove(chunk.at + 1000, chunk.at + 1100, 3900);
    chunk.length = 4900;
    CHECK(check(base, chunk) < 35, "100 bytes removed as well");
    memcpy(chunk.at, base.at + 2500, 2500);
    memcpy(chunk.at + 2500, base.at, 2400);
    CHECK(check(base, chunk) < 20, "the halves changed places");
    free(base.at);
    free(chunk.at);
}

/* Would take minutes if a run or a period were searched again and again. */
static void test_hostile_chunks(void)
{
    struct bytes base = allocate((size_t)1 << 21);
    struct bytes chunk = allocate((size_t)1 << 21);
    for (size_t period = 1; period < 40; period += 19) {
        for (size_t i = 0; i < base.length; i++) {
            base.at[i] = (uint8_t)(i % period);
            chunk.at[i] = (uint8_t)(i % 19 == 18 ? next_random() : i % period);
        }
        check(base, chunk);
        check(chunk, base);
    }
    free(base.at);
    free(chunk.at);
}

static void test_longest_chunks(void)
{
    struct bytes base = allocate((size_t)HDRF_DELTA_LIMIT + 1);
    for (size_t i = 0; i < base.length; i++) {
        base.at[i] = (uint8_t)(i >> i % 3 * 8);
    }
    base.length--;
    struct bytes chunk = copy_of(base.at, base.length);
    memmove(chunk.at + 9000100, chunk.at + 9000000, 7000000);
    struct bytes difference = encoded(base, chunk, 300);
    CHECK(difference.length > 0 && decodes(base, difference, chunk), "100 bytes inserted");
    free(difference.at);
    struct bytes longer = base;
    longer.length++;
    difference = encoded(base, longer, 300);
    CHECK(difference.length == 0, "too long a chunk");
    free(difference.at);
    difference = encoded(longer, base, 300);
    CHECK(difference.length == 0, "too long a base");
    free(difference.at);
    free(base.at);
    free(chunk.at);
}

static void change(struct bytes *bytes)
{
    size_t way = random_below(4);
    if (way == 0 && bytes->length > 1) {
        bytes->length = random_below(bytes->length);
    } else {
        for (size_t i = 0; i <= way && bytes->length > 0; i++) {
            size_t at = random_below(random_below(2) ? bytes->length : 1 + bytes->length / 8);
            bytes->at[at] = (uint8_t)(random_below(2) ? next_random() : 0xff);
        }
    }
}

/* Returns the length of the chunk that a difference makes; 0 if it says none. */
static size_t length_in(struct bytes difference)
{
    size_t length = 0;
    for (size_t i = 0; i < 4 && 1 + i < difference.length; i++) {
        length |= (size_t)(difference.at[1 + i] & 0x7f) << 7 * i;
        if (difference.at[1 + i] < 0x80) {
            return length;
        }
    }
    return 0;
}

/* Whatever the bytes are, nothing else is read or written, and the length is that asked for. */
static void test_damaged_differences(void)
{
    size_t accepted = 0;
    for (int round = 0; round < 5000; round++) {
        struct bytes base = some(random_below(600));
        struct bytes chunk = edited(base);
        struct bytes difference =
            base.length > 0 && chunk.length > 0 && round % 10 != 0
                ? encoded(base, chunk, chunk.length + 20)
                : some(random_below(40));
        if (round % 3 == 0 && base.length > 0) {
            base.length = random_below(base.length);
        }
        change(&difference);
        struct bytes exact = copy_of(difference.at, difference.length);
        struct bytes exact_base = copy_of(base.at, base.length);
        size_t length = length_in(exact);
        bool as_chunk = random_below(2) || length > HDRF_DELTA_LIMIT;
        struct bytes into = allocate(as_chunk ? chunk.length : length);
        bool made = hdrf_delta_decode(exact_base.at, exact_base.length, exact.at, exact.length,
                                      into.at, into.length);
        CHECK(!made || into.length == length, "%zu bytes in the place of %zu", into.length,
              length);
        accepted += made;
        free(base.at);
        free(chunk.at);
        free(difference.at);
        free(exact.at);
        free(exact_base.at);
        free(into.at);
    }
    CHECK(accepted > 0, "all were refused");
}

static void test_refusals(void)
{
    static const struct {
        const char *what;
        uint8_t bytes[12];
        size_t length;
    } refused[] = {
        {"nothing", {0}, 0},
        {"version 0", {0, 4, 4, 1, 2, 3, 4}, 7},
        {"version 2", {2, 4, 4, 1, 2, 3, 4}, 7},
        {"no length", {1}, 1},
        {"a length of 0", {1, 0}, 2},
        {"a length of five bytes", {1, 0x84, 0x80, 0x80, 0x80, 0, 4, 1, 2, 3, 4}, 11},
        {"no instruction", {1, 4}, 2},
        {"too many bytes inserted", {1, 4, 5, 1, 2, 3, 4, 5}, 8},
        {"inserted bytes are cut off", {1, 4, 4, 1, 2, 3}, 6},
        {"bytes behind the end", {1, 4, 4, 1, 2, 3, 4, 0}, 8},
        {"no copy", {1, 4, 1, 1}, 4},
        {"a copy of nothing", {1, 4, 1, 1, 0, 0, 3, 1, 1, 1}, 10},
        {"a copy without position", {1, 4, 0, 4}, 4},
        {"a copy of too much", {1, 4, 0, 5, 0}, 5},
        {"a copy from before the base", {1, 4, 0, 4, 1}, 5},
        {"a copy from behind the base", {1, 4, 0, 4, 10}, 5},
        {"a copy from far before", {1, 4, 0, 4, 0xff, 0xff, 0xff, 0x7f}, 8},
        {"a copy from far behind", {1, 4, 0, 4, 0xfe, 0xff, 0xff, 0x7f}, 8},
    };
    const uint8_t base[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    struct bytes exact_base = copy_of(base, sizeof base);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct bytes difference = copy_of(refused[i].bytes, refused[i].length);
        struct bytes into = allocate(4);
        CHECK(!hdrf_delta_decode(exact_base.at, exact_base.length, difference.at,
                                 difference.length, into.at, into.length),
              "%s", refused[i].what);
        free(difference.at);
        free(into.at);
    }
    free(exact_base.at);
}

static struct bytes hexadecimal(const char *text)
{
    size_t length = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
    struct bytes made = allocate(length);
    for (size_t i = 0; i < length; i++) {
        unsigned value;
        CHECK(sscanf(text + 2 * i, "%2x", &value) == 1, "%s", text);
        made.at[i] = (uint8_t)value;
    }
    return made;
}

static void test_vectors(const char *path)
{
    FILE *file = fopen(path, "r");
    CHECK(file != NULL, "no %s", path);
    static char line[4096];
    int lines = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        if (*line == '#') {
            continue;
        }
        static char texts[3][2048];
        CHECK(sscanf(line, "%2047s %2047s %2047s", texts[0], texts[1], texts[2]) == 3, "%s", line);
        struct bytes base = hexadecimal(texts[0]);
        struct bytes chunk = hexadecimal(texts[1]);
        struct bytes difference = hexadecimal(texts[2]);
        struct bytes made = encoded(base, chunk, 2048);
        CHECK(made.length == difference.length &&
                  memcmp(made.at, difference.at, made.length) == 0,
              "another difference: %s", line);
        CHECK(decodes(base, difference, chunk), "another chunk: %s", line);
        free(base.at);
        free(chunk.at);
        free(difference.at);
        free(made.at);
        lines++;
    }
    fclose(file);
    CHECK(lines == 10, "%d vectors", lines);
}

int main(int argc, char **argv)
{
    CHECK(argc == 2, "give the file of vectors");
    test_vectors(argv[1]);
    test_refusals();
    const char *seed = getenv("HDRF_TEST_SEED");
    random_state = seed != NULL ? strtoull(seed, NULL, 0) : (uint64_t)time(NULL);
    printf("HDRF_TEST_SEED=%" PRIu64 "\n", random_state);
    test_differences_are_short();
    test_any_chunk();
    test_edited_chunks();
    test_damaged_differences();
    test_hostile_chunks();
    test_longest_chunks();
    return 0;
}
