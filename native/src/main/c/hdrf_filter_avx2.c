/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME(f) f##_avx2

static inline bool and2(const uint64_t *columns, const uint64_t *words, uint64_t *into)
{
    __m128i both = _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)columns),
                                 _mm_loadu_si128((const __m128i *)(const void *)words));
    _mm_storeu_si128((__m128i *)(void *)into, both);
    return !_mm_testz_si128(both, both);
}

static inline __m256i store4(const uint64_t *columns, const uint64_t *words, uint64_t *into)
{
    __m256i both = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(const void *)columns),
                                    _mm256_loadu_si256((const __m256i *)(const void *)words));
    _mm256_storeu_si256((__m256i *)(void *)into, both);
    return both;
}

static inline bool and4(const uint64_t *columns, const uint64_t *words, uint64_t *into)
{
    __m256i both = store4(columns, words, into);
    return !_mm256_testz_si256(both, both);
}

static inline bool and8(const uint64_t *columns, const uint64_t *words, uint64_t *into)
{
    __m256i low = store4(columns, words, into);
    __m256i high = store4(columns + 4, words + 4, into + 4);
    __m256i any = _mm256_or_si256(low, high);
    return !_mm256_testz_si256(any, any);
}

#include "hdrf_filter_loop.h"
