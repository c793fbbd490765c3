/* SPDX-License-Identifier: Apache-2.0 */
/** The metadata store {@code embedded}, on RocksDB. */
package io.hdrf.store.embedded;
