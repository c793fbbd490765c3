/* SPDX-License-Identifier: Apache-2.0 */
/* io.hdrf.jni.CuckooTwin does the same, step by step; a test compares all words. */
#include "hdrf_cuckoo.h"

#include <stdbool.h>
#include <string.h>

/*
 * A slot: the value, then the age, 3 for what was put or found just now, 0 for what is old; then the
 * tag, which is never 0; a free one is 0.
 */
#define VALUE_SHIFT 24
#define AGE_SHIFT 22
#define TAG_MASK ((UINT64_C(1) << AGE_SHIFT) - 1)
#define AGE_MASK (UINT64_C(3) << AGE_SHIFT)
#define AGE_STEP (UINT64_C(1) << AGE_SHIFT)

/* Odd numbers with irregular bits: of the golden ratio, and from SplitMix64. */
#define TAG_FACTOR UINT64_C(0x9e3779b97f4a7c15)
#define OTHER_FACTOR UINT64_C(0xbf58476d1ce4e5b9)

/* Keys whose buckets are fetched while those of others are read. */
#define AHEAD 64

/* Buckets among which a free slot is searched: chains of up to five moves. */
#define MAX_NODES 512

/* Words of the state. The bucket of a stashed entry is one of its two. */
enum { COUNT, HAND, STASHED, STASH = 8, STASH_BUCKETS = STASH + HDRF_CUCKOO_STASH };

struct place {
    uint64_t tag;
    size_t first;
    size_t second;
};

struct node {
    uint32_t bucket;
    /* The node from whose slot an entry would move here. */
    uint16_t parent;
    uint16_t slot;
};

static size_t other_bucket(const struct hdrf_cuckoo *table, size_t bucket, uint64_t tag)
{
    /* Two shifts, as there may be no bits at all. */
    return bucket ^ (size_t)(tag * OTHER_FACTOR >> 1 >> (63 - table->buckets_log2));
}

static struct place place_of(const struct hdrf_cuckoo *table, uint64_t hash)
{
    uint64_t tag = hash * TAG_FACTOR >> (64 - AGE_SHIFT);
    tag += tag == 0;
    size_t first = (size_t)(hash >> 1 >> (63 - table->buckets_log2));
    return (struct place){.tag = tag, .first = first, .second = other_bucket(table, first, tag)};
}

static uint64_t *bucket_at(const struct hdrf_cuckoo *table, size_t bucket)
{
    return table->slots + HDRF_CUCKOO_BUCKET * bucket;
}

static void fetch(const struct hdrf_cuckoo *table, const struct place *place)
{
    __builtin_prefetch(bucket_at(table, place->first), 1);
    __builtin_prefetch(bucket_at(table, place->second), 1);
}

/*
 * The slots of a bucket that have a tag, as bits; the free ones for the tag 0. Without branches,
 * which could not be predicted.
 */
static unsigned matches(const uint64_t *bucket, uint64_t tag)
{
    unsigned bits = 0;
    for (unsigned i = 0; i < HDRF_CUCKOO_BUCKET; i++) {
        bits |= (unsigned)(((bucket[i] ^ tag) & TAG_MASK) == 0) << i;
    }
    return bits;
}

/* The first slot of two buckets that has a tag, or NULL. */
static uint64_t *find_in(const struct hdrf_cuckoo *table, const struct place *place, uint64_t tag)
{
    uint64_t *first = bucket_at(table, place->first);
    uint64_t *second = bucket_at(table, place->second);
    unsigned bits = matches(first, tag) | matches(second, tag) << HDRF_CUCKOO_BUCKET;
    if (bits == 0) {
        return NULL;
    }
    unsigned slot = (unsigned)__builtin_ctz(bits);
    return (slot < HDRF_CUCKOO_BUCKET ? first : second) + slot % HDRF_CUCKOO_BUCKET;
}

static size_t stashed(const struct hdrf_cuckoo *table)
{
    uint64_t count = table->state[STASHED];
    return count < HDRF_CUCKOO_STASH ? (size_t)count : HDRF_CUCKOO_STASH;
}

static uint64_t *find_in_stash(const struct hdrf_cuckoo *table, const struct place *place)
{
    size_t count = stashed(table);
    for (size_t i = 0; i < count; i++) {
        uint64_t bucket = table->state[STASH_BUCKETS + i];
        if ((table->state[STASH + i] & TAG_MASK) == place->tag &&
            (bucket == place->first || bucket == place->second)) {
            return table->state + STASH + i;
        }
    }
    return NULL;
}

static uint64_t *find_entry(const struct hdrf_cuckoo *table, const struct place *place)
{
    uint64_t *found = find_in(table, place, place->tag);
    return found != NULL ? found : find_in_stash(table, place);
}

