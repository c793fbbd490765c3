/* SPDX-License-Identifier: Apache-2.0 */
/* Each array has its own mapping, so that freed memory returns to the system at once. */
#define _DEFAULT_SOURCE
#include "hdrf_jni.h"
#include "io_hdrf_jni_NativeWords.h"

#include <sys/mman.h>

JNIEXPORT jlong JNICALL Java_io_hdrf_jni_NativeWords_map(JNIEnv *env, jclass cls, jlong bytes)
{
    (void)env;
    (void)cls;
    if (bytes <= 0) {
        return 0;
    }
    void *address = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                         -1, 0);
    return address == MAP_FAILED ? 0 : (jlong)(intptr_t)address;
}

JNIEXPORT jobject JNICALL Java_io_hdrf_jni_NativeWords_wrap(JNIEnv *env, jclass cls, jlong address,
                                                            jlong bytes)
{
    (void)cls;
    if (address == 0 || bytes <= 0) {
        hdrf_jni_refuse(env, "no memory");
        return NULL;
    }
    return (*env)->NewDirectByteBuffer(env, (void *)(intptr_t)address, bytes);
}

JNIEXPORT void JNICALL Java_io_hdrf_jni_NativeWords_unmap(JNIEnv *env, jclass cls, jlong address,
                                                          jlong bytes)
{
    (void)env;
    (void)cls;
    if (address != 0 && bytes > 0) {
        munmap((void *)(intptr_t)address, (size_t)bytes);
    }
}
