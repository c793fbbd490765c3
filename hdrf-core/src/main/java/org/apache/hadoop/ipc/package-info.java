/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Carries administrators' requests over Hadoop's RPC; in this package for what is package-private
 * there.
 */
package org.apache.hadoop.ipc;
