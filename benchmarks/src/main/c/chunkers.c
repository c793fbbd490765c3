/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Throughput and savings of every chunker on the bytes of files: see benchmarks/chunkers --help.
 *
 * All files are one data set, but each file is a stream of its own. Everything is in memory, in
 * one thread; times are the thread's CPU time. Duplicates are found by a hash of 128 bits that
 * is good enough to count and no more.
 */
#include "chunkers_report.h"
#include "compared.h"
#include "forced.h"
#include "hdrf_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ALIGNMENT 4096
#define CUTS_AT_ONCE 4096
#define MAX_ROUNDS 99
#define PLOTTED 8192

struct file {
    const uint8_t *data;
    size_t length;
};

struct fingerprint {
    uint64_t high;
    uint64_t low;
};

/* By name, or NULL for all. */
static const char *only;

static struct file *files;
static size_t file_count;
static size_t total;
static struct fingerprint *table;
static size_t table_size;

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "chunkers: %s: %s\n", which, what);
    exit(1);
}

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
    if (memory == NULL) {
        fail("out of memory", "allocation");
    }
    return memory;
}

static void read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (in == NULL || fseek(in, 0, SEEK_END) != 0) {
        fail("cannot be opened", path);
    }
    long length = ftell(in);
    rewind(in);
    if (length < 0 || (uint64_t)length > UINT32_MAX) {
        fail("is not a file of less than 4 GiB", path);
    }
    uint8_t *data = allocate((size_t)length);
    if (fread(data, 1, (size_t)length, in) != (size_t)length) {
        fail("cannot be read", path);
    }
    fclose(in);
    files[file_count++] = (struct file){data, (size_t)length};
    total += (size_t)length;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

/* XORs all words of 8 bytes; vectors and prefetching as the kernels have them. */
#if defined(__x86_64__)
__attribute__((target("avx2")))
#endif
static uint64_t read_words(const uint64_t *words, size_t count)
{
    typedef uint64_t vector __attribute__((vector_size(32)));
    const vector *vectors = (const vector *)words;
    vector sums[8] = {{0}};
    for (size_t i = 0; i + 8 <= count / 4; i += 8) {
        for (size_t line = 0; line < 8; line += 2) {
            __builtin_prefetch((const void *)((uintptr_t)(vectors + i + line) + 4096));
        }
#pragma GCC unroll 8
        for (size_t k = 0; k < 8; k++) {
            sums[k] ^= vectors[i + k];
        }
    }
    vector all = sums[0] ^ sums[1] ^ sums[2] ^ sums[3] ^ sums[4] ^ sums[5] ^ sums[6] ^ sums[7];
    return all[0] ^ all[1] ^ all[2] ^ all[3];
}

static uint64_t read_all(void)
{
    uint64_t sum = 0;
    for (size_t f = 0; f < file_count; f++) {
        sum ^= read_words((const uint64_t *)(const void *)files[f].data, files[f].length / 8);
    }
    return sum;
}

static volatile uint64_t sink;

static double read_bandwidth(int rounds)
{
    double rates[MAX_ROUNDS];
    for (int r = 0; r < rounds; r++) {
        double begin = cpu_seconds();
        sink = read_all();
        rates[r] = (double)total / (cpu_seconds() - begin) / 1e9;
    }
    return median(rates, rounds);
}

static uint64_t chunk_all(const struct hdrf_chunk_kernel *kernel,
                          const struct hdrf_chunker *chunker)
{
    static uint32_t cuts[CUTS_AT_ONCE];
    uint64_t chunks = 0;
    for (size_t f = 0; f < file_count; f++) {
        size_t start = 0;
        while (start < files[f].length) {
            size_t count = hdrf_chunk_with(kernel, chunker, files[f].data + start,
                                           files[f].length - start, true, cuts, CUTS_AT_ONCE);
            chunks += count;
            start += cuts[count - 1];
        }
    }
    return chunks;
}

