/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_crc32c.h"
#include "io_hdrf_jni_Crc32c.h"

/* Messages whose checksums are made before they are copied into the Java array. */
#define AT_ONCE 1024

/* The caller has checked that the buffer is direct and that the range lies within its capacity. */
JNIEXPORT jint JNICALL Java_io_hdrf_jni_Crc32c_updateDirect(JNIEnv *env, jclass cls, jint crc,
                                                            jobject buffer, jint offset,
                                                            jint length)
{
    (void)cls;
    const uint8_t *address = (*env)->GetDirectBufferAddress(env, buffer);
    /* A direct buffer without capacity may have no address. */
    if (address == NULL || length <= 0) {
        return crc;
    }
    return (jint)hdrf_crc32c((uint32_t)crc, address + offset, (size_t)length);
}

/* The caller has checked the buffer as above, that the ends don't fall, and that there is room. */
JNIEXPORT void JNICALL Java_io_hdrf_jni_Crc32c_ofEachDirect(JNIEnv *env, jclass cls,
                                                            jobject buffer, jint offset,
                                                            jintArray ends, jint count,
                                                            jintArray checksums)
{
    (void)cls;
    const uint8_t *address = (*env)->GetDirectBufferAddress(env, buffer);
    uint32_t start = 0;
    for (jint done = 0; done < count;) {
        jint now = count - done < AT_ONCE ? count - done : AT_ONCE;
        jint found[AT_ONCE];
        jint made[AT_ONCE];
        (*env)->GetIntArrayRegion(env, ends, done, now, found);
        for (jint i = 0; i < now; i++) {
            uint32_t end = (uint32_t)found[i];
            /* A direct buffer without capacity may have no address. */
            made[i] = address == NULL || end <= start
                          ? 0
                          : (jint)hdrf_crc32c(0, address + offset + start, end - start);
            start = end;
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
