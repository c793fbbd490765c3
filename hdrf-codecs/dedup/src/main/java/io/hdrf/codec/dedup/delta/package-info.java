/* SPDX-License-Identifier: Apache-2.0 */
/** Finds what a new chunk is similar to, and makes the difference to that. */
package io.hdrf.codec.dedup.delta;
