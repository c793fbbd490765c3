/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_thread.h"
#include "io_hdrf_jni_NativeThreads.h"

JNIEXPORT jboolean JNICALL Java_io_hdrf_jni_NativeThreads_setNiceOfCaller(JNIEnv *env, jclass cls,
                                                                          jint nice)
{
    (void)env;
    (void)cls;
    return hdrf_thread_set_nice(nice) == 0 ? JNI_TRUE : JNI_FALSE;
}
