/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HDRF_TEST_H
#define HDRF_TEST_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the test with a message (printf style) unless `condition` holds. */
#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s is false: ", __FILE__, __LINE__, #condition);               \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#endif
