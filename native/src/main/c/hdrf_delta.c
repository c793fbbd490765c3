/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_delta.h"

#include <string.h>

#define VERSION 1

/* Bytes that are hashed and compared at once. */
#define WORD 8

/* Shorter copies are not worth their numbers: the bytes are inserted. */
#define MIN_COPY 20

/* Of a base up to 128 KiB, one word in so many bytes is in the index. */
#define MIN_STEP 8

/*
 * A copy begins at most so many steps before the word that was found, which is enough for the bytes
 * between two words of the index. So once more bytes than that would have to be inserted too many,
 * it is sure that the difference becomes too long.
 */
#define MAX_STEPS_BEHIND 4

/* The most words in the index: at most half of the slots are taken. */
#define MAX_WORDS (HDRF_DELTA_SLOTS / 2)

/* A number takes at most so many bytes: it is below 2^28. */
#define MAX_NUMBER_LENGTH 4

struct writer {
    uint8_t *to;
    size_t at;
    size_t limit;
};

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static uint64_t word_at(const uint8_t *p)
{
    uint64_t word = 0;
    for (int i = 0; i < WORD; i++) {
        word |= (uint64_t)p[i] << 8 * i;
    }
    return word;
}

static size_t common_bytes_ahead(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t n = 0;
    while (most - n >= WORD && word_at(a + n) == word_at(b + n)) {
        n += WORD;
    }
    while (n < most && a[n] == b[n]) {
        n++;
    }
    return n;
}

/* Of the bytes before `a` and `b`. */
static size_t common_bytes_behind(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t n = 0;
    while (most - n >= WORD && word_at(a - n - WORD) == word_at(b - n - WORD)) {
        n += WORD;
    }
    while (n < most && *(a - n - 1) == *(b - n - 1)) {
        n++;
    }
    return n;
}

static bool put_number(struct writer *out, uint32_t value)
{
    do {
        if (out->at == out->limit) {
            return false;
        }
        out->to[out->at++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value != 0);
    return true;
}

static bool put_bytes(struct writer *out, const uint8_t *bytes, size_t count)
{
    if (!put_number(out, (uint32_t)count) || count > out->limit - out->at) {
        return false;
    }
    memcpy(out->to + out->at, bytes, count);
    out->at += count;
    return true;
}

/* What is encoded, and how far. */
struct encoder {
    const uint8_t *base;
    size_t base_length;
    const uint8_t *chunk;
    size_t length;
    /* The chunk's bytes before this one are in the difference. */
    size_t done;
    /* Where the last copy from the base ended. */
    size_t base_done;
    struct writer out;
};

/* Inserts the bytes before `at`, and copies from there on. */
static bool copy(struct encoder *e, size_t at, size_t from, size_t count)
{
    size_t inserted = at - e->done;
    int64_t skipped = (int64_t)from - (int64_t)(e->base_done + inserted);
    uint32_t zigzag = (uint32_t)(skipped < 0 ? -2 * skipped - 1 : 2 * skipped);
    if (!put_bytes(&e->out, e->chunk + e->done, inserted) ||
        !put_number(&e->out, (uint32_t)count) || !put_number(&e->out, zigzag)) {
        return false;
    }
    e->done = at + count;
    e->base_done = from + count;
    return true;
}

static uint32_t slot_of(uint64_t word, int bits)
{
    return (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));
}

struct index {
    uint16_t *slots;
    int bits;
    size_t step;
};

/* Of equal words the first one is kept: in a run, a copy from there is the longest. */
static struct index make_index(const uint8_t *base, size_t length, uint16_t *slots)
{
    struct index index = {slots, 1, length / MAX_WORDS + 1};
    if (index.step < MIN_STEP) {
        index.step = MIN_STEP;
    }
    size_t words = length < WORD ? 0 : (length - WORD) / index.step + 1;
    while ((size_t)1 << index.bits < 2 * words) {
        index.bits++;
    }
    memset(slots, 0, ((size_t)1 << index.bits) * sizeof *slots);
    for (size_t i = 0; i < words; i++) {
        uint16_t *slot = slots + slot_of(word_at(base + i * index.step), index.bits);
        if (*slot == 0) {
            *slot = (uint16_t)(i + 1);
        }
    }
    return index;
}

/*
 * Finds copies for the bytes before `end`; a copy may go beyond it. Returns false if the difference
 * becomes too long.
 */