static double throughput(const struct hdrf_chunk_kernel *kernel, const struct hdrf_chunker *chunker,
                         int rounds)
{
    double rates[MAX_ROUNDS];
    for (int r = 0; r < rounds; r++) {
        double begin = cpu_seconds();
        sink = chunk_all(kernel, chunker);
        rates[r] = (double)total / (cpu_seconds() - begin) / 1e9;
    }
    return median(rates, rounds);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static struct fingerprint fingerprint(const uint8_t *data, size_t length)
{
    uint64_t a = UINT64_C(0x9e3779b97f4a7c15) ^ length;
    uint64_t b = UINT64_C(0xc2b2ae3d27d4eb4f) + length;
    size_t i = 0;
    for (; i + 16 <= length; i += 16) {
        uint64_t first = hdrf_chunk_load64(data + i);
        uint64_t second = hdrf_chunk_load64(data + i + 8);
        a = mix(a ^ first, UINT64_C(0xa0761d6478bd642f) ^ second) + b;
        b = (b ^ second) * UINT64_C(0xe7037ed1a0b428db) + (first ^ b >> 29);
    }
    uint8_t rest[16] = {0};
    memcpy(rest, data + i, length - i);
    uint64_t first = hdrf_chunk_load64(rest);
    uint64_t second = hdrf_chunk_load64(rest + 8);
    a = mix(a ^ first, UINT64_C(0x8ebc6af09c88c6e3) ^ second);
    b = mix(b ^ first, UINT64_C(0x589965cc75374cc3) ^ second);
    return (struct fingerprint){a, b | 1};
}

/* Whether it was there before. */
static bool insert(struct fingerprint print)
{
    size_t at = (size_t)print.high & (table_size - 1);
    while (table[at].low != 0) {
        if (table[at].low == print.low && table[at].high == print.high) {
            return true;
        }
        at = (at + 1) & (table_size - 1);
    }
    table[at] = print;
    return false;
}

static void count_chunk(struct statistics *statistics, uint32_t step, const uint8_t *data,
                        size_t length)
{
    statistics->chunks++;
    statistics->sum += (double)length;
    statistics->squares += (double)length * (double)length;
    int power = 0;
    while (length >> (power + 1) != 0) {
        power++;
    }
    statistics->by_power[power]++;
    statistics->by_step[length / step < STEPS ? length / step : STEPS - 1]++;
    if (insert(fingerprint(data, length))) {
        statistics->duplicate += length;
    }
}

static struct statistics statistics_of(const struct hdrf_chunker *chunker, uint32_t step)
{
    static uint32_t cuts[CUTS_AT_ONCE];
    struct statistics statistics = {0};
    memset(table, 0, table_size * sizeof *table);
    for (size_t f = 0; f < file_count; f++) {
        const uint8_t *data = files[f].data;
        size_t left = files[f].length;
        while (left > 0) {
            size_t count = compared_chunk(chunker, data, left, true, cuts, CUTS_AT_ONCE);
            size_t start = 0;
            for (size_t i = 0; i < count; i++) {
                size_t length = cuts[i] - start;
                count_chunk(&statistics, step, data + start, length);
                if (is_forced(chunker, data + start, length, left - start)) {
                    statistics.forced += length;
                }
                start = cuts[i];
            }
            data += start;
            left -= start;
        }
    }
    return statistics;
}

/*
 * The average to ask for so that this data gets `mean`, or comes close to it: the best of a few
 * trials, as the mean got may leap.
 */
static uint32_t average_for_mean(int algorithm, double mean)
{
    double average = mean;
    double best = mean;
    double best_error = 1e9;
    for (int trial = 0; trial < 8 && best_error > 0.002; trial++) {
        struct hdrf_chunker chunker;
        if (!compared_init(&chunker, algorithm, (uint32_t)average)) {
            break;
        }
        uint64_t chunks = chunk_all(compared_choose(hdrf_cpu_features()), &chunker);
        double ratio = mean * (double)chunks / (double)total;
        double error = ratio > 1 ? ratio - 1 : 1 / ratio - 1;
        if (error < best_error) {
            best = average;
            best_error = error;
        }
        /* Half a step where a whole one leapt too far. */
        average *= trial < 4 ? ratio : (1 + ratio) / 2;
        average = average < HDRF_CHUNK_AVERAGE_MIN ? HDRF_CHUNK_AVERAGE_MIN : average;
        average = average > HDRF_CHUNK_AVERAGE_MAX ? HDRF_CHUNK_AVERAGE_MAX : average;
    }
    return (uint32_t)best;
}

static bool is_wanted(int algorithm)
{
    return only == NULL || strcmp(only, compared_names[algorithm]) == 0;
}

/* Every form of the algorithm that this CPU can run, the reference last. */
static void measure_variants(struct result *result, const struct hdrf_chunker *chunker, int rounds)
{
    static const uint32_t features[MAX_VARIANTS] = {HDRF_CPU_ALL, HDRF_CPU_AVX2 | HDRF_CPU_SSE42,
                                                    HDRF_CPU_SSE42, 0};
    hdrf_chunk_fn *reference = compared_choose(0)->first[chunker->algorithm];
    hdrf_chunk_fn *done = NULL;
    for (int v = 0; v < MAX_VARIANTS; v++) {
        const struct hdrf_chunk_kernel *kernel =
            compared_choose(features[v] & hdrf_cpu_features());
        hdrf_chunk_fn *first = kernel->first[chunker->algorithm];
        if (first != done) {
            result->variants[result->variant_count++] =
                (struct variant){first == reference ? "scalar" : kernel->name,
                                 throughput(kernel, chunker, rounds)};
            done = first;
        }
    }
}

static struct measurement measure(uint32_t average, int rounds, bool same_mean)
{
    struct measurement measurement = {.average = average, .same_mean = same_mean, .total = total};
    measurement.bandwidth = rounds > 0 ? read_bandwidth(rounds) : 0;
    for (int algorithm = 0; algorithm < HDRF_CHUNK_ALGORITHMS; algorithm++) {
        if (!is_wanted(algorithm)) {
            continue;
        }
        uint32_t asked = same_mean ? average_for_mean(algorithm, average) : average;
        struct hdrf_chunker chunker;
        if (!compared_init(&chunker, algorithm, asked)) {
            fail("the average is out of range", compared_names[algorithm]);
        }
        struct result *result = &measurement.results[measurement.result_count++];
        result->name = compared_names[algorithm];
        result->statistics = statistics_of(&chunker, average / STEPS_IN_AVERAGE);
        /* Fixed sizes need no look at the bytes. */
        if (rounds > 0 && algorithm != HDRF_CHUNK_FIXED) {
            measure_variants(result, &chunker, rounds);
        }
    }
    return measurement;
}

static uint32_t number(const char *text, uint32_t most)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    if (*end != '\0' || value > most) {
        fail("is not a number in range", text);
    }
    return (uint32_t)value;
}

