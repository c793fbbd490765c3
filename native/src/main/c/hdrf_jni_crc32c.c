/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_crc32c.h"
#include "io_hdrf_jni_Crc32c.h"

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

JNIEXPORT jstring JNICALL Java_io_hdrf_jni_Crc32c_kernelName(JNIEnv *env, jclass cls)
{
    (void)cls;
    return (*env)->NewStringUTF(env, hdrf_crc32c_kernel_name());
}
