/* SPDX-License-Identifier: Apache-2.0 */
#include <immintrin.h>
#include <stdint.h>

#define NAME(f) f##_avx512
#define VECTOR __m512i
#define WIDTH 64

#define v_splat8(b) _mm512_set1_epi8((char)(b))
#define v_max8 _mm512_max_epu8
#define v_splat16(x) _mm512_set1_epi16((short)(x))
#define v_add16 _mm512_add_epi16
#define v_sub16 _mm512_sub_epi16
#define v_mul16 _mm512_mullo_epi16
#define v_min16 _mm512_min_epi16
#define v_behind4(a, b) _mm512_alignr_epi32(b, a, 1)
#define v_behind8(a, b) _mm512_alignr_epi32(b, a, 2)
#define v_behind16(a, b) _mm512_alignr_epi32(b, a, 4)

static inline __m512i v_load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

/* The instruction for minima works on words: each holds the greater of two bytes, complemented. */
static inline uint8_t v_greatest8(__m512i a)
{
    __m256i half = _mm256_max_epu8(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    __m128i quarter =
        _mm_max_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    __m128i lacking = _mm_xor_si128(quarter, _mm_set1_epi8(-1));
    __m128i pairs = _mm_min_epu8(lacking, _mm_srli_epi16(lacking, 8));
    return (uint8_t)~_mm_cvtsi128_si32(_mm_minpos_epu16(pairs));
}

/* The instruction takes unsigned words. */
static inline int32_t v_lowest16(__m512i a)
{
    __m256i half = _mm256_min_epi16(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
    __m128i quarter =
        _mm_min_epi16(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    __m128i lowest = _mm_minpos_epu16(_mm_xor_si128(quarter, _mm_set1_epi16(INT16_MIN)));
    return (_mm_cvtsi128_si32(lowest) & 0xffff) - 0x8000;
}

static inline uint64_t v_at_least8(__m512i a, __m512i b)
{
    return _mm512_cmpge_epu8_mask(a, b);
}

static inline uint64_t v_below16(__m512i a, __m512i b)
{
    return _mm512_cmplt_epi16_mask(a, b);
}

#define LANE8(mask) ((size_t)__builtin_ctzll(mask))
#define LANE16(mask) ((size_t)__builtin_ctzll(mask))
#define NEXT16(mask) ((mask) & ((mask)-1))

#include "hdrf_chunk_vector.h"
