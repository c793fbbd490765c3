/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Jobs that administrators start: convert, inflate and verify all replicas of a volume, at a given
 * rate. Uses {@code io.hdrf.datanode.replica} and {@code io.hdrf.datanode.volume} only.
 */
package io.hdrf.datanode.job;
