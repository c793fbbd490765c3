/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuckoo hashing as Cheetah has it: Y. Hua, Cheetah: An Efficient Flat Addressing Scheme for Fast
 * Query Services in Cloud Computing, INFOCOM 2016, sections II-B, III and IV-A. Two tables of one
 * slot for each bucket, two hashes. For comparison only.
 *
 * An item that is kicked out by the same item again during one insertion is in a loop (III-A): it
 * is labelled, and goes into the extra space. (An item must remember one for each table: what kicks
 * it out of the one is seldom what kicks it out of the other.) One that was kicked out by two different items is
 * shared by loops (III-B): it is labelled, too. Labelled items are moved into the extra space in
 * batches ("prefetched"), once there are so many (the event-driven scheme). Only labelled items are
 * deduplicated (IV-A).
 *
 * What the paper leaves open: the size of the extra space, here unlimited, as its size is what is
 * measured; and whether an item remembers who kicked it out from one insertion to the next. Here it
 * does, for labels, as otherwise hardly any would be found; loops are of one insertion. Where
 * an item is kicked out of one table by several in turns, its loop is not seen; such an insertion
 * ends after PAPER_MAX_KICKS, as if it had been.
 */
#ifndef HDRF_CUCKOO_PAPER_H
#define HDRF_CUCKOO_PAPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAPER_MAX_KICKS 1000

struct paper_item {
    /* A hash; not 0, which is a free slot. */
    uint64_t key;
    /* Who kicked it out of each table last, or 0, and in which insertion. */
    uint64_t kicker[2];
    uint64_t insertion[2];
    bool labelled;
};

struct paper_table {
    /* Slots of each of the two tables. */
    size_t length;
    struct paper_item *items[2];
    /* Labelled items are moved once there are so many; 0: never. */
    size_t batch;
    /* Items that were labelled in the tables, some of which may have gone; at most `batch`. */
    uint64_t *waiting;
    size_t waiting_count;
    uint64_t insertions;
    /* Items in the extra space: that ended a loop; that were prefetched. */
    size_t looped;
    size_t prefetched;
    /* Of the loops, those that were not seen. */
    size_t unseen;
    /* Items with a label, wherever they are. */
    size_t labelled;
    uint64_t kicks;
};

/* Makes an empty table; false if there is no memory. */
bool paper_open(struct paper_table *table, size_t length, size_t batch);

void paper_close(struct paper_table *table);

/* Inserts a key that is not there. */
void paper_insert(struct paper_table *table, uint64_t key);

/* Whether a key is in one of the tables, not in the extra space; and whether it is labelled there. */
bool paper_holds(const struct paper_table *table, uint64_t key, bool *labelled);

#endif
