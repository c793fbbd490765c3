/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 14.3 (AVX), 14.7.1
 * (AVX2) and 15.2 to 15.4 (AVX-512).
 */
#include "hdrf_cpu.h"

#include <stdatomic.h>
#include <stdbool.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define LEAF1_ECX_SSE42 (UINT32_C(1) << 20)
#define LEAF1_ECX_OSXSAVE (UINT32_C(1) << 27)
#define LEAF1_ECX_AVX (UINT32_C(1) << 28)
#define LEAF7_EBX_AVX2 (UINT32_C(1) << 5)
#define LEAF7_EBX_SHA (UINT32_C(1) << 29)
#define LEAF7_EBX_AVX512F (UINT32_C(1) << 16)
#define LEAF7_EBX_AVX512DQ (UINT32_C(1) << 17)
#define LEAF7_EBX_AVX512BW (UINT32_C(1) << 30)
#define LEAF7_EBX_AVX512VL (UINT32_C(1) << 31)
#define LEAF7_EBX_AVX512                                                                           \
    (LEAF7_EBX_AVX512F | LEAF7_EBX_AVX512DQ | LEAF7_EBX_AVX512BW | LEAF7_EBX_AVX512VL)

/*
 * The register state that the operating system must save: XMM and upper halves of YMM; for AVX-512
 * also opmask, upper halves of ZMM, ZMM16 to 31.
 */
#define XCR0_YMM UINT64_C(0x06)
#define XCR0_ZMM UINT64_C(0xe6)

/* Marks a cached answer, so that an empty set differs from 'not asked yet'. */
#define ASKED (UINT32_C(1) << 31)

static bool has_all(uint64_t value, uint64_t bits)
{
    return (value & bits) == bits;
}

uint32_t hdrf_cpu_decode(const struct hdrf_cpu_registers *registers)
{
    uint32_t features = 0;
    if (has_all(registers->leaf1_ecx, LEAF1_ECX_SSE42)) {
        features |= HDRF_CPU_SSE42;
        if (has_all(registers->leaf7_ebx, LEAF7_EBX_SHA)) {
            features |= HDRF_CPU_SHA;
        }
    }
    if (!has_all(registers->leaf1_ecx, LEAF1_ECX_OSXSAVE | LEAF1_ECX_AVX)) {
        return features;
    }
    if (has_all(registers->xcr0, XCR0_YMM) && has_all(registers->leaf7_ebx, LEAF7_EBX_AVX2)) {
        features |= HDRF_CPU_AVX2;
    }
    if (has_all(registers->xcr0, XCR0_ZMM) && has_all(registers->leaf7_ebx, LEAF7_EBX_AVX512)) {
        features |= HDRF_CPU_AVX512;
    }
    return features;
}

#if defined(__x86_64__)

static uint64_t read_xcr0(void)
{
    uint32_t low;
    uint32_t high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static uint32_t ask(void)
{
    struct hdrf_cpu_registers registers = {0, 0, 0};
    unsigned eax;
    unsigned ebx;
    unsigned ecx;
    unsigned edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
        registers.leaf1_ecx = ecx;
        /* XGETBV faults if the operating system has not enabled it. */
        if (ecx & LEAF1_ECX_OSXSAVE) {
            registers.xcr0 = read_xcr0();
        }
    }
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        registers.leaf7_ebx = ebx;
    }
    return hdrf_cpu_decode(&registers);
}

#else

static uint32_t ask(void)
{
    return 0;
}

#endif

static _Atomic uint32_t allowed_features = HDRF_CPU_ALL;

void hdrf_cpu_restrict(uint32_t allowed)
{
    atomic_store_explicit(&allowed_features, allowed & HDRF_CPU_ALL, memory_order_relaxed);
}

uint32_t hdrf_cpu_features(void)
{
    /* Racing threads store the same value. */
    static _Atomic uint32_t cached;
    uint32_t features = atomic_load_explicit(&cached, memory_order_relaxed);
    if (!(features & ASKED)) {
        features = ask() | ASKED;
        atomic_store_explicit(&cached, features, memory_order_relaxed);
    }
    return features & atomic_load_explicit(&allowed_features, memory_order_relaxed);
}
