/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Metadata stores: plug-ins that keep small entries under keys. An author implements {@link
 * io.hdrf.spi.store.MetadataStoreProvider} and {@link io.hdrf.spi.store.MetadataStore}; see
 * docs/stores.md. Uses {@code io.hdrf.spi} only.
 */
package io.hdrf.spi.store;
