/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dumps of a table of orders as a database writes them, a row a line in the order of their places:
 * what repeats are runs of some dozen rows, of which one differs by some of its columns.
 *
 * - Between two dumps 1 % of the rows are changed, in amount, state and time; half of these move to
 *   the place of a row that was deleted before, as they do where a database keeps the old row until
 *   nobody needs it.
 * - 0.5 % are deleted, and 2 % added at the end.
 */
#include "chunker_data.h"

#include <inttypes.h>
#include <stdlib.h>

#define DUMPS 6
#define OF 1000
#define DELETED 5
#define CHANGED 10
#define ADDED 20
#define MAX_LINE 512
/* Between two orders, in seconds, at most. */
#define PAUSE 60

static const char *const names[] = {"Anna",  "Bela", "Chen",  "Dana",  "Emre",  "Fatou",
                                    "Gina",  "Hugo", "Ines",  "Jonas", "Kofi",  "Lena",
                                    "Mateo", "Nour", "Olga",  "Priya", "Quinn", "Rosa",
                                    "Sven",  "Tala", "Ulf",   "Vera",  "Wen",   "Yara"};
#define NAMES (sizeof names / sizeof names[0])
static const char *const words[] = {
    "paper",  "blue",   "box",    "of",     "screws", "with",  "lamp",   "large",  "wooden",
    "chair",  "for",    "two",    "glass",  "bottle", "green", "cable",  "spare",  "part",
    "left",   "door",   "handle", "steel",  "brush",  "and",   "bucket", "garden", "hose",
    "repair", "please", "call",   "before", "noon"};
#define WORDS (sizeof words / sizeof words[0])
static const char *const states[] = {"ordered", "paid", "packed", "sent", "returned"};
#define STATES (sizeof states / sizeof states[0])

/* A free place has no id. */
struct row {
    uint64_t id;
    uint32_t version;
};

static void put_row(struct output *output, uint64_t seed, struct row row)
{
    struct generator fixed = {seed ^ row.id << 20};
    struct generator changing = {next_number(&fixed) + row.version};
    uint64_t time = row.id * PAUSE + next_below(&fixed, PAUSE);
    uint32_t customer = next_below(&fixed, 40000);
    struct generator of_customer = {seed + customer};
    const char *name = names[next_below(&of_customer, NAMES)];
    uint32_t street = next_below(&of_customer, 900);
    uint32_t amount = next_below(&changing, 1000000);
    const char *state = states[next_below(&changing, STATES)];
    uint8_t text[MAX_LINE];
    size_t length = format(text, sizeof text,
                           "%" PRIu64 "\t%" PRIu32 "\t%s\t%" PRIu32 "\t%" PRIu32 ".%02" PRIu32
                           "\t%s\t%" PRIu64 "\t%" PRIu64 "\t",
                           row.id, customer, name, street, amount / 100, amount % 100, state,
                           time, time + row.version * 86400 + next_below(&changing, 86400));
    for (uint32_t left = 4 + next_below(&fixed, 12); left > 0; left--) {
        length += format(text + length, sizeof text - length, "%s%s",
                         words[next_below(&fixed, WORDS)], left > 1 ? " " : "\n");
    }
    put(output, text, length);
}

static void change(struct generator *generator, struct row *rows, size_t count)
{
    size_t *free_places = allocate(count * sizeof *free_places);
    size_t found = 0;
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t chance = next_below(generator, OF);
        if (rows[i].id != 0 && chance < DELETED) {
            rows[i].id = 0;
        } else if (rows[i].id != 0 && chance < DELETED + CHANGED) {
            rows[i].version++;
            if (taken < found && chance % 2 == 0) {
                rows[free_places[taken++]] = rows[i];
                rows[i].id = 0;
            }
        }
        if (rows[i].id == 0) {
            free_places[found++] = i;
        }
    }
    free(free_places);
}

void write_dumps(uint64_t seed, uint64_t bytes)
{
    struct generator generator = {seed};
    struct output output;
    /* A row has some 100 bytes. */
    size_t capacity = (size_t)(bytes / DUMPS / 40) + 1;
    struct row *rows = allocate(capacity * sizeof *rows);
    size_t count = 0;
    begin_file(&output, "tsv", 1);
    while (output.written < bytes / DUMPS && count < capacity) {
        rows[count] = (struct row){count + 1, 0};
        put_row(&output, seed, rows[count++]);
    }
    end_file(&output);
    uint64_t next = count + 1;
    for (int dump = 2; dump <= DUMPS; dump++) {
        change(&generator, rows, count);
        for (size_t left = count * ADDED / OF; left > 0 && count < capacity; left--) {
            rows[count++] = (struct row){next++, 0};
        }
        begin_file(&output, "tsv", dump);
        for (size_t i = 0; i < count; i++) {
            if (rows[i].id != 0) {
                put_row(&output, seed, rows[i]);
            }
        }
        end_file(&output);
    }
    free(rows);
}
