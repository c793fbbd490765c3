/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The dynamic Bloom filter array: in which segments of the index a fingerprint may be. Uses no
 * other package of this module.
 */
package io.hdrf.codec.dedup.dba;
