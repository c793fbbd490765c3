/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Usage: sha256_test
 *
 * The messages lie at the very end of their own block, so that the sanitizer detects a kernel that
 * reads one byte too far.
 */
#include "hdrf_sha256.h"
#include "hdrf_test.h"

#include <string.h>

#define MAX_LENGTH 400
#define MAX_COUNT 9

__extension__ typedef unsigned __int128 uint128;

static const uint32_t initial_state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static uint32_t round_constants[64];
static uint64_t random_state = 1;

static uint32_t next_random(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33);
}

/* The first 32 bits of the fractional part of the cube root of `n`, by bisection. */
static uint32_t cube_root_fraction(uint64_t n)
{
    uint128 wanted = (uint128)n << 96;
    uint64_t low = 0;
    uint64_t high = UINT64_C(1) << 36;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if ((uint128)middle * middle * middle <= wanted) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

static void make_constants(void)
{
    int found = 0;
    for (uint64_t n = 2; found < 64; n++) {
        int prime = 1;
        for (uint64_t d = 2; d * d <= n; d++) {
            prime &= n % d != 0;
        }
        if (prime) {
            round_constants[found++] = cube_root_fraction(n);
        }
    }
}

static uint32_t rotated(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* As in FIPS 180-4, 6.2.2; shares no code with the kernel. */
static void add_block(uint32_t *state, const uint8_t *block)
{
    uint32_t w[64];
    for (int t = 0; t < 16; t++) {
        w[t] = (uint32_t)block[4 * t] << 24 | (uint32_t)block[4 * t + 1] << 16 |
               (uint32_t)block[4 * t + 2] << 8 | block[4 * t + 3];
    }
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    uint32_t s[8];
    memcpy(s, state, sizeof s);
    for (int t = 0; t < 64; t++) {
        uint32_t sum1 = rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25);
        uint32_t t1 = s[7] + sum1 + ((s[4] & s[5]) ^ (~s[4] & s[6])) + round_constants[t] + w[t];
        uint32_t sum0 = rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22);
        uint32_t t2 = sum0 + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) {
        state[i] += s[i];
    }
}

static void reference(const uint8_t *message, size_t length, uint8_t *digest)
{
    uint32_t state[8];
    uint8_t padded[MAX_LENGTH + 128] = {0};
    memcpy(state, initial_state, sizeof state);
    memcpy(padded, message, length);
    padded[length] = 0x80;
    size_t total = (length + 9 + 63) / 64 * 64;
    for (int i = 0; i < 8; i++) {
        padded[total - 1 - (size_t)i] = (uint8_t)((uint64_t)length * 8 >> 8 * i);
    }
    for (size_t at = 0; at < total; at += 64) {
        add_block(state, padded + at);
    }
    for (int i = 0; i < HDRF_SHA256_LENGTH; i++) {
        digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
    }
}

static void check(const uint32_t *lengths, size_t count)
{
    uint32_t ends[MAX_COUNT] = {0};
    uint32_t total = 0;
    for (size_t i = 0; i < count; i++) {
        total += lengths[i];
        ends[i] = total;
    }
    uint8_t *data = calloc(total + (total == 0), 1);
    uint8_t(*digests)[HDRF_SHA256_LENGTH] = malloc(count * sizeof *digests);
    CHECK(data != NULL && digests != NULL, "no memory");
    for (uint32_t i = 0; i < total; i++) {
        data[i] = (uint8_t)next_random();
    }
    hdrf_sha256(data, ends, count, digests);
    for (size_t i = 0; i < count; i++) {
        uint8_t expected[HDRF_SHA256_LENGTH];
        reference(data + ends[i] - lengths[i], lengths[i], expected);
        CHECK(memcmp(expected, digests[i], sizeof expected) == 0, "message %zu of %zu, %u bytes", i,
              count, lengths[i]);
    }
    free(data);
    free(digests);
}

static void test_reference(void)
{
    static const uint8_t abc[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
                                  0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
                                  0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
                                  0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
    uint8_t digest[HDRF_SHA256_LENGTH];
    reference((const uint8_t *)"abc", 3, digest);
    CHECK(memcmp(abc, digest, sizeof abc) == 0, "the reference is wrong");
}

static void test_every_length(void)
{
    for (uint32_t length = 0; length <= MAX_LENGTH; length++) {
        const uint32_t lengths[] = {length, MAX_LENGTH - length, length};
        for (size_t count = 1; count <= 3; count++) {
            check(lengths, count);
        }
    }
}

static void test_many(void)
{
    for (int round = 0; round < 2000; round++) {
        uint32_t lengths[MAX_COUNT];
        size_t count = next_random() % (MAX_COUNT + 1);
        for (size_t i = 0; i < count; i++) {
            lengths[i] = next_random() % (next_random() % 2 ? 70 : MAX_LENGTH + 1);
        }
        if (count > 0) {
            check(lengths, count);
        }
    }
}

int main(void)
{
    make_constants();
    test_reference();
    if (!hdrf_sha256_supported()) {
        puts("this CPU has no SHA instructions");
        return 0;
    }
    test_every_length();
    test_many();
    return 0;
}
