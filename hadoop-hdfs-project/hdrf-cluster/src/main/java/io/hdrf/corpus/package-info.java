/* SPDX-License-Identifier: Apache-2.0 */
/**
 * Data to store: real text, the sources of several Hadoop versions, each as one uncompressed tar;
 * and columns of numbers, which are made.
 */
package io.hdrf.corpus;
