/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs at load time on every CPU; so this file stays apart from the kernels, which are compiled for
 * more than the base instruction set.
 */
#include "hdrf_crc32c_impl.h"

/* Bit-reversed: bit 31 holds the coefficient of x^0, bit 0 that of x^31. */
#define POLYNOMIAL UINT32_C(0x82f63b78)
#define X_TO_THE_0 (UINT32_C(1) << 31)
#define X_TO_THE_1 (UINT32_C(1) << 30)

uint32_t hdrf_crc32c_slices[8][256];
uint32_t hdrf_crc32c_shift_long[4][256];
uint32_t hdrf_crc32c_shift_short[4][256];

static uint32_t times_x(uint32_t a)
{
    return (a >> 1) ^ ((a & 1) ? POLYNOMIAL : 0);
}

/* Returns the product modulo the CRC polynomial. */
static uint32_t multiply(uint32_t a, uint32_t b)
{
    uint32_t product = 0;
    for (uint32_t term = X_TO_THE_0; term != 0; term >>= 1) {
        if (a & term) {
            product ^= b;
        }
        b = times_x(b);
    }
    return product;
}

static void fill_slices(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) {
            crc = times_x(crc);
        }
        hdrf_crc32c_slices[0][byte] = crc;
    }
    for (int k = 1; k < 8; k++) {
        for (int byte = 0; byte < 256; byte++) {
            uint32_t crc = hdrf_crc32c_slices[k - 1][byte];
            hdrf_crc32c_slices[k][byte] = (crc >> 8) ^ hdrf_crc32c_slices[0][crc & 0xff];
        }
    }
}

/* A zero byte multiplies the register by x^8; 2^n of them by x^(2^(n + 3)). */
static void fill_shift(uint32_t shift[4][256], int length_log2)
{
    uint32_t power = X_TO_THE_1;
    for (int i = 0; i < length_log2 + 3; i++) {
        power = multiply(power, power);
    }
    for (int k = 0; k < 4; k++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            shift[k][byte] = multiply(power, byte << (8 * k));
        }
    }
}

__attribute__((constructor)) static void fill_tables(void)
{
    fill_slices();
    fill_shift(hdrf_crc32c_shift_long, HDRF_CRC32C_LONG_LOG2);
    fill_shift(hdrf_crc32c_shift_short, HDRF_CRC32C_SHORT_LOG2);
}
