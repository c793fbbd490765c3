/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts what a process asks of the files below one directory: a library for LD_PRELOAD. All processes that
 * inherit HDRF_IO_COUNTS, the name of a file, count together in that file, which io.hdrf.benchmarks.DiskCounts
 * maps: it names the directory, and reads the counters.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define UNDER_LENGTH 4096
#define MAX_FILES (1 << 16)
#define PAGE 4096

/* As in io.hdrf.benchmarks.DiskCounts. */
enum class { BLOCKS, CONTAINERS, INDEX, OTHER, CLASSES };
enum counter { NAMES, READS, READ_BYTES, SEEKS, WRITES, WRITE_BYTES, FORCES, MOVES, COUNTERS };

struct shared {
    char under[UNDER_LENGTH];
    _Atomic uint64_t counters[CLASSES][COUNTERS];
};

static struct shared *shared;

/* By descriptor: the class plus 1, or 0; and where the last read or write ended, or -1. */
static _Atomic signed char class_of[MAX_FILES];
static _Atomic int64_t end_of[MAX_FILES];

/* By descriptor: a byte for each page that was asked for ahead, and so is in memory while the file is open; or NULL. */
static unsigned char *ahead_of[MAX_FILES];
static int64_t pages_of[MAX_FILES];

/* The descriptor that was read last. */
static int last_read = -1;
static pthread_mutex_t ahead_lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void map_counters(void)
{
    const char *name = getenv("HDRF_IO_COUNTS");
    if (name == NULL) {
        return;
    }
    int fd = open(name, O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    void *map = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    shared = map == MAP_FAILED ? NULL : map;
}

/* The class of a path plus 1; 0 where it does not count. */
static int classify(const char *path)
{
    if (shared == NULL || path == NULL || shared->under[0] == 0) {
        return 0;
    }
    size_t length = strnlen(shared->under, UNDER_LENGTH);
    if (strncmp(path, shared->under, length) != 0 || (path[length] != '/' && path[length] != 0)) {
        return 0;
    }
    if (strstr(path, "/finalized") != NULL) {
        return BLOCKS + 1;
    }
    if (strstr(path, ".hdc") != NULL) {
        return CONTAINERS + 1;
    }
    if (strstr(path, "/metadata-") != NULL || strstr(path, "/filters") != NULL) {
        return INDEX + 1;
    }
    return OTHER + 1;
}

static void add(int class, enum counter counter, uint64_t count)
{
    atomic_fetch_add_explicit(&shared->counters[class - 1][counter], count, memory_order_relaxed);
}

static void name_of(const char *path)
{
    int class = classify(path);
    if (class != 0) {
        add(class, NAMES, 1);
    }
}

static void forget_ahead(int fd)
{
    pthread_mutex_lock(&ahead_lock);
    free(ahead_of[fd]);
    ahead_of[fd] = NULL;
    pages_of[fd] = 0;
    pthread_mutex_unlock(&ahead_lock);
}

static int opened(int fd, const char *path)
{
    int class = classify(path);
    if (class != 0) {
        add(class, NAMES, 1);
    }
    if (fd >= 0 && fd < MAX_FILES) {
        class_of[fd] = (signed char)class;
        end_of[fd] = -1;
        forget_ahead(fd);
    }
    return fd;
}

static int class_of_file(int fd)
{
    return fd >= 0 && fd < MAX_FILES ? class_of[fd] : 0;
}

static int is_ahead(int fd, int64_t position)
{
    return position / PAGE < pages_of[fd] && ahead_of[fd][position / PAGE];
}

/* Counts what of a range is not in memory. */
static void from_disk(int fd, int class, int64_t position, int64_t end)
{
    while (position < end) {
        int ahead = is_ahead(fd, position);
        int64_t stop = position;
        do {
            stop = (stop / PAGE + 1) * PAGE;
        } while (stop < end && is_ahead(fd, stop) == ahead);
        stop = stop < end ? stop : end;
        if (!ahead) {
            add(class, READ_BYTES, (uint64_t)(stop - position));
            if (end_of[fd] != position) {
                add(class, SEEKS, 1);
            }
            if (end_of[fd] != position || last_read != fd) {
                add(class, MOVES, 1);
            }
            end_of[fd] = stop;
            last_read = fd;
        }
        position = stop;
    }
}

static ssize_t was_read(int fd, int64_t position, ssize_t count)
{
    int class = class_of_file(fd);
    if (class != 0 && count >= 0) {
        pthread_mutex_lock(&ahead_lock);
        add(class, READS, 1);
        from_disk(fd, class, position, position + count);
        pthread_mutex_unlock(&ahead_lock);
    }
    return count;
}

/* Whole pages are read, as the kernel does. */
static void was_asked_for(int fd, int64_t position, int64_t length)
{
    int class = class_of_file(fd);
    struct stat status;
    if (class == 0 || fstat(fd, &status) != 0) {
        return;
    }
    int64_t end = length == 0 || position + length > status.st_size ? status.st_size : position + length;
    int64_t first = position / PAGE;
    int64_t pages = (end + PAGE - 1) / PAGE;
    if (first >= pages) {
        return;
    }
    pthread_mutex_lock(&ahead_lock);
    if (pages > pages_of[fd]) {
        unsigned char *larger = realloc(ahead_of[fd], (size_t)pages);
        if (larger == NULL) {
            pthread_mutex_unlock(&ahead_lock);
            return;
        }
        memset(larger + pages_of[fd], 0, (size_t)(pages - pages_of[fd]));
        ahead_of[fd] = larger;
        pages_of[fd] = pages;
    }
    add(class, READS, 1);
    from_disk(fd, class, first * PAGE, pages * PAGE < status.st_size ? pages * PAGE : status.st_size);
    memset(ahead_of[fd] + first, 1, (size_t)(pages - first));
    pthread_mutex_unlock(&ahead_lock);
}

static ssize_t was_written(int fd, ssize_t count)
{
    int class = class_of_file(fd);
    if (class != 0 && count >= 0) {
        add(class, WRITES, 1);
        add(class, WRITE_BYTES, (uint64_t)count);
    }
    return count;
}

static int64_t position_of(int fd)
{
    return class_of_file(fd) == 0 ? 0 : lseek(fd, 0, SEEK_CUR);
}

#define REAL(name, type, ...)                                                                      \
    static type (*real)(__VA_ARGS__);                                                              \
    if (real == NULL) {                                                                            \
        real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name);                                      \
    }

