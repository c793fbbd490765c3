/* SPDX-License-Identifier: Apache-2.0 */
#include <nmmintrin.h>
#include <stdint.h>

#define NAME(f) f##_sse42
#define VECTOR __m128i
#define WIDTH 16

#define v_splat8(b) _mm_set1_epi8((char)(b))
#define v_max8 _mm_max_epu8
#define v_splat16(x) _mm_set1_epi16((short)(x))
#define v_add16 _mm_add_epi16
#define v_sub16 _mm_sub_epi16
#define v_mul16 _mm_mullo_epi16
#define v_min16 _mm_min_epi16
#define v_behind4(a, b) _mm_alignr_epi8(b, a, 4)
#define v_behind8(a, b) _mm_alignr_epi8(b, a, 8)
#define v_behind16(a, b) (b)

static inline __m128i v_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* The instruction for minima works on words: each holds the greater of two bytes, complemented. */
static inline uint8_t v_greatest8(__m128i a)
{
    __m128i lacking = _mm_xor_si128(a, _mm_set1_epi8(-1));
    __m128i pairs = _mm_min_epu8(lacking, _mm_srli_epi16(lacking, 8));
    return (uint8_t)~_mm_cvtsi128_si32(_mm_minpos_epu16(pairs));
}

/* The instruction takes unsigned words. */
static inline int32_t v_lowest16(__m128i a)
{
    __m128i lowest = _mm_minpos_epu16(_mm_xor_si128(a, _mm_set1_epi16(INT16_MIN)));
    return (_mm_cvtsi128_si32(lowest) & 0xffff) - 0x8000;
}

static inline uint64_t v_at_least8(__m128i a, __m128i b)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(a, b), a));
}

static inline uint64_t v_below16(__m128i a, __m128i b)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmplt_epi16(a, b));
}

/* A lane of 16 bits has two bits of the mask. */
#define LANE8(mask) ((size_t)__builtin_ctzll(mask))
#define LANE16(mask) ((size_t)__builtin_ctzll(mask) / 2)
#define NEXT16(mask) ((mask) & ~(UINT64_C(3) << __builtin_ctzll(mask)))

#include "hdrf_chunk_vector.h"
