/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HDRF_THREAD_H
#define HDRF_THREAD_H

/*
 * Sets the nice value of the calling thread alone: -20 (most favoured) to 19; the kernel clamps
 * others. Lowering it usually needs a privilege.
 *
 * Returns 0, or an errno value with the nice value unchanged.
 */
int hdrf_thread_set_nice(int nice);

#endif
