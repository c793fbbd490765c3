/* SPDX-License-Identifier: Apache-2.0 */
#include <arm_neon.h>
#include <stdint.h>

#define NAME(f) f##_neon
#define VECTOR uint8x16_t
#define WIDTH 16

#define v_load vld1q_u8
#define v_splat8 vdupq_n_u8
#define v_max8 vmaxq_u8
#define v_greatest8 vmaxvq_u8
#define v_splat16(x) vreinterpretq_u8_u16(vdupq_n_u16(x))
#define v_behind4(a, b) vextq_u8(a, b, 4)
#define v_behind8(a, b) vextq_u8(a, b, 8)
#define v_behind16(a, b) (b)

static inline uint8x16_t v_add16(uint8x16_t a, uint8x16_t b)
{
    return vreinterpretq_u8_u16(vaddq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}

static inline uint8x16_t v_sub16(uint8x16_t a, uint8x16_t b)
{
    return vreinterpretq_u8_u16(vsubq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}

static inline uint8x16_t v_mul16(uint8x16_t a, uint8x16_t b)
{
    return vreinterpretq_u8_u16(vmulq_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}

static inline uint8x16_t v_min16(uint8x16_t a, uint8x16_t b)
{
    return vreinterpretq_u8_s16(vminq_s16(vreinterpretq_s16_u8(a), vreinterpretq_s16_u8(b)));
}

static inline int32_t v_lowest16(uint8x16_t a)
{
    return vminvq_s16(vreinterpretq_s16_u8(a));
}

/* Four bits for each byte of a comparison's result. */
static inline uint64_t mask_of(uint8x16_t compared)
{
    uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(compared), 4);
    return vget_lane_u64(vreinterpret_u64_u8(narrow), 0);
}

static inline uint64_t v_at_least8(uint8x16_t a, uint8x16_t b)
{
    return mask_of(vcgeq_u8(a, b));
}

static inline uint64_t v_below16(uint8x16_t a, uint8x16_t b)
{
    return mask_of(
        vreinterpretq_u8_u16(vcltq_s16(vreinterpretq_s16_u8(a), vreinterpretq_s16_u8(b))));
}

#define LANE8(mask) ((size_t)__builtin_ctzll(mask) / 4)
#define LANE16(mask) ((size_t)__builtin_ctzll(mask) / 8)
#define NEXT16(mask) ((mask) & ~(UINT64_C(0xff) << __builtin_ctzll(mask)))

#include "hdrf_chunk_vector.h"
