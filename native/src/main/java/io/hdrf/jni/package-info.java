/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Bindings of the native library: checksums, hashes, chunkers, features and differences of chunks,
 * and queries of Bloom filters. Each has a Java twin with the same results, used where the library
 * can't be loaded.
 */
package io.hdrf.jni;
