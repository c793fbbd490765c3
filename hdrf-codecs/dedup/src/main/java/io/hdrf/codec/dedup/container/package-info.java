/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Containers, the append-only files in which chunks lie, with their directories: written, read,
 * checked, compacted, recovered after a crash.
 */
package io.hdrf.codec.dedup.container;
