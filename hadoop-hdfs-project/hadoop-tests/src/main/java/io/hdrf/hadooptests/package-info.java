/* SPDX-License-Identifier: Apache-2.0 */
/** Runs Hadoop's own test classes on stock HDFS and under HDRF, and compares what fails. */
package io.hdrf.hadooptests;
