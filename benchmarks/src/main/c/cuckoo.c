/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index in memory: see benchmarks/cuckoo --help. Rates are of one thread's CPU time, except with
 * several threads.
 */
#define _GNU_SOURCE
#include "cuckoo_paper.h"
#include "hdrf_cuckoo.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define BATCH 1024
#define LOOKUPS 8192
#define ABSENT (UINT64_C(1) << 40)

static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double cpu_seconds(void)
{
    return seconds(CLOCK_THREAD_CPUTIME_ID);
}

static void *map(size_t bytes)
{
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "cuckoo: no memory\n");
        exit(1);
    }
    /* As io.hdrf.jni.NativeWords does. */
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static struct hdrf_cuckoo make(uint32_t buckets_log2)
{
    struct hdrf_cuckoo table = {.buckets_log2 = buckets_log2,
                                .limit = hdrf_cuckoo_limit(buckets_log2)};
    table.slots = map((sizeof(uint64_t) * HDRF_CUCKOO_BUCKET) << buckets_log2);
    table.state = map(sizeof(uint64_t) * HDRF_CUCKOO_STATE);
    return table;
}

static void discard(struct hdrf_cuckoo *table)
{
    munmap(table->slots, (sizeof(uint64_t) * HDRF_CUCKOO_BUCKET) << table->buckets_log2);
    munmap(table->state, sizeof(uint64_t) * HDRF_CUCKOO_STATE);
}

/* Keys are numbers from 0 on; hashes are made before the time is taken. */
static double put(const struct hdrf_cuckoo *table, uint64_t from, uint64_t to, size_t *lost)
{
    double spent = 0;
    uint64_t hashes[BATCH];
    uint64_t values[BATCH];
    while (from < to) {
        size_t some = to - from < BATCH ? (size_t)(to - from) : BATCH;
        for (size_t i = 0; i < some; i++) {
            hashes[i] = mix(from + i);
            values[i] = from + i;
        }
        double began = cpu_seconds();
        *lost += hdrf_cuckoo_put(table, hashes, values, some);
        spent += cpu_seconds() - began;
        from += some;
    }
    return spent;
}

/* Looks up keys at random of `count` from `from` on; adds those that are right and wrong. */
static double find(const struct hdrf_cuckoo *table, uint64_t from, uint64_t count,
                   uint64_t *right, uint64_t *wrong)
{
    double spent = 0;
    static uint64_t round;
    uint64_t keys[BATCH];
    uint64_t hashes[BATCH];
    uint64_t values[BATCH];
    for (size_t batch = 0; batch < LOOKUPS; batch++) {
        for (size_t i = 0; i < BATCH; i++) {
            keys[i] = from + mix(~(round * BATCH + i)) % count;
            hashes[i] = mix(keys[i]);
        }
        round++;
        double began = cpu_seconds();
        hdrf_cuckoo_find(table, hashes, BATCH, values);
        spent += cpu_seconds() - began;
        for (size_t i = 0; i < BATCH; i++) {
            *right += values[i] == keys[i];
            *wrong += values[i] != keys[i] && values[i] != HDRF_CUCKOO_NONE;
        }
    }
    return spent;
}

