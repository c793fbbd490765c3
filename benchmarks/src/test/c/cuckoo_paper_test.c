/* SPDX-License-Identifier: Apache-2.0 */
/* No item is lost or there twice, whatever is kicked out; every insertion ends. */
#include "cuckoo_paper.h"
#include "hdrf_random.h"
#include "hdrf_test.h"

#include <inttypes.h>
#include <time.h>

#define LENGTH 2000

static void test(size_t batch, size_t percent)
{
    static uint64_t keys[2 * LENGTH];
    size_t count = (size_t)2 * LENGTH * percent / 100;
    struct paper_table table;
    CHECK(paper_open(&table, LENGTH, batch), "no memory");
    for (size_t i = 0; i < count; i++) {
        keys[i] = next_random() | 1;
        paper_insert(&table, keys[i]);
    }
    size_t held = 0;
    size_t labelled = 0;
    for (size_t i = 0; i < count; i++) {
        bool label;
        held += paper_holds(&table, keys[i], &label);
        labelled += label;
    }
    CHECK(held + table.looped + table.prefetched == count, "%zu held, %zu and %zu moved, of %zu",
          held, table.looped, table.prefetched, count);
    CHECK(labelled <= table.labelled, "%zu labels, %zu counted", labelled, table.labelled);
    CHECK(batch > 0 || table.prefetched == 0, "prefetched");
    if (percent <= 30) {
        CHECK(table.looped < 10, "%zu loops", table.looped);
    }
    if (percent >= 90) {
        CHECK(held < count, "all found room");
        CHECK(table.labelled > 0, "no label");
    }
    paper_close(&table);
}

int main(void)
{
    const char *seed = getenv("HDRF_TEST_SEED");
    random_state = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %" PRIu64 "\n", random_state);
    for (size_t percent = 10; percent <= 100; percent += 10) {
        for (int round = 0; round < 20; round++) {
            test(0, percent);
            test(1, percent);
            test(64, percent);
        }
    }
    return 0;
}
