/* SPDX-License-Identifier: Apache-2.0 */
/** Reads all containers again and again, slowly, so that what rots is found while it can be had. */
package io.hdrf.codec.dedup.scrub;