static void print_loads(uint32_t buckets_log2)
{
    static const double loads[] = {0.5, 0.75, 0.9, 0.93, 0.95, 0.96, 0.97, 2, 4};
    struct hdrf_cuckoo table = make(buckets_log2);
    uint64_t slots = (uint64_t)HDRF_CUCKOO_BUCKET << buckets_log2;
    table.limit = slots * 97 / 100;
    printf("\n%" PRIu64 " slots; places are searched up to 97 %% of them\n\n"
           "| put, of the slots | slots in use | bytes an entry | put, M/s | found of these, %% |"
           " present, M/s | absent, M/s | wrong hints, per million absent | in the stash |"
           " lost, per million put |\n|---|---|---|---|---|---|---|---|---|---|\n",
           slots);
    uint64_t done = 0;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        uint64_t to = (uint64_t)(loads[i] * (double)slots);
        size_t lost = 0;
        double put_time = put(&table, done, to, &lost);
        uint64_t right = 0;
        uint64_t none = 0;
        uint64_t unused = 0;
        uint64_t wrong = 0;
        /* In a full table, of the latest half as many as there are slots. */
        uint64_t young = to <= slots ? to : slots / 2;
        double present = find(&table, to - young, young, &right, &unused);
        double absent = find(&table, ABSENT, ABSENT, &none, &wrong);
        double lookups = (double)LOOKUPS * BATCH;
        uint64_t count = hdrf_cuckoo_count(&table);
        printf("| %.2f | %.3f | %.2f | %.1f | %.3f | %.1f | %.1f | %.2f | %" PRIu64 " | %.1f |\n",
               loads[i], (double)count / (double)slots,
               8.0 * ((double)slots + HDRF_CUCKOO_STATE) / (double)count,
               (double)(to - done) / put_time / 1e6, 100 * (double)right / lookups,
               lookups / present / 1e6, lookups / absent / 1e6, 1e6 * (double)wrong / lookups,
               table.state[2], 1e6 * (double)lost / (double)(to - done));
        fflush(stdout);
        done = to;
    }
    discard(&table);
}

/* From the smallest table to the largest, as the memory for places grows: see RecentPlaces. */
static void print_growth(uint32_t most_log2)
{
    struct hdrf_cuckoo table = make(most_log2);
    table.buckets_log2 = 11;
    uint64_t put_since = 0;
    uint64_t done = 0;
    size_t lost = 0;
    double doubling = 0;
    uint64_t right = 0;
    uint64_t wrong = 0;
    while (table.buckets_log2 < most_log2) {
        table.limit = hdrf_cuckoo_limit(table.buckets_log2);
        uint64_t slots = (uint64_t)HDRF_CUCKOO_BUCKET << table.buckets_log2;
        if (hdrf_cuckoo_count(&table) + BATCH > table.limit && put_since >= slots / 2) {
            double began = cpu_seconds();
            hdrf_cuckoo_double(&table);
            doubling = cpu_seconds() - began;
            table.buckets_log2++;
            put_since = 0;
        } else {
            put(&table, done, done + BATCH, &lost);
            done += BATCH;
            put_since += BATCH;
        }
    }
    double lookups = (double)LOOKUPS * BATCH;
    find(&table, 0, done, &right, &wrong);
    printf("\nGrown from 64 KiB to %" PRIu64 " MiB while %" PRIu64 " keys were put: %.1f %% of these"
           " are found; the last doubling took %.1f ms\n",
           (uint64_t)32 >> (20 - most_log2 < 20 ? 20 - most_log2 : 0), done,
           100 * (double)right / lookups, 1e3 * doubling);
    double began = cpu_seconds();
    hdrf_cuckoo_halve(&table);
    table.buckets_log2--;
    double halving = cpu_seconds() - began;
    right = 0;
    uint64_t young = done / 4;
    find(&table, done - young, young, &right, &wrong);
    printf("Halved in %.1f ms: of the latest quarter of the keys %.1f %% are found\n", 1e3 * halving,
           100 * (double)right / lookups);
    table.buckets_log2 = most_log2;
    discard(&table);
}

struct job {
    const struct hdrf_cuckoo *table;
    pthread_mutex_t *lock;
    uint64_t seed;
    uint64_t keys;
    double rate;
};

/* Batches as a DataNode's threads look them up, without the work between. */
static void *look_up(void *argument)
{
    struct job *job = argument;
    uint64_t hashes[BATCH];
    uint64_t values[BATCH];
    double spent = 0;
    for (size_t batch = 0; batch < LOOKUPS; batch++) {
        for (size_t i = 0; i < BATCH; i++) {
            hashes[i] = mix(mix(job->seed + batch * BATCH + i) % job->keys);
        }
        double began = seconds(CLOCK_MONOTONIC);
        if (job->lock != NULL) {
            pthread_mutex_lock(job->lock);
        }
        hdrf_cuckoo_find(job->table, hashes, BATCH, values);
        if (job->lock != NULL) {
            pthread_mutex_unlock(job->lock);
        }
        spent += seconds(CLOCK_MONOTONIC) - began;
    }
    job->rate = (double)LOOKUPS * BATCH / spent / 1e6;
    return NULL;
}

