/* SPDX-License-Identifier: Apache-2.0 */
/** MapReduce, Spark and other applications on stock HDFS and under HDRF, side by side. */
package io.hdrf.applications;
