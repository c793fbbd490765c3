/* SPDX-License-Identifier: Apache-2.0 */
/* Each array has its own mapping, so that freed memory returns to the system at once. */
#define _GNU_SOURCE
#include "hdrf_jni.h"
#include "io_hdrf_jni_NativeWords.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

JNIEXPORT jlong JNICALL Java_io_hdrf_jni_NativeWords_map(JNIEnv *env, jclass cls, jlong bytes)
{
    (void)env;
    (void)cls;
    if (bytes <= 0) {
        return 0;
    }
    void *address = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                         -1, 0);
    if (address == MAP_FAILED) {
        return 0;
    }
    /* Accesses at random miss the TLB less. Best effort; an enlarged mapping keeps the advice. */
    (void)madvise(address, (size_t)bytes, MADV_HUGEPAGE);
    return (jlong)(intptr_t)address;
}

/*
 * The system joins neighbouring mappings. To unmap a part of one splits it, which is refused where
 * the process has as many mappings as it may. The memory is given back all the same then, and only
 * the addresses stay in use.
 */
static void give_back(void *address, size_t bytes)
{
    if (munmap(address, bytes) != 0) {
        (void)madvise(address, bytes, MADV_DONTNEED);
    }
}

JNIEXPORT jlong JNICALL Java_io_hdrf_jni_NativeWords_remap(JNIEnv *env, jclass cls, jlong address,
                                                           jlong bytes, jlong new_bytes)
{
    (void)env;
    (void)cls;
    if (address == 0 || bytes <= 0 || new_bytes <= 0) {
        return 0;
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t old_end = ((size_t)bytes + page - 1) / page * page;
    if (new_bytes < bytes) {
        size_t new_end = ((size_t)new_bytes + page - 1) / page * page;
        if (new_end < old_end) {
            give_back((char *)(intptr_t)address + new_end, old_end - new_end);
        }
        return address;
    }
    void *moved =
        mremap((void *)(intptr_t)address, (size_t)bytes, (size_t)new_bytes, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) {
        return 0;
    }
    /* What an earlier length left in its last page. */
    size_t end = (size_t)new_bytes < old_end ? (size_t)new_bytes : old_end;
    if (end > (size_t)bytes) {
        memset((char *)moved + bytes, 0, end - (size_t)bytes);
    }
    return (jlong)(intptr_t)moved;
}

JNIEXPORT jobject JNICALL Java_io_hdrf_jni_NativeWords_wrap(JNIEnv *env, jclass cls, jlong address,
                                                            jlong bytes)
{
    (void)cls;
    if (address == 0 || bytes <= 0) {
        hdrf_jni_refuse(env, "no memory");
        return NULL;
    }
    return (*env)->NewDirectByteBuffer(env, (void *)(intptr_t)address, bytes);
}

JNIEXPORT void JNICALL Java_io_hdrf_jni_NativeWords_unmap(JNIEnv *env, jclass cls, jlong address,
                                                          jlong bytes)
{
    (void)env;
    (void)cls;
    if (address != 0 && bytes > 0) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        give_back((void *)(intptr_t)address, ((size_t)bytes + page - 1) / page * page);
    }
}
