/* SPDX-License-Identifier: Apache-2.0 */
/** The scheme {@code hadoop-codec}: any of Hadoop's compression codecs. */
package io.hdrf.codec.hadoop;
