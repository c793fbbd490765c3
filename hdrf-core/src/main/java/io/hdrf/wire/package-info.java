/* SPDX-License-Identifier: Apache-2.0 */
/**
 * How blocks travel between DataNodes: the framed stream that carries HDFS's data-transfer protocol
 * with packet data as frames of a scheme chain ({@code docs/formats.md} has its bytes), and the
 * frames that a DataNode keeps of a block under way, to store them as they came. Knows nothing of
 * the DataNode.
 */
package io.hdrf.wire;
