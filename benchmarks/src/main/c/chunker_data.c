/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes data for benchmarks: hdrf_chunker_data logs|packets|media|dumps MEGABYTES DIRECTORY. A
 * megabyte is 10^6 bytes. The files' names and the seed go to standard output.
 */
#include "chunker_data.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SEED UINT64_C(20)
#define MEGABYTE UINT64_C(1000000)
#define MAX_MEGABYTES 16384
#define BUFFER ((size_t)1 << 16)

static const struct {
    const char *name;
    void (*write)(uint64_t seed, uint64_t bytes);
} kinds[] = {{"logs", write_logs},
             {"packets", write_packets},
             {"media", write_media},
             {"dumps", write_dumps}};

static const char *directory;
static const char *kind;

_Noreturn void fail(const char *what, const char *which)
{
    fprintf(stderr, "chunker_data: %s: %s\n", which, what);
    exit(1);
}

void *allocate(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    if (memory == NULL) {
        fail("out of memory", "allocation");
    }
    return memory;
}

uint64_t next_number(struct generator *generator)
{
    uint64_t z = (generator->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint32_t next_below(struct generator *generator, uint32_t bound)
{
    return (uint32_t)((next_number(generator) >> 32) * bound >> 32);
}

uint32_t next_size(struct generator *generator, uint32_t low, uint32_t high)
{
    uint32_t power = UINT32_C(1) << (low + next_below(generator, high - low));
    return power + next_below(generator, power);
}

void fill_random(struct generator *generator, uint8_t *data, size_t length)
{
    for (size_t i = 0; i < length; i += 8) {
        uint64_t number = next_number(generator);
        for (size_t k = 0; k < 8 && i + k < length; k++) {
            data[i + k] = (uint8_t)(number >> 8 * k);
        }
    }
}

size_t format(uint8_t *text, size_t capacity, const char *pattern, ...)
{
    va_list arguments;
    va_start(arguments, pattern);
    int length = vsnprintf((char *)text, capacity, pattern, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= capacity) {
        fail("too long", pattern);
    }
    return (size_t)length;
}

void begin_file(struct output *output, const char *suffix, int number)
{
    char path[4096];
    format((uint8_t *)path, sizeof path, "%s/%s-%d.%s", directory, kind, number, suffix);
    output->file = fopen(path, "wb");
    output->written = 0;
    if (output->file == NULL) {
        fail("cannot be created", path);
    }
    puts(path);
}

void put(struct output *output, const void *data, size_t length)
{
    if (fwrite(data, 1, length, output->file) != length) {
        fail("cannot be written", kind);
    }
    output->written += length;
}

void put_random(struct output *output, struct generator *generator, uint64_t length)
{
    static uint8_t buffer[BUFFER];
    while (length > 0) {
        size_t part = length < BUFFER ? (size_t)length : BUFFER;
        fill_random(generator, buffer, part);
        put(output, buffer, part);
        length -= part;
    }
}

void end_file(struct output *output)
{
    if (fclose(output->file) != 0) {
        fail("cannot be written", kind);
    }
}

int main(int argc, char **argv)
{
    char *end = NULL;
    unsigned long megabytes = argc == 4 ? strtoul(argv[2], &end, 10) : 0;
    if (megabytes == 0 || *end != '\0' || megabytes > MAX_MEGABYTES) {
        fail("expected: logs|packets|media|dumps MEGABYTES DIRECTORY", "arguments");
    }
    kind = argv[1];
    directory = argv[3];
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (strcmp(kind, kinds[k].name) == 0) {
            kinds[k].write(SEED, megabytes * MEGABYTE);
            printf("seed %" PRIu64 "\n", SEED);
            return 0;
        }
    }
    fail("no such kind", kind);
}
