/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_crc32c.h"
#include "hdrf_jni.h"
#include "io_hdrf_jni_Crc32c.h"

/* The number of checksums computed before they are copied into the Java array. */
#define AT_ONCE 1024

JNIEXPORT jint JNICALL Java_io_hdrf_jni_Crc32c_updateDirect(JNIEnv *env, jclass cls, jint crc,
                                                            jobject buffer, jint offset,
                                                            jint length)
{
    (void)cls;
    const uint8_t *data = hdrf_jni_elements(env, buffer, offset, length, 1);
    return data == NULL ? 0 : (jint)hdrf_crc32c((uint32_t)crc, data, (size_t)length);
}

JNIEXPORT void JNICALL Java_io_hdrf_jni_Crc32c_ofEachDirect(JNIEnv *env, jclass cls,
                                                            jobject buffer, jint offset,
                                                            jint length, jintArray ends, jint count,
                                                            jintArray checksums)
{
    (void)cls;
    const uint8_t *data = hdrf_jni_elements(env, buffer, offset, length, 1);
    if (data == NULL || !hdrf_jni_has(env, ends, count) ||
        !hdrf_jni_has(env, checksums, count)) {
        return;
    }
    jint start = 0;
    for (jint done = 0; done < count;) {
        jint now = count - done < AT_ONCE ? count - done : AT_ONCE;
        jint found[AT_ONCE];
        jint made[AT_ONCE];
        if (!hdrf_jni_ends(env, ends, done, now, start, length, found)) {
            return;
        }
        for (jint i = 0; i < now; i++) {
            made[i] = (jint)hdrf_crc32c(0, data + start, (size_t)(found[i] - start));
            start = found[i];
        }
        (*env)->SetIntArrayRegion(env, checksums, done, now, made);
        done += now;
    }
}

JNIEXPORT jstring JNICALL Java_io_hdrf_jni_Crc32c_kernelName(JNIEnv *env, jclass cls)
{
    (void)cls;
    return (*env)->NewStringUTF(env, hdrf_crc32c_kernel_name());
}
