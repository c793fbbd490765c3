/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_chunk.h"
#include "hdrf_jni.h"
#include "io_hdrf_jni_Chunker.h"

/* The number of cuts found before they are copied into the Java array. */
#define AT_ONCE 1024

/* FastCDC's window, the longest: no kernel reads more bytes before a cut. */
#define LEAST_MINIMUM 64

static bool is_chunker(jint algorithm, jint window, jint minimum, jint maximum)
{
    return hdrf_chunk_is_algorithm(algorithm) && window >= 0 && window <= minimum &&
           minimum >= LEAST_MINIMUM && minimum <= maximum && maximum <= (jint)HDRF_CHUNK_LIMIT;
}

/* The parameters are those of hdrf_chunker_init(). */
JNIEXPORT jint JNICALL Java_io_hdrf_jni_Chunker_cutDirect(JNIEnv *env, jclass cls, jobject buffer,
                                                          jint offset, jint length, jboolean last,
                                                          jintArray cuts, jint algorithm,
                                                          jint window, jint minimum, jint maximum,
                                                          jint normal, jlong strict, jlong loose)
{
    (void)cls;
    const uint8_t *data = hdrf_jni_elements(env, buffer, offset, length, 1);
    if (data == NULL || !hdrf_jni_has(env, cuts, 0)) {
        return 0;
    }
    if (!is_chunker(algorithm, window, minimum, maximum)) {
        hdrf_jni_refuse(env, "no such chunker");
        return 0;
    }
    struct hdrf_chunker chunker = {.algorithm = (enum hdrf_chunk_algorithm)algorithm,
                                   .window = (uint32_t)window,
                                   .minimum = (uint32_t)minimum,
                                   .maximum = (uint32_t)maximum,
                                   .normal = (uint32_t)normal,
                                   .strict = (uint64_t)strict,
                                   .loose = (uint64_t)loose};
    uint32_t start = 0;
    jint capacity = (*env)->GetArrayLength(env, cuts);
    jint count = 0;
    while (count < capacity) {
        uint32_t ends[AT_ONCE];
        jint wanted = capacity - count < AT_ONCE ? capacity - count : AT_ONCE;
        jint found = (jint)hdrf_chunk(&chunker, data + start, (size_t)(uint32_t)length - start,
                                      last != JNI_FALSE, ends, (size_t)wanted);
        for (jint i = 0; i < found; i++) {
            ends[i] += start;
        }
        (*env)->SetIntArrayRegion(env, cuts, count, found, (const jint *)ends);
        count += found;
        if (found < wanted) {
            break;
        }
        start = ends[found - 1];
    }
    return count;
}

JNIEXPORT jstring JNICALL Java_io_hdrf_jni_Chunker_kernelName(JNIEnv *env, jclass cls,
                                                              jint algorithm)
{
    (void)cls;
    if (!hdrf_chunk_is_algorithm(algorithm)) {
        hdrf_jni_refuse(env, "no such algorithm");
        return NULL;
    }
    return (*env)->NewStringUTF(env,
                                hdrf_chunk_kernel_name((enum hdrf_chunk_algorithm)algorithm));
}
