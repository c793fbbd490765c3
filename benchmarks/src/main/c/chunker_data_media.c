/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collections of films, as backups of a media library: nothing in them compresses, and what repeats
 * is whole films.
 *
 * - A film is made like an MP4 file: boxes `ftyp` and `moov`, the latter with the title and the
 *   sizes of all samples, then `mdat` with the samples behind their lengths. The samples of a
 *   compressed film are as good as random; every thirtieth one, which needs no other, is large.
 * - A collection is an archive that stores its members without compressing them, one after the
 *   other behind short headers: a film has another offset in each collection, and no alignment.
 * - Later collections hold films of earlier ones again, one in four. One in seven was given
 *   another title: `moov`, which comes first, has another length, and the samples follow as they
 *   were. The rest is new.
 *
 * The thesis has ten films that have next to nothing in common, 0.04 %. That is what the new films
 * here give; without the others no chunker could be told from another.
 */
#include "chunker_data.h"

#include <inttypes.h>

#define COLLECTIONS 5
#define AGAIN_PERCENT 25
#define RETITLED_PERCENT 15
#define KEY_FRAMES 30
#define LARGEST_FILM UINT64_C(12000000)
#define FILMS_IN_COLLECTION 10
#define MAX_TITLE 256

struct film {
    uint64_t seed;
    uint64_t bytes;
    /* How often its title was edited. */
    uint32_t edition;
};

static const char *const words[] = {"winter", "harbour", "the",     "second", "river", "of",
                                    "glass",  "morning", "letters", "north",  "and",   "field"};
#define WORDS (sizeof words / sizeof words[0])

static void put_number(struct output *output, uint32_t number)
{
    uint8_t bytes[] = {(uint8_t)(number >> 24), (uint8_t)(number >> 16), (uint8_t)(number >> 8),
                       (uint8_t)number};
    put(output, bytes, sizeof bytes);
}

static void put_box(struct output *output, const char *type, uint64_t content)
{
    put_number(output, (uint32_t)content + 8);
    put(output, type, 4);
}

static uint32_t sample_size(struct generator *generator, uint32_t index)
{
    return index % KEY_FRAMES == 0 ? next_size(generator, 14, 16) : next_size(generator, 9, 13);
}

/* As many as fit into `bytes`, at least one. */
static uint32_t sample_count(const struct film *film, uint64_t *bytes)
{
    struct generator sizes = {film->seed};
    uint32_t count = 0;
    *bytes = 0;
    do {
        *bytes += 4 + sample_size(&sizes, count++);
    } while (*bytes < film->bytes);
    return count;
}

static size_t title(const struct film *film, uint8_t *text)
{
    struct generator generator = {film->seed + film->edition};
    size_t length = 0;
    for (uint32_t i = 3 + next_below(&generator, 6); i > 0; i--) {
        length += format(text + length, MAX_TITLE - length, "%s ",
                         words[next_below(&generator, WORDS)]);
    }
    return length + format(text + length, MAX_TITLE - length, "(edition %" PRIu32 ")",
                           film->edition);
}

static void put_samples(struct output *output, const struct film *film, uint32_t count)
{
    struct generator sizes = {film->seed};
    struct generator content = {~film->seed};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = sample_size(&sizes, i);
        put_number(output, size);
        put_random(output, &content, size);
    }
}

static void put_film(struct output *output, const struct film *film, uint32_t number)
{
    uint64_t bytes;
    uint32_t count = sample_count(film, &bytes);
    uint8_t text[MAX_TITLE];
    size_t length = format(text, sizeof text, "film-%06" PRIu32 ".mp4", number);
    uint8_t member[30] = {'P', 'K', 3, 4, 10};
    member[26] = (uint8_t)length;
    put(output, member, sizeof member);
    put(output, text, length);

    put_box(output, "ftyp", 16);
    put(output, "isom\0\0\2\0isomavc1", 16);
    length = title(film, text);
    put_box(output, "moov", 8 + length + 20 + 4 * (uint64_t)count);
    put_box(output, "udta", length);
    put(output, text, length);
    put_box(output, "stsz", 12 + 4 * (uint64_t)count);
    put_number(output, 0);
    put_number(output, 0);
    put_number(output, count);
    struct generator sizes = {film->seed};
    for (uint32_t i = 0; i < count; i++) {
        put_number(output, sample_size(&sizes, i));
    }
    put_box(output, "mdat", bytes);
    put_samples(output, film, count);
}

/* Of a quarter of `largest` bytes at least. */
static struct film new_film(struct generator *generator, uint64_t largest)
{
    uint64_t rest = next_below(generator, (uint32_t)(largest - largest / 4));
    return (struct film){.seed = next_number(generator), .bytes = largest / 4 + rest};
}

void write_media(uint64_t seed, uint64_t bytes)
{
    struct generator generator = {seed};
    uint64_t each = bytes / COLLECTIONS;
    uint64_t largest = each / FILMS_IN_COLLECTION * 2;
    largest = largest < LARGEST_FILM ? largest : LARGEST_FILM;
    struct film *films = allocate(((size_t)(bytes / (largest / 4)) + COLLECTIONS) * sizeof *films);
    uint32_t count = 0;
    for (int c = 0; c < COLLECTIONS; c++) {
        uint32_t earlier = count;
        struct output output;
        begin_file(&output, "media", c + 1);
        for (uint32_t number = 0; output.written < each; number++) {
            uint32_t chance = next_below(&generator, 100);
            if (earlier == 0 || chance >= AGAIN_PERCENT + RETITLED_PERCENT) {
                films[count] = new_film(&generator, largest);
                put_film(&output, &films[count++], number);
            } else {
                struct film *film = &films[next_below(&generator, earlier)];
                film->edition += chance >= AGAIN_PERCENT;
                put_film(&output, film, number);
            }
        }
        end_file(&output);
    }
}
