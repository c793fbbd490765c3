/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Block mirroring: the streams above SASL towards other DataNodes with HDRF. Uses no other package
 * below {@code io.hdrf.datanode}.
 */
package io.hdrf.datanode.mirror;
