/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The bridge to {@code DataNode}: damaged blocks and failed volumes are reported, the
 * administrators' protocol is added to the IPC server, and the streams of mirroring are put in
 * place.
 */
package org.apache.hadoop.hdfs.server.datanode;
