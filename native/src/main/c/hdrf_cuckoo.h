/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of bounded memory that gives hints: the value that was put last for a key, or,
 * seldom, an earlier one or that of another key, or none. Keys are not stored, only a tag of theirs;
 * so whoever asks must be able to tell that a value is not the wanted one.
 *
 * A slot has 8 bytes: a value of 40 bits, a tag of 22 and an age of 2. Four slots are a bucket, and
 * a key has two buckets, of which the second follows from the first and the tag, and the other way
 * round, so that an entry can be moved without its key ("partial-key cuckoo hashing": B. Fan,
 * D. Andersen, M. Kaminsky, M. Mitzenmacher: Cuckoo Filter, CoNEXT 2014, section 4.2). Where both
 * are full, the shortest chain of moves that ends at a free slot is searched breadth first
 * (X. Li, D. Andersen, M. Kaminsky, M. Freedman: Algorithmic Improvements for Fast Concurrent
 * Cuckoo Hashing, EuroSys 2014, section 4.3). If there is none, the entry goes into a stash of a
 * few (A. Kirsch, M. Mitzenmacher, U. Wieder: More Robust Hashing: Cuckoo Hashing with a Stash,
 * ESA 2008); once that is full, the oldest entry that is in its way is lost. Nothing is ever
 * rehashed, and no call takes longer than a bounded number of steps for each key.
 *
 * An absent key gets a value all the same with a probability of at most
 * (8 + HDRF_CUCKOO_STASH * 2 / buckets) / (2^22 - 1), 2 in a million.
 */
#ifndef HDRF_CUCKOO_H
#define HDRF_CUCKOO_H

#include <stddef.h>
#include <stdint.h>

/* Slots of a bucket. */
#define HDRF_CUCKOO_BUCKET 4

/* log2 of the number of buckets: from 32 bytes to 1 GiB. */
#define HDRF_CUCKOO_MAX_BUCKETS_LOG2 25

/* Entries of the stash. */
#define HDRF_CUCKOO_STASH 8

/* Words of the state of a table beside its slots. */
#define HDRF_CUCKOO_STATE 24

/* No value. */
#define HDRF_CUCKOO_NONE UINT64_MAX

/* The greatest value. */
#define HDRF_CUCKOO_MAX_VALUE ((UINT64_C(1) << 40) - 1)

/*
 * The caller's memory: all words of a new table are 0, and nobody else changes them. (If somebody
 * does, answers are arbitrary, but nothing outside of them is accessed.) One thread at a time.
 */
struct hdrf_cuckoo {
    /*
     * HDRF_CUCKOO_BUCKET << buckets_log2 words. At a multiple of 32 bytes no bucket lies in two
     * cache lines; less alignment is slower, and allowed.
     */
    uint64_t *slots;
    /* HDRF_CUCKOO_STATE words. */
    uint64_t *state;
    /* 0 to HDRF_CUCKOO_MAX_BUCKETS_LOG2. */
    uint32_t buckets_log2;
    /*
     * The number of entries from which on no place is searched for a new one: it takes a free slot
     * of its own buckets or that of the oldest entry there. Above that of hdrf_cuckoo_limit()
     * searches take long, and some are in vain.
     */
    uint64_t limit;
};

/*
 * Looks keys up: values[i] is what was put last for hashes[i], or HDRF_CUCKOO_NONE. Those that are
 * found count as used.
 *
 * A hash is a key's; it must be evenly spread in all its bits, and unknown to those who choose the
 * keys. `values` may be the same array as `hashes`.
 */
void hdrf_cuckoo_find(const struct hdrf_cuckoo *table, const uint64_t *hashes, size_t count,
                      uint64_t *values);

/*
 * Puts values, in the order of the arrays; each is at most HDRF_CUCKOO_MAX_VALUE, of a greater one
 * the lower 40 bits are taken. Returns how many entries were lost for that: of other keys, and now
 * and then of one of these.
 */
size_t hdrf_cuckoo_put(const struct hdrf_cuckoo *table, const uint64_t *hashes,
                       const uint64_t *values, size_t count);

/*
 * Moves all entries into the first half of the buckets, of which the table then consists: the
 * caller's buckets_log2, which is not 0, is one less from now on. Of what has no room there, the
 * oldest is lost. Of an entry and the copy that hdrf_cuckoo_double() made of it, which
 * may have an earlier value, the younger stays; both do if they are in different buckets by now, or
 * one is in the stash. Returns how many entries were lost, copies included.
 */
size_t hdrf_cuckoo_halve(const struct hdrf_cuckoo *table);

/*
 * Makes a table of twice the buckets: the caller's memory has that many words already, and its
 * buckets_log2, which is less than HDRF_CUCKOO_MAX_BUCKETS_LOG2, is one more from now on. Which of
 * the two buckets that come from one an entry would be in, only its key could tell: it is copied
 * into both, and the copy that is never found is one of the first to go. So the table is as full as
 * before, and new entries cost old ones. Entries of the stash are lost.
 */
void hdrf_cuckoo_double(const struct hdrf_cuckoo *table);

/* Returns the number of entries. */
uint64_t hdrf_cuckoo_count(const struct hdrf_cuckoo *table);

/* Returns the usual limit: 19 of 20 slots. */
static inline uint64_t hdrf_cuckoo_limit(uint32_t buckets_log2)
{
    uint64_t slots = (uint64_t)HDRF_CUCKOO_BUCKET << buckets_log2;
    return slots - slots / 20;
}

#endif
