/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The metadata store {@code redis}: a server, several behind Sentinel, or a cluster. Answers are
 * bounded in bytes and time before they are parsed.
 */
package io.hdrf.store.redis;
