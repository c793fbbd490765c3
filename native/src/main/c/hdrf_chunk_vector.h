/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RAM and VHASH on vectors of any width. A file for one instruction set defines the following and
 * then includes this one:
 *
 *   VECTOR           the type; WIDTH, its bytes; NAME(f), the function f of this set
 *   v_load(p)        WIDTH bytes at p, unaligned
 *   v_splat8(b), v_max8(a, b), v_greatest8(a)     unsigned bytes, and the largest of all
 *   v_at_least8(a, b)                             mask of the lanes with a >= b
 *   v_splat16(x), v_add16, v_sub16, v_mul16, v_min16    16-bit lanes, signed minimum
 *   v_lowest16(a)                                 the lowest of all lanes, signed, as an int32_t
 *   v_below16(a, b)                               mask of the lanes with a < b, signed
 *   v_behind4(a, b), v_behind8, v_behind16        WIDTH bytes of a and then b, less the first 4
 *                                                 (8, 16) of a
 *   LANE8(mask), LANE16(mask)                     the first lane in a mask that is not 0
 *   NEXT16(mask)                                  the mask without its first lane
 *
 * Masks are uint64_t. Every loaded vector lies wholly within the given bytes.
 */
#include "hdrf_chunk_impl.h"

/* Vectors processed before a branch. */
#define UNROLL 4

/* How far ahead of the reads to prefetch, in bytes. Measured. */
#define AHEAD 8192
#define HASH_AHEAD 4096

/* Prefetches of VHASH for one read while it catches up after skipped bytes. */
#define CATCH_UP 4

/*
 * The search in windows from this size on, in bytes, ends at the first 255; small ones gain
 * nothing.
 */
#define LEAVE_AT_255 8192
#define LEAVE_STEP (8 * 4 * 64)

#define CACHE_LINE 64

static inline void prefetch(const uint8_t *p, size_t ahead, size_t bytes)
{
    for (size_t i = 0; i < bytes; i += CACHE_LINE) {
        /* A prefetch of an unmapped address does nothing; the sum may leave the array. */
        __builtin_prefetch((const void *)((uintptr_t)p + ahead + i));
    }
}

static inline VECTOR greatest_of(VECTOR greatest, const uint8_t *data, size_t length)
{
    VECTOR g0 = greatest;
    VECTOR g1 = greatest;
    VECTOR g2 = greatest;
    VECTOR g3 = greatest;
    VECTOR g4 = greatest;
    VECTOR g5 = greatest;
    VECTOR g6 = greatest;
    VECTOR g7 = greatest;
    size_t i = 0;
    for (; i + 8 * WIDTH <= length; i += 8 * WIDTH) {
        const uint8_t *p = data + i;
        prefetch(p, AHEAD, 8 * WIDTH);
        g0 = v_max8(g0, v_load(p));
        g1 = v_max8(g1, v_load(p + WIDTH));
        g2 = v_max8(g2, v_load(p + 2 * WIDTH));
        g3 = v_max8(g3, v_load(p + 3 * WIDTH));
        g4 = v_max8(g4, v_load(p + 4 * WIDTH));
        g5 = v_max8(g5, v_load(p + 5 * WIDTH));
        g6 = v_max8(g6, v_load(p + 6 * WIDTH));
        g7 = v_max8(g7, v_load(p + 7 * WIDTH));
    }
    for (; i + WIDTH <= length; i += WIDTH) {
        g0 = v_max8(g0, v_load(data + i));
    }
    if (i < length) {
        /* Reads some bytes twice, which changes no maximum. */
        g1 = v_max8(g1, v_load(data + length - WIDTH));
    }
    return v_max8(v_max8(v_max8(g0, g1), v_max8(g2, g3)), v_max8(v_max8(g4, g5), v_max8(g6, g7)));
}

