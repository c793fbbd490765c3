/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_chunk_impl.h"
#include "hdrf_cpu.h"

/* All other kernels differ from the portable one only in RAM (and RAML) and VHASH. */
#define KERNEL(name, suffix)                                                                       \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            [HDRF_CHUNK_RAM] = hdrf_chunk_ram_##suffix,                                            \
            [HDRF_CHUNK_RAML] = hdrf_chunk_ram_##suffix,                                           \
            [HDRF_CHUNK_FASTCDC] = hdrf_chunk_fastcdc_reference,                                   \
            [HDRF_CHUNK_FIXED] = hdrf_chunk_fixed_reference,                                       \
            [HDRF_CHUNK_VHASH] = hdrf_chunk_vhash_##suffix,                                        \
        }                                                                                          \
    }

static const struct hdrf_chunk_kernel portable = KERNEL("portable", reference);
#if defined(__x86_64__)
static const struct hdrf_chunk_kernel sse42 = KERNEL("sse4.2", sse42);
static const struct hdrf_chunk_kernel avx2 = KERNEL("avx2", avx2);
static const struct hdrf_chunk_kernel avx512 = KERNEL("avx512", avx512);
#elif defined(__aarch64__)
static const struct hdrf_chunk_kernel neon = KERNEL("neon", neon);
#endif

const struct hdrf_chunk_kernel *hdrf_chunk_choose(uint32_t features)
{
#if defined(__x86_64__)
    if (features & HDRF_CPU_AVX512) {
        return &avx512;
    }
    if (features & HDRF_CPU_AVX2) {
        return &avx2;
    }
    if (features & HDRF_CPU_SSE42) {
        return &sse42;
    }
#elif defined(__aarch64__)
    /* Every such CPU has it. */
    (void)features;
    return &neon;
#else
    (void)features;
#endif
    return &portable;
}

const struct hdrf_chunk_kernel *hdrf_chunk_portable(void)
{
    return &portable;
}

bool hdrf_chunk_is_algorithm(int32_t number)
{
    return number >= 0 && number < HDRF_CHUNK_ALGORITHMS && portable.first[number] != NULL;
}

size_t hdrf_chunk_with(const struct hdrf_chunk_kernel *kernel, const struct hdrf_chunker *chunker,
                       const uint8_t *data, size_t length, bool last, uint32_t *cuts,
                       size_t capacity)
{
    hdrf_chunk_fn *first = kernel->first[chunker->algorithm];
    size_t count = 0;
    size_t start = 0;
    while (count < capacity && start < length) {
        size_t chunk = first(chunker, data + start, length - start);
        if (chunk == 0) {
            if (!last) {
                break;
            }
            chunk = length - start;
        }
        start += chunk;
        cuts[count++] = (uint32_t)start;
    }
    return count;
}

size_t hdrf_chunk(const struct hdrf_chunker *chunker, const uint8_t *data, size_t length, bool last,
                  uint32_t *cuts, size_t capacity)
{
    return hdrf_chunk_with(hdrf_chunk_choose(hdrf_cpu_features()), chunker, data, length, last,
                           cuts, capacity);
}

const char *hdrf_chunk_kernel_name(enum hdrf_chunk_algorithm algorithm)
{
    const struct hdrf_chunk_kernel *kernel = hdrf_chunk_choose(hdrf_cpu_features());
    bool vectors = kernel->first[algorithm] != portable.first[algorithm];
    return vectors ? kernel->name : portable.name;
}
