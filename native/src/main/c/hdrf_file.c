/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "hdrf_file.h"

#include <errno.h>
#include <fcntl.h>

int hdrf_file_advise(int fd, int64_t offset, int64_t length, int advice)
{
    /* The kernel's numbers differ between architectures; HDRF's do not. */
    static const int kernel_advice[] = {
        [HDRF_FILE_WILLNEED] = POSIX_FADV_WILLNEED,
        [HDRF_FILE_DONTNEED] = POSIX_FADV_DONTNEED,
    };
    if (advice < 0 || advice >= (int)(sizeof kernel_advice / sizeof kernel_advice[0])) {
        return EINVAL;
    }
    if (offset < 0 || length < 0) {
        return EINVAL;
    }
    return posix_fadvise(fd, offset, length, kernel_advice[advice]);
}

int hdrf_file_begin_writing(int fd, int64_t offset, int64_t length)
{
    if (offset < 0 || length < 0) {
        return EINVAL;
    }
    return sync_file_range(fd, offset, length, SYNC_FILE_RANGE_WRITE) == 0 ? 0 : errno;
}
