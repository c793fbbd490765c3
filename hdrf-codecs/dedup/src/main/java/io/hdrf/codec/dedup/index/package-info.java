/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The fingerprint index: where a chunk lies. It is a hint, which the container's directory
 * confirms, and is made again from the containers when lost. Uses {@code container} and {@code dba}
 * only.
 */
package io.hdrf.codec.dedup.index;