static bool copy_middle(struct encoder *e, size_t end, uint16_t *slots)
{
    if (end < e->done + MIN_COPY || e->base_length < WORD) {
        return true;
    }
    struct index index = make_index(e->base, e->base_length, slots);
    size_t most_behind = MAX_STEPS_BEHIND * index.step;
    size_t at = e->done;
    while (at + WORD <= end) {
        if (at - e->done > e->out.limit - e->out.at + most_behind) {
            return false;
        }
        uint64_t word = word_at(e->chunk + at);
        /* Where it would be if as many bytes were replaced as were inserted. */
        size_t from = e->base_done + (at - e->done);
        if (from > e->base_length - WORD || word_at(e->base + from) != word) {
            uint32_t found = index.slots[slot_of(word, index.bits)];
            from = (found - 1) * index.step;
            /* The second condition never holds, but for two encoders that share the slots. */
            if (found == 0 || from > e->base_length - WORD || word_at(e->base + from) != word) {
                at++;
                continue;
            }
        }
        size_t most = smaller(most_behind, smaller(at - e->done, from));
        size_t behind = common_bytes_behind(e->chunk + at, e->base + from, most);
        most = smaller(e->length - at, e->base_length - from);
        size_t ahead = WORD + common_bytes_ahead(e->chunk + at + WORD, e->base + from + WORD,
                                                 most - WORD);
        if (behind + ahead < MIN_COPY) {
            at++;
            continue;
        }
        if (!copy(e, at - behind, from - behind, behind + ahead)) {
            return false;
        }
        at = e->done;
    }
    return true;
}

size_t hdrf_delta_encode(const uint8_t *base, size_t base_length, const uint8_t *chunk,
                         size_t length, uint8_t *difference, size_t limit, uint16_t *slots)
{
    if (base_length < 1 || base_length > HDRF_DELTA_LIMIT || length < 1 ||
        length > HDRF_DELTA_LIMIT || limit < 1) {
        return 0;
    }
    struct encoder e = {base, base_length, chunk, length, 0, 0, {difference, 0, limit}};
    difference[e.out.at++] = VERSION;
    if (!put_number(&e.out, (uint32_t)length)) {
        return 0;
    }
    size_t most = smaller(length, base_length);
    size_t first = common_bytes_ahead(chunk, base, most);
    if (first >= MIN_COPY && !copy(&e, 0, 0, first)) {
        return 0;
    }
    most -= e.done;
    size_t last = common_bytes_behind(chunk + length, base + base_length, most);
    if (last < MIN_COPY) {
        last = 0;
    }
    if (!copy_middle(&e, length - last, slots)) {
        return 0;
    }
    last = smaller(last, length - e.done);
    if (last > 0 && !copy(&e, length - last, base_length - last, last)) {
        return 0;
    }
    if (e.done < length && !put_bytes(&e.out, chunk + e.done, length - e.done)) {
        return 0;
    }
    return e.out.at;
}

struct reader {
    const uint8_t *from;
    size_t at;
    size_t length;
};

/* Reads a number below 2^28; returns false if there is none. */
static bool take_number(struct reader *in, uint32_t *value)
{
    *value = 0;
    for (int i = 0; i < MAX_NUMBER_LENGTH && in->at < in->length; i++) {
        uint8_t next = in->from[in->at++];
        *value |= (uint32_t)(next & 0x7f) << 7 * i;
        if (next < 0x80) {
            return true;
        }
    }
    return false;
}

static size_t take_length(struct reader *in)
{
    uint32_t length;
    if (in->length < 1 || in->from[in->at++] != VERSION || !take_number(in, &length) ||
        length > HDRF_DELTA_LIMIT) {
        return 0;
    }
    return length;
}

bool hdrf_delta_decode(const uint8_t *base, size_t base_length, const uint8_t *difference,
                       size_t difference_length, uint8_t *chunk, size_t length)
{
    struct reader in = {difference, 0, difference_length};
    if (length < 1 || base_length > HDRF_DELTA_LIMIT || take_length(&in) != length) {
        return false;
    }
    size_t done = 0;
    int64_t from = 0;
    while (done < length) {
        uint32_t count;
        if (!take_number(&in, &count) || count > length - done || count > in.length - in.at) {
            return false;
        }
        memcpy(chunk + done, in.from + in.at, count);
        in.at += count;
        done += count;
        if (done == length) {
            break;
        }
        from += count;
        uint32_t zigzag;
        if (!take_number(&in, &count) || !take_number(&in, &zigzag) || count < 1 ||
            count > length - done) {
            return false;
        }
        from += (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
        if (from < 0 || from > (int64_t)base_length || count > base_length - (size_t)from) {
            return false;
        }
        memcpy(chunk + done, base + from, count);
        done += count;
        from += count;
    }
    return in.at == in.length;
}
