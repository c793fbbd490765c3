/* SPDX-License-Identifier: Apache-2.0 */
/** Benchmarks, each with a script of its name in {@code benchmarks/}. */
package io.hdrf.benchmarks;
