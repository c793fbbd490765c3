/* SPDX-License-Identifier: Apache-2.0 */
/** One bound for all memory that a DataNode's parts keep for longer than one request. */
package io.hdrf.spi.memory;
