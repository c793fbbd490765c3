/* SPDX-License-Identifier: Apache-2.0 */
/**
 * How one DataNode asks another which chunks it has, and what the other one holds for the stream
 * that will refer to them. Uses {@code io.hdrf.wire} only.
 */
package io.hdrf.wire.query;
