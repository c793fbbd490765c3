/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Schemes: plug-ins that encode and decode data. An author implements {@link
 * io.hdrf.spi.scheme.FrameScheme}, most easily by {@link io.hdrf.spi.scheme.SizedFrameScheme}, or
 * {@link io.hdrf.spi.scheme.BlockScheme}; see docs/schemes.md. Uses the other packages below {@code
 * io.hdrf.spi}.
 */
package io.hdrf.spi.scheme;
