/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The bytes of a container: header, groups of chunks, directory, footer; and the scan of a
 * container that has no directory. Uses no other package of this module. See docs/formats.md,
 * Containers.
 */
package io.hdrf.codec.dedup.container.format;
