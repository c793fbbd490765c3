/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_cpu.h"
#include "hdrf_test.h"

#define SSE42 0x00100000u
#define OSXSAVE 0x08000000u
#define AVX 0x10000000u
#define AVX2 0x00000020u
#define SHA 0x20000000u
#define AVX512 0xc0030000u
#define AVX512_WITHOUT_VL 0x40030000u

static void decodes(uint32_t ecx, uint32_t ebx, uint64_t xcr0, uint32_t expected, const char *what)
{
    struct hdrf_cpu_registers registers = {ecx, ebx, xcr0};
    uint32_t features = hdrf_cpu_decode(&registers);
    CHECK(features == expected, "%s: features %x, expected %x", what, features, expected);
}

static void test_decode(void)
{
    uint32_t all = SSE42 | OSXSAVE | AVX;
    decodes(0, 0, 0, 0, "nothing");
    decodes(SSE42, 0, 0, HDRF_CPU_SSE42, "SSE4.2 needs no help of the system");
    decodes(all, AVX2, 0x07, HDRF_CPU_SSE42 | HDRF_CPU_AVX2, "AVX2");
    decodes(all, AVX2 | AVX512, 0xe7, HDRF_CPU_ALL & ~HDRF_CPU_SHA, "AVX-512");
    decodes(all, AVX2 | AVX512 | SHA, 0xe7, HDRF_CPU_ALL, "all");
    decodes(SSE42, SHA, 0, HDRF_CPU_SSE42 | HDRF_CPU_SHA, "SHA needs no help of the system");
    decodes(0, SHA, 0, 0, "SHA without SSE4.2");
    decodes(all, AVX2 | AVX512, 0x07, HDRF_CPU_SSE42 | HDRF_CPU_AVX2, "ZMM not saved");
    decodes(all, AVX2 | AVX512, 0x67, HDRF_CPU_SSE42 | HDRF_CPU_AVX2, "ZMM16 to 31 not saved");
    decodes(all, AVX2 | AVX512, 0x03, HDRF_CPU_SSE42, "YMM not saved");
    decodes(all, AVX2 | AVX512_WITHOUT_VL, 0xe7, HDRF_CPU_SSE42 | HDRF_CPU_AVX2, "no VL");
    decodes(SSE42 | AVX, AVX2 | AVX512, 0, HDRF_CPU_SSE42, "no XGETBV");
    decodes(SSE42 | OSXSAVE, AVX2 | AVX512, 0xe7, HDRF_CPU_SSE42, "no AVX");
}

/* The compiler's run-time library queries the CPU by its own code. */
static void test_agrees_with_compiler(void)
{
    uint32_t expected = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2")) {
        expected |= HDRF_CPU_SSE42;
    }
    /* Older compilers can't be asked about SHA. */
    expected |= hdrf_cpu_features() & HDRF_CPU_SHA;
    if (__builtin_cpu_supports("avx2")) {
        expected |= HDRF_CPU_AVX2;
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        expected |= HDRF_CPU_AVX512;
    }
#endif
    for (int i = 0; i < 2; i++) {
        CHECK(hdrf_cpu_features() == expected, "features %x, compiler says %x",
              hdrf_cpu_features(), expected);
    }
}

int main(void)
{
    test_decode();
    test_agrees_with_compiler();
    printf("features %x\n", hdrf_cpu_features());
    return 0;
}
