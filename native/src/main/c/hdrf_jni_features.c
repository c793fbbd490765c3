/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_features.h"
#include "hdrf_jni.h"
#include "io_hdrf_jni_ChunkFeatures.h"

/* The number of chunks whose features are computed before they are copied into the Java array. */
#define AT_ONCE 128

JNIEXPORT void JNICALL Java_io_hdrf_jni_ChunkFeatures_ofDirect(JNIEnv *env, jclass cls,
                                                               jobject buffer, jint offset,
                                                               jint length, jintArray starts,
                                                               jintArray ends, jint count,
                                                               jintArray features)
{
    (void)cls;
    const uint8_t *data = hdrf_jni_elements(env, buffer, offset, length, 1);
    if (data == NULL || !hdrf_jni_has(env, starts, count) || !hdrf_jni_has(env, ends, count)) {
        return;
    }
    if (count > INT32_MAX / HDRF_FEATURES) {
        hdrf_jni_refuse(env, "too many chunks");
        return;
    }
    if (!hdrf_jni_has(env, features, count * HDRF_FEATURES)) {
        return;
    }
    for (jint done = 0; done < count;) {
        jint now = count - done < AT_ONCE ? count - done : AT_ONCE;
        jint from[AT_ONCE];
        jint to[AT_ONCE];
        uint32_t made[AT_ONCE][HDRF_FEATURES];
        (*env)->GetIntArrayRegion(env, starts, done, now, from);
        (*env)->GetIntArrayRegion(env, ends, done, now, to);
        if ((*env)->ExceptionCheck(env)) {
            return;
        }
        for (jint i = 0; i < now; i++) {
            if (from[i] < 0 || from[i] > to[i] || to[i] > length) {
                hdrf_jni_refuse(env, "a chunk outside of the buffer");
                return;
            }
            hdrf_features(data + from[i], (size_t)(to[i] - from[i]), made[i]);
        }
        (*env)->SetIntArrayRegion(env, features, done * HDRF_FEATURES, now * HDRF_FEATURES,
                                  (const jint *)made);
        done += now;
    }
}
