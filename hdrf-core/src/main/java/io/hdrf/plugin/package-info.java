/* SPDX-License-Identifier: Apache-2.0 */
/** Finds plug-in jars and loads each behind a class loader of its own, one for the whole JVM. */
package io.hdrf.plugin;
