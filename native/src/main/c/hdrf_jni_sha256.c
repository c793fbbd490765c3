/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_jni.h"
#include "hdrf_sha256.h"
#include "io_hdrf_jni_Sha256.h"

/* The number of digests computed before they are copied into the Java array. */
#define AT_ONCE 256

JNIEXPORT void JNICALL Java_io_hdrf_jni_Sha256_hashDirect(JNIEnv *env, jclass cls, jobject buffer,
                                                          jint offset, jint length, jintArray ends,
                                                          jint count, jbyteArray digests)
{
    (void)cls;
    const uint8_t *data = hdrf_jni_elements(env, buffer, offset, length, 1);
    if (data == NULL || !hdrf_jni_has(env, ends, count)) {
        return;
    }
    if (!hdrf_sha256_supported() || count > INT32_MAX / HDRF_SHA256_LENGTH) {
        hdrf_jni_refuse(env, "not supported here, or too many messages");
        return;
    }
    if (!hdrf_jni_has(env, digests, count * HDRF_SHA256_LENGTH)) {
        return;
    }
    jint start = 0;
    for (jint done = 0; done < count;) {
        jint now = count - done < AT_ONCE ? count - done : AT_ONCE;
        jint found[AT_ONCE];
        uint32_t relative[AT_ONCE];
        uint8_t made[AT_ONCE][HDRF_SHA256_LENGTH];
        if (!hdrf_jni_ends(env, ends, done, now, start, length, found)) {
            return;
        }
        for (jint i = 0; i < now; i++) {
            relative[i] = (uint32_t)(found[i] - start);
        }
        hdrf_sha256(data + start, relative, (size_t)now, made);
        (*env)->SetByteArrayRegion(env, digests, done * HDRF_SHA256_LENGTH,
                                   now * HDRF_SHA256_LENGTH, (const jbyte *)made);
        start = found[now - 1];
        done += now;
    }
}

JNIEXPORT jboolean JNICALL Java_io_hdrf_jni_Sha256_isSupported(JNIEnv *env, jclass cls)
{
    (void)env;
    (void)cls;
    return hdrf_sha256_supported() ? JNI_TRUE : JNI_FALSE;
}
