/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The Reducer: its queue and threads, the filter, the limits of schemes, and the steps of one
 * reduction. Knows blocks only as {@link io.hdrf.reduce.PlainBlock}, never the DataNode.
 */
package io.hdrf.reduce;
