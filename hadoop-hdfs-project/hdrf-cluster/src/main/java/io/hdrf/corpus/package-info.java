/* SPDX-License-Identifier: Apache-2.0 */
/** Real text to store: the sources of several Hadoop versions, each as one uncompressed tar. */
package io.hdrf.corpus;
