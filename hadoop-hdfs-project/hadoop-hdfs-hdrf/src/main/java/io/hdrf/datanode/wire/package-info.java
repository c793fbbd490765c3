/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Block mirroring: the streams that a DataNode puts above SASL, towards other DataNodes that speak
 * HDRF, in the place of its own.
 */
package io.hdrf.datanode.wire;
