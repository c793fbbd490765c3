/* SPDX-License-Identifier: Apache-2.0 */
/** Puts damaged chunks right with copies of them that are found elsewhere on this DataNode. */
package io.hdrf.codec.dedup.heal;
