/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HDRF_FILE_H
#define HDRF_FILE_H

#include <stdint.h>

/* The values are shared with io.hdrf.jni.NativeFiles.Advice. */
enum hdrf_file_advice {
    HDRF_FILE_WILLNEED = 0,
    HDRF_FILE_DONTNEED = 1
};

/*
 * Tells the kernel how `length` bytes from `offset` of the open file `fd` will be used; a length
 * of 0 means to the end of the file. Never changes what is read. The descriptor stays the
 * caller's.
 *
 * Returns 0, or an errno value: EBADF, EINVAL (also for an unknown advice), ESPIPE.
 */
int hdrf_file_advise(int fd, int64_t offset, int64_t length, int advice);

/*
 * Starts writing the dirty pages of `length` bytes from `offset` of the open file `fd`, without
 * waiting for it; a length of 0 means to the end of the file. Makes nothing durable. The descriptor
 * stays the caller's.
 *
 * Returns 0, or an errno value: EBADF, EINVAL, ESPIPE, ENOSYS where there is no such call.
 */
int hdrf_file_begin_writing(int fd, int64_t offset, int64_t length);

#endif
