/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_cpu.h"
#include "hdrf_filter.h"
#include "hdrf_filter_impl.h"

#define KERNEL(name, suffix)                                                                       \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            hdrf_filter_keep1_##suffix,                                                            \
            hdrf_filter_keep2_##suffix,                                                            \
            hdrf_filter_keep4_##suffix,                                                            \
            hdrf_filter_keep8_##suffix,                                                            \
        }                                                                                          \
    }

static const struct hdrf_filter_kernel portable = KERNEL("portable", portable);
#if defined(__x86_64__)
static const struct hdrf_filter_kernel avx2 = KERNEL("avx2", avx2);
#endif

const struct hdrf_filter_kernel *hdrf_filter_choose(uint32_t features)
{
#if defined(__x86_64__)
    if (features & HDRF_CPU_AVX2) {
        return &avx2;
    }
#else
    (void)features;
#endif
    return &portable;
}

size_t hdrf_filter_keep_with(const struct hdrf_filter_kernel *kernel,
                             const struct hdrf_filter_row *row, const uint64_t *hashes,
                             size_t hash_count, size_t count, uint64_t *columns, uint32_t *left)
{
    uint32_t lanes_log2 = row->width_log2 > 6 ? row->width_log2 - 6 : 0;
    return kernel->keep[lanes_log2](row, hashes, hash_count, count, columns, left);
}

size_t hdrf_filter_keep(const struct hdrf_filter_row *row, const uint64_t *hashes,
                        size_t hash_count, size_t count, uint64_t *columns, uint32_t *left)
{
    return hdrf_filter_keep_with(hdrf_filter_choose(hdrf_cpu_features()), row, hashes, hash_count,
                                 count, columns, left);
}

const char *hdrf_filter_kernel_name(void)
{
    return hdrf_filter_choose(hdrf_cpu_features())->name;
}
