/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number of an open file is a private field of java.io.FileDescriptor, and the FileDescriptor
 * is one of the class behind FileChannel. JNI may read both on every Java version; reflection may
 * not since Java 16. A missing field means 'no descriptor', never an error.
 */
#include "hdrf_file.h"
#include "io_hdrf_jni_NativeFiles.h"

#include <stddef.h>

/* Returns the field's id, or NULL; leaves no exception pending. */
static jfieldID find_field(JNIEnv *env, jobject object, const char *name, const char *signature)
{
    if (object == NULL) {
        return NULL;
    }
    jclass cls = (*env)->GetObjectClass(env, object);
    jfieldID field = (*env)->GetFieldID(env, cls, name, signature);
    if (field == NULL) {
        (*env)->ExceptionClear(env);
    }
    (*env)->DeleteLocalRef(env, cls);
    return field;
}

/* Returns the number of an open file; -1 if it can't be found. */
static jint number_of_descriptor(JNIEnv *env, jobject descriptor)
{
    jfieldID field = find_field(env, descriptor, "fd", "I");
    return field == NULL ? -1 : (*env)->GetIntField(env, descriptor, field);
}

/* As number_of_descriptor(). */
static jint number_of_channel(JNIEnv *env, jobject channel)
{
    jfieldID field = find_field(env, channel, "fd", "Ljava/io/FileDescriptor;");
    jobject descriptor = field == NULL ? NULL : (*env)->GetObjectField(env, channel, field);
    return descriptor == NULL ? -1 : number_of_descriptor(env, descriptor);
}

static jboolean advise(jint fd, jlong offset, jlong length, jint advice)
{
    return fd >= 0 && hdrf_file_advise(fd, offset, length, advice) == 0 ? JNI_TRUE : JNI_FALSE;
}

JNIEXPORT jboolean JNICALL Java_io_hdrf_jni_NativeFiles_adviseDescriptor(JNIEnv *env, jclass cls,
                                                                         jobject descriptor,
                                                                         jlong offset, jlong length,
                                                                         jint advice)
{
    (void)cls;
    return advise(number_of_descriptor(env, descriptor), offset, length, advice);
}

JNIEXPORT jboolean JNICALL Java_io_hdrf_jni_NativeFiles_adviseChannel(JNIEnv *env, jclass cls,
                                                                      jobject channel, jlong offset,
                                                                      jlong length, jint advice)
{
    (void)cls;
    return advise(number_of_channel(env, channel), offset, length, advice);
}

JNIEXPORT jboolean JNICALL Java_io_hdrf_jni_NativeFiles_writeChannel(JNIEnv *env, jclass cls,
                                                                     jobject channel, jlong offset,
                                                                     jlong length)
{
    (void)cls;
    jint fd = number_of_channel(env, channel);
    return fd >= 0 && hdrf_file_begin_writing(fd, offset, length) == 0 ? JNI_TRUE : JNI_FALSE;
}
