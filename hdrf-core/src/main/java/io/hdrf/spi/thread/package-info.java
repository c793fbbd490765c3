/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Where threads are made, so that none is counted among the DataNode's transfers, and the loop that
 * an error does not end. Uses {@code io.hdrf.jni} only.
 */
package io.hdrf.spi.thread;
