/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scalar reference: eight bytes in each step, by table.
 *
 * M. Kounavis, F. Berry: A Systematic Approach to Building High Performance Software-Based CRC
 * Generators, IEEE ISCC 2005 ("slicing-by-8").
 */
#include "hdrf_crc32c_impl.h"

static uint32_t load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t hdrf_crc32c_portable(uint32_t crc, const uint8_t *data, size_t length)
{
    const uint32_t(*slices)[256] = (const uint32_t(*)[256])hdrf_crc32c_slices;
    crc = ~crc;
    for (; length >= 8; data += 8, length -= 8) {
        uint32_t low = crc ^ load_le32(data);
        uint32_t high = load_le32(data + 4);
        crc = slices[7][low & 0xff] ^ slices[6][low >> 8 & 0xff] ^ slices[5][low >> 16 & 0xff] ^
              slices[4][low >> 24] ^ slices[3][high & 0xff] ^ slices[2][high >> 8 & 0xff] ^
              slices[1][high >> 16 & 0xff] ^ slices[0][high >> 24];
    }
    for (; length > 0; data++, length--) {
        crc = crc >> 8 ^ slices[0][(crc ^ *data) & 0xff];
    }
    return ~crc;
}
