/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every binding checks of its arguments, although Java has checked them: another thread may
 * have changed an array or the limits of a buffer since then, and what is read or written outside
 * of a buffer ends the virtual machine or worse.
 *
 * No binding holds an array of Java's. GetPrimitiveArrayCritical keeps the collector from running,
 * and threads that want memory meanwhile get an OutOfMemoryError from some virtual machines; a test
 * of Java's looks for it. What is long lies in direct buffers, what is short is copied.
 */
#ifndef HDRF_JNI_H
#define HDRF_JNI_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Leaves an exception pending; the binding has to return. */
static inline void hdrf_jni_throw(JNIEnv *env, const char *class_name, const char *message)
{
    jclass cls = (*env)->FindClass(env, class_name);
    if (cls != NULL) {
        (*env)->ThrowNew(env, cls, message);
    }
}

static inline void hdrf_jni_refuse(JNIEnv *env, const char *message)
{
    hdrf_jni_throw(env, "java/lang/IndexOutOfBoundsException", message);
}

/*
 * Where `count` elements from element `offset` on of a direct buffer lie, each of `size` bytes.
 * NULL, with an exception pending, if it is no direct buffer or has not so many. Not NULL for none,
 * although a direct buffer without capacity may have no address.
 */
static inline void *hdrf_jni_elements(JNIEnv *env, jobject buffer, jlong offset, jlong count,
                                      size_t size)
{
    static uint64_t nothing;
    if (buffer == NULL) {
        hdrf_jni_throw(env, "java/lang/NullPointerException", "no buffer");
        return NULL;
    }
    /* In elements of the buffer. -1 if it is not direct. */
    jlong capacity = (*env)->GetDirectBufferCapacity(env, buffer);
    if (offset < 0 || count < 0 || offset > capacity || count > capacity - offset) {
        hdrf_jni_refuse(env, "outside of the buffer, or not a direct one");
        return NULL;
    }
    uint8_t *address = (*env)->GetDirectBufferAddress(env, buffer);
    if (address == NULL) {
        if (count == 0) {
            return &nothing;
        }
        hdrf_jni_refuse(env, "a buffer without an address");
        return NULL;
    }
    return address + (size_t)offset * size;
}

/* Whether an array has `count` elements; if not, an exception is pending. */
static inline bool hdrf_jni_has(JNIEnv *env, jarray array, jint count)
{
    if (array == NULL) {
        hdrf_jni_throw(env, "java/lang/NullPointerException", "no array");
        return false;
    }
    if (count < 0 || count > (*env)->GetArrayLength(env, array)) {
        hdrf_jni_refuse(env, "outside of the array");
        return false;
    }
    return true;
}

/*
 * Copies ends of messages, and makes sure that they don't fall from `start` on nor exceed `length`;
 * if not, an exception is pending.
 */
static inline bool hdrf_jni_ends(JNIEnv *env, jintArray ends, jint from, jint count, jint start,
                                 jint length, jint *into)
{
    (*env)->GetIntArrayRegion(env, ends, from, count, into);
    if ((*env)->ExceptionCheck(env)) {
        return false;
    }
    for (jint i = 0; i < count; i++) {
        if (into[i] < start || into[i] > length) {
            hdrf_jni_refuse(env, "a message outside of the buffer");
            return false;
        }
        start = into[i];
    }
    return true;
}

#endif
