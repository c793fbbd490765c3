/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "hdrf_thread.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int hdrf_thread_set_nice(int nice)
{
    /*
     * POSIX gives nice values to processes, Linux to threads. glibc and kernel take 0, 'the
     * caller', for the thread, too, but only the thread's own id states it.
     */
    id_t thread = (id_t)syscall(SYS_gettid);
    return setpriority(PRIO_PROCESS, thread, nice) == 0 ? 0 : errno;
}