static void print_threads(uint32_t buckets_log2)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct hdrf_cuckoo tables[2] = {make(buckets_log2), make(buckets_log2)};
    size_t lost = 0;
    put(&tables[0], 0, tables[0].limit, &lost);
    put(&tables[1], 0, tables[1].limit, &lost);
    printf("\nA table of %d MiB in threads, look-ups a second of the time from the wish for a batch"
           " of %d to its end\n\n| threads | lock | M/s, each thread |\n|---|---|---|\n",
           32 << buckets_log2 >> 20, BATCH);
    static const struct {
        int threads;
        bool locked;
    } cases[] = {{1, false}, {1, true}, {2, false}, {2, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pthread_t threads[2];
        struct job jobs[2];
        for (int t = 0; t < cases[i].threads; t++) {
            /* Without a lock each has its own, which no way of sharing one can surpass. */
            jobs[t] = (struct job){.table = &tables[cases[i].locked ? 0 : t],
                                   .lock = cases[i].locked ? &lock : NULL,
                                   .seed = mix((uint64_t)t),
                                   .keys = tables[0].limit};
            if (pthread_create(&threads[t], NULL, look_up, &jobs[t]) != 0) {
                exit(1);
            }
        }
        double rate = 0;
        for (int t = 0; t < cases[i].threads; t++) {
            pthread_join(threads[t], NULL);
            rate += jobs[t].rate / cases[i].threads;
        }
        printf("| %d | %s | %.1f |\n", cases[i].threads,
               cases[i].locked ? "one for all" : "none, a table each", rate);
    }
    discard(&tables[0]);
    discard(&tables[1]);
}

static void print_paper(size_t length, size_t batch)
{
    static const int percents[] = {30, 40, 45, 50, 55, 60, 70, 80, 90};
    printf("\nTwo tables of one slot, %zu slots in all; labelled items are moved %s\n\n"
           "| put, of the slots | M/s | kicks for each | ended a loop, %% | loops not seen, %% |"
           " prefetched, %% | with a label, %% |\n|---|---|---|---|---|---|---|\n",
           2 * length, batch == 0 ? "never" : "in batches of 1024");
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        struct paper_table table;
        size_t count = 2 * length / 100 * (size_t)percents[i];
        if (!paper_open(&table, length, batch)) {
            exit(1);
        }
        double began = cpu_seconds();
        for (size_t key = 0; key < count; key++) {
            paper_insert(&table, mix(key) | 1);
        }
        double spent = cpu_seconds() - began;
        double percent = 100 / (double)count;
        printf("| 0.%02d | %.2f | %.2f | %.4f | %.4f | %.4f | %.3f |\n", percents[i],
               (double)count / spent / 1e6, (double)table.kicks / (double)count,
               percent * (double)table.looped, percent * (double)table.unseen,
               percent * (double)table.prefetched, percent * (double)table.labelled);
        fflush(stdout);
        paper_close(&table);
    }
}

int main(int count, char **arguments)
{
    bool paper = count < 2 || strcmp(arguments[1], "--index") != 0;
    bool index = count < 2 || strcmp(arguments[1], "--paper") != 0;
    if (count > 2 || (count == 2 && paper && index)) {
        fprintf(stderr, "cuckoo: see benchmarks/cuckoo --help\n");
        return 2;
    }
    if (index) {
        print_loads(18);
        print_loads(22);
        print_growth(20);
        print_threads(20);
    }
    if (paper) {
        print_paper(500000, 0);
        print_paper(500000, BATCH);
    }
    return 0;
}
