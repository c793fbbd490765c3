/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_cpu.h"
#include "hdrf_jni.h"
#include "io_hdrf_jni_NativeLibrary.h"

/* The levels are the indices of io.hdrf.jni.NativeLibrary.LEVELS. */
JNIEXPORT void JNICALL Java_io_hdrf_jni_NativeLibrary_restrictTo(JNIEnv *env, jclass cls,
                                                                 jint level)
{
    static const uint32_t allowed[] = {
        0,
        HDRF_CPU_SSE42 | HDRF_CPU_SHA,
        HDRF_CPU_SSE42 | HDRF_CPU_SHA | HDRF_CPU_AVX2,
        HDRF_CPU_ALL,
    };
    (void)cls;
    if (level < 0 || (size_t)level >= sizeof(allowed) / sizeof(*allowed)) {
        hdrf_jni_refuse(env, "no such instructions");
        return;
    }
    hdrf_cpu_restrict(allowed[level]);
}
