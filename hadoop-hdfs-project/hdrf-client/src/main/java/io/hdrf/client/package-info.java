/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Local reads in a client: {@code HdrfReplicaAccessorBuilder} asks the DataNode of this host for a
 * block ({@code DataNodeConnection}), and decodes it ({@code LocalReplica}) if its descriptors are
 * passed. All else is left to the HDFS client's own readers.
 */
package io.hdrf.client;
