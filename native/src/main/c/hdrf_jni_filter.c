/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_filter.h"
#include "io_hdrf_jni_FilterRows.h"

#define NO_HASH io_hdrf_jni_FilterRows_NO_HASH
#define NO_ARRAYS io_hdrf_jni_FilterRows_NO_ARRAYS

/*
 * The caller has checked the width and all lengths of arrays. Returns NO_ARRAYS if the virtual
 * machine does not give them.
 *
 * Garbage collections may have to wait for this, hence no more than one row at a time.
 */
JNIEXPORT jint JNICALL Java_io_hdrf_jni_FilterRows_keepCritical(JNIEnv *env, jclass cls,
                                                                jlongArray words, jint start,
                                                                jint length, jint width_log2,
                                                                jint function, jlongArray hashes,
                                                                jint hash_count, jint count,
                                                                jlongArray columns, jintArray left)
{
    (void)cls;
    jint result = NO_ARRAYS;
    jlong *from = (*env)->GetPrimitiveArrayCritical(env, words, NULL);
    jlong *hashed = (*env)->GetPrimitiveArrayCritical(env, hashes, NULL);
    jlong *bits = (*env)->GetPrimitiveArrayCritical(env, columns, NULL);
    jint *numbers = (*env)->GetPrimitiveArrayCritical(env, left, NULL);
    if (from != NULL && hashed != NULL && bits != NULL && numbers != NULL) {
        struct hdrf_filter_row row = {.words = (const uint64_t *)(from + start),
                                      .length = (uint32_t)length,
                                      .width_log2 = (uint32_t)width_log2,
                                      .function = (uint32_t)function};
        size_t remaining =
            hdrf_filter_keep(&row, (const uint64_t *)hashed, (size_t)hash_count, (size_t)count,
                             (uint64_t *)bits, (uint32_t *)numbers);
        result = remaining == HDRF_FILTER_NO_HASH ? NO_HASH : (jint)remaining;
    }
    if (numbers != NULL) {
        (*env)->ReleasePrimitiveArrayCritical(env, left, numbers, 0);
    }
    if (bits != NULL) {
        (*env)->ReleasePrimitiveArrayCritical(env, columns, bits, 0);
    }
    if (hashed != NULL) {
        (*env)->ReleasePrimitiveArrayCritical(env, hashes, hashed, JNI_ABORT);
    }
    if (from != NULL) {
        (*env)->ReleasePrimitiveArrayCritical(env, words, from, JNI_ABORT);
    }
    return result;
}

JNIEXPORT jstring JNICALL Java_io_hdrf_jni_FilterRows_kernelName(JNIEnv *env, jclass cls)
{
    (void)cls;
    return (*env)->NewStringUTF(env, hdrf_filter_kernel_name());
}
