/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Finds what a new chunk is similar to, and makes the difference to that. Containers don't hold
 * differences yet: nothing outside of this package uses it but benchmarks.
 */
package io.hdrf.codec.dedup.delta;
