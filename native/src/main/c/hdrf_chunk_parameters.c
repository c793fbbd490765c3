/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives parameters from an average. Each mean below is that of the chunks of uniformly random
 * bytes, and rises with the parameter; the search returns the least value that reaches the average.
 * Java has the same formulas (ChunkerParameters), and both use only +, -, * and / on doubles, in
 * the same order, so that they find the same numbers.
 */
#include "hdrf_chunk_impl.h"

#define VALUES 256

static double power(double base, uint32_t exponent)
{
    double result = 1;
    for (; exponent != 0; exponent >>= 1) {
        if (exponent & 1) {
            result *= base;
        }
        base *= base;
    }
    return result;
}

/*
 * M is m with the probability ((m+1)/256)^w - (m/256)^w; then each byte after the window ends the
 * chunk with the probability p = (256-m)/256, but the maximum ends it too: (1 - (1-p)^(maximum-w))
 * / p bytes on average.
 */
static double ram_mean(uint32_t window, uint32_t maximum)
{
    double mean = window;
    double below = 0;
    for (uint32_t m = 0; m < VALUES; m++) {
        double up_to = power((double)(m + 1) / VALUES, window);
        double chance = (double)(VALUES - m) / VALUES;
        double kept = power((double)m / VALUES, maximum - window);
        mean += (up_to - below) * ((1 - kept) / chance);
        below = up_to;
    }
    return mean;
}

/*
 * Lengths from `minimum` on end the chunk with the probability 1/strict, those from `normal` on
 * with 1/loose. Of n tests with the probability p = 1-q, a chunk survives on average q + q^2 + ...
 * + q^n = q (1 - q^n) / p.
 */
static double hash_mean(const struct hdrf_chunker *chunker, uint32_t strict, uint32_t loose)
{
    double strict_kept = 1 - 1.0 / strict;
    double loose_kept = 1 - 1.0 / loose;
    double reached = power(strict_kept, chunker->normal - chunker->minimum);
    double end = power(loose_kept, chunker->maximum - chunker->normal);
    return chunker->minimum + strict_kept * (1 - reached) * strict +
           reached * (loose_kept * (1 - end) * loose);
}

static uint32_t ram_window(uint32_t average, uint32_t maximum)
{
    uint32_t low = 1;
    uint32_t high = average;
    while (low < high) {
        uint32_t window = low + (high - low) / 2;
        double mean = ram_mean(window, maximum != 0 ? maximum : 4 * window);
        if (mean < average) {
            low = window + 1;
        } else {
            high = window;
        }
    }
    return low;
}

/* The length at which strict gives way to loose. */
static uint32_t search_normal(struct hdrf_chunker *chunker, uint32_t average, uint32_t strict,
                              uint32_t loose)
{
    uint32_t low = chunker->minimum;
    uint32_t high = 2 * average;
    while (low < high) {
        chunker->normal = low + (high - low) / 2;
        if (hash_mean(chunker, strict, loose) < average) {
            low = chunker->normal + 1;
        } else {
            high = chunker->normal;
        }
    }
    return low;
}

/* The probability is a quarter of 1/average, then four times 1/average. */
static void fastcdc_parameters(struct hdrf_chunker *chunker, uint32_t average)
{
    uint32_t strict = 4 * average;
    uint32_t loose = average / 4;
    chunker->minimum = average / 4;
    chunker->maximum = 8 * average;
    chunker->normal = search_normal(chunker, average, strict, loose);
    chunker->strict = UINT64_MAX / strict;
    chunker->loose = UINT64_MAX / loose;
}

/*
 * Let w be the window, which is also the minimum, and 1/D the probability that a position is below
 * `strict`. Let G be the number of a chunk's first test that is, and X that of the first one lower
 * than all before it and than the w after it, by the order of the hashes alone. The chunk is cut at
 * G if G <= X + w, else at X. Test j is lower than those before it with a probability of 1/j,
 * whatever their order; the next such test is k with a probability of j/(k(k-1)), and after j + w
 * with one of j/(j+w). So with f(1) = 1 and f(k) = the sum, over the w numbers j before k, of f(j)
 * j/(k(k-1)), X is j with the probability f(j) j/(j+w); and with q = 1 - 1/D, over all X,
 *
 *   mean = w - 1 + the mean of (1 - q^(X+w)) D - w q^(X+w).
 *
 * For D = 3w this is 1.7456 w for w = 300 and 1.7461 w from w = 5000 on; the maximum is hardly ever
 * reached.
 */
static void vhash_parameters(struct hdrf_chunker *chunker, uint32_t average)
{
    uint32_t window = average * 1000 / 1746;
    chunker->window = window;
    chunker->minimum = window;
    chunker->maximum = 4 * average;
    chunker->strict = (UINT64_C(1) << 48) / (3 * window);
}

bool hdrf_chunker_init(struct hdrf_chunker *chunker, enum hdrf_chunk_algorithm algorithm,
                       uint32_t average, uint32_t maximum)
{
    if (average < HDRF_CHUNK_AVERAGE_MIN || average > HDRF_CHUNK_AVERAGE_MAX) {
        return false;
    }
    if (maximum != 0 && (algorithm != HDRF_CHUNK_RAML || maximum < 2 * average ||
                         maximum > HDRF_CHUNK_LIMIT)) {
        return false;
    }
    struct hdrf_chunker made = {.algorithm = algorithm};
    switch (algorithm) {
    case HDRF_CHUNK_RAM:
        made.window = ram_window(average, HDRF_CHUNK_LIMIT);
        made.minimum = made.window + 1;
        made.maximum = HDRF_CHUNK_LIMIT;
        break;
    case HDRF_CHUNK_RAML:
        made.window = ram_window(average, maximum);
        made.minimum = made.window + 1;
        made.maximum = maximum != 0 ? maximum : 4 * made.window;
        break;
    case HDRF_CHUNK_FASTCDC:
        fastcdc_parameters(&made, average);
        break;
    case HDRF_CHUNK_FIXED:
        made.minimum = average;
        made.maximum = average;
        break;
    case HDRF_CHUNK_VHASH:
        vhash_parameters(&made, average);
        break;
    default:
        return false;
    }
    *chunker = made;
    return true;
}
