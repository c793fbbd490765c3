/* SPDX-License-Identifier: Apache-2.0 */
#include "chunk_checks.h"

static bool init(struct hdrf_chunker *chunker, int algorithm, uint32_t average)
{
    return hdrf_chunker_init(chunker, (enum hdrf_chunk_algorithm)algorithm, average, 0);
}

static const struct subject subject = {
    .init = init,
    .choose = hdrf_chunk_choose,
    .cut = hdrf_chunk,
    .names = {[HDRF_CHUNK_RAM] = "ram",
              [HDRF_CHUNK_RAML] = "raml",
              [HDRF_CHUNK_FASTCDC] = "fastcdc",
              [HDRF_CHUNK_FIXED] = "fixed",
              [HDRF_CHUNK_VHASH] = "vhash"},
};

/* One position in `divisor` ends a chunk by itself. */
static struct hdrf_chunker hashed(uint32_t minimum, uint32_t window, uint32_t maximum,
                                  uint32_t divisor)
{
    struct hdrf_chunker chunker = {.algorithm = HDRF_CHUNK_VHASH,
                                   .window = window,
                                   .minimum = minimum,
                                   .maximum = maximum,
                                   .strict = (UINT64_C(1) << 48) / divisor};
    return chunker;
}

/* Small parameters, so that a short message has many chunks. */
static int small_chunkers(struct hdrf_chunker *chunkers)
{
    static const uint32_t windows[] = {1, 2, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 300};
    int count = 0;
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        uint32_t window = windows[i];
        chunkers[count++] = windowed(HDRF_CHUNK_RAM, window, HDRF_CHUNK_LIMIT);
        chunkers[count++] = windowed(HDRF_CHUNK_RAML, window, window + 1);
        chunkers[count++] = windowed(HDRF_CHUNK_RAML, window, 4 * window);
    }
    chunkers[count++] = hashed(32, 1, 70, UINT32_MAX);
    chunkers[count++] = hashed(32, 20, 33, 20);
    chunkers[count++] = hashed(33, 40, 200, 100);
    chunkers[count++] = hashed(64, 30, 129, UINT32_MAX);
    chunkers[count++] = hashed(70, 270, 700, 2000);
    chunkers[count++] = hashed(40, 300, 341, UINT32_MAX);
    chunkers[count++] = hashed(130, 64, 300, 3);
    chunkers[count++] = hashed(50, 128, 10000, 300);
    return count;
}

/* A chunk of RAM that only the limit ends; windows in which the search ends at 255. */
static void test_large(void)
{
    size_t length = 33 * MIB;
    uint8_t *data = allocate(length);
    memset(data, 7, length);
    data[100] = 255;
    struct hdrf_chunker ram = windowed(HDRF_CHUNK_RAM, 8192 + 5, HDRF_CHUNK_LIMIT);
    check_same(&ram, data, length, true);
    free(data);

    uint8_t *low = allocate(MIB);
    fill(LOW, low, MIB);
    for (uint32_t window = 8190; window < 100000; window += window / 3) {
        struct hdrf_chunker chunker = windowed(HDRF_CHUNK_RAML, window, 4 * window);
        check_copy(&chunker, low, MIB - random_below(5000), random_below(65), true);
    }
    free(low);
}

static void test_arguments(void)
{
    struct hdrf_chunker chunker;
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAM, HDRF_CHUNK_AVERAGE_MIN - 1, 0), "small");
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAM, HDRF_CHUNK_AVERAGE_MAX + 1, 0), "large");
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAM, 8192, 32768), "RAM has no other maximum");
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAML, 8192, 16383), "maximum too small");
    CHECK(!hdrf_chunker_init(&chunker, HDRF_CHUNK_RAML, 8192, HDRF_CHUNK_LIMIT + 1), "too large");
    CHECK(hdrf_chunker_init(&chunker, HDRF_CHUNK_RAML, 8192, 16384), "maximum");
    CHECK(chunker.maximum == 16384, "maximum %" PRIu32, chunker.maximum);
    for (int number = -1; number <= HDRF_CHUNK_ALGORITHMS; number++) {
        bool known = number >= 0 && number < HDRF_CHUNK_ALGORITHMS && subject.names[number] != NULL;
        CHECK(hdrf_chunk_is_algorithm(number) == known, "number %d", number);
        CHECK(hdrf_chunker_init(&chunker, (enum hdrf_chunk_algorithm)number, 8192, 0) == known,
              "number %d", number);
    }
    uint32_t cut;
    CHECK(hdrf_chunk(&chunker, NULL, 0, true, &cut, 1) == 0, "a chunk of no bytes");
    for (uint32_t average = HDRF_CHUNK_AVERAGE_MIN; average < HDRF_CHUNK_AVERAGE_MAX;
         average += average / 7) {
        for (int algorithm = 0; algorithm < HDRF_CHUNK_ALGORITHMS; algorithm++) {
            if (!hdrf_chunk_is_algorithm(algorithm)) {
                continue;
            }
            CHECK(hdrf_chunker_init(&chunker, (enum hdrf_chunk_algorithm)algorithm, average, 0),
                  "algorithm %d, average %" PRIu32, algorithm, average);
            CHECK(chunker.minimum <= average && average <= chunker.maximum &&
                      chunker.maximum <= HDRF_CHUNK_LIMIT,
                  "algorithm %d, average %" PRIu32, algorithm, average);
        }
    }
}

static void test_kernel_names(void)
{
#if defined(__x86_64__)
    CHECK(hdrf_chunk_choose(0) == hdrf_chunk_portable(), "no features, yet vectors");
    CHECK(hdrf_chunk_kernel_name(HDRF_CHUNK_FASTCDC) == hdrf_chunk_portable()->name, "FastCDC");
    CHECK(hdrf_chunk_kernel_name(HDRF_CHUNK_RAM) == hdrf_chunk_choose(hdrf_cpu_features())->name,
          "RAM");
#endif
}

int main(int argc, char **argv)
{
    begin(argc, argv);
    test_kernel_names();
    test_arguments();
    struct hdrf_chunker chunkers[80];
    int count = small_chunkers(chunkers);
    test_every_short_length(chunkers, count);
    test_every_alignment(chunkers, count);
    test_real_parameters();
    test_large();
    test_pieces(-1);
    return 0;
}
