/* SPDX-License-Identifier: Apache-2.0 */
/* AE, LMC, Rabin and Gear: vectors against references, and these against the definitions. */
#include "chunk_checks.h"
#include "compared.h"

static const struct subject subject = {
    .init = compared_init,
    .choose = compared_choose,
    .cut = compared_chunk,
    .names = {[CHUNK_AE] = "ae",
              [CHUNK_LMC] = "lmc",
              [CHUNK_RABIN] = "rabin",
              [CHUNK_GEAR] = "gear"},
};

/* Small parameters, so that a short message has many chunks. */
static int small_chunkers(struct hdrf_chunker *chunkers)
{
    static const uint32_t windows[] = {1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 300};
    int count = 0;
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        chunkers[count++] = windowed(CHUNK_AE, windows[i], 256 * windows[i] + 1);
        chunkers[count++] = windowed(CHUNK_AE, windows[i], 3 * windows[i]);
    }
    return count;
}

/* A chunk of LMC that nothing ends but the limit, and one that ends 3000 bytes before. */
static void test_large(void)
{
    size_t length = HDRF_CHUNK_LIMIT + MIB;
    uint8_t *data = allocate(length);
    memset(data, 7, length);
    struct hdrf_chunker lmc = windowed(CHUNK_LMC, 200, HDRF_CHUNK_LIMIT);
    uint32_t cut = 0;
    CHECK(compared_chunk(&lmc, data, length, true, &cut, 1) == 1 && cut == HDRF_CHUNK_LIMIT,
          "cut at %" PRIu32, cut);
    data[HDRF_CHUNK_LIMIT - 1] = 8;
    data[HDRF_CHUNK_LIMIT - 3000] = 8;
    CHECK(compared_chunk(&lmc, data, length, true, &cut, 1) == 1 && cut == HDRF_CHUNK_LIMIT - 2999,
          "cut at %" PRIu32, cut);
    free(data);
}

/* The definition of LMC, byte by byte. */
static size_t lmc_by_definition(const struct hdrf_chunker *chunker, const uint8_t *data,
                                size_t length)
{
    size_t h = chunker->window;
    for (size_t i = h; i + h < length && i < chunker->maximum; i++) {
        bool cut = true;
        for (size_t j = 1; j <= h; j++) {
            cut = cut && data[i] > data[i - j] && data[i] > data[i + j];
        }
        if (cut) {
            return i + 1;
        }
    }
    return length < chunker->maximum ? 0 : chunker->maximum;
}

static void test_lmc(void)
{
    uint8_t data[700];
    static const uint32_t windows[] = {1, 2, 3, 10, 31, 100};
    for (int round = 0; round < 300; round++) {
        fill((enum pattern)random_below(PATTERNS), data, sizeof data);
        for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
            uint32_t maximum = windows[i] + 1 + (uint32_t)random_below(400);
            struct hdrf_chunker chunker = windowed(CHUNK_LMC, windows[i], maximum);
            size_t start = 0;
            while (start < sizeof data) {
                size_t length = sizeof data - start;
                size_t expected = lmc_by_definition(&chunker, data + start, length);
                uint32_t cut = 0;
                size_t count = compared_chunk(&chunker, data + start, length, true, &cut, 1);
                expected = expected != 0 ? expected : length;
                CHECK(count == 1 && cut == expected, "h %" PRIu32 ": %" PRIu32 ", not %zu",
                      windows[i], cut, expected);
                start += cut;
            }
        }
    }
}

/* The remainder of 48 bytes divided by the polynomial, bit by bit. */
static uint64_t remainder_of(const uint8_t *data)
{
    uint64_t remainder = 0;
    for (int bit = 0; bit < 8 * CHUNK_RABIN_WINDOW; bit++) {
        remainder = remainder << 1 | (data[bit / 8] >> (7 - bit % 8) & 1);
        remainder ^= remainder >> 53 != 0 ? UINT64_C(0x3da3358b4dc173) : 0;
    }
    return remainder;
}

static void test_rabin(void)
{
    enum { LENGTH = 20000 };
    static uint8_t data[LENGTH];
    static uint32_t cuts[LENGTH];
    struct hdrf_chunker chunker;
    CHECK(compared_init(&chunker, CHUNK_RABIN, 1000), "1000");
    for (int pattern = 0; pattern < PATTERNS; pattern++) {
        fill((enum pattern)pattern, data, LENGTH);
        size_t count = compared_chunk(&chunker, data, LENGTH, true, cuts, LENGTH);
        size_t cut = 0;
        size_t start = 0;
        for (size_t end = 1; end <= LENGTH; end++) {
            bool long_enough = end - start >= chunker.minimum;
            if (end == LENGTH || end - start == chunker.maximum ||
                (long_enough &&
                 (remainder_of(data + end - CHUNK_RABIN_WINDOW) & chunker.strict) ==
                     chunker.strict)) {
                CHECK(cut < count && cuts[cut] == end, "pattern %d: no cut at %zu", pattern, end);
                cut++;
                start = end;
            }
        }
        CHECK(cut == count, "pattern %d: %zu cuts more", pattern, count - cut);
    }
}

/* Not on chance: the data is the same in every run. At powers of two Rabin's mean is 47 above. */
static void test_average(void)
{
    enum { LENGTH = 16 << 20 };
    uint8_t *data = allocate(LENGTH);
    static uint32_t cuts[MAX_CUTS];
    random_state = 64;
    fill(RANDOM, data, LENGTH);
    static const uint32_t averages[] = {1000, 1024, 5120, 8192, 10000};
    for (int algorithm = CHUNK_AE; algorithm <= CHUNK_GEAR; algorithm++) {
        for (size_t i = 0; i < sizeof averages / sizeof averages[0]; i++) {
            struct hdrf_chunker chunker;
            CHECK(compared_init(&chunker, algorithm, averages[i]), "%" PRIu32, averages[i]);
            double mean = (double)LENGTH / (double)compared_chunk(&chunker, data, LENGTH, true, cuts,
                                                                  MAX_CUTS);
            CHECK(mean > 0.9 * averages[i] && mean < 1.1 * averages[i],
                  "algorithm %d: %.0f, not %" PRIu32, algorithm, mean, averages[i]);
        }
    }
    free(data);
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    test_lmc();
    test_rabin();
    struct hdrf_chunker chunkers[80];
    int count = small_chunkers(chunkers);
    test_every_short_length(chunkers, count);
    test_every_alignment(chunkers, count);
    test_real_parameters();
    test_large();
    test_pieces(CHUNK_LMC);
    test_average();
    return 0;
}
