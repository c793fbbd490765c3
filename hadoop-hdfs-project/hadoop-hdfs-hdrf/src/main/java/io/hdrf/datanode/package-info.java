/* SPDX-License-Identifier: Apache-2.0 */
/**
 * HDRF inside a DataNode. The bridge calls {@link io.hdrf.datanode.HdrfService}, which puts
 * together the packages below this one; nothing here sees a scheme's or a store's class.
 */
package io.hdrf.datanode;
