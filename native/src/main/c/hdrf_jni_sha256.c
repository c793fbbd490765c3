/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_sha256.h"
#include "io_hdrf_jni_Sha256.h"

/* Messages whose digests are made before they are copied into the Java array. */
#define AT_ONCE 256

/*
 * The caller has checked that the buffer is direct, that the ends rise and lie within its capacity,
 * and that the array has room.
 */
JNIEXPORT void JNICALL Java_io_hdrf_jni_Sha256_hashDirect(JNIEnv *env, jclass cls, jobject buffer,
                                                          jint offset, jintArray ends, jint count,
                                                          jbyteArray digests)
{
    (void)cls;
    const uint8_t *address = (*env)->GetDirectBufferAddress(env, buffer);
    if (address == NULL) {
        return;
    }
    uint32_t start = (uint32_t)offset;
    for (jint done = 0; done < count;) {
        jint now = count - done < AT_ONCE ? count - done : AT_ONCE;
        jint found[AT_ONCE];
        uint32_t relative[AT_ONCE];
        uint8_t made[AT_ONCE][HDRF_SHA256_LENGTH];
        (*env)->GetIntArrayRegion(env, ends, done, now, found);
        uint32_t skipped = start - (uint32_t)offset;
        for (jint i = 0; i < now; i++) {
            relative[i] = (uint32_t)found[i] - skipped;
        }
        hdrf_sha256(address + start, relative, (size_t)now, made);
        (*env)->SetByteArrayRegion(env, digests, done * HDRF_SHA256_LENGTH,
                                   now * HDRF_SHA256_LENGTH, (const jbyte *)made);
        start += relative[now - 1];
        done += now;
    }
}

JNIEXPORT jboolean JNICALL Java_io_hdrf_jni_Sha256_isSupported(JNIEnv *env, jclass cls)
{
    (void)env;
    (void)cls;
    return hdrf_sha256_supported() ? JNI_TRUE : JNI_FALSE;
}
