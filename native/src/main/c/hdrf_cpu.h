/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction sets that may be used at run time. */
#ifndef HDRF_CPU_H
#define HDRF_CPU_H

#include <stdint.h>

/* Bits of feature sets. */
#define HDRF_CPU_SSE42 (UINT32_C(1) << 0)
#define HDRF_CPU_AVX2 (UINT32_C(1) << 1)
/* AVX-512 F, BW, DQ and VL together, as every server CPU since Skylake has them. */
#define HDRF_CPU_AVX512 (UINT32_C(1) << 2)
/* The SHA instructions, with the SSE4.2 that goes with them. */
#define HDRF_CPU_SHA (UINT32_C(1) << 3)
#define HDRF_CPU_ALL (HDRF_CPU_SSE42 | HDRF_CPU_AVX2 | HDRF_CPU_AVX512 | HDRF_CPU_SHA)

/*
 * Returns the features that the CPU has and whose registers the operating system saves; 0 if not on
 * x86-64. Queries the CPU once; for any number of threads.
 */
uint32_t hdrf_cpu_features(void);

/*
 * Restricts hdrf_cpu_features() to `allowed` from now on. For any number of threads, but each sees
 * the change at some later time: call this first.
 */
void hdrf_cpu_restrict(uint32_t allowed);

/* The answers of CPUID and XGETBV; 0 for a leaf or register that does not exist. */
struct hdrf_cpu_registers {
    uint32_t leaf1_ecx;
    uint32_t leaf7_ebx;
    uint64_t xcr0;
};

/* Returns the features in those answers. Pure. */
uint32_t hdrf_cpu_decode(const struct hdrf_cpu_registers *registers);

#endif
