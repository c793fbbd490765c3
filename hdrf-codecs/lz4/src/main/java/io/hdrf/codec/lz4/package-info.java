/* SPDX-License-Identifier: Apache-2.0 */
/** The scheme {@code lz4}. */
package io.hdrf.codec.lz4;
