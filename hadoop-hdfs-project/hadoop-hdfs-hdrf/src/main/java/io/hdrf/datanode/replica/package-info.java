/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Finalized replicas: what one is, how it is opened, locked, reduced, inflated and recorded. Uses
 * {@code io.hdrf.datanode.volume} only.
 */
package io.hdrf.datanode.replica;