static inline uint8_t greatest(const uint8_t *data, size_t length)
{
    uint8_t value = 0;
    if (length < WIDTH) {
        for (size_t i = 0; i < length; i++) {
            value = data[i] > value ? data[i] : value;
        }
        return value;
    }
    VECTOR vector = v_load(data);
    size_t i = 0;
    if (length >= LEAVE_AT_255) {
        VECTOR most = v_splat8(UINT8_MAX);
        for (; length - i >= 2 * LEAVE_STEP; i += LEAVE_STEP) {
            vector = greatest_of(vector, data + i, LEAVE_STEP);
            if (v_at_least8(vector, most) != 0) {
                return UINT8_MAX;
            }
        }
    }
    return v_greatest8(greatest_of(vector, data + i, length - i));
}

/* Returns the first offset in [from, to) whose byte is at least `value`, or `to`. */
static inline size_t first_at_least(const uint8_t *data, size_t from, size_t to, uint8_t value)
{
    VECTOR least = v_splat8(value);
    size_t i = from;
    for (; i + UNROLL * WIDTH <= to; i += UNROLL * WIDTH) {
        const uint8_t *p = data + i;
        VECTOR a = v_load(p);
        VECTOR b = v_load(p + WIDTH);
        VECTOR c = v_load(p + 2 * WIDTH);
        VECTOR d = v_load(p + 3 * WIDTH);
        prefetch(p, AHEAD, UNROLL * WIDTH);
        if (v_at_least8(v_max8(v_max8(a, b), v_max8(c, d)), least) != 0) {
            break;
        }
    }
    for (; i + WIDTH <= to; i += WIDTH) {
        uint64_t found = v_at_least8(v_load(data + i), least);
        if (found != 0) {
            return i + LANE8(found);
        }
    }
    while (i < to && data[i] < value) {
        i++;
    }
    return i;
}

size_t NAME(hdrf_chunk_ram)(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length)
{
    size_t end = length < chunker->maximum ? length : chunker->maximum;
    if (end > chunker->window) {
        size_t i = first_at_least(data, chunker->window, end, greatest(data, chunker->window));
        if (i < end) {
            return i + 1;
        }
    }
    return end == chunker->maximum ? end : 0;
}

/* Differences of words, [0] for windows at even distances from the first one, [1] at odd ones. */
struct NAME(pair) {
    VECTOR v[2];
};

static inline struct NAME(pair) steps(const uint8_t *p)
{
    struct NAME(pair) made;
    made.v[0] = v_sub16(v_load(p + 2), v_load(p));
    made.v[1] = v_sub16(v_load(p + 3), v_load(p + 1));
    return made;
}

#define JOIN(left, behind, factor, v_behind)                                                       \
    v_add16(v_mul16((left), v_splat16(factor)), v_behind((left), (behind)))

/* Returns hashes of 8 bytes, from those of 4 bytes here and WIDTH bytes further. */
static inline struct NAME(pair) join8(struct NAME(pair) here, struct NAME(pair) next)
{
    here.v[0] = JOIN(here.v[0], next.v[0], HDRF_CHUNK_VHASH_8, v_behind4);
    here.v[1] = JOIN(here.v[1], next.v[1], HDRF_CHUNK_VHASH_8, v_behind4);
    return here;
}

static inline struct NAME(pair) join16(struct NAME(pair) here, struct NAME(pair) next)
{
    here.v[0] = JOIN(here.v[0], next.v[0], HDRF_CHUNK_VHASH_16, v_behind8);
    here.v[1] = JOIN(here.v[1], next.v[1], HDRF_CHUNK_VHASH_16, v_behind8);
    return here;
}

/* Like hdrf_chunk_vhash_narrow(), minus 32768, so that it is signed. */
static inline struct NAME(pair) join32(struct NAME(pair) here, struct NAME(pair) next)
{
    here.v[0] = JOIN(here.v[0], next.v[0], HDRF_CHUNK_VHASH_32, v_behind16);
    here.v[1] = JOIN(here.v[1], next.v[1], HDRF_CHUNK_VHASH_32, v_behind16);
    return here;
}

/* The state from the loop's last step: hashes of 16, 8 and 4 bytes, each WIDTH further. */
struct NAME(state) {
    struct NAME(pair) hash16;
    struct NAME(pair) hash8;
    struct NAME(pair) hash4;
};

