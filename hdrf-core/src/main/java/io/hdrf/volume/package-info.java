/* SPDX-License-Identifier: Apache-2.0 */
/**
 * What a volume keeps of itself for one block pool: its secret, the schemes that its blocks need,
 * and what an administrator wants of it.
 */
package io.hdrf.volume;
