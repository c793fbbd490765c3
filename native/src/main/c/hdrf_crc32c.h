/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC32C (Castagnoli polynomial, reflected; RFC 3720, appendix B.4).
 *
 * All functions of this header are pure: they read only `length` bytes at `data`, keep no reference
 * to them, allocate nothing, and may be called by any number of threads at once. The bytes must not
 * change during a call. `data` needs no alignment and may be NULL if `length` is 0.
 */
#ifndef HDRF_CRC32C_H
#define HDRF_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * Extends a checksum by `length` bytes.
 *
 * `crc` is 0 for the first part of a message and the previous result for each further part, so
 * that crc(ab) = hdrf_crc32c(hdrf_crc32c(0, a), b). The result is a finished checksum, equal to
 * that of java.util.zip.CRC32C.
 *
 * Uses the fastest kernel that this CPU and its operating system allow.
 */
uint32_t hdrf_crc32c(uint32_t crc, const uint8_t *data, size_t length);

/*
 * Returns the name of the kernel behind hdrf_crc32c() on this machine: a static string, never NULL.
 */
const char *hdrf_crc32c_kernel_name(void);

#endif