/* Returns the state before the windows at p; loads up to p + 3 * WIDTH + 3. */
static inline struct NAME(state) begin(const uint8_t *p)
{
    struct NAME(pair) first = steps(p);
    struct NAME(pair) second = steps(p + WIDTH);
    struct NAME(state) made;
    made.hash4 = steps(p + 2 * WIDTH);
    made.hash8 = join8(second, made.hash4);
    made.hash16 = join16(join8(first, second), made.hash8);
    return made;
}

/* Returns the hashes of the windows at p, and advances the state to those at p + WIDTH. */
static inline struct NAME(pair) advance(struct NAME(state) *state, const uint8_t *p)
{
    struct NAME(pair) hash4 = steps(p + 3 * WIDTH);
    struct NAME(pair) hash8 = join8(state->hash4, hash4);
    struct NAME(pair) hash16 = join16(state->hash8, hash8);
    struct NAME(pair) hash = join32(state->hash16, hash16);
    state->hash4 = hash4;
    state->hash8 = hash8;
    state->hash16 = hash16;
    return hash;
}

/* The number of bytes from p on that advance() needs. */
#define LOOKED_AT (4 * WIDTH + 3)

/* The progress of VHASH in a chunk; offsets are those of windows. */
struct NAME(search) {
    const uint8_t *data;
    uint32_t look_ahead;
    uint64_t strict;
    /* The lowest hash so far, its offset, or SIZE_MAX, and the end of the windows to test. */
    uint64_t best;
    size_t best_at;
    size_t to;
    /* The end of the windows that may ever be tested. */
    size_t limit;
};

/* Takes the window at `at` if its hash is the lowest so far; returns whether it ends the chunk. */
static inline bool take(struct NAME(search) *search, size_t at)
{
    uint64_t hash = hdrf_chunk_vhash(search->data + at);
    if (hash >= search->best) {
        return false;
    }
    search->best = hash;
    search->best_at = at;
    if (hash < search->strict) {
        search->to = at;
        return true;
    }
    size_t to = at + search->look_ahead + 1;
    search->to = to < search->limit ? to : search->limit;
    return false;
}

/*
 * Returns the value that a narrow hash must be below, in the sense of v_below16(), for the hash to
 * be below `bound`.
 */
static inline int32_t narrow_bound(uint64_t bound)
{
    return (int32_t)((bound + UINT32_MAX) >> 32) - 0x8000;
}

/* Takes, in order, those of the WIDTH windows from `at` on whose narrow hash is below `bound`. */
static inline bool take_vector(struct NAME(search) *search, size_t at, struct NAME(pair) hash,
                               int32_t bound)
{
    VECTOR bounds = v_splat16((uint16_t)bound);
    uint64_t even = v_below16(hash.v[0], bounds);
    uint64_t odd = v_below16(hash.v[1], bounds);
    while ((even | odd) != 0) {
        size_t even_at = even != 0 ? 2 * (size_t)LANE16(even) : SIZE_MAX;
        size_t odd_at = odd != 0 ? 2 * (size_t)LANE16(odd) + 1 : SIZE_MAX;
        size_t window = at + (even_at < odd_at ? even_at : odd_at);
        if (window >= search->to) {
            return false;
        }
        if (take(search, window)) {
            return true;
        }
        if (even_at < odd_at) {
            even = NEXT16(even);
        } else {
            odd = NEXT16(odd);
        }
    }
    return false;
}

/* Hashes of UNROLL vectors from `at` on, one of which is the lowest so far; SIZE_MAX: none. */
struct NAME(held) {
    struct NAME(pair) hash[UNROLL];
    size_t at;
    int32_t low;
};

/*
 * Keeps hashes whose lowest, `low`, is lower than all so far. Its position is needed only once the
 * look-ahead may have ended, or another hash is as low.
 */
static inline void hold(struct NAME(search) *search, struct NAME(held) *held, size_t at,
                        const struct NAME(pair) *hash, int32_t low)
{
    for (size_t i = 0; i < UNROLL; i++) {
        held->hash[i] = hash[i];
    }
    held->at = at;
    held->low = low;
    size_t to = at + search->look_ahead + 1;
    search->to = to < search->limit ? to : search->limit;
}