#define MODE_OF(flags)                                                                             \
    mode_t mode = 0;                                                                               \
    if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) {                              \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode = (mode_t)va_arg(rest, int);                                                          \
        va_end(rest);                                                                              \
    }

#define OPEN(name)                                                                                 \
    EXPORT int name(const char *path, int flags, ...);                                             \
    EXPORT int name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        REAL(name, int, const char *, int, ...)                                                    \
        MODE_OF(flags)                                                                             \
        return opened(real(path, flags, mode), path);                                              \
    }

#define OPENAT(name)                                                                               \
    EXPORT int name(int directory, const char *path, int flags, ...);                              \
    EXPORT int name(int directory, const char *path, int flags, ...)                               \
    {                                                                                              \
        REAL(name, int, int, const char *, int, ...)                                               \
        MODE_OF(flags)                                                                             \
        return opened(real(directory, path, flags, mode), path);                                   \
    }

#define STAT(name, type)                                                                           \
    EXPORT int name(const char *path, type *status);                                               \
    EXPORT int name(const char *path, type *status)                                                \
    {                                                                                              \
        REAL(name, int, const char *, type *)                                                      \
        name_of(path);                                                                             \
        return real(path, status);                                                                 \
    }

#define STATAT(name, type)                                                                         \
    EXPORT int name(int directory, const char *path, type *status, int flags);                     \
    EXPORT int name(int directory, const char *path, type *status, int flags)                      \
    {                                                                                              \
        REAL(name, int, int, const char *, type *, int)                                            \
        name_of(path);                                                                             \
        return real(directory, path, status, flags);                                               \
    }

#define PREAD(name)                                                                                \
    EXPORT ssize_t name(int fd, void *bytes, size_t count, int64_t position);                      \
    EXPORT ssize_t name(int fd, void *bytes, size_t count, int64_t position)                       \
    {                                                                                              \
        REAL(name, ssize_t, int, void *, size_t, int64_t)                                          \
        return was_read(fd, position, real(fd, bytes, count, position));                           \
    }

#define PWRITE(name)                                                                               \
    EXPORT ssize_t name(int fd, const void *bytes, size_t count, int64_t position);                \
    EXPORT ssize_t name(int fd, const void *bytes, size_t count, int64_t position)                 \
    {                                                                                              \
        REAL(name, ssize_t, int, const void *, size_t, int64_t)                                    \
        return was_written(fd, real(fd, bytes, count, position));                                  \
    }

#define FADVISE(name)                                                                              \
    EXPORT int name(int fd, int64_t position, int64_t length, int advice);                         \
    EXPORT int name(int fd, int64_t position, int64_t length, int advice)                          \
    {                                                                                              \
        REAL(name, int, int, int64_t, int64_t, int)                                                \
        if (advice == POSIX_FADV_WILLNEED) {                                                       \
            was_asked_for(fd, position, length);                                                   \
        }                                                                                          \
        return real(fd, position, length, advice);                                                 \
    }

#define FORCE(name)                                                                                \
    EXPORT int name(int fd);                                                                       \
    EXPORT int name(int fd)                                                                        \
    {                                                                                              \
        REAL(name, int, int)                                                                       \
        int class = class_of_file(fd);                                                             \
        if (class != 0) {                                                                          \
            add(class, FORCES, 1);                                                                 \
        }                                                                                          \
        return real(fd);                                                                           \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
STAT(stat, struct stat)
STAT(stat64, struct stat64)
STAT(lstat, struct stat)
STAT(lstat64, struct stat64)
STATAT(fstatat, struct stat)
STATAT(fstatat64, struct stat64)
PREAD(pread)
PREAD(pread64)
PWRITE(pwrite)
PWRITE(pwrite64)
FADVISE(posix_fadvise)
FADVISE(posix_fadvise64)
FORCE(fsync)
FORCE(fdatasync)

EXPORT void *opendir(const char *path);
EXPORT void *opendir(const char *path)
{
    REAL(opendir, void *, const char *)
    name_of(path);
    return real(path);
}

EXPORT ssize_t read(int fd, void *bytes, size_t count)
{
    REAL(read, ssize_t, int, void *, size_t)
    int64_t position = position_of(fd);
    return was_read(fd, position, real(fd, bytes, count));
}

EXPORT ssize_t write(int fd, const void *bytes, size_t count)
{
    REAL(write, ssize_t, int, const void *, size_t)
    return was_written(fd, real(fd, bytes, count));
}

EXPORT int close(int fd)
{
    REAL(close, int, int)
    if (fd >= 0 && fd < MAX_FILES) {
        if (class_of[fd] != 0) {
            forget_ahead(fd);
        }
        class_of[fd] = 0;
    }
    return real(fd);
}
