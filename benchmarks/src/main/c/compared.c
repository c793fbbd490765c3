/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters follow from the average as in hdrf_chunk_parameters.c. */
#include "compared.h"

#include "hdrf_cpu.h"

#include <math.h>

#define VALUES 256

const char *const compared_names[HDRF_CHUNK_ALGORITHMS] = {
    "ram", "raml", "ae", "lmc", "rabin", "gear", "fastcdc", "fixed", "vhash"};

static const struct {
    const char *name;
    hdrf_chunk_fn *ae;
} forms[] = {
    {"portable", chunk_ae_reference},
#if defined(__x86_64__)
    {"sse4.2", chunk_ae_sse42},
    {"avx2", chunk_ae_avx2},
    {"avx512", chunk_ae_avx512},
#elif defined(__aarch64__)
    {"neon", chunk_ae_neon},
#endif
};

const struct hdrf_chunk_kernel *compared_choose(uint32_t features)
{
    static struct hdrf_chunk_kernel kernels[sizeof forms / sizeof forms[0]];
    const struct hdrf_chunk_kernel *library = hdrf_chunk_choose(features);
    size_t form = 0;
    while (strcmp(forms[form].name, library->name) != 0) {
        form++;
    }
    struct hdrf_chunk_kernel *kernel = &kernels[form];
    *kernel = *library;
    kernel->first[CHUNK_AE] = forms[form].ae;
    kernel->first[CHUNK_LMC] = chunk_lmc_reference;
    kernel->first[CHUNK_RABIN] = chunk_rabin_reference;
    kernel->first[CHUNK_GEAR] = hdrf_chunk_fastcdc_reference;
    return kernel;
}

size_t compared_chunk(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length,
                      bool last, uint32_t *cuts, size_t capacity)
{
    return hdrf_chunk_with(compared_choose(hdrf_cpu_features()), chunker, data, length, last, cuts,
                           capacity);
}

/*
 * E(v) bytes follow a maximum of the value v: E(255) = w. Else, with q = (v+1)/256 and r = 1 - q^w
 * the chance that it is replaced, E(v) = r * (1/(1-q) + the mean of E(u) over all u > v). The mean
 * is 1 + the mean of E(v) over all v.
 */
static double ae_mean(uint32_t window)
{
    double sum = window;
    for (uint32_t v = VALUES - 1; v-- > 0;) {
        double not_greater = (double)(v + 1) / VALUES;
        uint32_t greater = VALUES - 1 - v;
        double replaced = 1 - pow(not_greater, window);
        sum += replaced * (1 / (1 - not_greater) + sum / greater);
    }
    return 1 + sum / VALUES;
}

/* A byte is a local maximum with the chance of the sum of (m/256)^(2h) / 256. */
static double lmc_mean(uint32_t window)
{
    double sum = 0;
    for (uint32_t m = 0; m < VALUES; m++) {
        sum += pow((double)m / VALUES, 2.0 * window);
    }
    return VALUES / sum;
}

static void windowed(struct hdrf_chunker *chunker, double mean(uint32_t window), uint32_t average,
                     uint64_t maximum_in_windows)
{
    uint32_t low = 1;
    uint32_t high = average;
    while (low < high) {
        uint32_t window = low + (high - low) / 2;
        if (mean(window) < average) {
            low = window + 1;
        } else {
            high = window;
        }
    }
    uint64_t maximum = maximum_in_windows * low + 1;
    chunker->window = low;
    chunker->minimum = low + 1;
    chunker->maximum = maximum < HDRF_CHUNK_LIMIT ? (uint32_t)maximum : HDRF_CHUNK_LIMIT;
}

/* One mask for all lengths: the minimum takes what the power of two lacks, but has one window. */
static void rabin(struct hdrf_chunker *chunker, uint32_t average)
{
    uint32_t power = HDRF_CHUNK_AVERAGE_MIN;
    while (2 * power <= average) {
        power *= 2;
    }
    uint32_t rest = average - (power - 1);
    chunker->minimum = rest > CHUNK_RABIN_WINDOW ? rest : CHUNK_RABIN_WINDOW;
    chunker->maximum = 8 * average;
    chunker->strict = power - 1;
    chunker->loose = power - 1;
}

/* One chance for all lengths; what the tests are to add to the minimum gives it. */
static void gear(struct hdrf_chunker *chunker, uint32_t average)
{
    chunker->minimum = average / 4;
    chunker->maximum = 8 * average;
    chunker->strict = UINT64_MAX / (average - chunker->minimum + 1);
    chunker->loose = chunker->strict;
}

bool compared_init(struct hdrf_chunker *chunker, int algorithm, uint32_t average)
{
    struct hdrf_chunker made = {.algorithm = (enum hdrf_chunk_algorithm)algorithm};
    if (average < HDRF_CHUNK_AVERAGE_MIN || average > HDRF_CHUNK_AVERAGE_MAX) {
        return false;
    }
    switch (algorithm) {
    case CHUNK_AE:
        windowed(&made, ae_mean, average, VALUES);
        break;
    case CHUNK_LMC:
        windowed(&made, lmc_mean, average, HDRF_CHUNK_LIMIT);
        break;
    case CHUNK_RABIN:
        rabin(&made, average);
        break;
    case CHUNK_GEAR:
        gear(&made, average);
        break;
    default:
        return hdrf_chunker_init(chunker, made.algorithm, average, 0);
    }
    *chunker = made;
    return true;
}
