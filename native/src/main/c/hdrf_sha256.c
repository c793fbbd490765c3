/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_sha256.h"

#include "hdrf_cpu.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#define BLOCK 64
#define LANES 2

static const uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/*
 * The words a to h of the standard, in the order of the instructions: {f, e, b, a} and {h, g, d,
 * c}.
 */
struct state {
    __m128i abef;
    __m128i cdgh;
};

/* A message in progress. */
struct lane {
    struct state state;
    const uint8_t *next;
    size_t blocks; /* left at `next` */
    bool padded;   /* `next` is in `padding` */
    size_t padding_blocks;
    size_t message;
    uint8_t padding[2 * BLOCK];
};

static inline struct state initial(void)
{
    struct state state = {
        _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c),
        _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19),
    };
    return state;
}

static inline __m128i load(const uint8_t *from)
{
    const __m128i big_endian =
        _mm_set_epi64x(INT64_C(0x0c0d0e0f08090a0b), INT64_C(0x0405060700010203));
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)from), big_endian);
}

/* Processes one block of each of `lanes` messages. */
static inline __attribute__((always_inline)) void block(struct state *states,
                                                        const uint8_t *const *data, int lanes)
{
    __m128i words[LANES][4];
    struct state before[LANES];
    for (int l = 0; l < lanes; l++) {
        before[l] = states[l];
        for (int i = 0; i < 4; i++) {
            words[l][i] = load(data[l] + 16 * i);
        }
    }
#pragma GCC unroll 16
    for (int group = 0; group < 16; group++) {
        const __m128i constants =
            _mm_loadu_si128((const __m128i *)(round_constants + 4 * group));
        for (int l = 0; l < lanes; l++) {
            __m128i *w = words[l];
            __m128i now = _mm_add_epi32(w[group % 4], constants);
            states[l].cdgh = _mm_sha256rnds2_epu32(states[l].cdgh, states[l].abef, now);
            now = _mm_shuffle_epi32(now, 0x0e);
            states[l].abef = _mm_sha256rnds2_epu32(states[l].abef, states[l].cdgh, now);
            if (group < 12) {
                __m128i last = w[(group + 3) % 4];
                __m128i sum = _mm_add_epi32(
                    _mm_sha256msg1_epu32(w[group % 4], w[(group + 1) % 4]),
                    _mm_alignr_epi8(last, w[(group + 2) % 4], 4));
                w[group % 4] = _mm_sha256msg2_epu32(sum, last);
            }
        }
    }
    for (int l = 0; l < lanes; l++) {
        states[l].abef = _mm_add_epi32(states[l].abef, before[l].abef);
        states[l].cdgh = _mm_add_epi32(states[l].cdgh, before[l].cdgh);
    }
}

static void begin(struct lane *lane, const uint8_t *message, size_t length, size_t number)
{
    size_t rest = length % BLOCK;
    lane->state = initial();
    lane->next = message;
    lane->blocks = length / BLOCK;
    lane->padded = false;
    lane->padding_blocks = rest + 9 > BLOCK ? 2 : 1;
    lane->message = number;
    memset(lane->padding, 0, sizeof lane->padding);
    memcpy(lane->padding, message + length - rest, rest);
    lane->padding[rest] = 0x80;
    uint64_t bits = __builtin_bswap64((uint64_t)length * 8);
    memcpy(lane->padding + lane->padding_blocks * BLOCK - sizeof bits, &bits, sizeof bits);
}

/* Moves on to the padding when needed; returns false if that is processed, too. */
static bool has_blocks(struct lane *lane)
{
    if (lane->blocks == 0 && !lane->padded) {
        lane->next = lane->padding;
        lane->blocks = lane->padding_blocks;
        lane->padded = true;
    }
    return lane->blocks > 0;
}

static void end(const struct lane *lane, uint8_t *digest)
{
    uint32_t abef[4];
    uint32_t cdgh[4];
    memcpy(abef, &lane->state.abef, sizeof abef);
    memcpy(cdgh, &lane->state.cdgh, sizeof cdgh);
    const uint32_t words[8] = {abef[3], abef[2], cdgh[3], cdgh[2],
                               abef[1], abef[0], cdgh[1], cdgh[0]};
    for (int i = 0; i < 8; i++) {
        uint32_t word = __builtin_bswap32(words[i]);
        memcpy(digest + sizeof word * (size_t)i, &word, sizeof word);
    }
}

static void advance(struct lane *lane, size_t blocks)
{
    lane->next += blocks * BLOCK;
    lane->blocks -= blocks;
}

static void work_on_two(struct lane *first, struct lane *second)
{
    size_t blocks = first->blocks < second->blocks ? first->blocks : second->blocks;
    struct state states[LANES] = {first->state, second->state};
    for (size_t i = 0; i < blocks; i++) {
        const uint8_t *data[LANES] = {first->next + i * BLOCK, second->next + i * BLOCK};
        block(states, data, LANES);
    }
    first->state = states[0];
    second->state = states[1];
    advance(first, blocks);
    advance(second, blocks);
}

static void work_on_one(struct lane *lane)
{
    struct state state = lane->state;
    for (size_t i = 0; i < lane->blocks; i++) {
        const uint8_t *data = lane->next + i * BLOCK;
        block(&state, &data, 1);
    }
    lane->state = state;
    advance(lane, lane->blocks);
}

bool hdrf_sha256_supported(void)
{
    return (hdrf_cpu_features() & HDRF_CPU_SHA) != 0;
}

void hdrf_sha256(const uint8_t *data, const uint32_t *ends, size_t count,
                 uint8_t (*digests)[HDRF_SHA256_LENGTH])
{
    struct lane lanes[LANES];
    struct lane *busy[LANES] = {&lanes[0], &lanes[1]};
    size_t used = 0;
    size_t next = 0;
    while (used > 0 || next < count) {
        while (used < LANES && next < count) {
            uint32_t start = next == 0 ? 0 : ends[next - 1];
            begin(busy[used], data + start, ends[next] - start, next);
            (void)has_blocks(busy[used]);
            used++;
            next++;
        }
        if (used == LANES) {
            work_on_two(busy[0], busy[1]);
        } else {
            work_on_one(busy[0]);
        }
        for (size_t i = used; i-- > 0;) {
            struct lane *lane = busy[i];
            if (!has_blocks(lane)) {
                end(lane, digests[lane->message]);
                used--;
                busy[i] = busy[used];
                busy[used] = lane;
            }
        }
    }
}

#else

bool hdrf_sha256_supported(void)
{
    return false;
}

void hdrf_sha256(const uint8_t *data, const uint32_t *ends, size_t count,
                 uint8_t (*digests)[HDRF_SHA256_LENGTH])
{
    (void)data;
    (void)ends;
    (void)count;
    (void)digests;
}

#endif
