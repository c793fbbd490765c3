/* SPDX-License-Identifier: Apache-2.0 */
#include "hdrf_cuckoo.h"
#include "hdrf_jni.h"
#include "io_hdrf_jni_CuckooTable.h"

/*
 * All buffers hold elements of the machine's own byte order, and begin at Java's index 0. If they
 * overlap, or other threads write to them, entries are lost or wrong, and nothing worse.
 */
static bool table_of(JNIEnv *env, jobject slots, jint buckets_log2, jobject state,
                     struct hdrf_cuckoo *table)
{
    if (buckets_log2 < 0 || buckets_log2 > HDRF_CUCKOO_MAX_BUCKETS_LOG2) {
        hdrf_jni_refuse(env, "no such table");
        return false;
    }
    table->buckets_log2 = (uint32_t)buckets_log2;
    table->limit = hdrf_cuckoo_limit(table->buckets_log2);
    table->slots = hdrf_jni_elements(env, slots, 0, (jlong)HDRF_CUCKOO_BUCKET << buckets_log2,
                                     sizeof(*table->slots));
    if (table->slots == NULL) {
        return false;
    }
    table->state =
        hdrf_jni_elements(env, state, 0, HDRF_CUCKOO_STATE, sizeof(*table->state));
    return table->state != NULL;
}

JNIEXPORT void JNICALL Java_io_hdrf_jni_CuckooTable_findDirect(JNIEnv *env, jclass cls,
                                                               jobject slots, jint buckets_log2,
                                                               jobject state, jobject hashes,
                                                               jint count, jobject values)
{
    (void)cls;
    struct hdrf_cuckoo table;
    if (!table_of(env, slots, buckets_log2, state, &table)) {
        return;
    }
    const uint64_t *wanted = hdrf_jni_elements(env, hashes, 0, count, sizeof(*wanted));
    if (wanted == NULL) {
        return;
    }
    uint64_t *found = hdrf_jni_elements(env, values, 0, count, sizeof(*found));
    if (found == NULL) {
        return;
    }
    hdrf_cuckoo_find(&table, wanted, (size_t)count, found);
}

JNIEXPORT jint JNICALL Java_io_hdrf_jni_CuckooTable_putDirect(JNIEnv *env, jclass cls,
                                                              jobject slots, jint buckets_log2,
                                                              jobject state, jobject hashes,
                                                              jobject values, jint count)
{
    (void)cls;
    struct hdrf_cuckoo table;
    if (!table_of(env, slots, buckets_log2, state, &table)) {
        return 0;
    }
    const uint64_t *keys = hdrf_jni_elements(env, hashes, 0, count, sizeof(*keys));
    if (keys == NULL) {
        return 0;
    }
    const uint64_t *put = hdrf_jni_elements(env, values, 0, count, sizeof(*put));
    if (put == NULL) {
        return 0;
    }
    return (jint)hdrf_cuckoo_put(&table, keys, put, (size_t)count);
}

JNIEXPORT jint JNICALL Java_io_hdrf_jni_CuckooTable_halveDirect(JNIEnv *env, jclass cls,
                                                                jobject slots, jint buckets_log2,
                                                                jobject state)
{
    (void)cls;
    struct hdrf_cuckoo table;
    if (!table_of(env, slots, buckets_log2, state, &table)) {
        return 0;
    }
    if (buckets_log2 == 0) {
        hdrf_jni_refuse(env, "no half of one bucket");
        return 0;
    }
    return (jint)hdrf_cuckoo_halve(&table);
}

/* `buckets_log2` is that of before. */
JNIEXPORT void JNICALL Java_io_hdrf_jni_CuckooTable_doubleDirect(JNIEnv *env, jclass cls,
                                                                 jobject slots, jint buckets_log2,
                                                                 jobject state)
{
    (void)cls;
    struct hdrf_cuckoo table;
    if (buckets_log2 < 0 || buckets_log2 >= HDRF_CUCKOO_MAX_BUCKETS_LOG2) {
        hdrf_jni_refuse(env, "no such table");
        return;
    }
    /* All that will be written is there. */
    if (!table_of(env, slots, buckets_log2 + 1, state, &table)) {
        return;
    }
    table.buckets_log2--;
    hdrf_cuckoo_double(&table);
}
