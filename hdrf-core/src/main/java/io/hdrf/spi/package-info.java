/* SPDX-License-Identifier: Apache-2.0 */
/**
 * The service provider interface, which plug-ins link to. This package holds the parts that schemes
 * and stores share: their settings, and the error for a wrong one. The plug-in loader shares this
 * package and those below it with plug-ins, and nothing else of {@code hdrf-core}; they use each
 * other and {@code io.hdrf.jni} only.
 */
package io.hdrf.spi;
