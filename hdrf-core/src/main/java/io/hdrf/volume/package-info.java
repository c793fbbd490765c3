/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The state that a volume keeps for one block pool: its secret, the schemes that its blocks need,
 * and an administrator's goal for its blocks.
 */
package io.hdrf.volume;
