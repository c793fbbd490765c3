/* SPDX-License-Identifier: Apache-2.0 */
/** The collection of chunks that no block needs. */
package io.hdrf.codec.dedup.gc;
