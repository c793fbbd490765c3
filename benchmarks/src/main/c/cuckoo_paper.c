/* SPDX-License-Identifier: Apache-2.0 */
#include "cuckoo_paper.h"

#include <stdlib.h>

static struct paper_item *slot(const struct paper_table *table, int side, uint64_t key)
{
    uint64_t hash = side == 0 ? key : key * UINT64_C(0x9e3779b97f4a7c15);
    return table->items[side] + ((hash >> 32) * table->length >> 32);
}

bool paper_open(struct paper_table *table, size_t length, size_t batch)
{
    *table = (struct paper_table){.length = length, .batch = batch};
    table->items[0] = calloc(length, sizeof **table->items);
    table->items[1] = calloc(length, sizeof **table->items);
    table->waiting = calloc(batch + 1, sizeof *table->waiting);
    if (table->items[0] != NULL && table->items[1] != NULL && table->waiting != NULL) {
        return true;
    }
    paper_close(table);
    return false;
}

void paper_close(struct paper_table *table)
{
    free(table->items[0]);
    free(table->items[1]);
    free(table->waiting);
}

static struct paper_item *find(const struct paper_table *table, uint64_t key)
{
    for (int side = 0; side < 2; side++) {
        struct paper_item *found = slot(table, side, key);
        if (found->key == key) {
            return found;
        }
    }
    return NULL;
}

static void prefetch(struct paper_table *table)
{
    for (size_t i = 0; i < table->waiting_count; i++) {
        struct paper_item *found = find(table, table->waiting[i]);
        if (found != NULL) {
            *found = (struct paper_item){.key = 0};
            table->prefetched++;
        }
    }
    table->waiting_count = 0;
}

static void label(struct paper_table *table, struct paper_item *item)
{
    if (item->labelled) {
        return;
    }
    item->labelled = true;
    table->labelled++;
    if (table->batch > 0) {
        table->waiting[table->waiting_count++] = item->key;
    }
}

/* Whether an item that `by` kicks out is in a loop; it remembers that. */
static bool is_loop(struct paper_table *table, struct paper_item *kicked, int side, uint64_t by)
{
    uint64_t last = kicked->kicker[side];
    uint64_t other = kicked->kicker[1 - side];
    if (last == by && kicked->insertion[side] == table->insertions) {
        return true;
    }
    if ((last != 0 && last != by) || (other != 0 && other != by)) {
        label(table, kicked);
    }
    kicked->kicker[side] = by;
    kicked->insertion[side] = table->insertions;
    return false;
}

void paper_insert(struct paper_table *table, uint64_t key)
{
    struct paper_item hand = {.key = key};
    table->insertions++;
    for (int kicks = 0;; kicks++) {
        int side = kicks % 2;
        struct paper_item *place = slot(table, side, hand.key);
        struct paper_item kicked = *place;
        *place = hand;
        if (kicked.key == 0) {
            break;
        }
        table->kicks++;
        bool seen = is_loop(table, &kicked, side, hand.key);
        if (seen || kicks == PAPER_MAX_KICKS) {
            label(table, &kicked);
            table->looped++;
            table->unseen += !seen;
            break;
        }
        hand = kicked;
        if (table->batch > 0 && table->waiting_count == table->batch) {
            prefetch(table);
        }
    }
}

bool paper_holds(const struct paper_table *table, uint64_t key, bool *labelled)
{
    struct paper_item *found = find(table, key);
    *labelled = found != NULL && found->labelled;
    return found != NULL;
}
