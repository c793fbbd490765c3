/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Schemes, the plug-ins that encode and decode data, and chains of them. Plug-ins see this package,
 * {@code io.hdrf.io} and {@code io.hdrf.metadata}.
 */
package io.hdrf.scheme;