static uint64_t find_value(const struct hdrf_cuckoo *table, const struct place *place)
{
    uint64_t *found = find_entry(table, place);
    if (found == NULL) {
        return HDRF_CUCKOO_NONE;
    }
    uint64_t entry = *found;
    if ((entry & AGE_MASK) != AGE_MASK) {
        *found = entry | AGE_MASK;
    }
    return entry >> VALUE_SHIFT;
}

void hdrf_cuckoo_find(const struct hdrf_cuckoo *table, const uint64_t *hashes, size_t count,
                      uint64_t *values)
{
    struct place places[AHEAD];
    for (size_t done = 0; done < count; done += AHEAD) {
        size_t some = count - done < AHEAD ? count - done : AHEAD;
        for (size_t i = 0; i < some; i++) {
            places[i] = place_of(table, hashes[done + i]);
            fetch(table, &places[i]);
        }
        for (size_t i = 0; i < some; i++) {
            values[done + i] = find_value(table, &places[i]);
        }
    }
}

/*
 * Moves entries so that there is a free slot in one of the two buckets, both of which are full.
 * Returns it, or NULL. No slot can be twice in a chain: the shorter chain without what lies between
 * would have been found before.
 */
static uint64_t *make_room(const struct hdrf_cuckoo *table, const struct place *place)
{
    struct node nodes[MAX_NODES];
    nodes[0] = (struct node){.bucket = (uint32_t)place->first};
    nodes[1] = (struct node){.bucket = (uint32_t)place->second};
    size_t count = 2;
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        uint64_t *bucket = bucket_at(table, nodes[at].bucket);
        unsigned unused = matches(bucket, 0);
        if (unused != 0) {
            uint64_t *free_slot = bucket + __builtin_ctz(unused);
            while (at > 1) {
                uint64_t *from = bucket_at(table, nodes[nodes[at].parent].bucket) + nodes[at].slot;
                *free_slot = *from;
                free_slot = from;
                at = nodes[at].parent;
            }
            return free_slot;
        }
        for (size_t slot = 0; slot < HDRF_CUCKOO_BUCKET && count < MAX_NODES; slot++) {
            size_t next = other_bucket(table, nodes[at].bucket, bucket[slot] & TAG_MASK);
            __builtin_prefetch(bucket_at(table, next), 1);
            nodes[count++] = (struct node){
                .bucket = (uint32_t)next, .parent = (uint16_t)at, .slot = (uint16_t)slot};
        }
    }
    return NULL;
}

/* The slots in which a key's entry may be: those of its two buckets, and then the whole stash. */
static uint64_t *candidate(const struct hdrf_cuckoo *table, const struct place *place, size_t i)
{
    if (i < HDRF_CUCKOO_BUCKET) {
        return bucket_at(table, place->first) + i;
    }
    if (i < STASH) {
        return bucket_at(table, place->second) + (i - HDRF_CUCKOO_BUCKET);
    }
    return table->state + i;
}

/* The first of the oldest entries among a key's candidates, none of which is free. */
static size_t oldest(const struct hdrf_cuckoo *table, const struct place *place)
{
    size_t end = STASH + stashed(table);
    size_t found = 0;
    uint64_t least = *candidate(table, place, 0) & AGE_MASK;
    for (size_t i = 1; i < end && least > 0; i++) {
        uint64_t age = *candidate(table, place, i) & AGE_MASK;
        if (age < least) {
            least = age;
            found = i;
        }
    }
    return found;
}

static void grow_older(uint64_t *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((entries[i] & AGE_MASK) != 0) {
            entries[i] -= AGE_STEP;
        }
    }
}

/* With every new entry one bucket grows older: all do four times while a table is filled. */
static void turn_clock(const struct hdrf_cuckoo *table)
{
    uint64_t *state = table->state;
    size_t mask = ((size_t)1 << table->buckets_log2) - 1;
    size_t hand = (size_t)state[HAND] & mask;
    grow_older(bucket_at(table, hand), HDRF_CUCKOO_BUCKET);
    hand = (hand + 1) & mask;
    state[HAND] = hand;
    if (hand == 0) {
        grow_older(state + STASH, stashed(table));
    }
}

static uint64_t *find_free(const struct hdrf_cuckoo *table, const struct place *place)
{
    uint64_t *slot = find_in(table, place, 0);
    if (slot == NULL && table->state[COUNT] < table->limit) {
        slot = make_room(table, place);
    }
    return slot;
}

static void put_in_stash(const struct hdrf_cuckoo *table, const struct place *place, size_t i,
                         uint64_t entry)
{
    table->state[STASH + i] = entry;
    table->state[STASH_BUCKETS + i] = place->first;
}

