/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Local reads in a client: {@code HdrfReplicaAccessorBuilder} asks the DataNode of this host for a
 * block ({@code DataNodeConnection}); {@code LocalReplica} is one whose descriptors it passed,
 * {@code BlockStream} is one that it decodes itself.
 */
package io.hdrf.client;
