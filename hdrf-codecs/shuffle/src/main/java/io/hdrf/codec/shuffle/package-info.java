/* SPDX-License-Identifier: Apache-2.0 */
/** The scheme {@code shuffle}. */
package io.hdrf.codec.shuffle;
