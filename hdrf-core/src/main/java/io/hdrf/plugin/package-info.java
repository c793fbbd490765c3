/* SPDX-License-Identifier: Apache-2.0 */
/** Finds plug-in jars and loads each with its own class loader, one for the whole JVM. */
package io.hdrf.plugin;
