/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_cpu.h"
#include "hdrf_crc32c.h"
#include "hdrf_crc32c_impl.h"

static const struct hdrf_crc32c_kernel portable = {"portable", hdrf_crc32c_portable};
#if defined(__x86_64__)
static const struct hdrf_crc32c_kernel sse42 = {"sse4.2", hdrf_crc32c_sse42};
#endif

const struct hdrf_crc32c_kernel *hdrf_crc32c_choose(uint32_t features)
{
#if defined(__x86_64__)
    if (features & HDRF_CPU_SSE42) {
        return &sse42;
    }
#else
    (void)features;
#endif
    return &portable;
}

uint32_t hdrf_crc32c(uint32_t crc, const uint8_t *data, size_t length)
{
    return hdrf_crc32c_choose(hdrf_cpu_features())->update(crc, data, length);
}

const char *hdrf_crc32c_kernel_name(void)
{
    return hdrf_crc32c_choose(hdrf_cpu_features())->name;
}
