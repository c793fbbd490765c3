/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "hdrf_file.h"
#include "hdrf_test.h"
#include "hdrf_thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static int own_nice(void)
{
    return getpriority(PRIO_PROCESS, 0);
}

static void *become_nice(void *argument)
{
    int nice = own_nice() + 1 > 19 ? 19 : own_nice() + 1;
    int error = hdrf_thread_set_nice(nice);
    CHECK(error == 0, "errno %d", error);
    CHECK(own_nice() == nice, "nice %d, expected %d", own_nice(), nice);
    return argument;
}

static void test_nice_of_one_thread(void)
{
    int before = own_nice();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, become_nice, NULL) == 0, "no thread");
    CHECK(pthread_join(thread, NULL) == 0, "no join");
    CHECK(own_nice() == before, "another thread's nice changed ours to %d", own_nice());
}

static void test_advice(void)
{
    FILE *file = tmpfile();
    CHECK(file != NULL, "no temporary file");
    int fd = fileno(file);
    CHECK(write(fd, "0123456789", 10) == 10, "no bytes written");
    for (int advice = HDRF_FILE_WILLNEED; advice <= HDRF_FILE_DONTNEED; advice++) {
        int error = hdrf_file_advise(fd, 0, 0, advice);
        CHECK(error == 0, "advice %d: errno %d", advice, error);
    }
    CHECK(hdrf_file_advise(fd, INT64_C(1) << 40, 10, HDRF_FILE_WILLNEED) == 0, "beyond the end");
    CHECK(hdrf_file_advise(fd, -1, 0, HDRF_FILE_WILLNEED) == EINVAL, "negative offset");
    CHECK(hdrf_file_advise(fd, 0, -1, HDRF_FILE_WILLNEED) == EINVAL, "negative length");
    CHECK(hdrf_file_advise(fd, 0, 0, -1) == EINVAL, "unknown advice");
    CHECK(hdrf_file_advise(fd, 0, 0, HDRF_FILE_DONTNEED + 1) == EINVAL, "unknown advice");
    CHECK(hdrf_file_advise(-1, 0, 0, HDRF_FILE_WILLNEED) == EBADF, "no file");
    fclose(file);

    int ends[2];
    CHECK(pipe(ends) == 0, "no pipe");
    CHECK(hdrf_file_advise(ends[0], 0, 0, HDRF_FILE_WILLNEED) == ESPIPE, "a pipe");
    close(ends[0]);
    close(ends[1]);
}

static void test_writing(void)
{
    FILE *file = tmpfile();
    CHECK(file != NULL, "no temporary file");
    int fd = fileno(file);
    CHECK(write(fd, "0123456789", 10) == 10, "no bytes written");
    CHECK(hdrf_file_begin_writing(fd, 0, 10) == 0, "a range");
    CHECK(hdrf_file_begin_writing(fd, 5, 0) == 0, "up to the end");
    CHECK(hdrf_file_begin_writing(fd, -1, 0) == EINVAL, "negative offset");
    CHECK(hdrf_file_begin_writing(fd, 0, -1) == EINVAL, "negative length");
    CHECK(hdrf_file_begin_writing(-1, 0, 0) == EBADF, "no file");
    fclose(file);
}

int main(void)
{
    test_nice_of_one_thread();
    test_advice();
    test_writing();
    return 0;
}
