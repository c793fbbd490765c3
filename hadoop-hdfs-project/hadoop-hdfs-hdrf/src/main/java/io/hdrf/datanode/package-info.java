/* SPDX-License-Identifier: Apache-2.0 */
/**
 * HDRF inside a DataNode: volumes and pools, the swap of a block's file, reads, inflation, jobs,
 * records. The bridge calls {@link io.hdrf.datanode.HdrfService}; schemes and stores are never seen
 * here.
 */
package io.hdrf.datanode;
