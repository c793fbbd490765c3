/* SPDX-License-Identifier: Apache-2.0 */
/**
 * HDFS daemons as separate processes on loopback: started, measured, stopped and killed. Linux only
 * ({@code /proc}, {@code find -printf}, {@code setsid}). Nothing here loads a Hadoop class: facts
 * about a daemon come over HTTP from {@code /jmx}.
 */
package io.hdrf.cluster;
