/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_delta.h"
#include "hdrf_jni.h"
#include "io_hdrf_jni_ChunkDelta.h"

JNIEXPORT jint JNICALL Java_io_hdrf_jni_ChunkDelta_encodeDirect(
    JNIEnv *env, jclass cls, jobject base, jint base_offset, jint base_length, jobject chunk,
    jint offset, jint length, jobject difference, jint difference_offset, jint limit,
    jobject slots)
{
    (void)cls;
    const uint8_t *from = hdrf_jni_elements(env, base, base_offset, base_length, 1);
    if (from == NULL) {
        return 0;
    }
    const uint8_t *data = hdrf_jni_elements(env, chunk, offset, length, 1);
    if (data == NULL) {
        return 0;
    }
    uint8_t *to = hdrf_jni_elements(env, difference, difference_offset, limit, 1);
    if (to == NULL) {
        return 0;
    }
    uint16_t *index = hdrf_jni_elements(env, slots, 0, HDRF_DELTA_SLOTS, sizeof *index);
    if (index == NULL) {
        return 0;
    }
    return (jint)hdrf_delta_encode(from, (size_t)base_length, data, (size_t)length, to,
                                   (size_t)limit, index);
}

JNIEXPORT jboolean JNICALL Java_io_hdrf_jni_ChunkDelta_decodeDirect(
    JNIEnv *env, jclass cls, jobject base, jint base_offset, jint base_length, jobject difference,
    jint difference_offset, jint difference_length, jobject chunk, jint offset, jint length)
{
    (void)cls;
    const uint8_t *from = hdrf_jni_elements(env, base, base_offset, base_length, 1);
    if (from == NULL) {
        return JNI_FALSE;
    }
    const uint8_t *in =
        hdrf_jni_elements(env, difference, difference_offset, difference_length, 1);
    if (in == NULL) {
        return JNI_FALSE;
    }
    uint8_t *to = hdrf_jni_elements(env, chunk, offset, length, 1);
    if (to == NULL) {
        return JNI_FALSE;
    }
    return hdrf_delta_decode(from, (size_t)base_length, in, (size_t)difference_length, to,
                             (size_t)length)
               ? JNI_TRUE
               : JNI_FALSE;
}
