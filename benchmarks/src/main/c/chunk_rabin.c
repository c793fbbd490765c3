/* SPDX-License-Identifier: Apache-2.0 */
/*
 * M. O. Rabin: Fingerprinting by random polynomials, Harvard TR-15-81, 1981; A. Muthitacharoen et
 * al.: A low-bandwidth network file system, SOSP 2001.
 *
 * The fingerprint of 48 bytes, taken as a polynomial over GF(2), is the remainder of its division
 * by POLYNOMIAL, which is irreducible and of degree 53. The minimum is at least 48 bytes, so that
 * no decision needs bytes before the chunk.
 */
#include "compared.h"

#define POLYNOMIAL UINT64_C(0x3da3358b4dc173)
#define DEGREE 53

/* Filled when the library is loaded, constant from then on. */

/* [b]: what to add so that the bits from DEGREE on, which are b, become 0. */
static uint64_t reduce[256];
/* [b]: the remainder of b, followed by 47 zero bytes. */
static uint64_t leave[256];

static uint64_t append(uint64_t fingerprint, uint8_t byte)
{
    uint64_t shifted = fingerprint << 8 | byte;
    return shifted ^ reduce[shifted >> DEGREE];
}

__attribute__((constructor)) static void fill_tables(void)
{
    for (unsigned b = 0; b < 256; b++) {
        uint64_t rest = (uint64_t)b << DEGREE;
        for (int bit = DEGREE + 7; bit >= DEGREE; bit--) {
            if (rest >> bit & 1) {
                rest ^= POLYNOMIAL << (bit - DEGREE);
            }
        }
        reduce[b] = (uint64_t)b << DEGREE | rest;
    }
    for (unsigned b = 0; b < 256; b++) {
        uint64_t fingerprint = append(0, (uint8_t)b);
        for (int i = 1; i < CHUNK_RABIN_WINDOW; i++) {
            fingerprint = append(fingerprint, 0);
        }
        leave[b] = fingerprint;
    }
}

size_t chunk_rabin_reference(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length)
{
    size_t end = length < chunker->maximum ? length : chunker->maximum;
    size_t start = chunker->minimum - CHUNK_RABIN_WINDOW;
    uint64_t fingerprint = 0;
    for (size_t i = start; i < end; i++) {
        if (i >= start + CHUNK_RABIN_WINDOW) {
            fingerprint ^= leave[data[i - CHUNK_RABIN_WINDOW]];
        }
        fingerprint = append(fingerprint, data[i]);
        if (i + 1 >= chunker->minimum && (fingerprint & chunker->strict) == chunker->strict) {
            return i + 1;
        }
    }
    return end == chunker->maximum ? end : 0;
}