/* Returns whether an entry was lost. */
static bool put_value(const struct hdrf_cuckoo *table, const struct place *place, uint64_t value)
{
    uint64_t entry = value << VALUE_SHIFT | AGE_MASK | place->tag;
    uint64_t *found = find_entry(table, place);
    if (found != NULL) {
        *found = entry;
        return false;
    }
    uint64_t *slot = find_free(table, place);
    size_t in_stash = stashed(table);
    bool lost = slot == NULL && in_stash == HDRF_CUCKOO_STASH;
    if (slot != NULL) {
        *slot = entry;
    } else if (!lost) {
        put_in_stash(table, place, in_stash, entry);
        table->state[STASHED] = in_stash + 1;
    } else {
        size_t victim = oldest(table, place);
        if (victim < STASH) {
            *candidate(table, place, victim) = entry;
        } else {
            put_in_stash(table, place, victim - STASH, entry);
        }
    }
    table->state[COUNT] += !lost;
    turn_clock(table);
    return lost;
}

size_t hdrf_cuckoo_put(const struct hdrf_cuckoo *table, const uint64_t *hashes,
                       const uint64_t *values, size_t count)
{
    struct place places[AHEAD];
    size_t lost = 0;
    for (size_t done = 0; done < count; done += AHEAD) {
        size_t some = count - done < AHEAD ? count - done : AHEAD;
        for (size_t i = 0; i < some; i++) {
            places[i] = place_of(table, hashes[done + i]);
            fetch(table, &places[i]);
        }
        for (size_t i = 0; i < some; i++) {
            lost += put_value(table, &places[i], values[done + i]);
        }
    }
    return lost;
}

/* Whether one of the entries that were taken has a tag. */
static bool is_taken(const uint64_t *entries, size_t count, uint64_t taken, uint64_t entry)
{
    for (size_t i = 0; i < count; i++) {
        if ((taken >> i & 1) != 0 && ((entries[i] ^ entry) & TAG_MASK) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Keeps the youngest of `count` entries, the first of equals, in their order, and frees the rest.
 * Of those with one tag, as an entry and its copy of when the table got larger, only the youngest:
 * in one bucket none of the others can be wanted, and one that comes first would be found instead.
 */
static size_t keep_youngest(const uint64_t *entries, size_t count, uint64_t *bucket)
{
    size_t kept = 0;
    uint64_t taken = 0;
    for (uint64_t age = AGE_MASK;; age -= AGE_STEP) {
        for (size_t i = 0; i < count && kept < HDRF_CUCKOO_BUCKET; i++) {
            if (entries[i] != 0 && (entries[i] & AGE_MASK) == age &&
                !is_taken(entries, count, taken, entries[i])) {
                taken |= UINT64_C(1) << i;
                kept++;
            }
        }
        if (age == 0) {
            break;
        }
    }
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        if (taken >> i & 1) {
            bucket[at++] = entries[i];
        }
    }
    while (at < HDRF_CUCKOO_BUCKET) {
        bucket[at++] = 0;
    }
    return kept;
}

/* Bucket numbers are upper bits of hashes: neighbours become one bucket, in the same order. */
size_t hdrf_cuckoo_halve(const struct hdrf_cuckoo *table)
{
    uint64_t *state = table->state;
    size_t half = (size_t)1 << (table->buckets_log2 - 1);
    uint64_t kept = 0;
    for (size_t i = 0; i < half; i++) {
        uint64_t both[2 * HDRF_CUCKOO_BUCKET];
        memcpy(both, bucket_at(table, 2 * i), sizeof both);
        kept += keep_youngest(both, 2 * HDRF_CUCKOO_BUCKET, bucket_at(table, i));
    }
    size_t in_stash = stashed(table);
    for (size_t i = 0; i < in_stash; i++) {
        state[STASH_BUCKETS + i] >>= 1;
    }
    kept += in_stash;
    uint64_t before = state[COUNT];
    state[HAND] = (state[HAND] & (2 * half - 1)) >> 1;
    state[COUNT] = kept;
    return before > kept ? (size_t)(before - kept) : 0;
}

/* From the last bucket on, as the copies lie behind what is still to be copied. */
void hdrf_cuckoo_double(const struct hdrf_cuckoo *table)
{
    uint64_t *state = table->state;
    size_t before = (size_t)1 << table->buckets_log2;
    for (size_t i = before; i-- > 0;) {
        uint64_t bucket[HDRF_CUCKOO_BUCKET];
        memcpy(bucket, bucket_at(table, i), sizeof bucket);
        memcpy(bucket_at(table, 2 * i), bucket, sizeof bucket);
        memcpy(bucket_at(table, 2 * i + 1), bucket, sizeof bucket);
    }
    state[COUNT] = 2 * (state[COUNT] - stashed(table));
    state[HAND] = 2 * (state[HAND] & (before - 1));
    state[STASHED] = 0;
}

uint64_t hdrf_cuckoo_count(const struct hdrf_cuckoo *table)
{
    return table->state[COUNT];
}