int main(int argc, char **argv)
{
    static const uint32_t all[] = {1024, 4096, 8192, 16384, 65536};
    uint32_t average = 0;
    int rounds = 5;
    bool same_mean = false;
    bool histogram = false;
    bool markdown = false;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--average") == 0 && i + 1 < argc) {
            average = number(argv[++i], HDRF_CHUNK_AVERAGE_MAX);
        } else if (strcmp(argv[i], "--algorithm") == 0 && i + 1 < argc) {
            only = argv[++i];
        } else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < argc) {
            rounds = (int)number(argv[++i], MAX_ROUNDS);
        } else if (strcmp(argv[i], "--same-mean") == 0) {
            same_mean = true;
        } else if (strcmp(argv[i], "--histogram") == 0) {
            histogram = true;
        } else if (strcmp(argv[i], "--markdown") == 0) {
            markdown = true;
        } else {
            fail("unknown option, see --help", argv[i]);
        }
    }
    if (i == argc) {
        fail("no files given, see --help", "arguments");
    }
    files = allocate((size_t)(argc - i) * sizeof *files);
    for (; i < argc; i++) {
        read_file(argv[i]);
    }
    if (total == 0) {
        fail("all files are empty", "arguments");
    }
    table_size = 1024;
    while (table_size < total / 64) {
        table_size *= 2;
    }
    table = allocate(table_size * sizeof *table);
    printf("%zu files, %zu bytes\n", file_count, total);
    for (size_t a = 0; a < sizeof all / sizeof all[0] && (average == 0 || a == 0); a++) {
        struct measurement measured = measure(average == 0 ? all[a] : average, rounds, same_mean);
        if (markdown) {
            print_markdown(&measured, histogram || measured.average == PLOTTED);
        } else {
            print_columns(&measured, histogram);
        }
        fflush(stdout);
    }
    return 0;
}
