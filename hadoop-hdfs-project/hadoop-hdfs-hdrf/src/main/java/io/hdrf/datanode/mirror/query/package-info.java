/* SPDX-License-Identifier: Apache-2.0 */
/** Queries of one DataNode to another which chunks it has. Uses no other package of the overlay. */
package io.hdrf.datanode.mirror.query;
