/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Makes threads, so that none is counted among the DataNode's transfers, and runs loops that
 * survive errors. Uses {@code io.hdrf.jni} only.
 */
package io.hdrf.spi.thread;
