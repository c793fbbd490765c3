/* SPDX-License-Identifier: Apache-2.0 */

/**
 * Groups that one DataNode of a pipeline has encoded, for the others, which need not encode them
 * again.
 */
package io.hdrf.datanode.mirror.group;
