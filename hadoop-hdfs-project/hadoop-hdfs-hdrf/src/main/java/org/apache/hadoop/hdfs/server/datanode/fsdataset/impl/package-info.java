/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The bridge to {@code FsDatasetImpl}, in this package because that class is package-private. Asks
 * HDRF before stock operations, and tells it after them; all that differs between Hadoop's versions
 * is here.
 */
package org.apache.hadoop.hdfs.server.datanode.fsdataset.impl;