/* Takes the lowest of the held hashes, if any. */
static inline void settle(struct NAME(search) *search, struct NAME(held) *held)
{
    if (held->at != SIZE_MAX) {
        for (size_t i = 0; i < UNROLL; i++) {
            take_vector(search, held->at + i * WIDTH, held->hash[i], held->low + 1);
        }
        held->at = SIZE_MAX;
    }
}

/*
 * Tests the windows in [from, search->to), all within the `length` bytes. Prefetching begins at 0
 * and is faster than reading while it lags, so it makes up for the skipped bytes.
 */
static inline void test_windows(struct NAME(search) *search, size_t from, size_t length)
{
    const uint8_t *data = search->data;
    int32_t strict = narrow_bound(search->strict);
    size_t fetched = 0;
    size_t at = from;
    if (at + LOOKED_AT <= length) {
        int32_t below = narrow_bound(search->best);
        struct NAME(held) held;
        held.at = SIZE_MAX;
        held.low = below;
        struct NAME(state) state = begin(data + at);
        while (at + (UNROLL - 1) * WIDTH + LOOKED_AT <= length) {
            if (at >= search->to) {
                settle(search, &held);
                if (at >= search->to) {
                    break;
                }
            }
            struct NAME(pair) hash[UNROLL];
            for (int i = 0; i < CATCH_UP && (i == 0 || fetched <= at); i++) {
                prefetch(data, HASH_AHEAD + fetched, UNROLL * WIDTH);
                fetched += UNROLL * WIDTH;
            }
            for (size_t i = 0; i < UNROLL; i++) {
                hash[i] = advance(&state, data + at + i * WIDTH);
            }
            VECTOR lowest = v_min16(hash[0].v[0], hash[0].v[1]);
            for (size_t i = 1; i < UNROLL; i++) {
                lowest = v_min16(lowest, v_min16(hash[i].v[0], hash[i].v[1]));
            }
            if (v_below16(lowest, v_splat16((uint16_t)below)) != 0) {
                int32_t low = v_lowest16(lowest);
                /* All of them must be tested, whichever is taken, and none ends the chunk. */
                bool all = at + UNROLL * WIDTH <= search->to && low >= strict &&
                           search->look_ahead >= UNROLL * WIDTH;
                if (all && low < below - 1) {
                    hold(search, &held, at, hash, low);
                    below = low + 1;
                } else {
                    settle(search, &held);
                    for (size_t i = 0; i < UNROLL; i++) {
                        if (take_vector(search, at + i * WIDTH, hash[i],
                                        narrow_bound(search->best))) {
                            return;
                        }
                    }
                    below = narrow_bound(search->best);
                }
            }
            at += UNROLL * WIDTH;
        }
        settle(search, &held);
        for (; at < search->to && at + LOOKED_AT <= length; at += WIDTH) {
            if (take_vector(search, at, advance(&state, data + at), narrow_bound(search->best))) {
                return;
            }
        }
    }
    for (; at < search->to; at++) {
        if (take(search, at)) {
            return;
        }
    }
}

size_t NAME(hdrf_chunk_vhash)(const struct hdrf_chunker *chunker, const uint8_t *data,
                              size_t length)
{
    if (length < chunker->minimum) {
        return 0;
    }
    /* A window begins this much before the chunk's end. The ends tested are at most maximum - 1. */
    const size_t window = HDRF_CHUNK_VHASH_WINDOW;
    size_t ends = length + 1 < chunker->maximum ? length + 1 : chunker->maximum;
    struct NAME(search) search = {.data = data,
                                  .look_ahead = chunker->window,
                                  .strict = chunker->strict,
                                  .best = HDRF_CHUNK_VHASH_NONE,
                                  .best_at = SIZE_MAX,
                                  .to = ends - window,
                                  .limit = ends - window};
    test_windows(&search, chunker->minimum - window, length);
    bool found = search.best_at != SIZE_MAX;
    if (found && (search.best < search.strict ||
                  search.best_at + search.look_ahead < search.limit)) {
        return search.best_at + window;
    }
    if (length < chunker->maximum) {
        return 0;
    }
    return found ? search.best_at + window : chunker->maximum;
}
