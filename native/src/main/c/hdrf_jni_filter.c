/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_filter.h"
#include "hdrf_jni.h"
#include "io_hdrf_jni_FilterRows.h"

#define NO_HASH io_hdrf_jni_FilterRows_NO_HASH
#define HASH_LONGS io_hdrf_jni_FilterRows_HASH_LONGS

/* All buffers hold elements of the machine's own byte order, and begin at Java's index 0. */
JNIEXPORT jint JNICALL Java_io_hdrf_jni_FilterRows_keepDirect(JNIEnv *env, jclass cls,
                                                              jobject words, jint length,
                                                              jint width_log2, jint function,
                                                              jobject hashes, jint hash_count,
                                                              jint count, jobject columns,
                                                              jobject left)
{
    (void)cls;
    if (length < 1 || width_log2 < 0 || width_log2 > HDRF_FILTER_MAX_WIDTH_LOG2 || function < 0) {
        hdrf_jni_refuse(env, "no such row");
        return 0;
    }
    jlong row_words = (((jlong)length << width_log2) + 63) / 64;
    jlong lanes = width_log2 > 6 ? (jlong)1 << (width_log2 - 6) : 1;
    const uint64_t *from = hdrf_jni_elements(env, words, 0, row_words, sizeof(*from));
    if (from == NULL) {
        return 0;
    }
    const uint64_t *hashed =
        hdrf_jni_elements(env, hashes, 0, (jlong)HASH_LONGS * hash_count, sizeof(*hashed));
    if (hashed == NULL) {
        return 0;
    }
    uint64_t *bits = hdrf_jni_elements(env, columns, 0, lanes * count, sizeof(*bits));
    if (bits == NULL) {
        return 0;
    }
    uint32_t *numbers = hdrf_jni_elements(env, left, 0, count, sizeof(*numbers));
    if (numbers == NULL) {
        return 0;
    }
    struct hdrf_filter_row row = {.words = from,
                                  .length = (uint32_t)length,
                                  .width_log2 = (uint32_t)width_log2,
                                  .function = (uint32_t)function};
    size_t remaining =
        hdrf_filter_keep(&row, hashed, (size_t)hash_count, (size_t)count, bits, numbers);
    return remaining == HDRF_FILTER_NO_HASH ? NO_HASH : (jint)remaining;
}

JNIEXPORT jstring JNICALL Java_io_hdrf_jni_FilterRows_kernelName(JNIEnv *env, jclass cls)
{
    (void)cls;
    return (*env)->NewStringUTF(env, hdrf_filter_kernel_name());
}
