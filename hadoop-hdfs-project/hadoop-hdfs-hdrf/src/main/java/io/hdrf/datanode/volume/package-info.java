/* SPDX-License-Identifier: Apache-2.0 */
/**
 * A block pool on one volume, with HDRF's directory there: its secret, its schemes and their
 * stores, which schemes its blocks need, the directories of blocks that are being written. Uses
 * {@code io.hdrf.datanode.mirror} only.
 */
package io.hdrf.datanode.volume;
