/* SPDX-License-Identifier: Apache-2.0 */
/** The scheme {@code zstd}. */
package io.hdrf.codec.zstd;
