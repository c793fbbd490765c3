/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that every binding makes on its arguments, although Java has checked them: another thread
 * may have changed an array or the limits of a buffer since then, and an access outside a buffer
 * ends the virtual machine or worse.
 *
 * No binding holds a Java array. GetPrimitiveArrayCritical keeps the collector from running, and on
 * some virtual machines threads that then allocate memory get an OutOfMemoryError; a Java test
 * checks for it. Long data lies in direct buffers, short data is copied.
 */
#ifndef HDRF_JNI_H
#define HDRF_JNI_H

#include <jni.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Leaves an exception pending; the binding must return. */
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
 * Returns the address of `count` elements from element `offset` on of a direct buffer, each of
 * `size` bytes. Returns NULL, with an exception pending, if the buffer is not direct or is too
 * short. Not NULL for no elements, although a direct buffer without capacity may have no address.
 */
static inline void *hdrf_jni_elements(JNIEnv *env, jobject buffer, jlong offset, jlong count,
                                      size_t size)
{
    static uint64_t nothing;
    if (buffer == NULL) {
        hdrf_jni_throw(env, "java/lang/NullPointerException", "no buffer");
        return NULL;
    }
    /* In elements of the buffer; -1 if it is not direct. */
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

/* Returns whether an array has `count` elements; if not, an exception is pending. */
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
 * Copies ends of messages, and checks that they ascend, from `start` to at most `length`; if not,
 * returns false with an exception pending.
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
