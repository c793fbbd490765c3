/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Chains of schemes: found in jars, checked, opened on a volume, applied to blocks. The schemes
 * themselves are plug-ins, written against {@code io.hdrf.spi.scheme}.
 */
package io.hdrf.scheme;
