/* SPDX-License-Identifier: Apache-2.0 */
/* Which instruction sets may be used at run time. */
#ifndef HDRF_CPU_H
#define HDRF_CPU_H

#include <stdint.h>

/* Sets of features are bit masks of these. */
#define HDRF_CPU_SSE42 (UINT32_C(1) << 0)
#define HDRF_CPU_AVX2 (UINT32_C(1) << 1)
/* AVX-512 F, BW, DQ and VL together, as every server CPU since Skylake has them. */
#define HDRF_CPU_AVX512 (UINT32_C(1) << 2)
/* The SHA instructions, with the SSE4.2 that goes with them. */
#define HDRF_CPU_SHA (UINT32_C(1) << 3)
#define HDRF_CPU_ALL (HDRF_CPU_SSE42 | HDRF_CPU_AVX2 | HDRF_CPU_AVX512 | HDRF_CPU_SHA)

/*
 * The features that the CPU has and whose registers the operating system saves: 0 on anything but
 * x86-64. Asks the CPU once; for any number of threads.
 */
uint32_t hdrf_cpu_features(void);

/*
 * From now on hdrf_cpu_features() has no others than `allowed`. For any number of threads, each of
 * which sees it at some time: to be called before all else.
 */
void hdrf_cpu_restrict(uint32_t allowed);

/* What CPUID and XGETBV answered; 0 for a leaf or register that does not exist. */
struct hdrf_cpu_registers {
    uint32_t leaf1_ecx;
    uint32_t leaf7_ebx;
    uint64_t xcr0;
};

/* The features in those answers. Pure. */
uint32_t hdrf_cpu_decode(const struct hdrf_cpu_registers *registers);

#endif
